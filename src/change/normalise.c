/* SPDX-License-Identifier: Apache-2.0 */
/* The part of text.h that collapses white space: sixteen bytes at a time where there is SSE2, and
 * the same sixteen bytes one by one elsewhere. */
#include "base/utf8.h"
#include "change/text.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { BLOCK = 16 };

struct masks {
    uint32_t spaces, high; /* a bit per byte */
};

static struct masks masks_plain(const char *p, char *out)
{
    struct masks m = {0, 0};
    for (unsigned i = 0; i < BLOCK; i++) {
        uint8_t c = (uint8_t)p[i];
        bool space = c == ' ' || (c >= 0x09 && c <= 0x0d);
        out[i] = p[i];
        if (space)
            out[i] = ' ';
        m.spaces |= (uint32_t)space << i;
        m.high |= (uint32_t)(c >> 7) << i;
    }
    return m;
}

#ifdef __SSE2__
/* Bytes 9 to 13 are those whose signed value is over 8 and under 14. */
static struct masks masks_vector(const char *p, char *out)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i blank = _mm_set1_epi8(' ');
    __m128i control =
        _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8(8)), _mm_cmplt_epi8(v, _mm_set1_epi8(14)));
    __m128i space = _mm_or_si128(control, _mm_cmpeq_epi8(v, blank));
    v = _mm_or_si128(_mm_andnot_si128(control, v), _mm_and_si128(control, blank));
    _mm_storeu_si128((__m128i *)(void *)out, v);
    return (struct masks){(uint32_t)_mm_movemask_epi8(space), (uint32_t)_mm_movemask_epi8(v)};
}
#else
#define masks_vector masks_plain
#endif

static bool is_white_space(uint32_t code)
{
    if (code < 0x80)
        return code == ' ' || (code >= 0x09 && code <= 0x0d);
    return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
           code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000;
}

struct writer {
    char *out;
    uint32_t after_space; /* 1 if a space now would be a second one, or the first of all */
};

/* One code point, written as it is or as a space; returns how much of the text it was. */
static size_t write_code(struct writer *w, struct str text)
{
    uint32_t code;
    size_t bytes;
    utf8_decode(text, &code, &bytes);
    if (!is_white_space(code)) {
        w->out += utf8_encode(code, w->out);
        w->after_space = 0;
    } else if (!w->after_space) {
        *w->out++ = ' ';
        w->after_space = 1;
    }
    return bytes;
}

/* The first `n` bytes of a block, ASCII and with its white space already made blanks. */
static void write_ascii(struct writer *w, const char *block, uint32_t spaces, unsigned n)
{
    uint32_t second = spaces & (spaces << 1 | w->after_space);
    if (n == 0)
        return;
    w->after_space = spaces >> (n - 1) & 1;
    if (second == 0) {
        memcpy(w->out, block, BLOCK);
        w->out += n;
        return;
    }
    for (unsigned i = 0; i < n; i++) {
        *w->out = block[i];
        w->out += ~second >> i & 1;
    }
}

static inline __attribute__((always_inline)) size_t
normalise(struct str text, char *to, struct masks (*look)(const char *, char *))
{
    struct writer w = {to, 1};
    size_t at = 0;
    while (text.n - at >= BLOCK) {
        char block[BLOCK];
        struct masks m = look(text.p + at, block);
        unsigned ascii = m.high ? (unsigned)__builtin_ctz(m.high) : BLOCK;
        write_ascii(&w, block, m.spaces, ascii);
        at += ascii;
        if (m.high)
            at += write_code(&w, str_from(text, at));
    }
    while (at < text.n)
        at += write_code(&w, str_from(text, at));
    size_t n = (size_t)(w.out - to);
    return n && w.after_space ? n - 1 : n;
}

/* Every byte that is not UTF-8 may become the three bytes of U+FFFD; a block is written whole even
 * if only a part of it counts. */
static enum rc room_for(struct str text, struct arena *arena, char **ret)
{
    if (text.n > CHANGE_MAX_TEXT_BYTES)
        return RC_LIMIT;
    size_t valid = utf8_valid(text);
    char *room = arena_alloc(arena, valid + (text.n - valid) * 3 + BLOCK);
    if (!room)
        return RC_NOMEM;
    *ret = room;
    return RC_OK;
}

enum rc change_text_normalise(struct str text, struct arena *arena, struct str *ret)
{
    char *to;
    enum rc rc = room_for(text, arena, &to);
    if (rc == RC_OK)
        *ret = str_make(to, normalise(text, to, masks_vector));
    return rc;
}

enum rc change_text_normalise_plain(struct str text, struct arena *arena, struct str *ret)
{
    char *to;
    enum rc rc = room_for(text, arena, &to);
    if (rc == RC_OK)
        *ret = str_make(to, normalise(text, to, masks_plain));
    return rc;
}
