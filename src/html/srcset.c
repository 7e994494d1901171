/* SPDX-License-Identifier: Apache-2.0 */
#include "html/srcset.h"

/* Where the descriptors end: behind the first comma that is not in parentheses. */
static size_t descriptors_end(struct str s)
{
    bool in_parens = false;
    for (size_t i = 0; i < s.n; i++) {
        if (in_parens)
            in_parens = s.p[i] != ')';
        else if (s.p[i] == '(')
            in_parens = true;
        else if (s.p[i] == ',')
            return i + 1;
    }
    return s.n;
}

bool srcset_next(struct str *rest, struct str *ret_url)
{
    struct str s = *rest;
    size_t from = 0;
    while (from < s.n && (ascii_is_space(s.p[from]) || s.p[from] == ','))
        from++;
    size_t end = from;
    while (end < s.n && !ascii_is_space(s.p[end]))
        end++;
    if (from == end) {
        *rest = str_from(s, s.n);
        return false;
    }
    size_t last = end;
    while (s.p[last - 1] == ',')
        last--;
    *ret_url = str_make(s.p + from, last - from);
    /* Commas right behind the address close the candidate: it has no descriptors. */
    *rest = str_from(s, end);
    if (last == end)
        *rest = str_from(*rest, descriptors_end(*rest));
    return true;
}
