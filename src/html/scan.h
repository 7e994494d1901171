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

#define SCAN_INLINE static inline __attribute__((always_inline))

struct scan {
    const char *at; /* the block; it may reach past end, there the masks are 0 */
    const char *end;
    uint64_t lt;      /* < */
    uint64_t delim;   /* bytes up to space, / = > */
    uint64_t dq, sq;  /* " ' */
    uint64_t special; /* & CR NUL: what makes a span not plain */
    void (*classify)(struct scan *, const char *);
};

/* Fills the masks from the 64 bytes at `p`. The widest that this processor has, and the plain one
 * to compare it with. */
typedef void scan_classifier(struct scan *s, const char *p);
scan_classifier *scan_classifier_best(void);
scan_classifier *scan_classifier_at(unsigned i); /* each that runs here; NULL behind the last */

/* Makes `p`, which is not past the end, the start of the block. */
void scan_load_last(struct scan *s, const char *p);

SCAN_INLINE void scan_load(struct scan *s, const char *p)
{
    s->at = p;
    if (__builtin_expect(s->end - p >= 64, 1))
        s->classify(s, p);
    else
        scan_load_last(s, p);
}

SCAN_INLINE void scan_init(struct scan *s, scan_classifier *classify, const char *p,
                           const char *end)
{
    s->classify = classify;
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

/* The first "<" from `p` on, or end, where no handler reads what stands before it: past the block
 * the bytes are only searched, and the next block begins where it was found. */
SCAN_INLINE const char *scan_skip(struct scan *s, const char *p)
{
    size_t off = (size_t)(p - s->at);
    if (off < 64) {
        uint64_t found = s->lt >> off;
        if (__builtin_expect(found != 0, 1))
            return p + __builtin_ctzll(found);
        p = s->at + 64;
    }
    const char *lt = p < s->end ? memchr(p, '<', (size_t)(s->end - p)) : NULL;
    if (!lt)
        return s->end;
    scan_load(s, lt);
    return lt;
}

#endif
