/* SPDX-License-Identifier: Apache-2.0 */
#include "net/head.h"

/* The values of the fields about framing, before weigh() decides which of them counts. */
struct said {
    bool has_length, length_differs, length_bad;
    uint64_t length;
    bool has_coding, chunked_last, chunked_bad;
    bool close, keep_alive;
    bool has_keep;
    uint64_t keep_s;
    const char *why; /* refused at once */
};

enum { SHORT_VALUE = 1024 }; /* a folded field about the framing is not longer */

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static struct str trim_blanks(struct str s)
{
    while (s.n && is_blank(s.p[0]))
        s = str_from(s, 1);
    while (s.n && is_blank(s.p[s.n - 1]))
        s.n--;
    return s;
}

bool head_starts_well(struct str bytes)
{
    struct str start = STR("HTTP/1.");
    size_t n = bytes.n < start.n ? bytes.n : start.n;
    return n == 0 || memcmp(bytes.p, start.p, n) == 0;
}

const char *head_status_line(struct str line, struct head *ret)
{
    if (!str_starts(line, STR("HTTP/1.")))
        return "no HTTP/1 status line";
    if (line.n < 9 || (line.p[7] != '0' && line.p[7] != '1') || line.p[8] != ' ')
        return "neither HTTP/1.0 nor HTTP/1.1";
    struct str code = str_first(str_from(line, 9), 3);
    uint64_t status;
    if (code.n != 3 || str_to_u64(code, &status) != RC_OK || status < 100)
        return "the status is no number of three digits";
    if (line.n > 12 && line.p[12] != ' ')
        return "the status is no number of three digits";
    ret->status = (uint16_t)status;
    ret->is_http10 = line.p[7] == '0';
    return NULL;
}

/* RFC 9110, 5.6.2: the characters of a token. */
static const bool name_bytes[256] = {
    ['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['!'] = true,  ['#'] = true,
    ['$'] = true,         ['%'] = true,         ['&'] = true,         ['\''] = true, ['*'] = true,
    ['+'] = true,         ['-'] = true,         ['.'] = true,         ['^'] = true,  ['_'] = true,
    ['`'] = true,         ['|'] = true,         ['~'] = true,
};

/* Each of the next two looks at every byte and decides at the end: heads are sound, and without a
 * branch a byte costs less. */
static bool is_name(struct str s)
{
    bool all = s.n > 0;
    for (size_t i = 0; i < s.n; i++)
        all &= name_bytes[(unsigned char)s.p[i]];
    return all;
}

/* Control bytes beside the tab; the line ends of a folded value are none. */
static bool has_control(struct str s)
{
    unsigned char found = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        unsigned char is_low = c < 32, is_allowed = (c == '\t') | (c == '\r') | (c == '\n');
        found |= (unsigned char)((is_low & !is_allowed) | (c == 127));
    }
    return found;
}

static struct str without_line_end(struct str line)
{
    if (line.n && line.p[line.n - 1] == '\n')
        line.n--;
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    return line;
}

/* Takes a line and those that continue it, line ends inside. False at the empty line. */
static bool take_lines(struct str *rest, struct head_field *ret, struct str *ret_lines)
{
    size_t end = 0;
    ret->is_folded = false;
    for (;;) {
        struct str behind = str_from(*rest, end);
        size_t line = str_find(behind, '\n');
        end += line < behind.n ? line + 1 : line;
        if (end >= rest->n || !is_blank(rest->p[end]))
            break;
        ret->is_folded = true;
    }
    *ret_lines = without_line_end(str_first(*rest, end));
    *rest = str_from(*rest, end);
    return ret_lines->n > 0;
}

/* Like head_next, but returns fields with control bytes too. */
static bool next_field(struct str *rest, struct head_field *ret)
{
    struct str lines;
    while (take_lines(rest, ret, &lines)) {
        size_t colon = str_find(lines, ':');
        ret->name = str_first(lines, colon);
        ret->raw = str_from(lines, colon + 1);
        if (colon < lines.n && is_name(ret->name))
            return true;
    }
    return false;
}

/* Steps over the status line and over lines behind it that begin with a blank. */
static void skip_status_line(struct str *rest)
{
    if (str_starts(*rest, STR("HTTP/1."))) {
        struct str lines;
        struct head_field none;
        (void)take_lines(rest, &none, &lines);
    }
}

bool head_next(struct str *rest, struct head_field *ret)
{
    skip_status_line(rest);
    while (next_field(rest, ret))
        if (!has_control(ret->raw))
            return true;
    return false;
}

struct str head_value(const struct head_field *f, struct buf *scratch)
{
    if (!f->is_folded)
        return trim_blanks(f->raw);
    buf_clear(scratch);
    struct str rest = f->raw;
    while (rest.n) {
        size_t end = str_find(rest, '\n');
        struct str part =
            trim_blanks(without_line_end(str_first(rest, end < rest.n ? end + 1 : end)));
        rest = str_from(rest, end + 1);
        if (part.n && scratch->n)
            buf_byte(scratch, ' ');
        buf_add(scratch, part);
    }
    return buf_rc(scratch) == RC_OK ? buf_str(scratch) : STR_NONE;
}

struct str head_get(struct str head, struct str name, struct buf *scratch)
{
    struct head_field f;
    while (head_next(&head, &f))
        if (str_eq_nocase(f.name, name))
            return head_value(&f, scratch);
    return STR_NONE;
}

bool head_list_next(struct str *list, struct str *ret_item)
{
    if (!list->p)
        return false;
    *ret_item = trim_blanks(str_take_until(list, ','));
    return true;
}

