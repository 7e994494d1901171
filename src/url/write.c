/* SPDX-License-Identifier: Apache-2.0 */
#include "url/write.h"

/* Short names for the table's cells, by what they are made of. */
enum {
    NONE = 0,
    ALL = URL_SET_C0 | URL_SET_FRAGMENT | URL_SET_QUERY | URL_SET_SPECIAL_QUERY | URL_SET_PATH |
          URL_SET_USERINFO | URL_PATH_LOOK,
    PRINT = ALL & ~URL_SET_C0, /* space " < > */
    HASH = PRINT & ~URL_SET_FRAGMENT,
    QUOTE = URL_SET_SPECIAL_QUERY,
    PATHY = URL_SET_PATH | URL_SET_USERINFO | URL_PATH_LOOK, /* ? ^ { } */
    TICK = PATHY | URL_SET_FRAGMENT,
    USER = URL_SET_USERINFO,
    BACK = URL_SET_USERINFO | URL_PATH_LOOK,
    HOST = URL_HOST_PLAIN,
    DOT = URL_HOST_PLAIN | URL_PATH_LOOK,
    PCT = URL_PATH_LOOK,
};

const uint8_t url_sets[256] = {
    [0 ... 31] = ALL,     [' '] = PRINT,        ['"'] = PRINT, ['#'] = HASH,
    ['\''] = QUOTE,       ['%'] = PCT,          ['-'] = HOST,  ['.'] = DOT,
    ['/'] = USER,         ['0' ... '9'] = HOST, [':'] = USER,  [';'] = USER,
    ['<'] = PRINT,        ['='] = USER,         ['>'] = PRINT, ['?'] = PATHY,
    ['@'] = USER,         ['A' ... 'Z'] = HOST, ['['] = USER,  ['\\'] = BACK,
    [']'] = USER,         ['^'] = PATHY,        ['_'] = HOST,  ['`'] = TICK,
    ['a' ... 'z'] = HOST, ['{'] = PATHY,        ['|'] = USER,  ['}'] = PATHY,
    [127 ... 255] = ALL,
};

static const char hex_digits[] = "0123456789ABCDEF";

void url_put_percent(struct url_out *o, uint8_t byte)
{
    char triple[3] = {'%', hex_digits[byte >> 4], hex_digits[byte & 15]};
    url_put_str(o, str_make(triple, sizeof triple));
}

void url_put_encoded(struct url_out *o, struct str s, enum url_set set)
{
    size_t done = 0;
    for (size_t i = 0; i < s.n; i++) {
        uint8_t byte = (uint8_t)s.p[i];
        if (!(url_sets[byte] & set))
            continue;
        url_put_str(o, str_make(s.p + done, i - done));
        url_put_percent(o, byte);
        done = i + 1;
    }
    url_put_str(o, str_from(s, done));
}

void url_put_number(struct url_out *o, uint32_t number)
{
    char digits[10];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    url_put_str(o, str_make(digits + at, sizeof digits - at));
}
