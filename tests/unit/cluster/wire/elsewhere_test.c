/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/wire/elsewhere.h"

#include "lib/test.h"

static void a_record_comes_back_from_its_line(void **state)
{
    (void)state;
    struct record r = {.kind = RECORD_DONE,
                       .host = STR("[2001:db8::1]"),
                       .path = STR("/a?b=c"),
                       .port = 8080,
                       .is_https = true,
                       .class = 2,
                       .time_ms = 17,
                       .where = STR("bee"),
                       .where_inc = 4};
    struct buf line = {.max = 1000};
    struct elsewhere e;
    elsewhere_print(&r, &line);
    assert_str(buf_str(&line), STR("done bee 4 17 - 2 https://[2001:db8::1]:8080/a?b=c\n"));
    assert_rc(elsewhere_parse(str_first(buf_str(&line), line.n - 1), &e), RC_OK);
    assert_str(e.name, STR("bee"));
    assert_str(e.seed_path, STR(""));
    assert_str(e.url, STR("https://[2001:db8::1]:8080/a?b=c"));
    assert_true(e.inc == 4 && e.time_ms == 17 && e.class == 2 && !e.is_again);
    buf_done(&line);
}

static void records_of_no_archive_have_no_line(void **state)
{
    (void)state;
    struct record url = {.kind = RECORD_URL, .host = STR("a"), .path = STR("/")};
    struct record failed = {.kind = RECORD_DONE, .host = STR("a"), .path = STR("/")};
    struct record unnamed = {.kind = RECORD_DONE, .host = STR("a"), .where = STR("b")};
    struct record host = {.kind = RECORD_HOST, .host = STR("a")};
    const struct record *list[] = {&url, &failed, &unnamed, &host};
    struct buf line = {.max = 1000};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        elsewhere_print(list[i], &line);
    assert_int_equal(line.n, 0);
}

static void what_is_no_line_is_refused(void **state)
{
    (void)state;
    static const struct str rows[] = {
        STR(""),
        STR("done"),
        STR("gone bee 1 2 L 0 http://a/"),
        STR("done bee x 2 L 0 http://a/"),
        STR("done bee 1 2 L 4 http://a/"),
        STR("done bee 1 2 L 0"),
        STR("done bee 1 2 L 0 "),
        STR("done  1 2 L 0 http://a/"),
    };
    struct elsewhere e;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (elsewhere_parse(rows[i], &e) != RC_INVALID)
            fail_msg("row %zu was taken", i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_comes_back_from_its_line),
        cmocka_unit_test(records_of_no_archive_have_no_line),
        cmocka_unit_test(what_is_no_line_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
