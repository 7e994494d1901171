/* SPDX-License-Identifier: Apache-2.0 */
#include "base/calendar.h"

enum {
    DAYS_A_YEAR = 365,
    DAYS_A_CYCLE = 146097, /* 400 years */
    DAYS_TO_1970 = 719468, /* from 0000-03-01 */
    MS_AN_HOUR = 3600000,
    MS_A_MINUTE = 60000,
};

static const char month_names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

static int month_days(int year, int month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && is_leap ? 29 : days[month - 1];
}

bool moment_is_good(const struct moment *m)
{
    return m->month >= 1 && m->month <= 12 && m->day >= 1 &&
           m->day <= month_days(m->year, m->month) && m->hour >= 0 && m->hour <= 23 &&
           m->minute >= 0 && m->minute <= 59 && m->second >= 0 && m->second <= 60;
}

/* Counting from March makes the leap day the last of its year, so that the days before a month
 * follow from one multiplication (months alternate 31, 30 in groups of five: 153 days). */
static int64_t days_since_1970(const struct moment *m)
{
    int64_t year = (int64_t)m->year - (m->month <= 2);
    int64_t cycle = (year >= 0 ? year : year - 399) / 400;
    int64_t in_cycle = year - cycle * 400;
    int64_t from_march = (153 * (int64_t)((m->month + 9) % 12) + 2) / 5 + m->day - 1;
    int64_t days = in_cycle * DAYS_A_YEAR + in_cycle / 4 - in_cycle / 100 + from_march;
    return cycle * DAYS_A_CYCLE + days - DAYS_TO_1970;
}

int64_t moment_ms(const struct moment *m)
{
    int64_t seconds = ((int64_t)m->hour * 60 + m->minute) * 60 + m->second;
    return days_since_1970(m) * CALENDAR_MS_A_DAY + seconds * 1000 + m->ms;
}

struct moment moment_of_day(int64_t day, uint32_t ms)
{
    day += DAYS_TO_1970;
    int64_t cycle = (day >= 0 ? day : day - (DAYS_A_CYCLE - 1)) / DAYS_A_CYCLE;
    int64_t in_cycle = day - cycle * DAYS_A_CYCLE;
    int64_t leaps = in_cycle / 1460 - in_cycle / 36524 + in_cycle / 146096;
    int64_t year = (in_cycle - leaps) / DAYS_A_YEAR;
    int64_t from_march = in_cycle - (DAYS_A_YEAR * year + year / 4 - year / 100);
    int64_t month = (5 * from_march + 2) / 153;
    struct moment m = {
        .day = (int)(from_march - (153 * month + 2) / 5 + 1),
        .month = (int)(month < 10 ? month + 3 : month - 9),
        .hour = (int)(ms / MS_AN_HOUR),
        .minute = (int)(ms / MS_A_MINUTE % 60),
        .second = (int)(ms / 1000 % 60),
        .ms = (int)(ms % 1000),
    };
    m.year = (int)(cycle * 400 + year + (m.month <= 2));
    return m;
}

struct moment moment_of_ms(int64_t ms)
{
    int64_t day = ms / CALENDAR_MS_A_DAY, rest = ms % CALENDAR_MS_A_DAY;
    bool is_before = rest < 0;
    return moment_of_day(day - is_before, (uint32_t)(rest + (is_before ? CALENDAR_MS_A_DAY : 0)));
}

int calendar_month(struct str name)
{
    for (int month = 1; month <= 12; month++)
        if (str_eq_nocase(name, calendar_month_name(month)))
            return month;
    return 0;
}

struct str calendar_month_name(int month)
{
    return str_make(month_names + (size_t)(month - 1) * 3, 3);
}
