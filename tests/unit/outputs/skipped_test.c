/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/skipped.h"

#include "lib/test.h"

#include <jansson.h>

/* Texts that a server chose stand in the line: another reader of JSON gets them back. */
static void any_reader_of_json_reads_it(void **state)
{
    (void)state;
    struct buf out = {.max = 1 << 16};
    skipped_print(&out, &(struct skipped){.url = STR("http://a.example/?q=\"\\x"),
                                          .depth = 3,
                                          .reason = STR("robots.txt \"says\" so\n")});
    assert_rc(buf_rc(&out), RC_OK);
    assert_int_equal(out.p[out.n - 1], '\n');
    assert_int_equal(str_find(buf_str(&out), '\n'), out.n - 1);
    json_t *j = json_loadb(out.p, out.n - 1, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(j);
    assert_string_equal(json_string_value(json_object_get(j, "url")), "http://a.example/?q=\"\\x");
    assert_int_equal(json_integer_value(json_object_get(j, "depth")), 3);
    assert_string_equal(json_string_value(json_object_get(j, "reason")),
                        "robots.txt \"says\" so\n");
    json_decref(j);
    buf_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_reader_of_json_reads_it),
    };
    return cmocka_run_group_tests_name("skipped", tests, NULL, NULL);
}
