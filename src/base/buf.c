/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include "base/mem.h"

#include <stdio.h>

enum { FIRST_BYTES = 64 };

void buf_init(struct buf *b, size_t max_bytes)
{
    *b = (struct buf){.max = max_bytes};
}

void buf_done(struct buf *b)
{
    mem_free(b->p);
    *b = (struct buf){.max = b->max};
}

void buf_clear(struct buf *b)
{
    b->n = 0;
    b->rc = RC_OK;
}

/* Doubles, so that n bytes cost n steps however they arrive. */
static char *grow_by(struct buf *b, size_t need)
{
    size_t cap = b->cap ? b->cap : FIRST_BYTES;
    while (cap < need)
        cap = cap > b->max / 2 ? b->max : cap * 2;
    if (cap > b->max)
        cap = b->max;
    char *p = b->n ? mem_resize(b->p, cap) : mem_alloc(cap); /* nothing to copy */
    if (!p) {
        b->rc = RC_NOMEM;
        return NULL;
    }
    if (!b->n)
        mem_free(b->p);
    b->p = p;
    b->cap = cap;
    return p + b->n;
}

char *buf_reserve(struct buf *b, size_t bytes)
{
    if (__builtin_expect(b->rc != RC_OK, 0))
        return NULL;
    if (__builtin_expect(b->cap - b->n >= bytes && b->p, 1))
        return b->p + b->n;
    if (bytes > b->max - b->n) {
        b->rc = RC_LIMIT;
        return NULL;
    }
    return grow_by(b, b->n + bytes);
}

void buf_add_slowly_(struct buf *b, struct str s)
{
    if (s.n == 0)
        return;
    char *to = buf_reserve(b, s.n);
    if (!to)
        return;
    memcpy(to, s.p, s.n);
    b->n += s.n;
}

void buf_fill(struct buf *b, char byte, size_t times)
{
    char *to = buf_reserve(b, times);
    if (!to)
        return;
    memset(to, byte, times);
    b->n += times;
}

void buf_vprintf(struct buf *b, const char *format, va_list args)
{
    char small[256];
    va_list again;
    va_copy(again, args);
    int wanted = vsnprintf(small, sizeof small, format, args);
    size_t n = wanted > 0 ? (size_t)wanted : 0;
    if (n < sizeof small) {
        buf_add(b, str_make(small, n));
    } else {
        char *to = buf_reserve(b, n + 1);
        if (to) {
            int written = vsnprintf(to, n + 1, format, again);
            b->n += written > 0 ? (size_t)written : 0;
        }
    }
    va_end(again);
}

void buf_printf(struct buf *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buf_vprintf(b, format, args);
    va_end(args);
}

enum { MOST_DIGITS = 20 };

/* Writes at the end of `digits`; returns where they begin. */
static size_t put_digits(char digits[MOST_DIGITS], uint64_t value)
{
    size_t at = MOST_DIGITS;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    return at;
}

void buf_u64(struct buf *b, uint64_t value)
{
    char digits[MOST_DIGITS];
    size_t at = put_digits(digits, value);
    buf_add(b, str_make(digits + at, sizeof digits - at));
}

void buf_u64_wide(struct buf *b, uint64_t value, unsigned width, char pad)
{
    char digits[MOST_DIGITS];
    size_t at = put_digits(digits, value);
    while (at > 0 && sizeof digits - at < width)
        digits[--at] = pad;
    buf_add(b, str_make(digits + at, sizeof digits - at));
}

const char *buf_c(struct buf *b)
{
    char *end = buf_reserve(b, 1);
    if (!end)
        return NULL;
    *end = '\0';
    return b->p;
}
