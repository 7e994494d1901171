/* SPDX-License-Identifier: Apache-2.0 */
/* The link index against a plain table: while it grows, after power cuts, with calls and
 * allocations that fail, and damaged. */
#include "linkindex/link_index.h"

#include "disk/disk_crash.h"
#include "lib/test.h"
#include "linkindex/link_look.h"
#include "links_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_CHUNK = 2000, SMALL_FAN_IN = 3, MOST_STEPS = 1000 };

static const struct link_index_settings small = {.chunk_bytes = SMALL_CHUNK,
                                                 .fan_in = SMALL_FAN_IN};

static enum rc open_small(struct link_index *x, struct disk *d)
{
    struct buf why = {.max = 1000};
    enum rc rc = link_index_open(x, d, &small, &why);
    if (rc == RC_CORRUPT)
        assert_true(why.n > 0);
    buf_done(&why);
    return rc;
}

static enum rc grow_all(struct link_index *x, const uint64_t durable[PAIR_KINDS])
{
    bool did = true;
    enum rc rc = RC_OK;
    for (unsigned i = 0; did && rc == RC_OK; i++) {
        assert_true(i < MOST_STEPS);
        rc = link_index_grow(x, durable, &did);
    }
    return rc;
}

static enum rc open_and_grow(struct disk *d, const struct links_model *m)
{
    struct link_index x;
    enum rc rc = open_small(&x, d);
    if (rc == RC_OK) {
        rc = grow_all(&x, m->bytes);
        link_index_close(&x);
    }
    return rc;
}

/* Answers --------------------------------------------------------------------------------------- */

static void it_answers_as_a_table_does_while_it_grows(void **state)
{
    (void)state;
    struct disk *d;
    struct links_model m;
    struct link_index x;
    bool did;
    unsigned merged = 0;
    assert_rc(disk_crash_open(&d), RC_OK);
    model_begin(&m, d, test_seed(1));
    assert_rc(open_small(&x, d), RC_OK);
    model_compare(&m, d);
    for (unsigned i = 0; i < 60; i++) {
        model_add(&m, d, 20);
        assert_rc(link_index_grow(&x, m.bytes, &did), RC_OK);
        model_compare(&m, d);
        if (i % 20 == 19) {
            assert_rc(grow_all(&x, m.bytes), RC_OK);
            model_compare(&m, d);
            link_index_close(&x);
            assert_rc(open_small(&x, d), RC_OK);
        }
    }
    for (size_t i = 0; i < x.list.of[PAIRS_LINKS].count; i++)
        merged = x.list.of[PAIRS_LINKS].list[i].level > merged
                     ? x.list.of[PAIRS_LINKS].list[i].level
                     : merged;
    assert_true(merged >= 2);
    assert_true(x.list.of[PAIRS_LINKS].count < 3 * SMALL_FAN_IN + 3);
    assert_true(x.list.of[PAIRS_NAMES].count >= 1);
    assert_true(m.bytes[PAIRS_LINKS] - x.list.of[PAIRS_LINKS].covered < SMALL_CHUNK + 400);
    link_index_close(&x);
    disk_close(d);
}

/* The crawl's recovery cuts what is not durable and writes other lines there. */
static void what_is_not_durable_is_in_no_run(void **state)
{
    (void)state;
    struct disk *d;
    struct links_model m;
    struct link_index x;
    assert_rc(disk_crash_open(&d), RC_OK);
    model_begin(&m, d, test_seed(2));
    assert_rc(open_small(&x, d), RC_OK);
    model_add(&m, d, 100);
    uint64_t durable[PAIR_KINDS] = {m.bytes[PAIRS_LINKS], m.bytes[PAIRS_NAMES]};
    model_add(&m, d, 100);
    assert_rc(grow_all(&x, durable), RC_OK);
    assert_true(x.list.of[PAIRS_LINKS].covered <= durable[PAIRS_LINKS]);
    assert_true(x.list.of[PAIRS_LINKS].covered > 0);
    model_compare(&m, d);
    link_index_close(&x);
    disk_close(d);
}

static void a_directory_without_an_index_says_so(void **state)
{
    (void)state;
    struct disk *d;
    struct links_model m;
    struct link_look l;
    struct buf why = {.max = 1000};
    assert_rc(disk_crash_open(&d), RC_OK);
    model_begin(&m, d, 3);
    model_add(&m, d, 10);
    assert_rc(link_look_open(&l, d, &why), RC_NOT_FOUND);
    assert_rc(link_index_check(d, &why), RC_NOT_FOUND);
    assert_int_equal(why.n, 0);
    disk_close(d);
}

/* A crawl that begins its index late has it of all its links. */
static void an_index_that_begins_late_has_everything(void **state)
{
    (void)state;
    struct disk *d;
    struct links_model m;
    assert_rc(disk_crash_open(&d), RC_OK);
    model_begin(&m, d, test_seed(4));
    model_add(&m, d, 500);
    assert_rc(open_and_grow(d, &m), RC_OK);
    model_compare(&m, d);
    disk_close(d);
}

