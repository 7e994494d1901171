/* SPDX-License-Identifier: Apache-2.0 */
/* The role `seen` for lines of text: one suite over every part that remembers. What the same parts
 * say to a crawl is in unit/ledger/ledger_seen_test.c. */
#include "base/hash.h"
#include "base/mem.h"
#include "flow/part.h"
#include "lib/test.h"
#include "roles/seen.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

extern const struct part part_seen_exact, part_seen_rocksdb, part_seen_bloom, part_seen_nothing;

enum { LINES = 2000 };

static char root[40], path[60];

static int remove_entry(const char *name, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(name);
}

struct fixture {
    struct instance self;
    struct arena *arena;
    char settings[256];
    const struct part *part;
};

static void set(struct fixture *f, const char *key, const char *value)
{
    struct buf why = {.max = 1000};
    const struct option *o = option_find(f->part->options, str_c(key));
    assert_non_null(o);
    assert_rc(option_set(o, f->settings, f->arena, str_c(value), &why), RC_OK);
    buf_done(&why);
}

static void prepare(struct fixture *f, const struct part *part)
{
    memset(f, 0, sizeof *f);
    f->part = part;
    f->arena = arena_open(1000, 1 << 20);
    f->self = (struct instance){.settings = f->settings, .name = "seen", .shard_count = 1};
    for (const struct option *o = part->options; o && o->key; o++)
        if (o->def)
            set(f, o->key, o->def);
    if (part == &part_seen_rocksdb)
        set(f, "path", path);
}

static struct seen *must_open(struct fixture *f)
{
    struct buf why = {.max = 1000};
    assert_rc(f->part->open(&f->self, &why), RC_OK);
    return f->part->provide(&f->self);
}

static void close_part(struct fixture *f)
{
    f->part->close(&f->self);
    arena_close(f->arena);
}

static const struct part *const kinds[] = {&part_seen_exact, &part_seen_rocksdb, &part_seen_bloom};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void a_line_is_new_once(void **state)
{
    (void)state;
    for (unsigned k = 0; k < KINDS; k++) {
        struct fixture f;
        prepare(&f, kinds[k]);
        struct seen *s = must_open(&f);
        uint64_t mistaken = 0;
        bool was_there;
        for (uint64_t i = 0; i < LINES; i++) {
            assert_rc(s->add(s, hash64_mix(i + 1), &was_there), RC_OK);
            mistaken += was_there;
        }
        assert_true(mistaken <= (kinds[k] == &part_seen_bloom ? 3 : 0));
        for (uint64_t i = 0; i < LINES; i++) {
            assert_rc(s->add(s, hash64_mix(i + 1), &was_there), RC_OK);
            assert_true(was_there);
        }
        assert_int_equal(s->count(s), LINES - mistaken);
        close_part(&f);
    }
}

static void a_database_remembers_the_run_before(void **state)
{
    (void)state;
    struct fixture f;
    prepare(&f, &part_seen_rocksdb);
    f.self.shard = 3;
    struct seen *s = must_open(&f);
    bool was_there = true;
    assert_rc(s->add(s, 5, &was_there), RC_OK);
    assert_false(was_there);
    close_part(&f);
    for (unsigned shard = 3; shard < 5; shard++) {
        prepare(&f, &part_seen_rocksdb);
        f.self.shard = shard;
        s = must_open(&f);
        assert_rc(s->add(s, 5, &was_there), RC_OK);
        assert_int_equal(was_there, shard == 3);
        close_part(&f);
    }
    prepare(&f, &part_seen_rocksdb);
    set(&f, "path", "");
    s = must_open(&f); /* as in a crawl, which never adds */
    assert_rc(s->add(s, 5, &was_there), RC_INVALID);
    close_part(&f);
}

static void each_says_to_a_crawl_what_it_is(void **state)
{
    (void)state;
    struct fixture f;
    static const enum seen_kind says[KINDS] = {SEEN_EXACT, SEEN_ROCKSDB, SEEN_BLOOM};
    for (unsigned k = 0; k < KINDS; k++) {
        prepare(&f, kinds[k]);
        struct seen *s = must_open(&f);
        assert_int_equal(s->plan.kind, says[k]);
        if (says[k] == SEEN_BLOOM)
            assert_true(s->plan.expected == 10000000 && s->plan.loss == 1e-4);
        if (says[k] == SEEN_ROCKSDB)
            assert_int_equal(s->plan.memory_bytes, 64 << 20);
        close_part(&f);
    }
    const struct seen *none = part_seen_nothing.provide(NULL);
    assert_int_equal(none->plan.kind, SEEN_LINES_ONLY);
}

static void a_loss_that_makes_no_sense_is_refused(void **state)
{
    (void)state;
    static const char *const losses[] = {"0", "1e-12", "0.2", "-1"};
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        struct fixture f;
        struct buf why = {.max = 1000};
        prepare(&f, &part_seen_bloom);
        set(&f, "loss", losses[i]);
        assert_rc(f.part->open(&f.self, &why), RC_INVALID);
        assert_true(str_starts(buf_str(&why), STR("loss: ")));
        buf_done(&why);
        arena_close(f.arena);
    }
}

static void memory_that_runs_out_is_a_failure_and_not_a_loss(void **state)
{
    (void)state;
    for (unsigned k = 0; k < KINDS; k++)
        for (uint64_t nth = 1; nth < 12; nth++) {
            struct fixture f;
            bool was_there = false;
            prepare(&f, kinds[k]);
            struct seen *s = must_open(&f);
            mem_fault_at(nth);
            enum rc rc = s->add(s, 77, &was_there);
            mem_fault_at(0);
            assert_true(rc == RC_OK || rc == RC_NOMEM);
            if (rc == RC_NOMEM)
                assert_rc(s->add(s, 77, &was_there), RC_OK);
            assert_true(kinds[k] == &part_seen_rocksdb || !was_there);
            assert_rc(s->add(s, 77, &was_there), RC_OK);
            assert_true(was_there);
            close_part(&f);
        }
}

static int begin(void **state)
{
    (void)state;
    (void)snprintf(root, sizeof root, "/tmp/orbweaver-seen-XXXXXX");
    if (!mkdtemp(root))
        return -1;
    (void)snprintf(path, sizeof path, "%s/lines", root);
    return 0;
}

static int end(void **state)
{
    (void)state;
    (void)nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_line_is_new_once, begin, end),
        cmocka_unit_test_setup_teardown(a_database_remembers_the_run_before, begin, end),
        cmocka_unit_test_setup_teardown(each_says_to_a_crawl_what_it_is, begin, end),
        cmocka_unit_test(a_loss_that_makes_no_sense_is_refused),
        cmocka_unit_test_setup_teardown(memory_that_runs_out_is_a_failure_and_not_a_loss, begin,
                                        end),
    };
    return cmocka_run_group_tests_name("seen", tests, NULL, NULL);
}
