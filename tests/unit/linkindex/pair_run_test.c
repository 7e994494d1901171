/* SPDX-License-Identifier: Apache-2.0 */
#include "linkindex/pair_run.h"
#include "linkindex/run_internal.h"

#include "base/rng.h"
#include "disk/disk_crash.h"
#include "lib/test.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 40000 };

static struct pair list[MOST], spare[MOST];

/* Keys with one pair and with thousands, so that groups and blocks end within a key. */
static size_t make_pairs(struct rng *rng, size_t count)
{
    uint64_t key = 0;
    for (size_t i = 0; i < count; i++) {
        if (rng_below(rng, 3000) == 0 || rng_below(rng, 2))
            key = rng_below(rng, 10) ? rng_next(rng) : UINT64_C(77);
        list[i] =
            (struct pair){key, rng_next(rng) >> rng_below(rng, 60),
                          rng_below(rng, 9) ? 1 : 1 + (uint32_t)rng_below(rng, PAIR_ALL_LETTERS)};
    }
    return pairs_sort(list, spare, count);
}

static enum rc write_run(struct disk *d, size_t count)
{
    struct run_writer w;
    uint64_t bytes = 0;
    enum rc rc = run_writer_open(&w, d, "run", PAIRS_NAMES, 7, 9);
    for (size_t i = 0; i < count && rc == RC_OK; i++)
        rc = run_writer_add(&w, list[i]);
    rc = rc ? rc : run_writer_end(&w, &bytes);
    run_writer_done(&w);
    return rc;
}

static bool is_same(const struct pair *a, const struct pair *b)
{
    return a->key == b->key && a->value == b->value && a->letters == b->letters;
}

/* All pairs from the key on. */
static void check_from(const struct run *r, size_t count, uint64_t key)
{
    struct run_cursor c;
    struct pair p;
    size_t i = 0;
    while (i < count && list[i].key < key)
        i++;
    assert_rc(run_seek(&c, r, key), RC_OK);
    for (size_t n = 0; i < count && n < 5000; i++, n++) {
        assert_false(c.is_behind);
        assert_rc(run_next(&c, &p), RC_OK);
        assert_true(is_same(&p, &list[i]));
    }
    assert_true(c.is_behind == (i == count));
    run_cursor_done(&c);
}

static void what_was_written_is_read(void **state)
{
    (void)state;
    static const size_t counts[] = {0, 1, 2, 1000, MOST};
    struct rng rng;
    rng_init(&rng, test_seed(1));
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        struct disk *d;
        struct run r;
        size_t count = make_pairs(&rng, counts[k]);
        assert_rc(disk_crash_open(&d), RC_OK);
        assert_rc(write_run(d, count), RC_OK);
        assert_rc(run_open(&r, d, "run"), RC_OK);
        assert_true(r.kind == PAIRS_NAMES && r.from == 7 && r.to == 9 && r.pairs == count);
        assert_rc(run_check(&r), RC_OK);
        check_from(&r, count, 0);
        check_from(&r, count, 77);
        check_from(&r, count, UINT64_MAX);
        for (unsigned i = 0; i < 100 && count; i++) {
            uint64_t key = list[rng_below(&rng, count)].key;
            check_from(&r, count, key);
            check_from(&r, count, key + 1);
            check_from(&r, count, key - 1);
        }
        run_close(&r);
        disk_close(d);
    }
}

