/* SPDX-License-Identifier: Apache-2.0 */
/* The calendar against one that counts days on its fingers, and against the C library's. */
#include "base/calendar.h"

#include "base/rng.h"
#include "lib/test.h"

#include <time.h>

static bool is_leap(int year)
{
    return year % 400 == 0 || (year % 4 == 0 && year % 100 != 0);
}

static int last_day(int year, int month)
{
    if (month == 2)
        return is_leap(year) ? 29 : 28;
    return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
}

static void next_day(struct moment *m)
{
    if (m->day < last_day(m->year, m->month)) {
        m->day++;
        return;
    }
    m->day = 1;
    if (m->month < 12) {
        m->month++;
        return;
    }
    m->month = 1;
    m->year++;
}

/* From 1200 years before the year 0 to the year 10000: three whole cycles on each side of 0 are as
 * good as all. */
static void every_day_follows_the_one_before(void **state)
{
    (void)state;
    enum { FIRST_YEAR = -1200, LAST_YEAR = 10000 };
    struct moment want = {.year = FIRST_YEAR, .month = 1, .day = 1};
    int64_t first_ms = moment_ms(&want);
    for (int64_t i = 0; want.year <= LAST_YEAR; i++, next_day(&want)) {
        int64_t ms = first_ms + i * CALENDAR_MS_A_DAY;
        struct moment m = moment_of_ms(ms);
        if (m.year != want.year || m.month != want.month || m.day != want.day || m.hour ||
            m.minute || m.second || m.ms || moment_ms(&want) != ms || !moment_is_good(&m))
            fail_msg("%d-%d-%d is %d-%d-%d", want.year, want.month, want.day, m.year, m.month,
                     m.day);
    }
}

static void random_moments_are_those_of_the_c_library(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, test_seed(3));
    for (int i = 0; i < 200000; i++) {
        time_t seconds = (time_t)rng_below(&rng, UINT64_C(1) << 37) - ((time_t)1 << 36);
        int part = (int)rng_below(&rng, 1000);
        int64_t ms = (int64_t)seconds * 1000 + part;
        struct moment m = moment_of_ms(ms);
        struct tm tm;
        assert_non_null(gmtime_r(&seconds, &tm));
        assert_int_equal(m.year, tm.tm_year + 1900);
        assert_int_equal(m.month, tm.tm_mon + 1);
        assert_int_equal(m.day, tm.tm_mday);
        assert_int_equal(m.hour, tm.tm_hour);
        assert_int_equal(m.minute, tm.tm_min);
        assert_int_equal(m.second, tm.tm_sec);
        assert_int_equal(m.ms, part);
        assert_int_equal(moment_ms(&m), ms);
    }
}

static void the_ends_of_64_bits_are_moments(void **state)
{
    (void)state;
    const int64_t ends[] = {INT64_MIN, INT64_MIN + 1, -1, 0, 1, INT64_MAX - 1, INT64_MAX};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct moment m = moment_of_ms(ends[i]);
        assert_true(moment_is_good(&m));
        m.ms = m.second = m.minute = 0; /* the day that holds the end may begin outside */
        m.hour = 12;
        m.year = m.year < 0 ? m.year + 400 : m.year - 400;
        struct moment again = moment_of_ms(moment_ms(&m));
        assert_int_equal(again.year, m.year);
        assert_int_equal(again.month, m.month);
        assert_int_equal(again.day, m.day);
    }
    struct moment last = moment_of_day((int64_t)(UINT64_MAX / UINT64_C(86400000)), 86399999);
    assert_int_equal(last.year, 584556019);
    assert_int_equal(last.hour, 23);
    assert_int_equal(last.ms, 999);
}

static const struct {
    struct moment m;
    bool is_good;
} days[] = {
    {{2024, 2, 29, 23, 59, 59, 999}, true}, {{2023, 2, 29, 0, 0, 0, 0}, false},
    {{2000, 2, 29, 0, 0, 0, 0}, true},      {{1900, 2, 29, 0, 0, 0, 0}, false},
    {{2024, 4, 31, 0, 0, 0, 0}, false},     {{2024, 12, 31, 23, 59, 60, 0}, true},
    {{2024, 12, 31, 23, 59, 61, 0}, false}, {{2024, 1, 0, 0, 0, 0, 0}, false},
    {{2024, 0, 1, 0, 0, 0, 0}, false},      {{2024, 13, 1, 0, 0, 0, 0}, false},
    {{2024, 1, 32, 0, 0, 0, 0}, false},     {{2024, 1, 1, 24, 0, 0, 0}, false},
    {{2024, 1, 1, 0, 60, 0, 0}, false},     {{2024, 1, 1, -1, 0, 0, 0}, false},
    {{2024, 1, 1, 0, -1, 0, 0}, false},     {{2024, 1, 1, 0, 0, -1, 0}, false},
    {{2024, -1, -1, 0, 0, 0, 0}, false},    {{0, 2, 29, 0, 0, 0, 0}, true},
};

static void days_that_there_are_not_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof days / sizeof *days; i++)
        if (moment_is_good(&days[i].m) != days[i].is_good)
            fail_msg("row %zu", i);
}

static void what_is_too_much_counts_into_the_next(void **state)
{
    (void)state;
    struct moment leap_second = {2016, 12, 31, 23, 59, 60, 0}, new_year = {2017, 1, 1, 0, 0, 0, 0};
    struct moment past_end = {2023, 2, 31, 0, 0, 0, 0}, march = {2023, 3, 3, 0, 0, 0, 0};
    assert_int_equal(moment_ms(&leap_second), moment_ms(&new_year));
    assert_int_equal(moment_ms(&past_end), moment_ms(&march));
}

static void months_have_names(void **state)
{
    (void)state;
    for (int month = 1; month <= 12; month++)
        assert_int_equal(calendar_month(calendar_month_name(month)), month);
    assert_str(calendar_month_name(9), STR("Sep"));
    assert_int_equal(calendar_month(STR("dEC")), 12);
    assert_int_equal(calendar_month(STR("Sept")), 0);
    assert_int_equal(calendar_month(STR("anF")), 0);
    assert_int_equal(calendar_month(STR("")), 0);
    assert_int_equal(calendar_month(STR_NONE), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_day_follows_the_one_before),
        cmocka_unit_test(random_moments_are_those_of_the_c_library),
        cmocka_unit_test(the_ends_of_64_bits_are_moments),
        cmocka_unit_test(days_that_there_are_not_are_refused),
        cmocka_unit_test(what_is_too_much_counts_into_the_next),
        cmocka_unit_test(months_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
