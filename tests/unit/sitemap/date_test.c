/* SPDX-License-Identifier: Apache-2.0 */
#include "sitemap/date.h"

#include "lib/test.h"

#include <inttypes.h>
#include <time.h>

struct row {
    const char *text;
    int64_t ms;
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t ms = -1;
        if (!sitemap_date_parse(str_c(rows[i].text), &ms) || ms != rows[i].ms)
            fail_msg("%s: %" PRId64 ", expected %" PRId64, rows[i].text, ms, rows[i].ms);
    }
}

static void w3c_dates_may_miss_any_part_from_the_right(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"2005", INT64_C(1104537600000)},
        {"2005-02", INT64_C(1107216000000)},
        {"2005-01-01", INT64_C(1104537600000)},
        {"2005-1-1", INT64_C(1104537600000)},
        {" 2005-01-01\n", INT64_C(1104537600000)},
        {"2004-10-01T18:23Z", INT64_C(1096654980000)},
        {"2004-10-01T18:23:17Z", INT64_C(1096654997000)},
        {"2004-10-01T18:23:17+00:00", INT64_C(1096654997000)},
        {"2004-10-01t18:23:17z", INT64_C(1096654997000)},
        {"2004-10-01 18:23:17", INT64_C(1096654997000)},
        {"2004-10-01T18:23:17.5Z", INT64_C(1096654997500)},
        {"2004-10-01T18:23:17.123456789Z", INT64_C(1096654997123)},
        {"2004-10-01T19:23:17+0100", INT64_C(1096654997000)},
        {"2004-10-01T19:23:17+01", INT64_C(1096654997000)},
        {"2004-10-01T12:53:17-05:30", INT64_C(1096654997000)},
        {"1969-12-31T23:59:59Z", -1000},
        {"2016-12-31T23:59:60Z", INT64_C(1483228800000)},
        {"2000-02-29", INT64_C(951782400000)},
        {"0000-01-01", INT64_C(-62167219200000)},
        {"9999-12-31T23:59:59.999Z", INT64_C(253402300799999)},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void dates_of_feeds_may_lack_weekday_century_seconds_and_zone(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"Thu, 05 Jan 2017 13:34:51 +0100", INT64_C(1483619691000)},
        {"Thu, 05 Jan 17 13:34:51 +0100", INT64_C(1483619691000)},
        {"05 Jan 2017 13:34:51 +0100", INT64_C(1483619691000)},
        {"5 January 2017 13:34:51 +0100", INT64_C(1483619691000)},
        {"05 Jan 17 12:34:51", INT64_C(1483619691000)},
        {"Thu, 05 Jan 2017 12:34 GMT", INT64_C(1483619640000)},
        {"Thu, 05 Jan 2017 07:34:51 EST", INT64_C(1483619691000)},
        {"Thu, 05 Jan 2017 05:34:51 pdt", INT64_C(1483619691000)},
        {"Thu,  5 Jan 2017", INT64_C(1483574400000)},
        {"Sunday, 06-Nov-94 08:49:37 GMT", INT64_C(784111777000)},
        {"Mon, 06 Sep 2010 00:01:00 +0000 ", INT64_C(1283731260000)},
        {"Wed, 05 Jan 2017 12:34:51 UT", INT64_C(1483619691000)},
    };
    check_rows(rows, sizeof rows / sizeof *rows);
}

static void what_is_no_date_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "yesterday",
        "2005-13-01",
        "2005-00-01",
        "2005-02-29",
        "1900-02-29",
        "2005-04-31",
        "2005-01-01T",
        "2005-01-01T25:00:00Z",
        "2005-01-01T10:60Z",
        "20050101",
        "2005-01-0x",
        "2005-01-01 junk",
        "05 Xyz 2017 10:00:00",
        "05 Jan",
        "05 Jan 2017 10:00:00 GMT trailing",
        "2005-01-01T10:00:00+25:00",
        "99999-01-01",
        "2005-01-01T10:00:00+1",
        "-2005-01-01",
        "0x7d5-01-01",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        int64_t ms = 42;
        if (sitemap_date_parse(str_c(texts[i]), &ms) || ms != 42)
            fail_msg("\"%s\" was taken for %" PRId64, texts[i], ms);
    }
}

/* The C library counts days in its own way. */
static void every_day_of_four_centuries_is_where_the_calendar_has_it(void **state)
{
    (void)state;
    for (int64_t day = -135140; day < 47482; day++) {
        time_t seconds = (time_t)(day * 86400);
        struct tm tm;
        char text[32];
        int64_t ms;
        assert_non_null(gmtime_r(&seconds, &tm));
        assert_true(strftime(text, sizeof text, "%Y-%m-%d", &tm) > 0);
        assert_true(sitemap_date_parse(str_c(text), &ms));
        assert_true(ms == day * 86400 * 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(w3c_dates_may_miss_any_part_from_the_right),
        cmocka_unit_test(dates_of_feeds_may_lack_weekday_century_seconds_and_zone),
        cmocka_unit_test(what_is_no_date_is_refused),
        cmocka_unit_test(every_day_of_four_centuries_is_where_the_calendar_has_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
