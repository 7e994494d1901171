/* SPDX-License-Identifier: Apache-2.0 */
/* scan: where the next interesting byte is, 64 bytes at a time.
 *
 * A block of 64 bytes is classified once into bit masks (bit i is byte i); every search inside it
 * is then a shift and a count of zeros, so that short names and values cost no loop. Blocks start
 * where the walk stands, not at aligned addresses. Never reads past `end`. The vector and the plain
 * versions give the same masks. Private to the tokenizer. */
#ifndef HTML_SCAN_H
#define HTML_SCAN_H

#include "base/str.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define SCAN_INLINE static inline __attribute__((always_inline))

struct scan {
    const char *at; /* the block; it may reach past end, there the masks are 0 */
    const char *end;
    uint64_t lt;      /* < */
    uint64_t delim;   /* bytes up to space, / = > */
    uint64_t dq, sq;  /* " ' */
    uint64_t special; /* & CR NUL: what makes a span not plain */
};

#if defined(__SSE2__)
SCAN_INLINE uint64_t scan_bits(__m128i v)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(v);
}

SCAN_INLINE __m128i scan_is(__m128i v, char c)
{
    return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}

SCAN_INLINE void scan_classify(struct scan *s, const char *p)
{
    s->lt = s->delim = s->dq = s->sq = s->special = 0;
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(' ')), v);
        __m128i delim = _mm_or_si128(_mm_or_si128(low, scan_is(v, '/')),
                                     _mm_or_si128(scan_is(v, '='), scan_is(v, '>')));
        __m128i special =
            _mm_or_si128(_mm_or_si128(scan_is(v, '&'), scan_is(v, '\r')), scan_is(v, '\0'));
        s->lt |= scan_bits(scan_is(v, '<')) << i;
        s->delim |= scan_bits(delim) << i;
        s->dq |= scan_bits(scan_is(v, '"')) << i;
        s->sq |= scan_bits(scan_is(v, '\'')) << i;
        s->special |= scan_bits(special) << i;
    }
}
#else
SCAN_INLINE void scan_classify(struct scan *s, const char *p)
{
    s->lt = s->delim = s->dq = s->sq = s->special = 0;
    for (unsigned i = 0; i < 64; i++) {
        unsigned char c = (unsigned char)p[i];
        uint64_t bit = (uint64_t)1 << i;
        s->lt |= c == '<' ? bit : 0;
        s->delim |= c <= ' ' || c == '/' || c == '=' || c == '>' ? bit : 0;
        s->dq |= c == '"' ? bit : 0;
        s->sq |= c == '\'' ? bit : 0;
        s->special |= c == '&' || c == '\r' || c == '\0' ? bit : 0;
    }
}
#endif

/* The last block of the input is copied, and what is behind the end is masked out. */
static inline void scan_load_last(struct scan *s, const char *p)
{
    char room[64] = {0};
    size_t n = (size_t)(s->end - p);
    memcpy(room, p, n);
    scan_classify(s, room);
    uint64_t valid = ((uint64_t)1 << n) - 1;
    s->lt &= valid;
    s->delim &= valid;
    s->dq &= valid;
    s->sq &= valid;
    s->special &= valid;
}

/* Makes `p`, which is not past the end, the start of the block. */
SCAN_INLINE void scan_load(struct scan *s, const char *p)
{
    s->at = p;
    if (s->end - p >= 64)
        scan_classify(s, p);
    else
        scan_load_last(s, p);
}

SCAN_INLINE void scan_init(struct scan *s, const char *p, const char *end)
{
    s->end = end;
    scan_load(s, p);
}

enum scan_for { SCAN_LT, SCAN_DELIM, SCAN_DQ, SCAN_SQ };

SCAN_INLINE uint64_t scan_mask(const struct scan *s, enum scan_for what)
{
    return what == SCAN_LT      ? s->lt
           : what == SCAN_DELIM ? s->delim
           : what == SCAN_DQ    ? s->dq
                                : s->sq;
}

/* The first such byte from `p` on, or end. `p` is not before the block. Sets *special to non-zero
 * if a special byte was passed. */
SCAN_INLINE const char *scan_find(struct scan *s, const char *p, enum scan_for what,
                                  uint64_t *special)
{
    for (;;) {
        size_t off = (size_t)(p - s->at);
        if (__builtin_expect(off >= 64, 0)) {
            if (p >= s->end)
                return s->end;
            scan_load(s, p);
            off = 0;
        }
        uint64_t found = scan_mask(s, what) >> off, odd = s->special >> off;
        if (__builtin_expect(found != 0, 1)) {
            *special |= odd & (found - 1) & ~found;
            return p + __builtin_ctzll(found);
        }
        *special |= odd;
        if (s->end - s->at <= 64)
            return s->end;
        p = s->at + 64;
    }
}

#endif
