/* SPDX-License-Identifier: Apache-2.0 */
#include "sitemap/date.h"

#include "base/calendar.h"

/* A moment as a clock of its zone shows it. */
struct zoned {
    struct moment at;
    int offset_minutes; /* of the zone, east of Greenwich */
};

struct zone {
    char name[4];
    int offset_minutes;
};

static const struct zone zones[] = {
    {"est", -300}, {"edt", -240}, {"cst", -360}, {"cdt", -300},
    {"mst", -420}, {"mdt", -360}, {"pst", -480}, {"pdt", -420},
};

/* Between `least` and `most` digits at the front of *s. */
static bool take_number(struct str *s, size_t least, size_t most, int *ret)
{
    size_t n = 0;
    int value = 0;
    while (n < most && n < s->n && ascii_is_digit(s->p[n]))
        value = value * 10 + (s->p[n++] - '0');
    if (n < least)
        return false;
    *s = str_from(*s, n);
    *ret = value;
    return true;
}

static bool take_byte(struct str *s, char byte)
{
    if (s->n == 0 || *s->p != byte)
        return false;
    *s = str_from(*s, 1);
    return true;
}

static void skip_space(struct str *s)
{
    while (s->n && ascii_is_space(*s->p))
        *s = str_from(*s, 1);
}

/* A run of ASCII letters, possibly empty. */
static struct str take_letters(struct str *s)
{
    size_t n = 0;
    while (n < s->n && ascii_is_alpha(s->p[n]))
        n++;
    struct str word = str_first(*s, n);
    *s = str_from(*s, n);
    return word;
}

/* "+01:00", "-0500", "+01" */
static bool take_offset(struct str *s, struct zoned *m)
{
    int sign = *s->p == '-' ? -1 : 1, hours, minutes = 0;
    *s = str_from(*s, 1);
    if (!take_number(s, 2, 2, &hours))
        return false;
    (void)take_byte(s, ':');
    if (s->n && ascii_is_digit(*s->p) && !take_number(s, 2, 2, &minutes))
        return false;
    m->offset_minutes = sign * (hours * 60 + minutes);
    return hours <= 23 && minutes <= 59;
}

static bool take_zone(struct str *s, struct zoned *m)
{
    skip_space(s);
    if (s->n && (*s->p == '+' || *s->p == '-'))
        return take_offset(s, m);
    struct str word = take_letters(s);
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        if (str_eq_nocase(word, str_make(zones[i].name, 3)))
            m->offset_minutes = zones[i].offset_minutes;
    return true;
}

/* The digits behind the point, of which three count. */
static void take_fraction(struct str *s, struct zoned *m)
{
    int scale = 100;
    for (; s->n && ascii_is_digit(*s->p); *s = str_from(*s, 1), scale /= 10)
        m->at.ms += (*s->p - '0') * scale;
}

static bool take_time(struct str *s, struct zoned *m)
{
    if (!take_number(s, 1, 2, &m->at.hour) || !take_byte(s, ':') ||
        !take_number(s, 1, 2, &m->at.minute))
        return false;
    if (take_byte(s, ':')) {
        if (!take_number(s, 1, 2, &m->at.second))
            return false;
        if (take_byte(s, '.') || take_byte(s, ','))
            take_fraction(s, m);
    }
    return take_zone(s, m);
}

static bool take_w3c(struct str *s, struct zoned *m)
{
    if (!take_number(s, 4, 4, &m->at.year))
        return false;
    if (!take_byte(s, '-'))
        return true;
    if (!take_number(s, 1, 2, &m->at.month))
        return false;
    if (!take_byte(s, '-'))
        return true;
    if (!take_number(s, 1, 2, &m->at.day))
        return false;
    if (take_byte(s, 'T') || take_byte(s, 't'))
        return take_time(s, m);
    skip_space(s);
    return s->n == 0 || take_time(s, m);
}

/* Two digits are of the years 1950 to 2049, three count from 1900 (RFC 5322, 4.3). */
static bool take_year(struct str *s, int *ret)
{
    size_t before = s->n;
    if (!take_number(s, 2, 4, ret))
        return false;
    size_t digits = before - s->n;
    if (digits == 2)
        *ret += *ret < 50 ? 2000 : 1900;
    else if (digits == 3)
        *ret += 1900;
    return true;
}

static bool take_month(struct str *s, int *ret)
{
    *ret = calendar_month(str_first(take_letters(s), 3));
    return *ret != 0;
}

static void skip_dashes(struct str *s)
{
    while (s->n && (ascii_is_space(*s->p) || *s->p == '-'))
        *s = str_from(*s, 1);
}

static bool take_rfc822(struct str *s, struct zoned *m)
{
    if (take_letters(s).n) {
        (void)take_byte(s, ',');
        skip_space(s);
    }
    if (!take_number(s, 1, 2, &m->at.day))
        return false;
    skip_dashes(s);
    if (!take_month(s, &m->at.month))
        return false;
    skip_dashes(s);
    if (!take_year(s, &m->at.year))
        return false;
    skip_space(s);
    return s->n == 0 || take_time(s, m);
}

bool sitemap_date_parse(struct str text, int64_t *ret_ms)
{
    struct zoned m = {.at = {.month = 1, .day = 1}};
    struct str s = str_trim(text);
    size_t digits = 0;
    while (digits < s.n && ascii_is_digit(s.p[digits]))
        digits++;
    bool good = digits == 4 ? take_w3c(&s, &m) : take_rfc822(&s, &m);
    if (!good || str_trim(s).n || !moment_is_good(&m.at))
        return false;
    *ret_ms = moment_ms(&m.at) - (int64_t)m.offset_minutes * 60000;
    return true;
}
