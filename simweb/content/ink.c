/* SPDX-License-Identifier: Apache-2.0 */
#include "content/ink.h"

#include "world/put.h"

#include "base/bytes.h"

enum { REPLACEMENT = 0xfffd };

struct pair {
    uint16_t point;
    uint16_t code;
};

/* What windows-1252 has besides Latin-1, and we use. */
static const struct pair western[] = {
    {0x0152, 0x8c}, {0x0153, 0x9c}, {0x2013, 0x96}, {0x2014, 0x97}, {0x2018, 0x91},
    {0x2019, 0x92}, {0x201c, 0x93}, {0x201d, 0x94}, {0x2026, 0x85}, {0x20ac, 0x80},
};

/* Shift_JIS besides kana: punctuation and the kanji of the vocabulary. */
static const struct pair kanji[] = {
    {0x3001, 0x8141}, {0x3002, 0x8142}, {0x300c, 0x8175}, {0x300d, 0x8176}, {0x30fb, 0x8145},
    {0x30fc, 0x815b}, {0x4f5c, 0x8dec}, {0x5199, 0x8eca}, {0x51ac, 0x937e}, {0x5217, 0x97f1},
    {0x53e4, 0x8cc3}, {0x56f3, 0x907d}, {0x590f, 0x89c4}, {0x5927, 0x91e5}, {0x5b88, 0x8ee7},
    {0x5c0f, 0x8fac}, {0x5c71, 0x8e52}, {0x5ddd, 0x90ec}, {0x5ead, 0x92eb}, {0x624b, 0x8ee8},
    {0x6599, 0x97bf}, {0x65b0, 0x9056}, {0x65c5, 0x97b7}, {0x65e5, 0x93fa}, {0x65e9, 0x9181},
    {0x661f, 0x90af}, {0x6625, 0x8f74}, {0x6642, 0x8e9e}, {0x66f8, 0x8f91}, {0x6708, 0x8c8e},
    {0x672c, 0x967b}, {0x685c, 0x8df7}, {0x68ee, 0x9058}, {0x697d, 0x8a79}, {0x6a4b, 0x8bb4},
    {0x6b69, 0x95e0}, {0x6d77, 0x8a43}, {0x706b, 0x89ce}, {0x72ac, 0x8ca2}, {0x732b, 0x944c},
    {0x7406, 0x979d}, {0x767d, 0x9492}, {0x771f, 0x905e}, {0x77f3, 0x90ce}, {0x79cb, 0x8f48},
    {0x7a7a, 0x8bf3}, {0x7d19, 0x8e86}, {0x805e, 0x95b7}, {0x82b1, 0x89d4}, {0x8336, 0x9283},
    {0x884c, 0x8d73}, {0x898b, 0x8ca9}, {0x8a08, 0x8c76}, {0x8a18, 0x8b4c}, {0x8aad, 0x93c7},
    {0x8d64, 0x90d4}, {0x8eca, 0x8ed4}, {0x9060, 0x8993}, {0x958b, 0x8a4a}, {0x96e8, 0x894a},
    {0x96ea, 0x90e1}, {0x9752, 0x90c2}, {0x9759, 0x90c3}, {0x97f3, 0x89b9}, {0x98a8, 0x9597},
    {0x9928, 0x8ad9}, {0x9ce5, 0x92b9},
};

/* KOI8-R from 0xC0: the small letters in the order of their Latin sounds; capitals 0x20 above. */
static const uint8_t cyrillic[32] = {
    0xc1, 0xc2, 0xd7, 0xc7, 0xc4, 0xc5, 0xd6, 0xda, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf, 0xd0,
    0xd2, 0xd3, 0xd4, 0xd5, 0xc6, 0xc8, 0xc3, 0xde, 0xdb, 0xdd, 0xdf, 0xd9, 0xd8, 0xdc, 0xc0, 0xd1,
};

enum ink ink_of(const struct page *page, bool has_mark)
{
    switch (page->charset) {
    case CHARSET_WINDOWS_1252:
        return INK_1252;
    case CHARSET_SHIFT_JIS:
        return INK_SHIFT_JIS;
    case CHARSET_KOI8_R:
        return INK_KOI8;
    case CHARSET_UTF16LE:
        return INK_UTF8;
    default:
        return page->charset_said == CHARSET_UNSAID && !has_mark ? INK_ASCII : INK_UTF8;
    }
}

const char *charset_label(enum page_charset c)
{
    static const char *const labels[CHARSET_COUNT_] = {
        [CHARSET_UTF8] = "utf-8",          [CHARSET_WINDOWS_1252] = "windows-1252",
        [CHARSET_SHIFT_JIS] = "shift_jis", [CHARSET_KOI8_R] = "koi8-r",
        [CHARSET_UTF16LE] = "utf-16le",
    };
    return labels[c];
}

