/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "reading/tools.h"
#include "sitemap/sitemap.h"

static void every_buffer_has_its_maximum(void **state)
{
    (void)state;
    struct reading_tools *t = NULL;
    assert_rc(reading_tools_open(1000, &t), RC_OK);
    assert_int_equal(t->body.max, 1000);
    assert_int_equal(t->utf8.max, 3000); /* a byte becomes three at most */
    assert_int_equal(t->gunzip.max, SITEMAP_MAX_BYTES);
    assert_true(t->scratch.max > 0);
    assert_non_null(t->decoder);
    assert_non_null(t->reader);
    reading_tools_close(t);
    reading_tools_close(NULL);
}

static void large_buffers_go_back_to_the_heap_and_small_ones_stay(void **state)
{
    (void)state;
    struct reading_tools *t = NULL;
    assert_rc(reading_tools_open(32 << 20, &t), RC_OK);
    struct buf *const buffers[] = {&t->body, &t->utf8, &t->gunzip};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        struct buf *b = buffers[i];
        size_t max = b->max;
        buf_fill(b, 'x', 1000);
        reading_tools_shrink(t);
        assert_true(b->cap >= 1000);
        assert_int_equal(b->n, 1000); /* untouched */
        buf_fill(b, 'x', READING_KEPT_BYTES);
        reading_tools_shrink(t);
        assert_int_equal(b->cap, 0);
        assert_int_equal(b->max, max); /* ready for the next answer */
        assert_rc(buf_rc(b), RC_OK);
    }
    reading_tools_close(t);
}

static enum rc open_once(void *ctx)
{
    (void)ctx;
    struct reading_tools *t = NULL;
    enum rc rc = reading_tools_open(1000, &t);
    assert_int_equal(rc == RC_OK, t != NULL);
    reading_tools_close(t);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(open_once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_buffer_has_its_maximum),
        cmocka_unit_test(large_buffers_go_back_to_the_heap_and_small_ones_stay),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("tools", tests, NULL, NULL);
}