static void say_length(struct said *s, struct str value)
{
    struct str item;
    while (head_list_next(&value, &item)) {
        uint64_t n;
        if (str_to_u64(item, &n) != RC_OK)
            s->length_bad = true;
        else if (s->has_length && n != s->length)
            s->length_differs = true;
        else
            s->length = n;
        s->has_length = true;
    }
}

static void say_coding(struct said *s, struct str value)
{
    struct str item;
    while (head_list_next(&value, &item)) {
        if (item.n == 0 || str_eq_nocase(item, STR("identity")))
            continue;
        struct str name = trim_blanks(str_first(item, str_find(item, ';')));
        bool chunked = str_eq_nocase(name, STR("chunked"));
        if (s->chunked_last || (chunked && name.n != item.n))
            s->chunked_bad = true; /* it was not the last, or has parameters */
        s->has_coding = true;
        s->chunked_last = chunked;
    }
}

static void say_connection(struct said *s, struct str value)
{
    struct str item;
    while (head_list_next(&value, &item)) {
        s->close |= str_eq_nocase(item, STR("close"));
        s->keep_alive |= str_eq_nocase(item, STR("keep-alive"));
    }
}

/* What is no number says nothing. */
static void say_keep_alive(struct said *s, struct str value)
{
    struct str item, name = STR("timeout=");
    uint64_t n;
    while (head_list_next(&value, &item))
        if (!s->has_keep && str_eq_nocase(str_first(item, name.n), name) &&
            str_to_u64(trim_blanks(str_from(item, name.n)), &n) == RC_OK) {
            s->has_keep = true;
            s->keep_s = n < HEAD_MOST_KEEP_S ? n : HEAD_MOST_KEEP_S;
        }
}

struct say {
    struct str name;
    void (*say)(struct said *s, struct str value);
    bool is_framing;
    bool is_hint; /* without it the answer is understood all the same */
};

/* The fields that matter here differ in length or first letter, so most names cost one comparison.
 */
static const struct say *say_of(struct str name)
{
    static const struct say length = {{"Content-Length", 14}, say_length, true, false};
    static const struct say coding = {{"Transfer-Encoding", 17}, say_coding, true, false};
    static const struct say connection = {{"Connection", 10}, say_connection, false, false};
    static const struct say keep_alive = {{"Keep-Alive", 10}, say_keep_alive, false, true};
    if (name.n == keep_alive.name.n && ascii_lower(name.p[0]) == 'k')
        return str_eq_nocase(name, keep_alive.name) ? &keep_alive : NULL;
    const struct say *s = name.n == length.name.n       ? &length
                          : name.n == coding.name.n     ? &coding
                          : name.n == connection.name.n ? &connection
                                                        : NULL;
    return s && str_eq_nocase(name, s->name) ? s : NULL;
}

static void say_fields(struct str rest, struct said *s)
{
    char room[SHORT_VALUE];
    struct head_field f;
    while (!s->why && next_field(&rest, &f)) {
        const struct say *say = say_of(f.name);
        if (!say)
            continue;
        struct buf scratch = buf_on(room, sizeof room);
        struct str value = head_value(&f, &scratch);
        if (has_control(f.raw) && say->is_framing)
            s->why = "control bytes in a field that says where the body ends";
        else if (!value.p)
            s->why = say->is_hint ? NULL : "a folded field is too long";
        else if (!has_control(f.raw))
            say->say(s, value);
    }
}

/* Decides how the body ends, in the order of RFC 9112, 6.3: answers without a body, then
 * Transfer-Encoding, then Content-Length. */
static const char *weigh(const struct said *s, bool to_head, struct head *h)
{
    h->keeps =
        (h->is_http10 ? s->keep_alive && !s->close : !s->close) && !(s->has_keep && !s->keep_s);
    h->keep_s = s->keep_s;
    h->length = 0;
    if (to_head || h->status < 200 || h->status == 204 || h->status == 304) {
        h->framing = FRAMING_NONE;
        if (h->status == 204 && (s->has_coding || s->length))
            h->keeps = false; /* the body that it announces may still come */
        return NULL;
    }
    if (s->chunked_bad)
        return "chunked is not the last coding, or not plain";
    if (s->has_coding) {
        h->framing = s->chunked_last ? FRAMING_CHUNKED : FRAMING_CLOSE;
        h->keeps = h->keeps && s->chunked_last && !s->has_length && !h->is_http10;
        return NULL;
    }
    if (s->length_bad)
        return "Content-Length is no number";
    if (s->length_differs)
        return "two different Content-Length";
    h->framing = s->has_length ? FRAMING_LENGTH : FRAMING_CLOSE;
    h->keeps = h->keeps && s->has_length;
    h->length = s->length;
    return NULL;
}

/* Every CR stands before a LF. */
static bool has_bare_cr(struct str s)
{
    for (size_t at = str_find(s, '\r'); at < s.n;) {
        if (at + 1 >= s.n || s.p[at + 1] != '\n')
            return true;
        s = str_from(s, at + 2);
        at = str_find(s, '\r');
    }
    return false;
}

const char *head_read(struct str bytes, bool to_head, struct head *ret)
{
    *ret = (struct head){0};
    struct said s = {0};
    if (str_find(bytes, '\0') < bytes.n)
        return "NUL in the head";
    if (has_bare_cr(bytes))
        return "bare CR in the head";
    struct str line = without_line_end(str_first(bytes, str_find(bytes, '\n') + 1));
    const char *why = head_status_line(line, ret);
    if (why)
        return why;
    skip_status_line(&bytes);
    say_fields(bytes, &s);
    return s.why ? s.why : weigh(&s, to_head, ret);
}
