/* SPDX-License-Identifier: Apache-2.0 */
#include "conform.h"

#include "base/utf8.h"
#include "url/idn.h"
#include "url/machine.h"

static struct url_idn *idn;
static char base_room[URL_ROOM_BYTES], room[URL_ROOM_BYTES], slow_room[URL_ROOM_BYTES];

int conform_setup(void **state)
{
    (void)state;
    return url_idn_open(&idn) == RC_OK ? 0 : -1;
}

int conform_teardown(void **state)
{
    (void)state;
    url_idn_close(idn);
    idn = NULL;
    return 0;
}

/* The four digits behind "\u", or -1 if `s` does not begin with one. */
static int32_t escape_unit(struct str s)
{
    int32_t unit = 0;
    if (s.n < 6 || s.p[0] != '\\' || s.p[1] != 'u')
        return -1;
    for (int i = 2; i < 6; i++) {
        if (ascii_hex(s.p[i]) < 0)
            return -1;
        unit = unit << 4 | ascii_hex(s.p[i]);
    }
    return unit;
}

static bool is_lead(int32_t unit)
{
    return unit >= 0xd800 && unit < 0xdc00;
}

static bool is_trail(int32_t unit)
{
    return unit >= 0xdc00 && unit < 0xe000;
}

static void replace_lone_surrogates(struct buf *text)
{
    for (size_t i = 0; i + 1 < text->n; i++) {
        struct str here = str_from(buf_str(text), i);
        int32_t unit = escape_unit(here);
        if (text->p[i] != '\\')
            continue;
        if (is_lead(unit) && is_trail(escape_unit(str_from(here, 6))))
            i += 11;
        else if (is_lead(unit) || is_trail(unit))
            memcpy(text->p + i, "\\ufffd", 6);
        else
            i++;
    }
}

json_t *conform_json(const char *file)
{
    const char *path = test_conformance(file);
    struct buf text;
    if (!path)
        return NULL;
    assert_true(test_slurp(path, &text));
    replace_lone_surrogates(&text);
    json_error_t error;
    json_t *json = json_loadb(text.p, text.n, JSON_ALLOW_NUL, &error);
    if (!json)
        fail_msg("%s line %d: %s", file, error.line, error.text);
    buf_done(&text);
    return json;
}

struct str conform_str(const json_t *value)
{
    return json_is_string(value) ? str_make(json_string_value(value), json_string_length(value))
                                 : STR_NONE;
}

struct str conform_field(const json_t *object, const char *key)
{
    return conform_str(json_object_get(object, key));
}

static char simple_escape(char c)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *at = c ? strchr(from, c) : NULL;
    return at ? to[at - from] : c;
}

struct str conform_unescape(struct str s, struct buf *out)
{
    buf_clear(out);
    for (size_t i = 0; i < s.n; i++) {
        int32_t unit = escape_unit(str_from(s, i));
        if (s.p[i] != '\\' || i + 1 == s.n) {
            buf_byte(out, s.p[i]);
        } else if (unit < 0) {
            buf_byte(out, simple_escape(s.p[++i]));
        } else {
            int32_t next = escape_unit(str_from(s, i + 6));
            bool pair = is_lead(unit) && is_trail(next);
            buf_utf8(out,
                     pair ? 0x10000u + (((uint32_t)unit & 0x3ff) << 10 | ((uint32_t)next & 0x3ff))
                          : (uint32_t)unit);
            i += pair ? 11 : 5;
        }
    }
    assert_int_equal(buf_rc(out), RC_OK);
    return buf_str(out);
}

static void assert_same(const struct url *a, const struct url *b)
{
    assert_str(url_href(a), url_href(b));
    const int parts[][2] = {{a->scheme_n, b->scheme_n},
                            {a->user_at, b->user_at},
                            {a->user_end, b->user_end},
                            {a->pass_end, b->pass_end},
                            {a->host_at, b->host_at},
                            {a->host_end, b->host_end},
                            {a->port_end, b->port_end},
                            {a->path_at, b->path_at},
                            {a->query_at, b->query_at},
                            {a->fragment_at, b->fragment_at},
                            {a->port, b->port},
                            {a->kind, b->kind},
                            {a->has_host, b->has_host},
                            {a->has_port, b->has_port},
                            {a->opaque_path, b->opaque_path},
                            {a->n, b->n}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        assert_int_equal(parts[i][0], parts[i][1]);
}

struct str conform_resolve(struct str input, struct str base_text, struct url_encoding *encoding)
{
    struct url_parser parser = {.idn = idn};
    struct url base, u, slow;
    struct url_room at = {room, sizeof room};
    if (base_text.p &&
        url_parse(&parser, base_text, NULL, (struct url_room){base_room, sizeof base_room}, &base))
        return STR_NONE;
    parser.encoding = encoding;
    enum rc rc = url_parse(&parser, input, base_text.p ? &base : NULL, at, &u);
    enum rc slow_rc = url_machine_parse(&parser, input, base_text.p ? &base : NULL,
                                        (struct url_room){slow_room, sizeof slow_room}, &slow);
    assert_int_equal(rc, slow_rc);
    if (rc)
        return STR_NONE;
    assert_same(&u, &slow);
    return url_href(&u);
}
