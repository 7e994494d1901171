/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/names.h"

#include "base/hash.h"
#include "disk/disk_crash.h"
#include "lib/test.h"

static void a_url_is_new_once(void **state)
{
    (void)state;
    struct names *n = names_open(1 << 20);
    assert_non_null(n);
    for (uint64_t i = 1; i < 5000; i++)
        assert_true(names_add(n, hash64_mix(i)));
    for (uint64_t i = 1; i < 5000; i++)
        assert_false(names_add(n, hash64_mix(i)));
    names_close(n);
    names_close(NULL);
}

/* Fingerprints that differ in their high bits only, and 0. */
static void fingerprints_may_be_any_number(void **state)
{
    (void)state;
    struct names *n = names_open(1 << 20);
    for (uint64_t i = 1; i < 2000; i++)
        assert_true(names_add(n, i << 48 | 7));
    for (uint64_t i = 1; i < 2000; i++)
        assert_false(names_add(n, i << 48 | 7));
    assert_true(names_add(n, 0));
    assert_false(names_add(n, 0));
    names_close(n);
}

/* The last ones are known whatever came before, and the memory is bounded. */
static void past_its_memory_the_oldest_are_forgotten(void **state)
{
    (void)state;
    enum { BYTES = 64 << 10, HOLDS = BYTES / 16 / 4 * 3, MANY = 20 * HOLDS };
    struct names *n = names_open(BYTES);
    for (uint64_t i = 1; i <= MANY; i++)
        assert_true(names_add(n, hash64_mix(i)));
    for (uint64_t i = MANY; i > MANY - HOLDS; i--)
        assert_false(names_add(n, hash64_mix(i)));
    assert_true(names_add(n, hash64_mix(1)));
    names_close(n);
}

static void what_is_met_again_stays(void **state)
{
    (void)state;
    enum { BYTES = 64 << 10, HOLDS = BYTES / 16 / 4 * 3 };
    struct names *n = names_open(BYTES);
    assert_true(names_add(n, 1));
    for (uint64_t i = 0; i < 20 * HOLDS; i++) {
        (void)names_add(n, hash64_mix(1000 + i));
        assert_false(names_add(n, 1));
    }
    names_close(n);
}

static void put(struct disk *d, struct buf *text)
{
    assert_rc(buf_rc(text), RC_OK);
    assert_rc(disk_replace(d, "links.nodes", buf_str(text)), RC_OK);
    buf_done(text);
}

static void lines_of_a_file_are_known(void **state)
{
    (void)state;
    struct disk *d;
    struct buf text = {.max = 1 << 20};
    struct names *n = names_open(1 << 20);
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(names_refill(n, d, "links.nodes"), RC_OK); /* there is none */
    buf_add(&text, STR("0000000000000007 http://a.test/\n00000000000000ff http://b.test/\n"
                       "no line of this file\n\n0000000000000008\n00000000000000zz http://c/\n"));
    put(d, &text);
    assert_rc(names_refill(n, d, "links.nodes"), RC_OK);
    assert_false(names_add(n, 7));
    assert_false(names_add(n, 255));
    assert_true(names_add(n, 8));
    names_close(n);
    disk_close(d);
}

static void of_a_long_file_the_end_counts(void **state)
{
    (void)state;
    enum { LINES = 100000 };
    struct disk *d;
    struct buf text = {.max = 16 << 20};
    struct names *n = names_open(32 << 10);
    assert_rc(disk_crash_open(&d), RC_OK);
    for (unsigned i = 1; i <= LINES; i++)
        buf_printf(&text, "%016x http://a.test/%u/of/a/path/that/is/not/short/at/all\n", i, i);
    put(d, &text);
    assert_rc(names_refill(n, d, "links.nodes"), RC_OK);
    for (unsigned i = LINES; i > LINES - 1000; i--)
        assert_false(names_add(n, i));
    assert_true(names_add(n, 1));
    names_close(n);
    disk_close(d);
}

/* Without memory a URL is taken for new, and nothing breaks. */
static enum rc add_some(void *ctx)
{
    (void)ctx;
    struct names *n = names_open(1 << 20);
    if (!n)
        return RC_NOMEM;
    for (uint64_t i = 1; i < 3000; i++)
        (void)names_add(n, hash64_mix(i));
    bool is_known = !names_add(n, hash64_mix(1));
    names_close(n);
    return is_known ? RC_OK : RC_NOMEM;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(add_some, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_url_is_new_once),
        cmocka_unit_test(fingerprints_may_be_any_number),
        cmocka_unit_test(past_its_memory_the_oldest_are_forgotten),
        cmocka_unit_test(what_is_met_again_stays),
        cmocka_unit_test(lines_of_a_file_are_known),
        cmocka_unit_test(of_a_long_file_the_end_counts),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("names", tests, NULL, NULL);
}
