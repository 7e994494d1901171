/* SPDX-License-Identifier: Apache-2.0 */
#include "warc/date.h"

enum { MS_A_DAY = 86400000, DAYS_A_CYCLE = 146097, DAYS_TO_1970 = 719468 };

/* Years 0000-01-01 and 9999-12-31T23:59:59.999. */
#define DATE_MIN_MS (INT64_C(-62167219200) * 1000)
#define DATE_MAX_MS (INT64_C(253402300799) * 1000 + 999)

struct moment {
    unsigned year, month, day, hour, minute, second, ms;
};

static unsigned month_days(unsigned year, unsigned month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && leap ? 29 : days[month - 1];
}

/* Counting from March makes the leap day the last of its year, so that the days before a month
 * follow from one multiplication (months alternate 31, 30 in groups of five: 153 days). */
static int64_t days_since_1970(const struct moment *m)
{
    int64_t year = (int64_t)m->year - (m->month <= 2);
    int64_t cycle = (year >= 0 ? year : year - 399) / 400;
    int64_t in_cycle = year - cycle * 400;
    int64_t from_march = (153 * (int64_t)((m->month + 9) % 12) + 2) / 5 + m->day - 1;
    int64_t days = in_cycle * 365 + in_cycle / 4 - in_cycle / 100 + from_march;
    return cycle * DAYS_A_CYCLE + days - DAYS_TO_1970;
}

static struct moment moment_of(int64_t ms)
{
    int64_t days = ms / MS_A_DAY - (ms % MS_A_DAY < 0);
    unsigned rest = (unsigned)(ms - days * MS_A_DAY);
    days += DAYS_TO_1970;
    int64_t cycle = (days >= 0 ? days : days - (DAYS_A_CYCLE - 1)) / DAYS_A_CYCLE;
    int64_t in_cycle = days - cycle * DAYS_A_CYCLE;
    int64_t leaps = in_cycle / 1460 - in_cycle / 36524 + in_cycle / 146096;
    int64_t year = (in_cycle - leaps) / 365;
    int64_t from_march = in_cycle - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * from_march + 2) / 153;
    struct moment m = {
        .day = (unsigned)(from_march - (153 * month + 2) / 5 + 1),
        .month = (unsigned)(month < 10 ? month + 3 : month - 9),
        .hour = rest / 3600000,
        .minute = rest / 60000 % 60,
        .second = rest / 1000 % 60,
        .ms = rest % 1000,
    };
    m.year = (unsigned)(cycle * 400 + year + (m.month <= 2));
    return m;
}

static enum rc moment_ms(const struct moment *m, int64_t *ret_ms)
{
    if (m->month < 1 || m->month > 12 || m->day < 1 || m->day > month_days(m->year, m->month) ||
        m->hour > 23 || m->minute > 59 || m->second > 60)
        return RC_INVALID;
    int64_t seconds = ((int64_t)m->hour * 60 + m->minute) * 60 + m->second;
    int64_t ms = days_since_1970(m) * MS_A_DAY + seconds * 1000 + m->ms;
    if (!warc_date_fits(ms))
        return RC_INVALID;
    *ret_ms = ms;
    return RC_OK;
}

/* Takes exactly `digits` digits, preceded by `before` unless that is 0. */
static bool take_number(struct str *s, char before, size_t digits, unsigned *ret)
{
    size_t skip = before != 0;
    if (s->n < skip + digits || (skip && s->p[0] != before))
        return false;
    unsigned value = 0;
    for (size_t i = skip; i < skip + digits; i++) {
        if (!ascii_is_digit(s->p[i]))
            return false;
        value = value * 10 + (unsigned)(s->p[i] - '0');
    }
    *s = str_from(*s, skip + digits);
    *ret = value;
    return true;
}

static bool take_fraction(struct str *s, unsigned *ret_ms)
{
    *s = str_from(*s, 1);
    unsigned ms = 0;
    size_t digits = 0;
    for (; digits < s->n && ascii_is_digit(s->p[digits]); digits++)
        if (digits < 3)
            ms = ms * 10 + (unsigned)(s->p[digits] - '0');
    for (size_t i = digits; i < 3; i++)
        ms *= 10;
    *s = str_from(*s, digits);
    *ret_ms = ms;
    return digits >= 1 && digits <= 9;
}

static bool take_time(struct str *s, struct moment *m)
{
    if (!take_number(s, 'T', 2, &m->hour) || !take_number(s, ':', 2, &m->minute))
        return false;
    if (s->n && s->p[0] == ':') {
        if (!take_number(s, ':', 2, &m->second))
            return false;
        if (s->n && s->p[0] == '.' && !take_fraction(s, &m->ms))
            return false;
    }
    return str_eq(*s, STR("Z"));
}

enum rc warc_date_parse(struct str text, int64_t *ret_ms)
{
    struct moment m = {.month = 1, .day = 1};
    if (!take_number(&text, 0, 4, &m.year))
        return RC_INVALID;
    if (text.n && !take_number(&text, '-', 2, &m.month))
        return RC_INVALID;
    if (text.n && !take_number(&text, '-', 2, &m.day))
        return RC_INVALID;
    if (text.n && !take_time(&text, &m))
        return RC_INVALID;
    return moment_ms(&m, ret_ms);
}

bool warc_date_fits(int64_t ms)
{
    return ms >= DATE_MIN_MS && ms <= DATE_MAX_MS;
}

static void put_digits(char *to, size_t digits, unsigned value)
{
    while (digits) {
        to[--digits] = (char)('0' + value % 10);
        value /= 10;
    }
}

void warc_date_print(struct buf *out, int64_t ms)
{
    if (!warc_date_fits(ms)) {
        out->rc = out->rc ? out->rc : RC_INVALID;
        return;
    }
    struct moment m = moment_of(ms);
    char text[] = "0000-00-00T00:00:00.000Z";
    put_digits(text, 4, m.year);
    put_digits(text + 5, 2, m.month);
    put_digits(text + 8, 2, m.day);
    put_digits(text + 11, 2, m.hour);
    put_digits(text + 14, 2, m.minute);
    put_digits(text + 17, 2, m.second);
    put_digits(text + 20, 3, m.ms);
    if (m.ms == 0)
        text[19] = 'Z';
    buf_add(out, str_make(text, m.ms ? 24 : 20));
}

void warc_ts14_print(struct buf *out, int64_t ms)
{
    if (!warc_date_fits(ms)) {
        out->rc = out->rc ? out->rc : RC_INVALID;
        return;
    }
    struct moment m = moment_of(ms);
    char text[14];
    put_digits(text, 4, m.year);
    put_digits(text + 4, 2, m.month);
    put_digits(text + 6, 2, m.day);
    put_digits(text + 8, 2, m.hour);
    put_digits(text + 10, 2, m.minute);
    put_digits(text + 12, 2, m.second);
    buf_add(out, str_make(text, sizeof text));
}

enum rc warc_ts14_parse(struct str text, int64_t *ret_ms)
{
    struct moment m = {0};
    if (text.n != 14 || !take_number(&text, 0, 4, &m.year) || !take_number(&text, 0, 2, &m.month) ||
        !take_number(&text, 0, 2, &m.day) || !take_number(&text, 0, 2, &m.hour) ||
        !take_number(&text, 0, 2, &m.minute) || !take_number(&text, 0, 2, &m.second))
        return RC_INVALID;
    return moment_ms(&m, ret_ms);
}