static void a_stop_ends_a_merge(void **state)
{
    (void)state;
    struct disk *d;
    struct links_model m;
    struct link_index x;
    struct buf why = {.max = 1000};
    _Atomic bool stops = true;
    struct link_index_settings s = small;
    bool did;
    s.stops = &stops;
    assert_rc(disk_crash_open(&d), RC_OK);
    model_begin(&m, d, 5);
    model_add(&m, d, 500);
    assert_rc(link_index_open(&x, d, &s, &why), RC_OK);
    assert_rc(link_index_grow(&x, m.bytes, &did), RC_AGAIN);
    assert_int_equal(x.list.of[PAIRS_LINKS].count, 0);
    atomic_store(&stops, false);
    assert_rc(grow_all(&x, m.bytes), RC_OK);
    model_compare(&m, d);
    link_index_close(&x);
    disk_close(d);
}

/* Crashes --------------------------------------------------------------------------------------- */

struct cutting {
    const struct links_model *model;
    unsigned images, wait;
};

/* The index opens, answers, and grows to the end. */
static enum rc check_image(void *ctx, struct disk *image, const char *what)
{
    struct cutting *c = ctx;
    c->images++;
    enum rc rc = open_and_grow(image, c->model);
    rc = rc ? rc : model_differs(c->model, image);
    if (rc)
        print_message("with %s: %s\n", what, rc_text(rc));
    return rc;
}

static void cut(void *ctx, struct disk *d, const char *call)
{
    struct cutting *c = ctx;
    struct disk_crash_limits few = {.exhaustive = 40, .samples = 10, .seed = 1};
    (void)call;
    if (c->wait++ % (TEST_IS_SANITIZED || TEST_IS_EMULATED ? 5 : 1) == 0)
        assert_rc(disk_crash_images(d, &few, check_image, c), RC_OK);
}

static void after_any_power_cut_it_opens_and_answers(void **state)
{
    (void)state;
    struct disk *d;
    struct links_model m;
    struct cutting c = {.model = &m};
    assert_rc(disk_crash_open(&d), RC_OK);
    model_begin(&m, d, test_seed(6));
    model_add(&m, d, 230);
    disk_crash_before_each(d, cut, &c);
    assert_rc(open_and_grow(d, &m), RC_OK);
    cut(&c, d, "end");
    disk_crash_before_each(d, NULL, NULL);
    assert_true(c.images > 100);
    disk_close(d);
}

/* Failures -------------------------------------------------------------------------------------- */

static void any_call_may_fail_and_the_next_opening_goes_on(void **state)
{
    (void)state;
    static const enum rc kinds[] = {RC_DISK_FULL, RC_IO, RC_SYNC};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        bool hit = true;
        for (uint64_t call = 1; hit; call++) {
            struct disk *d;
            struct links_model m;
            assert_rc(disk_crash_open(&d), RC_OK);
            model_begin(&m, d, 7);
            model_add(&m, d, 120);
            disk_crash_fail_at(d, call, kinds[k], 100);
            enum rc rc = open_and_grow(d, &m);
            hit = disk_crash_has_failed(d);
            disk_crash_fail_at(d, 0, RC_OK, 0);
            assert_true(hit || rc == RC_OK);
            enum rc answers = model_differs(&m, d); /* or it had not begun */
            assert_true(answers == RC_OK || (hit && rc && answers == RC_NOT_FOUND));
            rc = open_and_grow(d, &m); /* a sync that failed is for ever, then the process ends */
            assert_true(rc == RC_OK || (hit && rc == RC_SYNC));
            answers = model_differs(&m, d);
            assert_true(answers == RC_OK || (rc && answers == RC_NOT_FOUND));
            disk_close(d);
        }
    }
}

struct attempt {
    struct disk *disk;
    const struct links_model *model;
};

static enum rc grow_and_ask(void *ctx)
{
    struct attempt *a = ctx;
    struct link_index_settings tiny = {.chunk_bytes = 700, .fan_in = 2};
    enum rc rc = link_index_rebuild(a->disk, &tiny);
    return rc ? rc : model_differs(a->model, a->disk);
}

static int clean(void **state)
{
    (void)state;
    return system("rm -rf link_index_test.tmp");
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct links_model m;
    struct attempt a = {.model = &m};
    assert_rc(disk_real_open("link_index_test.tmp", &a.disk), RC_OK);
    model_begin(&m, a.disk, 8);
    model_add(&m, a.disk, 25);
    test_each_allocation_fails(grow_and_ask, &a);
    disk_close(a.disk);
}

/* Damage ---------------------------------------------------------------------------------------- */

/* Puts the file's bytes back, one of them changed or the end cut off. */
static void damage(struct disk *d, const char *path, uint64_t at, bool cuts)
{
    struct buf bytes = {.max = 1 << 24};
    struct disk_file *f;
    assert_rc(disk_read_whole(d, path, &bytes), RC_OK);
    if (cuts)
        bytes.n = (size_t)at;
    else
        bytes.p[at] = (char)(bytes.p[at] ^ 0x10);
    assert_rc(disk_unlink(d, path), RC_OK);
    assert_rc(disk_open(d, path, DISK_CREATE, &f), RC_OK);
    struct str piece = buf_str(&bytes);
    if (piece.n)
        assert_rc(disk_append(f, &piece, 1), RC_OK);
    disk_file_close(f);
    buf_done(&bytes);
}

