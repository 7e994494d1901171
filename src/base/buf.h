/* SPDX-License-Identifier: Apache-2.0 */
/* buf: bytes that grow, up to a stated maximum.
 *
 * Appending never returns an error: the first failure (no memory, over the maximum) sticks in `rc`,
 * later appends do nothing, and the code that uses the bytes asks buf_rc() once. What was appended
 * before the failure stays. A zeroed struct with `max` set is ready for use. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/bytes.h"
#include "base/str.h"

#include <stdarg.h>

struct buf {
    char *p;
    size_t n;   /* bytes in use */
    size_t cap; /* bytes allocated */
    size_t max; /* bytes it may ever hold */
    enum rc rc; /* the first failure, RC_OK while there is none */
};

void buf_init(struct buf *b, size_t max_bytes);
void buf_done(struct buf *b);

/* A buf on the caller's own `room`: it never grows and must not be given to buf_done. */
static inline struct buf buf_on(char *room, size_t bytes)
{
    return (struct buf){.p = room, .cap = bytes, .max = bytes};
}

/* Empties it and forgets the failure; the memory stays for the next use. */
void buf_clear(struct buf *b);

static inline MUST_CHECK enum rc buf_rc(const struct buf *b)
{
    return b->rc;
}

/* What it holds, borrowed until the next append. Never absent. */
static inline struct str buf_str(const struct buf *b)
{
    return (struct str){b->p ? b->p : "", b->n};
}

/* Makes room for `bytes` more and returns where they go, or NULL (then rc is set). The caller
 * fills them and adds to b->n. */
char *buf_reserve(struct buf *b, size_t bytes);

/* A page makes hundreds of small appends, so those that fit are made on the spot; only growing and
 * failing is a call. */
void buf_add_slowly_(struct buf *b, struct str s);

static inline bool buf_fits_(const struct buf *b, size_t bytes)
{
    return __builtin_expect(bytes <= b->cap - b->n && b->rc == RC_OK, 1);
}

static inline void buf_add(struct buf *b, struct str s)
{
    if (!buf_fits_(b, s.n)) {
        buf_add_slowly_(b, s);
    } else if (s.n) {
        memcpy(b->p + b->n, s.p, s.n);
        b->n += s.n;
    }
}

static inline void buf_byte(struct buf *b, char byte)
{
    if (buf_fits_(b, 1))
        b->p[b->n++] = byte;
    else
        buf_add_slowly_(b, str_make(&byte, 1));
}

void buf_fill(struct buf *b, char byte, size_t times);
void buf_printf(struct buf *b, const char *format, ...) PRINTF_LIKE(2, 3);
void buf_vprintf(struct buf *b, const char *format, va_list args) PRINTF_LIKE(2, 0);

/* Decimal, without printf's cost. */
void buf_u64(struct buf *b, uint64_t value);

/* At least `width` bytes of it (up to 20), with `pad` in front: printf's "%5d", "%03d". */
void buf_u64_wide(struct buf *b, uint64_t value, unsigned width, char pad);

/* Integers in the byte order of our files and messages: little endian, whatever the machine. */
static inline void buf_le16(struct buf *b, uint16_t v)
{
    char raw[2];
    put_le16(raw, v);
    buf_add(b, str_make(raw, sizeof raw));
}

static inline void buf_le32(struct buf *b, uint32_t v)
{
    char raw[4];
    put_le32(raw, v);
    buf_add(b, str_make(raw, sizeof raw));
}

static inline void buf_le64(struct buf *b, uint64_t v)
{
    char raw[8];
    put_le64(raw, v);
    buf_add(b, str_make(raw, sizeof raw));
}

/* Bytes behind their own length, of 8 or 32 bits; take_str8() and take_str32() of base/taker.h read
 * them. The caller knows that the length fits. */
static inline void buf_str8(struct buf *b, struct str s)
{
    buf_byte(b, (char)s.n);
    buf_add(b, s);
}

static inline void buf_str32(struct buf *b, struct str s)
{
    buf_le32(b, (uint32_t)s.n);
    buf_add(b, s);
}

/* Ends it with a NUL that is not counted and borrows it as a C string; NULL after a failure. */
const char *buf_c(struct buf *b);

#endif
