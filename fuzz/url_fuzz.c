/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold for any URL, whatever its bytes.
 *
 * Input: two bytes of rules, one that picks the document's encoding, then a line with the base,
 * then the URL.
 *   - the short way and the machine agree;
 *   - what was written parses to itself, and so does what was normalised;
 *   - normalising twice equals once and never makes a URL longer;
 *   - nothing is written past a small room, and one that cannot hold the result is refused. */
#include "base/mem.h"
#include "fuzz.h"
#include "url/domain.h"
#include "url/encoding.h"
#include "url/idn.h"
#include "url/machine.h"
#include "url/normalise.h"
#include "url/surt.h"

static char rooms[5][URL_ROOM_BYTES];

static struct url_room room(int which)
{
    return (struct url_room){rooms[which], URL_ROOM_BYTES};
}

/* Opened once for the process; a fuzzer has no end at which to close them. */
static struct url_idn *idn;
static struct url_encoding *encodings[8];

static void open_once(void)
{
    static const char *const names[8] = {"UTF-8",  "windows-1252", "Shift_JIS", "ISO-2022-JP",
                                         "EUC-JP", "GBK",          "Big5",      "ISO-8859-16"};
    if (idn)
        return;
    MUST(url_idn_open(&idn) == RC_OK);
    for (int i = 0; i < 8; i++)
        MUST(url_encoding_open(str_c(names[i]), &encodings[i]) == RC_OK);
}

static bool is_same(const struct url *a, const struct url *b)
{
    return str_eq(url_href(a), url_href(b)) && a->scheme_n == b->scheme_n &&
           a->user_at == b->user_at && a->user_end == b->user_end && a->pass_end == b->pass_end &&
           a->host_at == b->host_at && a->host_end == b->host_end && a->port_end == b->port_end &&
           a->path_at == b->path_at && a->query_at == b->query_at &&
           a->fragment_at == b->fragment_at && a->port == b->port && a->kind == b->kind &&
           a->has_host == b->has_host && a->has_port == b->has_port &&
           a->opaque_path == b->opaque_path;
}

/* The offsets stand in order and the bytes are ones a URL may have. */
static void check_shape(const struct url *u)
{
    MUST(u->scheme_n > 0 && u->scheme_n < u->user_at && u->user_at <= u->user_end);
    MUST(u->user_end <= u->pass_end && u->pass_end <= u->host_at && u->host_at <= u->host_end);
    MUST(u->host_end <= u->port_end && u->port_end <= u->path_at && u->path_at <= u->query_at);
    MUST(u->query_at <= u->fragment_at && u->fragment_at <= u->n && u->p[u->n] == '\0');
    for (size_t i = 0; i < u->n; i++)
        MUST(u->p[i] > ' ' ? u->p[i] < 127 : u->opaque_path && u->p[i] == ' ');
    if (u->kind != URL_OTHER)
        MUST(u->has_host && u->p[u->path_at] == '/' && (u->kind == URL_FILE || url_host(u).n));
}

static void check_reparse(const struct url *u, int into)
{
    struct url_parser parser = {.idn = idn};
    struct url again;
    MUST(url_parse(&parser, url_href(u), NULL, room(into), &again) == RC_OK);
    MUST(is_same(u, &again));
}

static void check_normal(struct url *u, uint32_t rules)
{
    struct url once;
    size_t before = u->n;
    url_normalise(u, rules);
    check_shape(u);
    MUST(u->n <= before);
    check_reparse(u, 3);
    MUST(url_copy(u, room(3), &once) == RC_OK);
    url_normalise(&once, rules);
    MUST(is_same(u, &once));
}

static void check_keys(const struct url *u)
{
    struct buf out = buf_on(rooms[4], URL_ROOM_BYTES);
    url_surt(url_href(u), URL_SURT_SCHEME | URL_SURT_COMMA, &out);
    buf_clear(&out);
    url_cdx_key(u, &out);
    struct str domain = url_domain(url_host(u));
    MUST(domain.n <= url_host(u).n);
}

static void check_rooms(struct url_parser *parser, struct str input, const struct url *base,
                        size_t n)
{
    struct url u;
    char *exact = mem_alloc(n + 1);
    if (!exact)
        return;
    enum rc rc = url_parse(parser, input, base, (struct url_room){exact, n + 1}, &u);
    MUST(rc == RC_LIMIT || (rc == RC_OK && u.n == n));
    MUST(url_parse(parser, input, base, (struct url_room){exact, n}, &u) == RC_LIMIT);
    mem_free(exact);
}

static void check(struct str input, const struct url *base, struct url_encoding *encoding,
                  uint32_t rules)
{
    struct url_parser parser = {.idn = idn, .encoding = encoding};
    struct url u, slow;
    enum rc rc = url_parse(&parser, input, base, room(1), &u);
    MUST(url_machine_parse(&parser, input, base, room(2), &slow) == rc);
    if (rc)
        return;
    MUST(is_same(&u, &slow));
    check_shape(&u);
    check_rooms(&parser, input, base, u.n);
    check_reparse(&u, 3);
    check_normal(&u, rules);
    check_keys(&u);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    open_once();
    if (n < 3)
        return 0;
    uint32_t rules = (uint32_t)(data[0] | data[1] << 8) & URL_RULES_ALL;
    struct url_encoding *encoding = encodings[data[2] & 7];
    struct str input = str_make((const char *)data + 3, n - 3);
    struct str base_text = str_take_until(&input, '\n');
    struct url_parser parser = {.idn = idn};
    struct url base;
    bool has_base = url_parse(&parser, base_text, NULL, room(0), &base) == RC_OK;
    check(base_text, NULL, encoding, rules);
    check(input, has_base ? &base : NULL, encoding, rules);
    return 0;
}
