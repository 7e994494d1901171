/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of one visit, collected for the crawl's files. */
#include "outputs/line_batch.h"

#include "lib/test.h"

static void add(struct line_batch *b, enum output_file file, const char *text)
{
    buf_add(line_batch_begin(b), str_c(text));
    line_batch_end(b, file);
}

static void each_row_goes_to_its_file_in_the_order_it_was_added(void **state)
{
    (void)state;
    struct line_batch b;
    line_batch_init(&b);
    add(&b, OUTPUT_LOG, "log 1\n");
    add(&b, OUTPUT_CDXJ, "index\n");
    add(&b, OUTPUT_LOG, "log 2\n");
    assert_rc(line_batch_rc(&b), RC_OK);
    assert_int_equal(b.count, 3);
    assert_true(b.rows[0].file == OUTPUT_LOG && b.rows[1].file == OUTPUT_CDXJ);
    assert_str(line_batch_text(&b, 0), STR("log 1\n"));
    assert_str(line_batch_text(&b, 1), STR("index\n"));
    assert_str(line_batch_text(&b, 2), STR("log 2\n"));
    line_batch_done(&b);
}

static void a_row_without_text_or_without_an_end_is_left_out(void **state)
{
    (void)state;
    struct line_batch b;
    line_batch_init(&b);
    add(&b, OUTPUT_SEEDS, "");
    assert_int_equal(b.count, 0);
    buf_add(line_batch_begin(&b), STR("half a li")); /* it turned out to be none */
    add(&b, OUTPUT_PAGES, "page\n");
    assert_int_equal(b.count, 1);
    assert_str(line_batch_text(&b, 0), STR("page\n"));
    line_batch_done(&b);
}

static void names_are_apart_from_rows(void **state)
{
    (void)state;
    struct line_batch b;
    line_batch_init(&b);
    assert_str(line_batch_names(&b), STR(""));
    add(&b, OUTPUT_LOG, "log\n");
    buf_add(line_batch_begin(&b), STR("name 1\nname 2\n"));
    line_batch_end_names(&b);
    add(&b, OUTPUT_ARCS, "arcs\n");
    assert_int_equal(b.count, 2);
    assert_str(line_batch_names(&b), STR("name 1\nname 2\n"));
    assert_str(line_batch_text(&b, 1), STR("arcs\n"));
    line_batch_clear(&b);
    assert_int_equal(b.count, 0);
    assert_str(line_batch_names(&b), STR(""));
    (void)line_batch_begin(&b);
    line_batch_end_names(&b);
    assert_str(line_batch_names(&b), STR(""));
    line_batch_done(&b);
}

static void a_batch_with_a_line_missing_says_so_until_it_is_cleared(void **state)
{
    (void)state;
    struct line_batch b;
    line_batch_init(&b);
    for (int i = 0; i < LINE_BATCH_ROWS; i++)
        add(&b, OUTPUT_LOG, "line\n");
    assert_rc(line_batch_rc(&b), RC_OK);
    add(&b, OUTPUT_LOG, "one too many\n");
    assert_rc(line_batch_rc(&b), RC_LIMIT);
    assert_int_equal(b.count, LINE_BATCH_ROWS);
    line_batch_clear(&b);
    assert_rc(line_batch_rc(&b), RC_OK);
    b.text.rc = RC_NOMEM;
    assert_rc(line_batch_rc(&b), RC_NOMEM);
    line_batch_clear(&b);
    b.notes.rc = RC_NOMEM;
    assert_rc(line_batch_rc(&b), RC_NOMEM);
    line_batch_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_goes_to_its_file_in_the_order_it_was_added),
        cmocka_unit_test(a_row_without_text_or_without_an_end_is_left_out),
        cmocka_unit_test(names_are_apart_from_rows),
        cmocka_unit_test(a_batch_with_a_line_missing_says_so_until_it_is_cleared),
    };
    return cmocka_run_group_tests_name("line_batch", tests, NULL, NULL);
}
