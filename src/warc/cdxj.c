/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/cdxj.h"

#include "base/jsonw.h"
#include "base/utf8.h"
#include "warc/date.h"

static bool is_key(struct str key)
{
    for (size_t i = 0; i < key.n; i++)
        if ((unsigned char)key.p[i] <= ' ' || key.p[i] == 127)
            return false;
    return key.n > 0;
}

static bool is_utf8(struct str s)
{
    return utf8_valid(s) == s.n;
}

static void number_field(struct jsonw *j, const char *key, uint64_t value)
{
    char digits[24];
    struct buf b = buf_on(digits, sizeof digits);
    buf_u64(&b, value);
    jsonw_text_field(j, key, buf_str(&b));
}

static void json_out(struct buf *out, const struct cdxj_entry *e, struct str digest)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_text_field(&j, "url", e->url);
    if (e->mime.p)
        jsonw_text_field(&j, "mime", e->mime);
    if (e->status)
        number_field(&j, "status", e->status);
    if (digest.p)
        jsonw_text_field(&j, "digest", digest);
    number_field(&j, "length", e->length);
    number_field(&j, "offset", e->offset);
    jsonw_text_field(&j, "filename", e->filename);
    jsonw_end(&j);
}

enum rc cdxj_print(struct buf *out, const struct cdxj_entry *e)
{
    struct str digest = e->digest;
    if (str_starts(digest, STR("sha1:")))
        digest = str_from(digest, 5);
    if (!is_key(e->key) || !is_utf8(e->key) || !e->url.n || !e->filename.n || e->status > 999 ||
        !warc_date_fits(e->date_ms) || !is_utf8(e->url) || !is_utf8(e->mime) || !is_utf8(digest) ||
        !is_utf8(e->filename))
        return RC_INVALID;
    size_t before = out->n;
    buf_add(out, e->key);
    buf_byte(out, ' ');
    warc_ts14_print(out, e->date_ms);
    buf_byte(out, ' ');
    json_out(out, e, digest);
    buf_byte(out, '\n');
    if (buf_rc(out))
        out->n = before;
    return buf_rc(out);
}

/* Reading: a walk over one flat JSON object. `rest` is what is still to be read; strings lose their
 * escapes into `room`, which was made large enough before, so that it does not move. */
struct scan {
    struct str rest;
    struct buf *room;
    enum rc rc;
};

static bool invalid(struct scan *s)
{
    s->rc = s->rc ? s->rc : RC_INVALID;
    return false;
}

static void skip_blanks(struct scan *s)
{
    while (s->rest.n && ascii_is_space(s->rest.p[0]) && s->rest.p[0] != '\f')
        s->rest = str_from(s->rest, 1);
}

static bool peek(struct scan *s, char c)
{
    skip_blanks(s);
    return s->rest.n && s->rest.p[0] == c;
}

static bool accept(struct scan *s, char c)
{
    if (!peek(s, c))
        return false;
    s->rest = str_from(s->rest, 1);
    return true;
}

static bool take_hex4(struct scan *s, uint32_t *ret)
{
    uint32_t value = 0;
    if (s->rest.n < 4)
        return invalid(s);
    for (size_t i = 0; i < 4; i++) {
        int digit = ascii_hex(s->rest.p[i]);
        if (digit < 0)
            return invalid(s);
        value = value << 4 | (uint32_t)digit;
    }
    s->rest = str_from(s->rest, 4);
    *ret = value;
    return true;
}

/* Behind "\u". Half a surrogate pair is written as U+FFFD, by buf_utf8. */
static bool take_code(struct scan *s)
{
    uint32_t code, low;
    if (!take_hex4(s, &code))
        return false;
    while (code >= 0xd800 && code < 0xdc00 && str_starts(s->rest, STR("\\u"))) {
        s->rest = str_from(s->rest, 2);
        if (!take_hex4(s, &low))
            return false;
        if (low >= 0xdc00 && low < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        } else {
            buf_utf8(s->room, code);
            code = low;
        }
    }
    buf_utf8(s->room, code);
    return true;
}

static bool take_escape(struct scan *s)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (s->rest.n == 0)
        return invalid(s);
    char c = s->rest.p[0];
    s->rest = str_from(s->rest, 1);
    if (c == 'u')
        return take_code(s);
    const char *at = memchr(from, c, sizeof from - 1);
    if (!at)
        return invalid(s);
    buf_byte(s->room, to[at - from]);
    return true;
}

static size_t plain_run(struct str s)
{
    size_t n = 0;
    while (n < s.n && s.p[n] != '"' && s.p[n] != '\\' && (unsigned char)s.p[n] >= ' ')
        n++;
    return n;
}