/* Merging brings the same pair from two runs, one behind the other. */
static void a_pair_that_comes_twice_is_there_once(void **state)
{
    (void)state;
    struct disk *d;
    struct run_writer w;
    struct run r;
    struct run_cursor c;
    struct pair p;
    uint64_t bytes;
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(run_writer_open(&w, d, "run", PAIRS_LINKS, 0, 1), RC_OK);
    for (uint64_t i = 0; i < 2 * RUN_GROUP_MAX + 5; i++) {
        assert_rc(run_writer_add(&w, (struct pair){5, i, 1}), RC_OK);
        assert_rc(run_writer_add(&w, (struct pair){5, i, 2}), RC_OK);
    }
    assert_rc(run_writer_end(&w, &bytes), RC_OK);
    run_writer_done(&w);
    assert_rc(run_open(&r, d, "run"), RC_OK);
    assert_int_equal(r.pairs, 2 * RUN_GROUP_MAX + 5);
    assert_int_equal(r.bytes, bytes);
    assert_rc(run_seek(&c, &r, 5), RC_OK);
    for (uint64_t i = 0; i < 2 * RUN_GROUP_MAX + 5; i++) {
        assert_rc(run_next(&c, &p), RC_OK);
        assert_true(p.key == 5 && p.value == i && p.letters == 3);
    }
    assert_true(c.is_behind);
    run_cursor_done(&c);
    run_close(&r);
    disk_close(d);
}

/* `at_once`: the opening must notice. */
static enum rc read_all(struct disk *d, bool at_once)
{
    struct run r;
    enum rc rc = run_open(&r, d, "changed");
    assert_true(rc || !at_once);
    if (rc == RC_OK) {
        rc = run_check(&r);
        run_close(&r);
    }
    return rc;
}

static void put(struct disk *d, struct str bytes)
{
    struct disk_file *f;
    enum rc rc = disk_unlink(d, "changed");
    assert_true(rc == RC_OK || rc == RC_NOT_FOUND);
    assert_rc(disk_open(d, "changed", DISK_CREATE, &f), RC_OK);
    if (bytes.n)
        assert_rc(disk_append(f, &bytes, 1), RC_OK);
    disk_file_close(f);
}

static void any_byte_that_changed_is_noticed(void **state)
{
    (void)state;
    struct disk *d;
    struct buf bytes = {.max = 1 << 24};
    struct rng rng;
    rng_init(&rng, test_seed(2));
    size_t count = make_pairs(&rng, 300);
    assert_rc(disk_crash_open(&d), RC_OK);
    assert_rc(write_run(d, count), RC_OK);
    assert_rc(disk_read_whole(d, "run", &bytes), RC_OK);
    put(d, buf_str(&bytes));
    assert_rc(read_all(d, false), RC_OK);
    size_t table = (size_t)get_le64(bytes.p + bytes.n - RUN_FOOT_BYTES);
    for (size_t i = 0; i < bytes.n; i++) {
        bytes.p[i] = (char)(bytes.p[i] ^ (1 << i % 8));
        put(d, buf_str(&bytes));
        if (read_all(d, i < RUN_HEAD_BYTES || i >= table) != RC_CORRUPT)
            fail_msg("byte %zu of %zu", i, bytes.n);
        bytes.p[i] = (char)(bytes.p[i] ^ (1 << i % 8));
        put(d, str_first(buf_str(&bytes), i));
        assert_rc(read_all(d, true), RC_CORRUPT);
    }
    buf_done(&bytes);
    disk_close(d);
}

static enum rc write_and_read(void *ctx)
{
    struct disk *d = ctx;
    struct run r;
    enum rc rc = disk_unlink(d, "run");
    rc = rc == RC_NOT_FOUND ? RC_OK : rc;
    rc = rc ? rc : write_run(d, 2000);
    rc = rc ? rc : run_open(&r, d, "run");
    if (rc == RC_OK) {
        rc = run_check(&r);
        run_close(&r);
    }
    return rc;
}

static int clean(void **state)
{
    (void)state;
    return system("rm -rf pair_run_test.tmp");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct disk *d;
    struct rng rng;
    rng_init(&rng, 3);
    (void)make_pairs(&rng, 3000);
    assert_rc(disk_real_open("pair_run_test.tmp", &d), RC_OK);
    test_each_allocation_fails(write_and_read, d);
    disk_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_written_is_read),
        cmocka_unit_test(a_pair_that_comes_twice_is_there_once),
        cmocka_unit_test(any_byte_that_changed_is_noticed),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, clean, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
