/* SPDX-License-Identifier: Apache-2.0 */
/* calendar: moments in the Gregorian calendar, UTC, to and from milliseconds since
 * 1970-01-01T00:00:00Z. The forms of dates (WARC, HTTP, sitemaps) are read and written elsewhere;
 * the arithmetic and the names of months are here alone.
 *
 *     struct moment m = {.year = 2024, .month = 2, .day = 29};
 *     if (moment_is_good(&m))
 *         ms = moment_ms(&m);
 *
 * Exact for every year of an int, also before 1970 and before the calendar began. */
#ifndef BASE_CALENDAR_H
#define BASE_CALENDAR_H

#include "base/str.h"

#define CALENDAR_MS_A_DAY INT64_C(86400000)

struct moment {
    int year, month, day; /* month and day from 1 */
    int hour, minute, second, ms;
};

/* The day exists and the time is one; a 60th second is, for clocks that have leap seconds. */
bool moment_is_good(const struct moment *m);

/* The month is one of twelve; days past the month's end count into the next month, a 60th second
 * into the next minute. */
int64_t moment_ms(const struct moment *m);

struct moment moment_of_ms(int64_t ms);

/* The same, of a day since 1970-01-01 and a millisecond in it: for times past 2^63 ms. */
struct moment moment_of_day(int64_t day, uint32_t ms);

/* 1 to 12 for "jan" to "DEC", in any case; 0 for all else. */
int calendar_month(struct str name);

/* "Jan" to "Dec". */
struct str calendar_month_name(int month);

#endif
