/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/rng.h"
#include "warc/date.h"

static const struct {
    const char *name, *text;
    bool ok;
    int64_t ms;
    const char *printed; /* NULL: the same text */
} rows[] = {
    {"the epoch is zero", "1970-01-01T00:00:00Z", true, 0, NULL},
    {"a moment as records write it", "2024-05-06T07:08:09Z", true, 1714979289000, NULL},
    {"milliseconds survive", "2024-05-06T07:08:09.123Z", true, 1714979289123, NULL},
    {"one digit of fraction is tenths", "2024-05-06T07:08:09.1Z", true, 1714979289100,
     "2024-05-06T07:08:09.100Z"},
    {"nine digits are cut to milliseconds", "2020-04-12T18:42:50.696509999Z", true, 1586716970696,
     "2020-04-12T18:42:50.696Z"},
    {"a year alone is its first moment", "1999", true, 915148800000, "1999-01-01T00:00:00Z"},
    {"a month alone likewise", "1999-02", true, 917827200000, "1999-02-01T00:00:00Z"},
    {"a day alone likewise", "1999-02-03", true, 918000000000, "1999-02-03T00:00:00Z"},
    {"seconds may be left out", "1999-02-03T04:05Z", true, 918014700000, "1999-02-03T04:05:00Z"},
    {"a leap day in a leap year", "2000-02-29T00:00:00Z", true, 951782400000, NULL},
    {"before 1970", "1969-12-31T23:59:59.999Z", true, -1, NULL},
    {"the year 0", "0000-01-01T00:00:00Z", true, -62167219200000, NULL},
    {"the last moment there is", "9999-12-31T23:59:59.999Z", true, 253402300799999, NULL},
    {"a leap second is the next minute", "2016-12-31T23:59:60Z", true, 1483228800000,
     "2017-01-01T00:00:00Z"},
    {"a leap second past the last year", "9999-12-31T23:59:60Z", false, 0, NULL},
    {"no leap day in 1900", "1900-02-29T00:00:00Z", false, 0, NULL},
    {"month 13", "2024-13-01T00:00:00Z", false, 0, NULL},
    {"month 0", "2024-00-01T00:00:00Z", false, 0, NULL},
    {"day 31 of April", "2024-04-31T00:00:00Z", false, 0, NULL},
    {"hour 24", "2024-04-30T24:00:00Z", false, 0, NULL},
    {"a time without Z", "2024-05-06T07:08:09", false, 0, NULL},
    {"an offset instead of Z", "2024-05-06T07:08:09+00:00", false, 0, NULL},
    {"a point without digits", "2024-05-06T07:08:09.Z", false, 0, NULL},
    {"ten digits of fraction", "2024-05-06T07:08:09.1234567890Z", false, 0, NULL},
    {"something behind", "2024-05-06T07:08:09Z ", false, 0, NULL},
    {"14 digits", "20240506070809", false, 0, NULL},
    {"a sign", "-024-05-06T07:08:09Z", false, 0, NULL},
    {"nothing", "", false, 0, NULL},
};

static void dates_are_read_and_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t ms = 42;
        char room[64];
        struct buf out = buf_on(room, sizeof room);
        enum rc rc = warc_date_parse(str_c(rows[i].text), &ms);
        if (rc != (rows[i].ok ? RC_OK : RC_INVALID) || ms != (rows[i].ok ? rows[i].ms : 42))
            fail_msg("%s: rc %d, %lld", rows[i].name, rc, (long long)ms);
        if (!rows[i].ok)
            continue;
        warc_date_print(&out, ms);
        assert_str(buf_str(&out), str_c(rows[i].printed ? rows[i].printed : rows[i].text));
    }
}

static void every_moment_survives_its_text(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 7);
    for (int i = 0; i < 100000; i++) {
        int64_t ms = (int64_t)rng_below(&rng, 315569520000000) - 62167219200000, back;
        char room[64];
        struct buf out = buf_on(room, sizeof room);
        warc_date_print(&out, ms);
        assert_rc(warc_date_parse(buf_str(&out), &back), RC_OK);
        assert_true(back == ms);
        buf_clear(&out);
        warc_ts14_print(&out, ms);
        assert_rc(warc_ts14_parse(buf_str(&out), &back), RC_OK);
        int64_t rest = ms % 1000;
        assert_true(back == ms - (rest < 0 ? rest + 1000 : rest));
    }
}

static void moments_outside_the_calendar_have_no_text(void **state)
{
    (void)state;
    static const int64_t outside[] = {INT64_MIN, -62167219200001, 253402300800000, INT64_MAX};
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        char room[64];
        struct buf out = buf_on(room, sizeof room);
        warc_date_print(&out, outside[i]);
        assert_rc(buf_rc(&out), RC_INVALID);
        buf_clear(&out);
        warc_ts14_print(&out, outside[i]);
        assert_rc(buf_rc(&out), RC_INVALID);
        assert_int_equal(out.n, 0);
    }
}

static void fourteen_digits_or_nothing(void **state)
{
    (void)state;
    int64_t ms = 1;
    assert_rc(warc_ts14_parse(STR("20240506070809"), &ms), RC_OK);
    assert_true(ms == 1714979289000);
    assert_rc(warc_ts14_parse(STR("2024050607080"), &ms), RC_INVALID);
    assert_rc(warc_ts14_parse(STR("20240506070809123"), &ms), RC_INVALID);
    assert_rc(warc_ts14_parse(STR("20240532070809"), &ms), RC_INVALID);
    assert_rc(warc_ts14_parse(STR("2024050607080x"), &ms), RC_INVALID);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_read_and_written),
        cmocka_unit_test(every_moment_survives_its_text),
        cmocka_unit_test(moments_outside_the_calendar_have_no_text),
        cmocka_unit_test(fourteen_digits_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
