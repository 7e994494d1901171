/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include "base/bytes.h"

/* The lead byte says how many follow and, for four of them, a tighter range of the second byte
 * (no overlong forms, no surrogates, nothing past U+10FFFF). */
static size_t follow_count(uint8_t lead, uint8_t *low, uint8_t *high)
{
    *low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    *high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf)
        return 1;
    if (lead >= 0xe0 && lead <= 0xef)
        return 2;
    return lead >= 0xf0 && lead <= 0xf4 ? 3 : 0;
}

bool utf8_decode(struct str s, uint32_t *ret_code, size_t *ret_bytes)
{
    uint8_t lead = (uint8_t)s.p[0];
    *ret_bytes = 1;
    if (lead < 0x80) {
        *ret_code = lead;
        return true;
    }
    *ret_code = UTF8_REPLACEMENT;
    uint8_t low, high;
    size_t follow = follow_count(lead, &low, &high);
    if (follow == 0)
        return false;
    uint32_t code = lead & (0x3fu >> follow);
    for (size_t i = 1; i <= follow; i++) {
        uint8_t next = i < s.n ? (uint8_t)s.p[i] : 0;
        if (next < low || next > high)
            return false;
        code = code << 6 | (next & 0x3fu);
        *ret_bytes = i + 1;
        low = 0x80;
        high = 0xbf;
    }
    *ret_code = code;
    return true;
}

size_t utf8_encode(uint32_t code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        to[0] = (char)(0xc0 | code >> 6);
        to[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
        code = UTF8_REPLACEMENT;
    if (code < 0x10000) {
        to[0] = (char)(0xe0 | code >> 12);
        to[1] = (char)(0x80 | (code >> 6 & 0x3f));
        to[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | code >> 18);
    to[1] = (char)(0x80 | (code >> 12 & 0x3f));
    to[2] = (char)(0x80 | (code >> 6 & 0x3f));
    to[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

void buf_utf8(struct buf *b, uint32_t code)
{
    char bytes[UTF8_MAX_BYTES];
    buf_add(b, str_make(bytes, utf8_encode(code, bytes)));
}

/* Most text is ASCII: eight bytes at a time while no top bit is set. */
size_t utf8_ascii_run(struct str s)
{
    size_t i = 0;
    while (i + 8 <= s.n && !(get_le64(s.p + i) & UINT64_C(0x8080808080808080)))
        i += 8;
    while (i < s.n && !(s.p[i] & 0x80))
        i++;
    return i;
}

/* Length of the whole characters of two and three bytes at the start of `s`: what most text is made
 * of where it is not ASCII. Stops where utf8_decode has to look. */
static size_t letters_run(struct str s)
{
    size_t i = 0;
    while (i + 4 <= s.n) {
        uint32_t v = get_le32(s.p + i);
        if ((v & 0xc0e0) == 0x80c0 && (v & 0x1e)) {
            i += 2;
        } else if ((v & 0xc0c0f0) == 0x8080e0 && (v & 0x200f) && (v & 0x200f) != 0x200d) {
            i += 3;
        } else {
            break;
        }
    }
    return i;
}

size_t utf8_valid(struct str s)
{
    size_t at = 0;
    while ((at += utf8_ascii_run(str_from(s, at))) < s.n) {
        size_t letters = letters_run(str_from(s, at));
        at += letters;
        uint32_t code;
        size_t bytes;
        if (letters == 0) {
            if (!utf8_decode(str_from(s, at), &code, &bytes))
                break;
            at += bytes;
        }
    }
    return at;
}

void buf_utf8_clean(struct buf *b, struct str s)
{
    while (s.n) {
        size_t good = utf8_valid(s);
        buf_add(b, str_first(s, good));
        s = str_from(s, good);
        if (s.n) {
            uint32_t code;
            size_t bytes;
            utf8_decode(s, &code, &bytes);
            buf_utf8(b, code);
            s = str_from(s, bytes);
        }
    }
}

bool utf8_is_steering(uint32_t code)
{
    static const uint32_t ranges[][2] = {
        {0, 0x1f},        {0x7f, 0x9f},     {0x61c, 0x61c},
        {0x200e, 0x200f}, {0x2028, 0x202e}, {0x2066, 0x2069},
    };
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        if (code >= ranges[i][0] && code <= ranges[i][1])
            return true;
    return false;
}

/* How many bytes at the start of `s` may be shown as they are. */
static size_t visible_run(struct str s, bool has_lines)
{
    size_t at = 0;
    while (at < s.n) {
        char c = s.p[at];
        uint32_t code = 0;
        size_t bytes = 1;
        bool is_plain = (c >= ' ' && c < 0x7f) || (has_lines && (c == '\n' || c == '\t'));
        if (!is_plain && (!utf8_decode(str_from(s, at), &code, &bytes) || utf8_is_steering(code)))
            break;
        at += bytes;
    }
    return at;
}

struct str utf8_take_visible(struct str *s, bool has_lines, char room[UTF8_VISIBLE_ROOM])
{
    uint32_t code;
    size_t bytes = visible_run(*s, has_lines);
    struct buf escaped = buf_on(room, UTF8_VISIBLE_ROOM);
    struct str piece = str_first(*s, bytes);
    if (!bytes) {
        if (utf8_decode(*s, &code, &bytes))
            buf_printf(&escaped, "\\u%04x", code);
        else
            buf_utf8(&escaped, UTF8_REPLACEMENT);
        piece = buf_str(&escaped);
    }
    *s = str_from(*s, bytes);
    return piece;
}

void buf_visible(struct buf *b, struct str s)
{
    char room[UTF8_VISIBLE_ROOM];
    while (s.n)
        buf_add(b, utf8_take_visible(&s, false, room));
}
