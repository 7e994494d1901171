/* SPDX-License-Identifier: Apache-2.0 */
/* taker: takes integers and runs of bytes off the front of what came from a disk or a message.
 * Reaching past the end sets `bad` and gives zeros, so a reader takes all fields of a format and
 * looks at `bad` once. */
#ifndef BASE_TAKER_H
#define BASE_TAKER_H

#include "base/bytes.h"
#include "base/str.h"

struct taker {
    struct str rest;
    bool bad;
};

static inline struct str take_bytes(struct taker *t, uint64_t n)
{
    if (n > t->rest.n) {
        t->bad = true;
        t->rest = STR("");
        return STR("");
    }
    struct str taken = str_first(t->rest, (size_t)n);
    t->rest = str_from(t->rest, (size_t)n);
    return taken;
}

static inline uint8_t take_u8(struct taker *t)
{
    struct str s = take_bytes(t, 1);
    return s.n ? (uint8_t)s.p[0] : 0;
}

static inline uint16_t take_u16(struct taker *t)
{
    struct str s = take_bytes(t, 2);
    return s.n ? get_le16(s.p) : 0;
}

static inline uint32_t take_u32(struct taker *t)
{
    struct str s = take_bytes(t, 4);
    return s.n ? get_le32(s.p) : 0;
}

static inline uint64_t take_u64(struct taker *t)
{
    struct str s = take_bytes(t, 8);
    return s.n ? get_le64(s.p) : 0;
}

/* Bytes behind their own length. */
static inline struct str take_str32(struct taker *t)
{
    return take_bytes(t, take_u32(t));
}

static inline struct str take_str8(struct taker *t)
{
    return take_bytes(t, take_u8(t));
}

#endif