static bool take_string(struct scan *s, struct str *ret)
{
    if (!accept(s, '"'))
        return invalid(s);
    size_t start = s->room->n;
    for (;;) {
        size_t n = plain_run(s->rest);
        struct str run = str_first(s->rest, n);
        if (!is_utf8(run))
            return invalid(s);
        buf_add(s->room, run);
        s->rest = str_from(s->rest, n);
        if (s->rest.n == 0 || (s->rest.p[0] != '"' && s->rest.p[0] != '\\'))
            return invalid(s);
        bool escape = s->rest.p[0] == '\\';
        s->rest = str_from(s->rest, 1);
        if (!escape)
            break;
        if (!take_escape(s))
            return false;
    }
    *ret = str_make(buf_str(s->room).p + start, s->room->n - start);
    return true;
}

static bool is_word_char(char c)
{
    return ascii_is_alnum(c) || c == '+' || c == '-' || c == '.';
}

/* A number, true, false or null, as it stands. */
static bool take_word(struct scan *s, struct str *ret)
{
    skip_blanks(s);
    size_t n = 0;
    while (n < s->rest.n && is_word_char(s->rest.p[n]))
        n++;
    *ret = str_first(s->rest, n);
    s->rest = str_from(s->rest, n);
    return n ? true : invalid(s);
}

/* Steps over an array or object: brackets are only counted, their content is not read. */
static bool skip_nested(struct scan *s)
{
    size_t depth = 0, kept = s->room->n;
    struct str text;
    do {
        if (peek(s, '"')) {
            if (!take_string(s, &text))
                return false;
            s->room->n = kept;
            continue;
        }
        if (s->rest.n == 0)
            return invalid(s);
        char c = s->rest.p[0];
        s->rest = str_from(s->rest, 1);
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        if (depth > CDXJ_MAX_DEPTH) {
            s->rc = RC_LIMIT;
            return false;
        }
    } while (depth);
    return true;
}

enum field { URL, MIME, STATUS, DIGEST, LENGTH, OFFSET, FILENAME, FIELDS };

static size_t field_of(struct str name)
{
    static const char *const names[FIELDS] = {"url",    "mime",   "status",  "digest",
                                              "length", "offset", "filename"};
    for (size_t i = 0; i < FIELDS; i++)
        if (str_eq(name, str_c(names[i])))
            return i;
    return FIELDS;
}

/* "key": value, kept in `values` if it is one of ours; the same key twice is nonsense. */
static bool take_pair(struct scan *s, struct str *values)
{
    struct str name, value;
    if (!take_string(s, &name))
        return false;
    size_t field = field_of(name);
    if (!accept(s, ':'))
        return invalid(s);
    if (peek(s, '{') || peek(s, '['))
        return field == FIELDS ? skip_nested(s) : invalid(s);
    if (!(peek(s, '"') ? take_string(s, &value) : take_word(s, &value)))
        return false;
    if (field == FIELDS)
        return true;
    if (values[field].p)
        return invalid(s);
    values[field] = value;
    return true;
}

static bool take_object(struct scan *s, struct str *values)
{
    if (!accept(s, '{'))
        return invalid(s);
    if (!accept(s, '}')) {
        do {
            if (!take_pair(s, values))
                return false;
        } while (accept(s, ','));
        if (!accept(s, '}'))
            return invalid(s);
    }
    skip_blanks(s);
    return s->rest.n == 0 ? true : invalid(s);
}

static enum rc fill_entry(const struct str *values, struct cdxj_entry *e)
{
    uint64_t status = 0;
    struct str none = STR("-");
    if (!values[URL].n || !values[FILENAME].n)
        return RC_INVALID;
    if (str_to_u64(values[LENGTH], &e->length) || str_to_u64(values[OFFSET], &e->offset))
        return RC_INVALID;
    if (values[STATUS].n && !str_eq(values[STATUS], none) && str_to_u64(values[STATUS], &status))
        return RC_INVALID;
    if (status > 999)
        return RC_INVALID;
    e->status = (unsigned)status;
    e->url = values[URL];
    e->mime = values[MIME];
    e->digest = values[DIGEST];
    e->filename = values[FILENAME];
    return RC_OK;
}

enum rc cdxj_parse(struct str line, struct buf *room, struct cdxj_entry *ret)
{
    struct str values[FIELDS] = {{0}};
    struct scan s = {.rest = line, .room = room};
    buf_clear(room);
    if (line.n > CDXJ_MAX_LINE)
        return RC_LIMIT;
    struct cdxj_entry e = {.key = str_take_until(&s.rest, ' ')};
    struct str ts = str_take_until(&s.rest, ' ');
    if (!is_key(e.key) || !is_utf8(e.key) || warc_ts14_parse(ts, &e.date_ms) || !s.rest.n)
        return RC_INVALID;
    if (!buf_reserve(room, s.rest.n))
        return buf_rc(room);
    enum rc rc = take_object(&s, values) ? fill_entry(values, &e) : s.rc;
    if (rc == RC_OK)
        rc = buf_rc(room);
    if (rc == RC_OK)
        *ret = e;
    return rc;
}
