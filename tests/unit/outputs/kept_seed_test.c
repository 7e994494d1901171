/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/kept_seed.h"

#include "lib/test.h"

static void assert_round(struct kept_seed s, const char *line)
{
    char room[200];
    struct buf out = buf_on(room, sizeof room);
    kept_seed_print(&out, s);
    assert_str(buf_str(&out), str_c(line));
    struct kept_seed back = kept_seed_parse(str_first(buf_str(&out), out.n - 1));
    assert_str(back.url, s.url);
    assert_int_equal(back.from.p != NULL, s.from.p != NULL);
    assert_true(str_eq(back.from, s.from));
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    assert_round((struct kept_seed){.url = STR("http://a.example/")}, "http://a.example/\n");
    assert_round((struct kept_seed){STR("http://www.a.example/"), STR("http://a.example/")},
                 "http://www.a.example/ http://a.example/\n");
    assert_round((struct kept_seed){STR("http://b.example/"), STR("-")}, "http://b.example/ -\n");
}

static void an_empty_line_has_no_url(void **state)
{
    (void)state;
    assert_int_equal(kept_seed_parse(STR("")).url.n, 0);
    assert_int_equal(kept_seed_parse(STR(" x")).url.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(an_empty_line_has_no_url),
    };
    return cmocka_run_group_tests_name("kept_seed", tests, NULL, NULL);
}
