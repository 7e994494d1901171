/* SPDX-License-Identifier: Apache-2.0 */
#include "report/tally.h"

#include "lib/test.h"

struct row {
    struct str name;
    uint64_t count;
};

static int by_count(const void *a, const void *b)
{
    const struct row *x = *(struct row *const *)a, *y = *(struct row *const *)b;
    return x->count > y->count ? -1 : x->count < y->count;
}

static void names_have_a_row_each_and_the_last_ones_share(void **state)
{
    (void)state;
    struct tally t;
    char name[16];
    assert_rc(tally_init(&t, sizeof(struct row), 100), RC_OK);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < 150; i++) {
            struct buf b = buf_on(name, sizeof name);
            buf_u64(&b, i);
            struct row *row = tally_row(&t, buf_str(&b));
            assert_non_null(row);
            row->count += i == 7 ? 100 : 1;
        }
    }
    assert_int_equal(tally_count(&t), 101);
    assert_int_equal(((struct row *)tally_find(&t, STR("99")))->count, 2);
    assert_null(tally_find(&t, STR("100")));
    void **rows = tally_sorted(&t, by_count);
    assert_str(((struct row *)rows[0])->name, STR("7"));
    assert_str(((struct row *)rows[1])->name, STR("(others)"));
    assert_int_equal(((struct row *)rows[1])->count, 100);
    tally_done(&t);
}

static void somebody_may_be_called_others(void **state)
{
    (void)state;
    struct tally t;
    assert_rc(tally_init(&t, sizeof(struct row), 1), RC_OK);
    void *row = tally_row(&t, STR("(others)"));
    assert_ptr_equal(tally_row(&t, STR("x")), row);
    assert_int_equal(tally_count(&t), 1);
    tally_done(&t);
}

static enum rc every_step(void *ctx)
{
    (void)ctx;
    struct tally t;
    enum rc rc = tally_init(&t, sizeof(struct row), 1000);
    char name[16];
    for (unsigned i = 0; i < 100 && rc == RC_OK; i++) {
        struct buf b = buf_on(name, sizeof name);
        buf_u64(&b, i);
        rc = tally_row(&t, buf_str(&b)) ? RC_OK : RC_NOMEM;
    }
    if (rc == RC_OK && !tally_sorted(&t, by_count))
        rc = RC_NOMEM;
    tally_done(&t);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(every_step, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_a_row_each_and_the_last_ones_share),
        cmocka_unit_test(somebody_may_be_called_others),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
