/* SPDX-License-Identifier: Apache-2.0 */
#include "sitemap/date.h"

struct moment {
    int year, month, day, hour, minute, second, ms;
    int offset_minutes; /* of the zone, east of Greenwich */
};

static const char months[] = "janfebmaraprmayjunjulaugsepoctnovdec";

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

/* Days from 1970-01-01 in the Gregorian calendar. Years begin in March here, so that the leap day
 * is the last of its year and months have a regular length. */
static int64_t days_of(int year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t era = (y >= 0 ? y : y - 399) / 400;
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146097 + day_of_era - 719468;
}

static int month_days(int year, int month)
{
    if (month == 2)
        return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

static bool moment_is_good(const struct moment *m)
{
    return m->year >= 0 && m->year <= 9999 && m->month >= 1 && m->month <= 12 && m->day >= 1 &&
           m->day <= month_days(m->year, m->month) && m->hour <= 23 && m->minute <= 59 &&
           m->second <= 60;
}

static int64_t moment_ms(const struct moment *m)
{
    int64_t minutes = (days_of(m->year, m->month, m->day) * 24 + m->hour) * 60 + m->minute;
    return ((minutes - m->offset_minutes) * 60 + m->second) * 1000 + m->ms;
}

/* "+01:00", "-0500", "+01" */
static bool take_offset(struct str *s, struct moment *m)
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

static bool take_zone(struct str *s, struct moment *m)
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
static void take_fraction(struct str *s, struct moment *m)
{
    int scale = 100;
    for (; s->n && ascii_is_digit(*s->p); *s = str_from(*s, 1), scale /= 10)
        m->ms += (*s->p - '0') * scale;
}

static bool take_time(struct str *s, struct moment *m)
{
    if (!take_number(s, 1, 2, &m->hour) || !take_byte(s, ':') || !take_number(s, 1, 2, &m->minute))
        return false;
    if (take_byte(s, ':')) {
        if (!take_number(s, 1, 2, &m->second))
            return false;
        if (take_byte(s, '.') || take_byte(s, ','))
            take_fraction(s, m);
    }
    return take_zone(s, m);
}

static bool take_w3c(struct str *s, struct moment *m)
{
    if (!take_number(s, 4, 4, &m->year))
        return false;
    if (!take_byte(s, '-'))
        return true;
    if (!take_number(s, 1, 2, &m->month))
        return false;
    if (!take_byte(s, '-'))
        return true;
    if (!take_number(s, 1, 2, &m->day))
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
    struct str word = take_letters(s);
    for (size_t i = 0; word.n >= 3 && i < 12; i++) {
        if (str_eq_nocase(str_first(word, 3), str_make(months + 3 * i, 3))) {
            *ret = (int)i + 1;
            return true;
        }
    }
    return false;
}

static void skip_dashes(struct str *s)
{
    while (s->n && (ascii_is_space(*s->p) || *s->p == '-'))
        *s = str_from(*s, 1);
}

static bool take_rfc822(struct str *s, struct moment *m)
{
    if (take_letters(s).n) {
        (void)take_byte(s, ',');
        skip_space(s);
    }
    if (!take_number(s, 1, 2, &m->day))
        return false;
    skip_dashes(s);
    if (!take_month(s, &m->month))
        return false;
    skip_dashes(s);
    if (!take_year(s, &m->year))
        return false;
    skip_space(s);
    return s->n == 0 || take_time(s, m);
}

bool sitemap_date_parse(struct str text, int64_t *ret_ms)
{
    struct moment m = {.month = 1, .day = 1};
    struct str s = str_trim(text);
    size_t digits = 0;
    while (digits < s.n && ascii_is_digit(s.p[digits]))
        digits++;
    bool good = digits == 4 ? take_w3c(&s, &m) : take_rfc822(&s, &m);
    if (!good || str_trim(s).n || !moment_is_good(&m))
        return false;
    *ret_ms = moment_ms(&m);
    return true;
}
