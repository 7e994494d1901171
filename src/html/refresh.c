/* SPDX-License-Identifier: Apache-2.0 */
#include "html/refresh.h"

static struct str space_skip(struct str s)
{
    size_t i = 0;
    while (i < s.n && ascii_is_space(s.p[i]))
        i++;
    return str_from(s, i);
}

/* Over the seconds ("5", "0.5", ".5", "5.5.5"); false if there are none. */
static bool time_skip(struct str *s)
{
    size_t i = 0;
    while (i < s->n && ascii_is_digit(s->p[i]))
        i++;
    if (i == 0 && !(s->n && s->p[0] == '.'))
        return false;
    while (i < s->n && (ascii_is_digit(s->p[i]) || s->p[i] == '.'))
        i++;
    *s = str_from(*s, i);
    return true;
}

/* Over one ';' or ',' and the white space around it; false if something else follows the time. */
static bool separator_skip(struct str *s)
{
    if (s->n == 0)
        return true;
    if (*s->p != ';' && *s->p != ',' && !ascii_is_space(*s->p))
        return false;
    *s = space_skip(*s);
    if (s->n && (*s->p == ';' || *s->p == ','))
        *s = space_skip(str_from(*s, 1));
    return true;
}

/* Over "url =". Returns false, with *s as it was, for an address that only begins like it
 * ("urls.html", "up/"): such an address is not looked at for quotes either. */
static bool prefix_skip(struct str *s)
{
    if (s->n == 0 || ascii_lower(*s->p) != 'u')
        return true;
    if (!str_starts_nocase(*s, STR("url")))
        return false;
    struct str behind = space_skip(str_from(*s, 3));
    if (behind.n == 0 || *behind.p != '=')
        return false;
    *s = space_skip(str_from(behind, 1));
    return true;
}

bool refresh_url(struct str content, struct str *ret_url)
{
    struct str s = space_skip(content);
    if (!time_skip(&s) || !separator_skip(&s))
        return false;
    if (prefix_skip(&s) && s.n && (*s.p == '"' || *s.p == '\'')) {
        char quote = *s.p;
        s = str_from(s, 1);
        s = str_first(s, str_find(s, quote));
    }
    if (str_trim(s).n == 0)
        return false;
    *ret_url = s;
    return true;
}
