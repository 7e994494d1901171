/* SPDX-License-Identifier: Apache-2.0 */
/* The classification of 64 bytes, by vectors of 32 and of 16 bytes and byte by byte. */
#include "html/scan.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

static void classify_plain(struct scan *s, const char *p)
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

#if defined(__x86_64__)
SCAN_INLINE uint64_t bits16(__m128i v)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(v);
}

SCAN_INLINE __m128i is16(__m128i v, char c)
{
    return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}

static void classify_sse2(struct scan *s, const char *p)
{
    uint64_t lt = 0, delim = 0, dq = 0, sq = 0, special = 0;
    for (unsigned i = 0; i < 64; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(' ')), v);
        __m128i ends =
            _mm_or_si128(_mm_or_si128(low, is16(v, '/')), _mm_or_si128(is16(v, '='), is16(v, '>')));
        __m128i odd = _mm_or_si128(_mm_or_si128(is16(v, '&'), is16(v, '\r')), is16(v, '\0'));
        lt |= bits16(is16(v, '<')) << i;
        delim |= bits16(ends) << i;
        dq |= bits16(is16(v, '"')) << i;
        sq |= bits16(is16(v, '\'')) << i;
        special |= bits16(odd) << i;
    }
    s->lt = lt;
    s->delim = delim;
    s->dq = dq;
    s->sq = sq;
    s->special = special;
}

#define AVX2 __attribute__((target("avx2")))

AVX2 static inline uint64_t bits32(__m256i a, __m256i b)
{
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(a) | (uint64_t)(uint32_t)_mm256_movemask_epi8(b)
                                                             << 32;
}

AVX2 static inline __m256i is32(__m256i v, char c)
{
    return _mm256_cmpeq_epi8(v, _mm256_set1_epi8(c));
}

AVX2 static inline __m256i ends32(__m256i v)
{
    __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(' ')), v);
    return _mm256_or_si256(_mm256_or_si256(low, is32(v, '/')),
                           _mm256_or_si256(is32(v, '='), is32(v, '>')));
}

AVX2 static inline __m256i odd32(__m256i v)
{
    return _mm256_or_si256(_mm256_or_si256(is32(v, '&'), is32(v, '\r')), is32(v, '\0'));
}

AVX2 static void classify_avx2(struct scan *s, const char *p)
{
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)p);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    s->lt = bits32(is32(a, '<'), is32(b, '<'));
    s->delim = bits32(ends32(a), ends32(b));
    s->dq = bits32(is32(a, '"'), is32(b, '"'));
    s->sq = bits32(is32(a, '\''), is32(b, '\''));
    s->special = bits32(odd32(a), odd32(b));
}
#endif

scan_classifier *scan_classifier_at(unsigned i)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2"))
        i++;
    return i == 0 ? classify_avx2 : i == 1 ? classify_sse2 : i == 2 ? classify_plain : NULL;
#else
    return i == 0 ? classify_plain : NULL;
#endif
}

scan_classifier *scan_classifier_best(void)
{
    return scan_classifier_at(0);
}

/* The last block of the input is copied, and what is behind the end is masked out. */
void scan_load_last(struct scan *s, const char *p)
{
    char room[64] = {0};
    size_t n = (size_t)(s->end - p);
    memcpy(room, p, n);
    s->classify(s, room);
    uint64_t valid = ((uint64_t)1 << n) - 1;
    s->lt &= valid;
    s->delim &= valid;
    s->dq &= valid;
    s->sq &= valid;
    s->special &= valid;
}
