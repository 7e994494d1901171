/* SPDX-License-Identifier: Apache-2.0 */
/* The dates of HTTP (RFC 9110, 5.6.7), a little more leniently than they are written there: letters
 * in any case, a day of one digit, UTC for GMT. The day of the week is not believed. */
#include "host/pace.h"

#include "base/calendar.h"

enum { MS_A_SECOND = 1000 };

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
static size_t take_number(struct str *s, size_t most, int *ret)
{
    size_t n = 0;
    int value = 0;
    for (; n <= most && n < s->n && ascii_is_digit(s->p[n]); n++)
        value = value * 10 + (s->p[n] - '0');
    if (n == 0 || n > most)
        return 0;
    *s = str_from(*s, n);
    *ret = value;
    return n;
}

static bool take_month(struct str *s, struct moment *m)
{
    m->month = calendar_month(take_letters(s));
    return m->month != 0;
}

static bool take_day(struct str *s, struct moment *m)
{
    return take_number(s, 2, &m->day) > 0;
}

/* Of two digits or four: how many. */
static size_t take_year(struct str *s, struct moment *m)
{
    size_t digits = take_number(s, 4, &m->year);
    return digits == 2 || digits == 4 ? digits : 0;
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

/* The year of that ending which is nearest to now: a date of two digits is at most 50 years ahead.
 */
static int full_year(int ending, int64_t wall_ms)
{
    int now = moment_of_ms(wall_ms).year;
    now = now < 100 ? 100 : now > 9900 ? 9900 : now; /* a clock may be anything */
    int year = now - now % 100 + ending;
    return year > now + 50 ? year - 100 : year <= now - 50 ? year + 100 : year;
}

/* "06 Nov 1994 08:49:37 GMT", or with hyphens and a short year: what follows a weekday's comma. */
static bool read_modern(struct str s, int64_t wall_ms, struct moment *m)
{
    skip_blanks(&s);
    if (!take_day(&s, m))
        return false;
    char between = s.n && s.p[0] == '-' ? '-' : ' ';
    if (!take_byte(&s, between) || !take_month(&s, m) || !take_byte(&s, between))
        return false;
    size_t digits = take_year(&s, m);
    if (digits == 2)
        m->year = full_year(m->year, wall_ms);
    if (!digits || !take_byte(&s, ' '))
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
    return take_year(&s, m) == 4 && s.n == 0;
}

enum rc http_date_read(struct str value, int64_t wall_ms, int64_t *ret_ms)
{
    struct moment m = {0};
    struct str s = str_trim(value);
    if (take_letters(&s).n < 3)
        return RC_INVALID;
    bool is_read = take_byte(&s, ',') ? read_modern(s, wall_ms, &m) : read_asctime(s, &m);
    if (!is_read || !moment_is_good(&m))
        return RC_INVALID;
    *ret_ms = moment_ms(&m);
    return RC_OK;
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
