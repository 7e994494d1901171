/* SPDX-License-Identifier: Apache-2.0 */
/* The one file here that knows ICU's table of characters. */
#include "fetch/words.h"

#include "base/utf8.h"

#include <unicode/uchar.h>

enum { SOFT_HYPHEN = 0xad };

static bool stands_alone(uint32_t c)
{
    bool is_kana = c >= 0x3041 && c <= 0x30ff;
    return c >= 0x2e80 && (is_kana || u_hasBinaryProperty((UChar32)c, UCHAR_IDEOGRAPHIC));
}

static bool is_letter(uint32_t c)
{
    if (c < 0x80)
        return ascii_is_alnum((char)c);
    return (U_GET_GC_MASK((UChar32)c) & (U_GC_L_MASK | U_GC_M_MASK | U_GC_ND_MASK)) != 0;
}

static uint32_t fold(uint32_t c)
{
    if (c < 0x80)
        return (uint32_t)ascii_lower((char)c);
    return (uint32_t)u_foldCase((UChar32)c, U_FOLD_CASE_DEFAULT);
}

/* The next code point, without taking it; what is not UTF-8 is no letter. */
static uint32_t peek(struct str s, size_t *ret_bytes)
{
    uint32_t c = (unsigned char)s.p[0];
    *ret_bytes = 1;
    if (c < 0x80)
        return c;
    return utf8_decode(s, &c, ret_bytes) ? c : ' ';
}

static void put_letter(struct words *w, size_t *used, uint32_t c)
{
    char bytes[UTF8_MAX_BYTES];
    size_t n = utf8_encode(fold(c), bytes);
    if (*used + n > sizeof w->room)
        return;
    memcpy(w->room + *used, bytes, n);
    *used += n;
    w->letters++;
}

bool words_next(struct words *w)
{
    size_t used = 0, bytes;
    w->letters = 0;
    while (w->rest.n) {
        uint32_t c = peek(w->rest, &bytes);
        bool alone = stands_alone(c);
        bool ends = used && (alone || (c != SOFT_HYPHEN && !is_letter(c)));
        if (ends)
            break;
        w->rest = str_from(w->rest, bytes);
        if (alone || is_letter(c))
            put_letter(w, &used, c);
        if (alone)
            break;
    }
    w->word = str_make(w->room, used);
    return used > 0;
}
