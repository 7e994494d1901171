/* SPDX-License-Identifier: Apache-2.0 */
/* put: appending without a call, where there is room; a page is made of some thousand appends.
 *
 * pen_*() write to a room of the caller's that is known to be large enough, and return where the
 * next byte goes: nothing is asked, nothing can fail. */
#ifndef WORLD_PUT_H
#define WORLD_PUT_H

#include "base/buf.h"

static inline void put(struct buf *out, struct str s)
{
    if (out->rc == RC_OK && out->cap - out->n >= s.n && s.n && s.p) {
        memcpy(out->p + out->n, s.p, s.n);
        out->n += s.n;
    } else {
        buf_add(out, s);
    }
}

static inline void put_byte(struct buf *out, char byte)
{
    if (out->rc == RC_OK && out->n < out->cap)
        out->p[out->n++] = byte;
    else
        buf_byte(out, byte);
}

enum { PEN_DIGITS = 20 }; /* of the largest number */

/* Decimal. */
static inline char *pen_u64(char *to, uint64_t value)
{
    uint64_t above = 10;
    unsigned digits = 1;
    while (digits < PEN_DIGITS && value >= above) {
        above *= 10; /* may wrap at the last digit, which ends the loop anyway */
        digits++;
    }
    for (unsigned i = digits; i-- > 0; value /= 10)
        to[i] = (char)('0' + value % 10);
    return to + digits;
}

static inline char *pen_byte(char *to, char byte)
{
    *to = byte;
    return to + 1;
}

static inline char *pen(char *to, struct str s)
{
    memcpy(to, s.p, s.n);
    return to + s.n;
}

/* Of a literal: its length is known, so there is no call. */
#define PEN(to, literal) \
    ((char *)memcpy((to), (literal), sizeof(literal) - 1) + sizeof(literal) - 1)

static inline void put_u64(struct buf *out, uint64_t value)
{
    if (out->rc == RC_OK && out->cap - out->n >= PEN_DIGITS)
        out->n = (size_t)(pen_u64(out->p + out->n, value) - out->p);
    else
        buf_u64(out, value);
}

/* Of a literal. */
#define PUT(out, literal) put((out), STR(literal))

/* One of two literals: each has its own copy of known length, where ?: would make it a call. */
#define PUT_EITHER(out, which, yes, no) ((which) ? PUT((out), yes) : PUT((out), no))

#endif
