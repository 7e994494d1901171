/* SPDX-License-Identifier: Apache-2.0 */
#include "sitemap/value.h"

#include "base/utf8.h"

static const char *const freq_names[] = {"",       "always",  "hourly", "daily",
                                         "weekly", "monthly", "yearly", "never"};
static const char *const format_names[] = {"none", "urlset", "index", "rss",
                                           "atom", "list",   "html"};
static const char *const kind_names[] = {"page", "sitemap", "alternate", "image", "media"};

const char *sitemap_changefreq_name(enum sitemap_changefreq freq)
{
    return freq_names[freq];
}

const char *sitemap_format_name(enum sitemap_format format)
{
    return format_names[format];
}

const char *sitemap_kind_name(enum sitemap_kind kind)
{
    return kind_names[kind];
}

/* White space of Unicode beyond ASCII, and the two that only look like nothing. */
static bool is_wide_space(uint32_t code)
{
    return code == 0x85 || code == 0xa0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200b) ||
           code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f || code == 0x3000 ||
           code == 0xfeff;
}

/* Bytes of the white space at the front; 0 if there is none. */
static size_t space_first(struct str s)
{
    uint32_t code;
    size_t bytes;
    if ((uint8_t)*s.p < 0x80)
        return (uint8_t)*s.p <= ' ' ? 1 : 0;
    return utf8_decode(s, &code, &bytes) && is_wide_space(code) ? bytes : 0;
}

/* The same at the end: a character of two or three bytes that are the last ones. */
static size_t space_last(struct str s)
{
    if ((uint8_t)s.p[s.n - 1] < 0x80)
        return (uint8_t)s.p[s.n - 1] <= ' ' ? 1 : 0;
    for (size_t n = 2; n <= 3 && n <= s.n; n++)
        if (space_first(str_from(s, s.n - n)) == n)
            return n;
    return 0;
}

struct str value_trim(struct str s)
{
    size_t n;
    while (s.n && (n = space_first(s)) > 0)
        s = str_from(s, n);
    while (s.n && (n = space_last(s)) > 0)
        s.n -= n;
    return s;
}

int value_priority(struct str s)
{
    int value = 0, scale = 1000;
    size_t digits = 0, i = 0;
    for (; i < s.n && ascii_is_digit(s.p[i]); i++, digits++)
        value = value < 10 ? value * 10 + (s.p[i] - '0') : value;
    if (value > 1)
        return SITEMAP_NO_PRIORITY;
    value *= 1000;
    if (i < s.n && (s.p[i] == '.' || s.p[i] == ','))
        for (i++; i < s.n && ascii_is_digit(s.p[i]); i++, digits++)
            value += (s.p[i] - '0') * (scale /= 10);
    return i == s.n && digits && value <= 1000 ? value : SITEMAP_NO_PRIORITY;
}

enum sitemap_changefreq value_changefreq(struct str s)
{
    for (enum sitemap_changefreq f = SITEMAP_ALWAYS; f <= SITEMAP_NEVER; f++)
        if (str_eq_nocase(s, str_c(freq_names[f])))
            return f;
    return SITEMAP_FREQ_NONE;
}
