/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/header.h"

#include "base/bytes.h"
#include "base/utf8.h"
#include "warc/date.h"
#include "warc/record.h"

#include <arpa/inet.h>

#define ONES UINT64_C(0x0101010101010101) /* a 1 in each byte */
#define TOPS (ONES << 7)

/* Eight bytes at once, for a page's record holds some forty URLs: not 0 if one of them is no visible
 * ASCII character, or stands in angle brackets. What is below '!' borrows from its top bit, what is
 * above '~' carries into it; '<' and '>' differ in one bit. */
static uint64_t not_in_uri(uint64_t bytes)
{
    uint64_t below = (bytes - ONES * '!') & ~bytes;
    uint64_t above = (bytes + ONES * (127 - '~')) | bytes;
    uint64_t angle = (bytes | ONES * 2) ^ ONES * '>';
    uint64_t is_angle = (angle - ONES) & ~angle;
    return (below | above | is_angle) & TOPS;
}

/* The last eight bytes may be looked at twice; fewer are read into a word of others that fit. */
static bool is_printable_uri(struct str s)
{
    char few[8] = {'a', 'a', 'a', 'a', 'a', 'a', 'a', 'a'};
    uint64_t other = 0;
    for (size_t i = 0; i + 8 <= s.n; i += 8)
        other |= not_in_uri(get_le64(s.p + i));
    if (s.n < 8)
        memcpy(few, s.p, s.n);
    return !(other | not_in_uri(get_le64(s.n < 8 ? few : s.p + s.n - 8)));
}

/* Decides at the end, which compilers do for many bytes at once. */
static bool has_controls(struct str s)
{
    unsigned char found = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        found |= (unsigned char)(c < ' ') | (unsigned char)(c == 127);
    }
    return found;
}

bool header_is_text(struct str value)
{
    if (value.n && is_printable_uri(value)) /* most are: one look is enough */
        return value.n <= WARC_VALUE_MAX;
    return value.n <= WARC_VALUE_MAX && !has_controls(value) && utf8_valid(value) == value.n;
}

static bool is_scheme_char(char c)
{
    return ascii_is_alnum(c) || c == '+' || c == '-' || c == '.';
}

bool header_is_uri(struct str value)
{
    size_t colon = str_find(value, ':');
    if (colon == 0 || colon + 1 >= value.n || value.n > WARC_VALUE_MAX ||
        !ascii_is_alpha(value.p[0]))
        return false;
    for (size_t i = 1; i < colon; i++)
        if (!is_scheme_char(value.p[i]))
            return false;
    return is_printable_uri(str_from(value, colon));
}

static bool is_token_char(char c)
{
    return ascii_is_alnum(c) || (c && strchr("!#$%&'*+-.^_`|~", c));
}

static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!is_token_char(s.p[i]))
            return false;
    return s.n > 0;
}

bool header_is_media(struct str value)
{
    struct str essence = str_trim(str_first(value, str_find(value, ';')));
    size_t slash = str_find(essence, '/');
    return header_is_text(value) && slash < essence.n && is_token(str_first(essence, slash)) &&
           is_token(str_from(essence, slash + 1));
}

bool header_is_address(struct str value)
{
    char text[INET6_ADDRSTRLEN];
    unsigned char raw[16];
    if (value.n >= sizeof text || memchr(value.p ? value.p : "", 0, value.n))
        return false;
    memcpy(text, value.p ? value.p : "", value.n);
    text[value.n] = '\0';
    return inet_pton(AF_INET, text, raw) == 1 || inet_pton(AF_INET6, text, raw) == 1;
}

void header_require(struct header *h, bool given)
{
    if (!given && h->rc == RC_OK)
        h->rc = RC_INVALID;
}

static void name_out(struct header *h, struct str name)
{
    buf_add(h->out, name);
    buf_add(h->out, STR(": "));
}

static void checked(struct header *h, struct str name, struct str value, bool (*is)(struct str))
{
    if (!value.p)
        return;
    header_require(h, is(value));
    if (h->rc)
        return;
    name_out(h, name);
    buf_add(h->out, value);
    buf_add(h->out, STR("\r\n"));
}

void header_text(struct header *h, struct str name, struct str value)
{
    checked(h, name, value, header_is_text);
}

void header_uri(struct header *h, struct str name, struct str value)
{
    checked(h, name, value, header_is_uri);
}

void header_media(struct header *h, struct str name, struct str value)
{
    checked(h, name, value, header_is_media);
}

void header_address(struct header *h, struct str name, struct str value)
{
    checked(h, name, value, header_is_address);
}

void header_id(struct header *h, struct str name, const struct warc_id *id)
{
    if (!id)
        return;
    name_out(h, name);
    buf_byte(h->out, '<');
    warc_id_print(h->out, id);
    buf_add(h->out, STR(">\r\n"));
}

void header_date(struct header *h, struct str name, int64_t ms)
{
    header_require(h, warc_date_fits(ms));
    if (h->rc)
        return;
    name_out(h, name);
    warc_date_print(h->out, ms);
    buf_add(h->out, STR("\r\n"));
}

void header_digest(struct header *h, struct str name, const struct digest *d)
{
    if (!d)
        return;
    name_out(h, name);
    warc_digest_print(h->out, d);
    buf_add(h->out, STR("\r\n"));
}

void header_number(struct header *h, struct str name, uint64_t value)
{
    name_out(h, name);
    buf_u64(h->out, value);
    buf_add(h->out, STR("\r\n"));
}
