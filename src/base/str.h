/* SPDX-License-Identifier: Apache-2.0 */
/* str: a borrowed run of bytes. Not NUL-terminated, may hold NULs, never owns anything.
 *
 * Passed by value. An absent string is {NULL, 0}; an empty one has a pointer. Comparison and
 * searching are by bytes; "nocase" folds ASCII letters only, as the web's formats do. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "base/rc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *p;
    size_t n;
};

/* From a literal, at compile time; STR_FMT/STR_ARG print one with printf. */
#define STR(literal) ((struct str){"" literal, sizeof(literal) - 1})
#define STR_NONE ((struct str){NULL, 0})
#define STR_FMT "%.*s"
#define STR_ARG(s) (int)(s).n, (s).p ? (s).p : ""

static inline struct str str_make(const char *p, size_t n)
{
    return (struct str){p, n};
}

/* A C string, which may be NULL (then the result is absent). */
static inline struct str str_c(const char *c)
{
    return (struct str){c, c ? strlen(c) : 0};
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

/* The part from `from` on, and at most `n` bytes of it; both are cut to what is there. */
static inline struct str str_from(struct str s, size_t from)
{
    if (from > s.n)
        from = s.n;
    return s.p ? (struct str){s.p + from, s.n - from} : s;
}

static inline struct str str_first(struct str s, size_t n)
{
    return (struct str){s.p, n < s.n ? n : s.n};
}

static inline bool str_starts(struct str s, struct str with)
{
    return s.n >= with.n && (with.n == 0 || memcmp(s.p, with.p, with.n) == 0);
}

static inline bool str_ends(struct str s, struct str with)
{
    return s.n >= with.n && (with.n == 0 || memcmp(s.p + s.n - with.n, with.p, with.n) == 0);
}

/* Position of a byte, or s.n. */
static inline size_t str_find(struct str s, char byte)
{
    const char *at = s.n ? memchr(s.p, byte, s.n) : NULL;
    return at ? (size_t)(at - s.p) : s.n;
}

static inline bool ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool ascii_is_alpha(char c)
{
    return (char)(c | 32) >= 'a' && (char)(c | 32) <= 'z';
}

static inline bool ascii_is_alnum(char c)
{
    return ascii_is_digit(c) || ascii_is_alpha(c);
}

static inline char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c | 32) : c;
}

static inline char ascii_upper(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c & ~32) : c;
}

/* Space, tab, LF, FF, CR: the white space of HTML. */
static inline bool ascii_is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\f' || c == '\r';
}

/* The value of a hexadecimal digit, or -1. */
static inline int ascii_hex(char c)
{
    if (ascii_is_digit(c))
        return c - '0';
    char low = (char)(c | 32);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

bool str_eq_nocase(struct str a, struct str b);
bool str_starts_nocase(struct str s, struct str with);

/* Order by bytes, shorter first: <0, 0, >0. */
int str_cmp(struct str a, struct str b);

/* Position of `what` in `s`, or s.n. */
size_t str_find_str(struct str s, struct str what);

/* Without ASCII white space at both ends. */
struct str str_trim(struct str s);

/* Takes everything before the first `byte` out of *s and steps over the byte. Returns what it
 * took; *s is absent once nothing is left, so `while (s.p)` walks the fields of a line. */
struct str str_take_until(struct str *s, char byte);

/* Whole-string decimal number; RC_INVALID on anything else, RC_LIMIT past the type. */
MUST_CHECK enum rc str_to_u64(struct str s, uint64_t *ret_value);

#endif
