/* SPDX-License-Identifier: Apache-2.0 */
#include "robots/octets.h"

/* Bytes that stay as they are in a path: unreserved and reserved ones but '#', '*' and '$'. */
static const bool stays[256] = {
    ['0'] = 1, ['1'] = 1, ['2'] = 1,  ['3'] = 1, ['4'] = 1, ['5'] = 1, ['6'] = 1, ['7'] = 1,
    ['8'] = 1, ['9'] = 1, ['a'] = 1,  ['b'] = 1, ['c'] = 1, ['d'] = 1, ['e'] = 1, ['f'] = 1,
    ['g'] = 1, ['h'] = 1, ['i'] = 1,  ['j'] = 1, ['k'] = 1, ['l'] = 1, ['m'] = 1, ['n'] = 1,
    ['o'] = 1, ['p'] = 1, ['q'] = 1,  ['r'] = 1, ['s'] = 1, ['t'] = 1, ['u'] = 1, ['v'] = 1,
    ['w'] = 1, ['x'] = 1, ['y'] = 1,  ['z'] = 1, ['A'] = 1, ['B'] = 1, ['C'] = 1, ['D'] = 1,
    ['E'] = 1, ['F'] = 1, ['G'] = 1,  ['H'] = 1, ['I'] = 1, ['J'] = 1, ['K'] = 1, ['L'] = 1,
    ['M'] = 1, ['N'] = 1, ['O'] = 1,  ['P'] = 1, ['Q'] = 1, ['R'] = 1, ['S'] = 1, ['T'] = 1,
    ['U'] = 1, ['V'] = 1, ['W'] = 1,  ['X'] = 1, ['Y'] = 1, ['Z'] = 1, ['-'] = 1, ['.'] = 1,
    ['_'] = 1, ['~'] = 1, [':'] = 1,  ['/'] = 1, ['?'] = 1, ['['] = 1, [']'] = 1, ['@'] = 1,
    ['!'] = 1, ['&'] = 1, ['\''] = 1, ['('] = 1, [')'] = 1, ['+'] = 1, [','] = 1, [';'] = 1,
    ['='] = 1,
};

static bool is_unreserved(char c)
{
    return ascii_is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~';
}

static void put_encoded(struct buf *out, char octet)
{
    static const char digits[] = "0123456789ABCDEF";
    char *to = buf_reserve(out, 3);
    if (!to)
        return;
    to[0] = '%';
    to[1] = digits[(uint8_t)octet >> 4];
    to[2] = digits[(uint8_t)octet & 15];
    out->n += 3;
}

/* Appends the octet at the start of `s`, maybe written as %XX; returns how many bytes that was. */
static size_t octet_take(struct str s, struct buf *out)
{
    char octet = s.p[0];
    int high = s.n > 2 && octet == '%' ? ascii_hex(s.p[1]) : -1;
    int low = high >= 0 ? ascii_hex(s.p[2]) : -1;
    if (low >= 0) {
        octet = (char)(high * 16 + low);
        if (is_unreserved(octet))
            buf_byte(out, octet);
        else
            put_encoded(out, octet);
        return 3;
    }
    put_encoded(out, octet);
    return 1;
}

/* How many bytes at the start stay as they are. */
static size_t plain_run(struct str s)
{
    size_t i = 0;
    while (i < s.n && stays[(uint8_t)s.p[i]])
        i++;
    return i;
}

bool octets_plain(struct str path)
{
    return plain_run(path) == path.n;
}

void octets_path(struct str path, struct buf *out)
{
    path = str_first(path, str_find(path, '#'));
    while (path.n) {
        size_t plain = plain_run(path);
        buf_add(out, str_first(path, plain));
        path = str_from(path, plain);
        if (path.n)
            path = str_from(path, octet_take(path, out));
    }
}

void octets_pattern(struct str pattern, struct buf *out)
{
    while (pattern.n) {
        size_t plain = plain_run(pattern);
        buf_add(out, str_first(pattern, plain));
        pattern = str_from(pattern, plain);
        if (pattern.n == 0)
            break;
        if (*pattern.p == '*' || (*pattern.p == '$' && pattern.n == 1)) {
            buf_byte(out, *pattern.p);
            pattern = str_from(pattern, 1);
        } else {
            pattern = str_from(pattern, octet_take(pattern, out));
        }
    }
}
