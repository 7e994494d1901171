/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

bool str_eq_nocase(struct str a, struct str b)
{
    return a.n == b.n && str_starts_nocase(a, b);
}

bool str_starts_nocase(struct str s, struct str with)
{
    if (s.n < with.n)
        return false;
    for (size_t i = 0; i < with.n; i++)
        if (ascii_lower(s.p[i]) != ascii_lower(with.p[i]))
            return false;
    return true;
}

int str_cmp(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n ? memcmp(a.p, b.p, n) : 0;
    return order ? order : (a.n > b.n) - (a.n < b.n);
}

size_t str_find_str(struct str s, struct str what)
{
    if (what.n == 0)
        return 0;
    const char *at = s.n ? memmem(s.p, s.n, what.p, what.n) : NULL;
    return at ? (size_t)(at - s.p) : s.n;
}

struct str str_trim(struct str s)
{
    while (s.n && ascii_is_space(s.p[0]))
        s = str_from(s, 1);
    while (s.n && ascii_is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}

struct str str_take_until(struct str *s, char byte)
{
    size_t at = str_find(*s, byte);
    struct str taken = str_first(*s, at);
    *s = at < s->n ? str_from(*s, at + 1) : STR_NONE;
    return taken;
}

enum rc str_to_u64(struct str s, uint64_t *ret_value)
{
    uint64_t value = 0;
    if (s.n == 0)
        return RC_INVALID;
    for (size_t i = 0; i < s.n; i++) {
        if (!ascii_is_digit(s.p[i]))
            return RC_INVALID;
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(s.p[i] - '0'), &value))
            return RC_LIMIT;
    }
    *ret_value = value;
    return RC_OK;
}