static void check_damage(struct disk *d, const struct links_model *m, const char *path, uint64_t at)
{
    struct buf why = {.max = 1000};
    struct link_index_settings s = small;
    enum rc rc = link_index_check(d, &why);
    if (rc != RC_CORRUPT && rc != RC_VERSION)
        fail_msg("byte %llu of %s: %s", (unsigned long long)at, path, rc_text(rc));
    assert_true(why.n > 0);
    rc = model_differs(m, d); /* never a wrong answer */
    assert_true(rc == RC_OK || rc == RC_CORRUPT || rc == RC_VERSION);
    assert_rc(link_index_rebuild(d, &s), RC_OK);
    buf_clear(&why);
    assert_rc(link_index_check(d, &why), RC_OK);
    assert_rc(model_differs(m, d), RC_OK);
    buf_done(&why);
}

static void damage_is_refused_and_can_be_made_good(void **state)
{
    (void)state;
    struct disk *d;
    struct links_model m;
    struct rng rng;
    rng_init(&rng, test_seed(9));
    assert_rc(disk_crash_open(&d), RC_OK);
    model_begin(&m, d, 9);
    model_add(&m, d, 300);
    for (unsigned i = 0; i < 300; i++) {
        char path[INDEX_PATH_BYTES] = INDEX_FOLDER "/LIST";
        struct link_index x;
        struct disk_file *f;
        uint64_t bytes = 0;
        assert_rc(open_small(&x, d), RC_OK);
        assert_rc(grow_all(&x, m.bytes), RC_OK);
        if (i % 3)
            (void)index_run_path(path, PAIRS_LINKS, x.list.of[PAIRS_LINKS].list[0].number);
        link_index_close(&x);
        assert_rc(disk_open(d, path, DISK_READ, &f), RC_OK);
        assert_rc(disk_size(f, &bytes), RC_OK);
        disk_file_close(f);
        uint64_t at = rng_below(&rng, bytes);
        damage(d, path, at, i % 5 == 0);
        check_damage(d, &m, path, at);
    }
    disk_close(d);
}

static void a_missing_run_is_damage(void **state)
{
    (void)state;
    struct disk *d;
    struct links_model m;
    struct link_index x;
    char path[INDEX_PATH_BYTES];
    assert_rc(disk_crash_open(&d), RC_OK);
    model_begin(&m, d, 10);
    model_add(&m, d, 300);
    assert_rc(open_and_grow(d, &m), RC_OK);
    assert_rc(open_small(&x, d), RC_OK);
    uint64_t number = x.list.of[PAIRS_LINKS].list[0].number;
    link_index_close(&x);
    assert_rc(disk_unlink(d, index_run_path(path, PAIRS_LINKS, number)), RC_OK);
    assert_rc(open_small(&x, d), RC_CORRUPT);
    assert_rc(model_differs(&m, d), RC_CORRUPT);
    disk_close(d);
}

/* A copy of another crawl's index, or links.arcs put back from an older copy. */
static void an_index_of_other_links_is_refused(void **state)
{
    (void)state;
    struct disk *d;
    struct links_model m;
    struct link_index x;
    assert_rc(disk_crash_open(&d), RC_OK);
    model_begin(&m, d, 11);
    model_add(&m, d, 300);
    assert_rc(open_and_grow(d, &m), RC_OK);
    assert_rc(open_small(&x, d), RC_OK);
    uint64_t covered = x.list.of[PAIRS_LINKS].covered;
    link_index_close(&x);
    damage(d, index_text_path(PAIRS_LINKS), covered - 2, false);
    assert_rc(open_small(&x, d), RC_CORRUPT);
    damage(d, index_text_path(PAIRS_LINKS), covered - 2, false);
    assert_rc(open_small(&x, d), RC_OK);
    link_index_close(&x);
    damage(d, index_text_path(PAIRS_LINKS), covered - 1, true);
    assert_rc(open_small(&x, d), RC_CORRUPT);
    assert_rc(model_differs(&m, d), RC_CORRUPT);
    disk_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_answers_as_a_table_does_while_it_grows),
        cmocka_unit_test(what_is_not_durable_is_in_no_run),
        cmocka_unit_test(a_directory_without_an_index_says_so),
        cmocka_unit_test(an_index_that_begins_late_has_everything),
        cmocka_unit_test(a_stop_ends_a_merge),
        cmocka_unit_test(after_any_power_cut_it_opens_and_answers),
        cmocka_unit_test(any_call_may_fail_and_the_next_opening_goes_on),
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, clean, clean),
        cmocka_unit_test(damage_is_refused_and_can_be_made_good),
        cmocka_unit_test(a_missing_run_is_damage),
        cmocka_unit_test(an_index_of_other_links_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