uint32_t utf8_next(struct str *s)
{
    const unsigned char *p = (const unsigned char *)s->p;
    unsigned more = p[0] < 0x80 ? 0 : p[0] < 0xc2 ? 9 : p[0] < 0xe0 ? 1 : p[0] < 0xf0 ? 2 : 3;
    if (more >= s->n || p[0] > 0xf4) {
        *s = str_from(*s, 1);
        return more == 0 ? p[0] : REPLACEMENT;
    }
    uint32_t point = more ? p[0] & (0x3fU >> more) : p[0];
    for (unsigned i = 1; i <= more; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            *s = str_from(*s, 1);
            return REPLACEMENT;
        }
        point = point << 6 | (p[i] & 0x3f);
    }
    *s = str_from(*s, more + 1);
    return point;
}

static uint32_t pair_find(const struct pair *pairs, size_t count, uint32_t point)
{
    for (size_t low = 0, high = count; low < high;) {
        size_t middle = (low + high) / 2;
        if (pairs[middle].point == point)
            return pairs[middle].code;
        if (pairs[middle].point < point)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

static uint32_t code_1252(uint32_t point)
{
    if (point >= 0xa0 && point <= 0xff)
        return point;
    return pair_find(western, sizeof western / sizeof *western, point);
}

static uint32_t code_koi8(uint32_t point)
{
    if (point >= 0x430 && point < 0x450)
        return cyrillic[point - 0x430];
    if (point >= 0x410 && point < 0x430)
        return cyrillic[point - 0x410] + 0x20U;
    return point == 0x451 ? 0xa3 : point == 0x401 ? 0xb3 : 0;
}

static uint32_t code_shift_jis(uint32_t point)
{
    if (point >= 0x3041 && point <= 0x3093) /* hiragana */
        return 0x829f + point - 0x3041;
    if (point >= 0x30a1 && point <= 0x30df) /* katakana; 0x7f is no second byte */
        return 0x8340 + point - 0x30a1;
    if (point >= 0x30e0 && point <= 0x30f6)
        return 0x8380 + point - 0x30e0;
    return pair_find(kanji, sizeof kanji / sizeof *kanji, point);
}

/* The one or two bytes of a code point beyond ASCII, 0 if the ink has none. */
static uint32_t ink_code(enum ink ink, uint32_t point)
{
    switch (ink) {
    case INK_1252:
        return code_1252(point);
    case INK_SHIFT_JIS:
        return code_shift_jis(point);
    case INK_KOI8:
        return code_koi8(point);
    default:
        return 0;
    }
}

static void ink_point(enum ink ink, uint32_t point, struct buf *out)
{
    uint32_t code = ink_code(ink, point);
    if (!code) {
        PUT(out, "&#");
        buf_u64(out, point);
        put_byte(out, ';');
        return;
    }
    if (code > 0xff)
        put_byte(out, (char)(code >> 8));
    put_byte(out, (char)code);
}

/* How many bytes of `s` come before the first letter beyond ASCII; eight at a time. */
static size_t ascii_run(struct str s)
{
    size_t n = 0;
    while (s.n - n >= 8 && !(get_le64(s.p + n) & UINT64_C(0x8080808080808080)))
        n += 8;
    while (n < s.n && !(s.p[n] & 0x80))
        n++;
    return n;
}

void ink_write(enum ink ink, struct str utf8, struct buf *out)
{
    if (ink == INK_UTF8) {
        put(out, utf8);
        return;
    }
    while (utf8.n) {
        size_t plain = ascii_run(utf8);
        put(out, str_first(utf8, plain));
        utf8 = str_from(utf8, plain);
        if (utf8.n)
            ink_point(ink, utf8_next(&utf8), out);
    }
}

/* Four bytes of ASCII as UTF-16, side by side in one word. */
static uint64_t widened(uint32_t four)
{
    uint64_t v = (four | (uint64_t)four << 16) & UINT64_C(0x0000ffff0000ffff);
    return (v | v << 8) & UINT64_C(0x00ff00ff00ff00ff);
}

static char *widen_ascii(char *to, struct str ascii)
{
    size_t i = 0;
    for (; i + 4 <= ascii.n; i += 4)
        put_le64(to + 2 * i, widened(get_le32(ascii.p + i)));
    for (; i < ascii.n; i++)
        put_le16(to + 2 * i, (unsigned char)ascii.p[i]);
    return to + 2 * ascii.n;
}

/* Every byte of UTF-8 becomes two at most: of two, three and four bytes come 2, 2 and 4. */
void ink_widen(struct str utf8, struct buf *out)
{
    char *to = buf_reserve(out, utf8.n * 2);
    if (!to)
        return;
    char *start = to;
    while (utf8.n) {
        size_t plain = ascii_run(utf8);
        to = widen_ascii(to, str_first(utf8, plain));
        utf8 = str_from(utf8, plain);
        if (!utf8.n)
            break;
        uint32_t point = utf8_next(&utf8);
        if (point >= 0x10000) {
            put_le16(to, (uint16_t)(0xd800 + ((point - 0x10000) >> 10)));
            point = 0xdc00 + ((point - 0x10000) & 0x3ff);
            to += 2;
        }
        put_le16(to, (uint16_t)point);
        to += 2;
    }
    out->n += (size_t)(to - start);
}
