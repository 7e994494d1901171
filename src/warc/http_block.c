/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/http_block.h"

enum { IN_LINE, AFTER_LF, AFTER_LF_CR };

size_t http_head_scan(struct http_head_scan *s, struct str bytes)
{
    size_t at = 0;
    while (at < bytes.n && !s->found) {
        if (s->line_state == IN_LINE) {
            at += str_find(str_from(bytes, at), '\n') + 1;
            if (at > bytes.n)
                at = bytes.n;
            else
                s->line_state = AFTER_LF;
            continue;
        }
        char c = bytes.p[at++];
        if (c == '\n')
            s->found = true;
        else
            s->line_state = c == '\r' && s->line_state == AFTER_LF ? AFTER_LF_CR : IN_LINE;
    }
    s->bytes += at;
    return at;
}

size_t http_head_end(struct str block)
{
    struct http_head_scan s = {0};
    size_t bytes = http_head_scan(&s, block);
    return s.found ? bytes : 0;
}

/* Takes the next line out of *s, without its line end. */
static struct str take_line(struct str *s)
{
    struct str line = str_take_until(s, '\n');
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    return line;
}

unsigned http_head_status(struct str head)
{
    struct str line = take_line(&head);
    if (!str_starts(line, STR("HTTP/")))
        return 0;
    struct str rest = str_from(line, str_find(line, ' '));
    while (rest.n && rest.p[0] == ' ')
        rest = str_from(rest, 1);
    if (rest.n < 3 || (rest.n > 3 && rest.p[3] != ' '))
        return 0;
    unsigned status = 0;
    for (size_t i = 0; i < 3; i++) {
        if (!ascii_is_digit(rest.p[i]))
            return 0;
        status = status * 10 + (unsigned)(rest.p[i] - '0');
    }
    return status >= 100 ? status : 0;
}

static bool is_folded(struct str rest)
{
    return rest.n && (rest.p[0] == ' ' || rest.p[0] == '\t');
}

/* A logical line: the first and those folded onto it, line ends inside. */
static struct str take_field(struct str *rest)
{
    struct str field = take_line(rest);
    while (field.n && is_folded(*rest)) {
        struct str more = take_line(rest);
        field.n = (size_t)(more.p - field.p) + more.n;
    }
    return field;
}

/* The value if `field` has that name, else absent. */
static struct str value_of(struct str field, struct str name)
{
    size_t colon = str_find(field, ':');
    if (colon == field.n || !str_eq_nocase(str_trim(str_first(field, colon)), name))
        return STR_NONE;
    return str_trim(str_from(field, colon + 1));
}

struct str http_head_each(struct str head, struct str name, size_t *cursor)
{
    struct str rest = str_from(head, *cursor);
    if (*cursor == 0)
        take_line(&rest);
    while (rest.n) {
        struct str field = take_field(&rest);
        if (field.n == 0)
            break;
        struct str value = value_of(field, name);
        if (value.p) {
            *cursor = rest.p ? (size_t)(rest.p - head.p) : head.n;
            return value;
        }
    }
    *cursor = head.n;
    return STR_NONE;
}

struct str http_head_get(struct str head, struct str name)
{
    size_t cursor = 0;
    return http_head_each(head, name, &cursor);
}

struct str http_head_mime(struct str head)
{
    struct str value = http_head_get(head, STR("Content-Type"));
    struct str mime = str_trim(str_first(value, str_find(value, ';')));
    size_t slash = str_find(mime, '/');
    if (slash == 0 || slash + 1 >= mime.n)
        return STR_NONE;
    for (size_t i = 0; i < mime.n; i++)
        if (mime.p[i] <= ' ' || mime.p[i] > '~' || mime.p[i] == ',')
            return STR_NONE;
    return mime;
}

enum rc http_head_length(struct str head, uint64_t *ret_bytes)
{
    size_t cursor = 0;
    uint64_t bytes = 0;
    bool have = false;
    struct str value;
    while ((value = http_head_each(head, STR("Content-Length"), &cursor)).p) {
        uint64_t one;
        if (str_to_u64(value, &one) != RC_OK || (have && one != bytes))
            return RC_INVALID;
        bytes = one;
        have = true;
    }
    if (!have)
        return RC_NOT_FOUND;
    *ret_bytes = bytes;
    return RC_OK;
}

bool http_head_is_chunked(struct str head)
{
    size_t cursor = 0;
    bool chunked = false;
    struct str value;
    while ((value = http_head_each(head, STR("Transfer-Encoding"), &cursor)).p) {
        while (value.p) {
            struct str coding = str_trim(str_take_until(&value, ','));
            if (coding.n)
                chunked = str_eq_nocase(coding, STR("chunked"));
        }
    }
    return chunked;
}
