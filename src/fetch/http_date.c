/* SPDX-License-Identifier: Apache-2.0 */
/* The dates of HTTP (RFC 9110, 5.6.7), a little more leniently than they are written there: letters
 * in any case, a day of one digit, UTC for GMT. The day of the week is not believed. */
#include "fetch/pace.h"

enum { MS_A_SECOND = 1000, SECONDS_A_DAY = 24 * 3600 };

struct moment {
    int64_t year; /* of two digits: 0 to 99 */
    bool is_short;
    uint64_t month, day, hour, minute, second; /* month from 1 */
};

static void skip_blanks(struct str *s)
{
    while (s->n && s->p[0] == ' ')
        *s = str_from(*s, 1);
}

static bool take_byte(struct str *s, char byte)
{
    if (s->n == 0 || s->p[0] != byte)
        return false;
    *s = str_from(*s, 1);
    return true;
}

static struct str take_letters(struct str *s)
{
    size_t n = 0;
    while (n < s->n && ascii_is_alpha(s->p[n]))
        n++;
    struct str word = str_first(*s, n);
    *s = str_from(*s, n);
    return word;
}

/* A number of at most `most` digits; how many there were, 0 if there is none or more. */
static size_t take_number(struct str *s, size_t most, uint64_t *ret)
{
    size_t n = 0;
    while (n < s->n && ascii_is_digit(s->p[n]))
        n++;
    if (n == 0 || n > most || str_to_u64(str_first(*s, n), ret) != RC_OK)
        return 0;
    *s = str_from(*s, n);
    return n;
}

static bool take_month(struct str *s, struct moment *m)
{
    static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
    struct str word = take_letters(s);
    for (m->month = 1; m->month <= 12; m->month++)
        if (str_eq_nocase(word, str_make(names + (m->month - 1) * 3, 3)))
            return true;
    return false;
}

static bool take_day(struct str *s, struct moment *m)
{
    return take_number(s, 2, &m->day) > 0;
}

static bool take_year(struct str *s, struct moment *m)
{
    uint64_t year;
    size_t digits = take_number(s, 4, &year);
    m->year = (int64_t)year;
    m->is_short = digits == 2;
    return digits == 2 || digits == 4;
}

static bool take_time(struct str *s, struct moment *m)
{
    return take_number(s, 2, &m->hour) && take_byte(s, ':') && take_number(s, 2, &m->minute) &&
           take_byte(s, ':') && take_number(s, 2, &m->second);
}

static bool take_zone(struct str *s)
{
    skip_blanks(s);
    struct str zone = take_letters(s);
    return str_eq_nocase(zone, STR("GMT")) || str_eq_nocase(zone, STR("UTC"));
}

/* "06 Nov 1994 08:49:37 GMT", or with hyphens and a short year: what follows a weekday's comma. */
static bool read_modern(struct str s, struct moment *m)
{
    skip_blanks(&s);
    if (!take_day(&s, m))
        return false;
    char between = s.n && s.p[0] == '-' ? '-' : ' ';
    if (!take_byte(&s, between) || !take_month(&s, m) || !take_byte(&s, between) ||
        !take_year(&s, m) || !take_byte(&s, ' '))
        return false;
    skip_blanks(&s);
    return take_time(&s, m) && take_zone(&s) && s.n == 0;
}

/* "Nov  6 08:49:37 1994". */
static bool read_asctime(struct str s, struct moment *m)
{
    skip_blanks(&s);
    if (!take_month(&s, m) || !take_byte(&s, ' '))
        return false;
    skip_blanks(&s);
    if (!take_day(&s, m) || !take_byte(&s, ' ') || !take_time(&s, m) || !take_byte(&s, ' '))
        return false;
    return take_year(&s, m) && !m->is_short && s.n == 0;
}

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Days from 1970-01-01 to the first of January: 365 each, and the leap days in between. */
static int64_t days_before(int64_t year)
{
    int64_t past = year - 1;
    int64_t leaps = year > 0 ? past / 4 - past / 100 + past / 400 + 1 : 0; /* year 0 is one */
    return year * 365 + leaps - 719528;
}

static bool moment_ms(const struct moment *m, int64_t *ret_ms)
{
    static const unsigned before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365};
    unsigned leap = is_leap(m->year);
    unsigned in_month = before[m->month] - before[m->month - 1] + (m->month == 2 ? leap : 0);
    if (m->day < 1 || m->day > in_month || m->hour > 23 || m->minute > 59 || m->second > 60)
        return false;
    int64_t days = days_before(m->year) + before[m->month - 1] + (m->month > 2 ? leap : 0) +
                   (int64_t)m->day - 1;
    int64_t seconds = (int64_t)(m->hour * 3600 + m->minute * 60 + m->second);
    *ret_ms = (days * SECONDS_A_DAY + seconds) * MS_A_SECOND;
    return true;
}

/* The year of that ending which is nearest to now: a date of two digits is at most 50 years ahead.
 */
static int64_t full_year(int64_t ending, int64_t wall_ms)
{
    int64_t now = 1970 + wall_ms / MS_A_SECOND / SECONDS_A_DAY * 400 / 146097;
    now = now < 100 ? 100 : now > 9900 ? 9900 : now; /* a clock may be anything */
    int64_t year = now - now % 100 + ending;
    return year > now + 50 ? year - 100 : year <= now - 50 ? year + 100 : year;
}

enum rc http_date_read(struct str value, int64_t wall_ms, int64_t *ret_ms)
{
    struct moment m;
    struct str s = str_trim(value);
    if (take_letters(&s).n < 3)
        return RC_INVALID;
    if (!(take_byte(&s, ',') ? read_modern(s, &m) : read_asctime(s, &m)))
        return RC_INVALID;
    if (m.is_short)
        m.year = full_year(m.year, wall_ms);
    return moment_ms(&m, ret_ms) ? RC_OK : RC_INVALID;
}

static bool is_digits(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!ascii_is_digit(s.p[i]))
            return false;
    return s.n > 0;
}

static uint64_t capped_ms(uint64_t seconds, uint64_t most_ms)
{
    return seconds > most_ms / MS_A_SECOND ? most_ms : seconds * MS_A_SECOND;
}

bool retry_after_read(struct str value, int64_t wall_ms, uint64_t most_ms, uint64_t *ret_wait_ms)
{
    struct str s = str_trim(value);
    uint64_t wait_ms;
    int64_t until_ms, left_ms;
    if (is_digits(s)) {
        uint64_t seconds;
        if (str_to_u64(s, &seconds) != RC_OK)
            seconds = UINT64_MAX; /* more than 64 bits hold */
        wait_ms = capped_ms(seconds, most_ms);
    } else {
        if (http_date_read(s, wall_ms, &until_ms) != RC_OK)
            return false;
        if (__builtin_sub_overflow(until_ms, wall_ms, &left_ms))
            left_ms = until_ms > wall_ms ? INT64_MAX : 0;
        wait_ms = left_ms > 0 ? (uint64_t)left_ms : 0;
    }
    if (wait_ms > most_ms)
        wait_ms = most_ms;
    if (wait_ms > 0)
        *ret_wait_ms = wait_ms;
    return wait_ms > 0;
}
