/* SPDX-License-Identifier: Apache-2.0 */
#include "sitemap/refs.h"

#include "base/utf8.h"

/* With & and ; a name up to this long is a reference; beyond, it is text. */
enum { NAME_MAX_BYTES = 32 };

struct named {
    const char *name;
    char stands_for;
};

static const struct named predefined[] = {
    {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''},
};

static bool is_name_byte(char c)
{
    return ascii_is_alnum(c) || c == '_' || c == '-' || c == '.' || c == ':' || (uint8_t)c >= 0x80;
}

/* The name between & and ; at the start of `s`, absent if there is no reference. */
static struct str name_of(struct str s)
{
    size_t i = 1;
    if (i < s.n && s.p[i] == '#')
        i++;
    while (i < s.n && i <= NAME_MAX_BYTES && is_name_byte(s.p[i]))
        i++;
    return i > 1 && i < s.n && s.p[i] == ';' ? str_make(s.p + 1, i - 1) : STR_NONE;
}

/* "#38" or "#x26"; false where it is no number. Numbers that are no character give U+FFFD. */
static bool number_of(struct str name, uint32_t *ret_code)
{
    bool is_hex = name.n > 1 && (name.p[1] | 32) == 'x';
    struct str digits = str_from(name, is_hex ? 2 : 1);
    uint32_t code = 0;
    for (size_t i = 0; i < digits.n; i++) {
        int digit = ascii_hex(digits.p[i]);
        if (digit < 0 || (!is_hex && digit > 9))
            return false;
        if (code < 0x110000)
            code = code * (is_hex ? 16 : 10) + (uint32_t)digit;
    }
    *ret_code = code ? code : UTF8_REPLACEMENT;
    return digits.n > 0;
}

/* Writes what `name` stands for and returns its length; false where it is no reference. */
static bool stand_in(struct str name, char *to, size_t *ret_bytes, uint32_t *dropped)
{
    uint32_t code;
    if (*name.p == '#') {
        if (!number_of(name, &code))
            return false;
        *ret_bytes = utf8_encode(code, to);
        return true;
    }
    for (size_t i = 0; i < sizeof predefined / sizeof *predefined; i++) {
        if (str_eq(name, str_c(predefined[i].name))) {
            *to = predefined[i].stands_for;
            *ret_bytes = 1;
            return true;
        }
    }
    *dropped += 1;
    *ret_bytes = 0;
    return true;
}

size_t refs_decode(char *p, size_t n, uint32_t *dropped)
{
    size_t from = str_find(str_make(p, n), '&'), to = from;
    while (from < n) {
        struct str rest = str_make(p + from, n - from);
        struct str name = name_of(rest);
        char room[UTF8_MAX_BYTES];
        size_t bytes;
        if (name.p && stand_in(name, room, &bytes, dropped)) {
            memcpy(p + to, room, bytes);
            from += name.n + 2;
        } else {
            p[to] = '&';
            bytes = 1;
            from += 1;
        }
        to += bytes;
        size_t plain = str_find(str_make(p + from, n - from), '&');
        memmove(p + to, p + from, plain);
        from += plain;
        to += plain;
    }
    return to;
}
