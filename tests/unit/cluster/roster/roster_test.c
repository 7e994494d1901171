/* SPDX-License-Identifier: Apache-2.0 */
/* Invariant 5: all that have read the same prefix have the same roster, also when part of it came
 * back by a restore; entries as bytes and back; no memory. */
#include "base/mem.h"
#include "cluster/roster/roster_internal.h"
#include "lib/test.h"
#include "roster_walk.h"

enum { STEPS = 250, WALKS = 12, MOST_ENTRIES = 20000 };

/* Reads on in the kept entries, up to `to` in all. */
static void read_on(struct roster *r, struct str *kept, uint64_t to)
{
    struct roster_stand at;
    struct str bytes;
    const char *why;
    while (roster_length(r) < to && roster_lost_next(kept, &at, &bytes)) {
        at.number = roster_length(r) + 1;
        enum rc rc = roster_take(r, &at, bytes, &why);
        assert_true(rc == RC_OK || rc == RC_LIMIT);
    }
    assert_int_equal(roster_length(r), to);
}

static void walk_far(struct roster_log *l, uint64_t seed)
{
    struct rng rng;
    rng_init(&rng, seed);
    roster_log_open(l);
    roster_log_say(l, "found");
    for (unsigned i = 0; i < STEPS; i++)
        roster_walk(l, &rng);
}

static void the_same_prefix_gives_the_same_roster(void **state)
{
    (void)state;
    uint64_t seed = test_seed(55);
    for (unsigned walk = 0; walk < WALKS; walk++) {
        struct roster_log l;
        struct roster *a, *b;
        struct rng rng;
        walk_far(&l, seed + walk);
        rng_init(&rng, seed + walk);
        assert_rc(roster_open(&a), RC_OK);
        assert_rc(roster_open(&b), RC_OK);
        struct str for_a = buf_str(&l.kept), for_b = for_a;
        uint64_t length = roster_length(l.roster), former = 0;
        while (roster_length(a) < length) {
            uint64_t to = roster_length(a) + 1 + rng_below(&rng, 40);
            to = to < length ? to : length;
            read_on(a, &for_a, to);
            while (roster_length(b) < to)
                read_on(b, &for_b, roster_length(b) + 1);
            assert_int_equal(roster_hash(a), roster_hash(b));
            assert_true(roster_hash(a) != former); /* every entry changes the hash */
            former = roster_hash(a);
        }
        assert_int_equal(roster_hash(a), roster_hash(l.roster));
        roster_close(a);
        roster_close(b);
        roster_log_close(&l);
    }
}

static enum rc take_restore(struct roster *r, struct str writer, uint64_t n, struct str entries,
                            const char **why)
{
    struct buf out = {.max = ROSTER_MAX_ENTRY_BYTES};
    struct roster_entry e = {.kind = ROSTER_RESTORE, .n = n, .entries = entries};
    roster_entry_write(&e, &out);
    struct roster_stand at = {roster_length(r) + 1, 99, writer};
    enum rc rc = roster_take(r, &at, buf_str(&out), why);
    buf_done(&out);
    return rc;
}

/* The log lost its end; one agent restores it in one or several messages, and so does another. */
static void a_restore_gives_what_was_lost(void **state)
{
    (void)state;
    uint64_t seed = test_seed(77);
    for (unsigned walk = 0; walk < WALKS; walk++) {
        struct roster_log l;
        struct roster *fresh;
        struct rng rng;
        const char *why;
        walk_far(&l, seed + walk);
        rng_init(&rng, seed + walk);
        assert_rc(roster_open(&fresh), RC_OK);
        uint64_t length = roster_length(l.roster), left = 1 + rng_below(&rng, length - 1);
        struct str rest = buf_str(&l.kept), start;
        read_on(fresh, &rest, left);
        while (roster_length(fresh) < length) {
            struct roster_stand at;
            struct str bytes;
            uint64_t n = roster_length(fresh) + 1, most = 1 + rng_below(&rng, 200);
            start = rest;
            for (uint64_t i = 0; i < most && roster_lost_next(&rest, &at, &bytes); i++)
                ;
            struct str part = str_first(start, start.n - rest.n);
            assert_rc(take_restore(fresh, STR("bee"), n, part, &why), RC_OK);
            assert_string_equal(why, "");
            uint64_t hash = roster_hash(fresh);
            assert_rc(take_restore(fresh, STR("ant"), n, part, &why), RC_OK); /* a second one */
            assert_string_equal(why, "it does not continue what is left of the log");
            assert_int_equal(roster_hash(fresh), hash);
        }
        assert_int_equal(roster_hash(fresh), roster_hash(l.roster));
        /* A roster that had read the lost entries ignores the restore, and both continue alike. */
        assert_rc(take_restore(l.roster, STR("bee"), left + 1, STR(""), &why), RC_OK);
        size_t had = l.kept.n;
        roster_log_say(&l, "ant,bee,cat go 20; ant join; bee settled");
        struct str more = str_from(buf_str(&l.kept), had);
        read_on(fresh, &more, roster_length(l.roster));
        assert_int_equal(roster_hash(fresh), roster_hash(l.roster));
        roster_close(fresh);
        roster_log_close(&l);
    }
}

static void a_restore_within_a_restore_is_refused(void **state)
{
    (void)state;
    struct roster_log l;
    struct buf inner = {.max = 1000}, entries = {.max = 1000};
    struct roster_entry e = {.kind = ROSTER_RESTORE, .n = 2, .entries = STR("")}, back;
    roster_log_open(&l);
    roster_log_say(&l, "found");
    roster_entry_write(&e, &inner);
    assert_rc(roster_entry_read(buf_str(&inner), &back), RC_OK);
    roster_lost_put(&entries, &(struct roster_stand){.writer = STR("ant")}, buf_str(&inner));
    buf_clear(&inner);
    e.entries = buf_str(&entries);
    roster_entry_write(&e, &inner);
    assert_rc(roster_entry_read(buf_str(&inner), &back), RC_CORRUPT);
    roster_log_take(&l, STR("ant"), buf_str(&inner));
    assert_string_equal(l.why, "it cannot be read");
    buf_done(&inner);
    buf_done(&entries);
    roster_log_close(&l);
}

/* As bytes ----------------------------------------------------------------------------------- */

static struct roster_entry any_entry(enum roster_kind kind)
{
    struct roster_entry e = {.kind = kind,
                             .victim = STR("bee"),
                             .inc = 1,
                             .boot = 0x1122334455667788,
                             .n = 3,
                             .epoch = 4,
                             .lease = 5,
                             .weight = 64,
                             .is_start = true,
                             .timings = roster_log_timings,
                             .points = 3072,
                             .probes = 3};
    return e;
}

static void entries_come_back_and_nothing_shorter_is_taken(void **state)
{
    (void)state;
    for (unsigned kind = ROSTER_FOUND; kind <= ROSTER_SETTLED; kind++) {
        struct buf one = {.max = 1000}, two = {.max = 1000};
        struct roster_entry e = any_entry((enum roster_kind)kind), back;
        roster_entry_write(&e, &one);
        assert_rc(roster_entry_read(buf_str(&one), &back), RC_OK);
        assert_int_equal(back.kind, kind);
        roster_entry_write(&back, &two);
        assert_str(buf_str(&two), buf_str(&one));
        for (size_t n = 0; n < one.n; n++)
            assert_rc(roster_entry_read(str_first(buf_str(&one), n), &back), RC_CORRUPT);
        buf_byte(&one, 0);
        assert_rc(roster_entry_read(buf_str(&one), &back), RC_CORRUPT);
        one.p[0]++;
        assert_rc(roster_entry_read(buf_str(&one), &back), RC_VERSION);
        buf_done(&one);
        buf_done(&two);
    }
}

static void what_no_agent_writes_is_refused(void **state)
{
    (void)state;
    static char big[ROSTER_MAX_ENTRY_BYTES + 1];
    struct roster_entry e = any_entry(ROSTER_DEAD), back;
    struct buf out = {.max = 1000};
    e.victim = STR("bee.>");
    roster_entry_write(&e, &out);
    assert_rc(roster_entry_read(buf_str(&out), &back), RC_CORRUPT);
    buf_clear(&out);
    e = any_entry(ROSTER_JOIN);
    e.weight = ASSIGN_MAX_WEIGHT + 1;
    roster_entry_write(&e, &out);
    assert_rc(roster_entry_read(buf_str(&out), &back), RC_CORRUPT);
    assert_rc(roster_entry_read(STR("\1\13"), &back), RC_CORRUPT);
    assert_rc(roster_entry_read(STR("\1\0"), &back), RC_CORRUPT);
    assert_rc(roster_entry_read(str_make(big, sizeof big), &back), RC_LIMIT);
    buf_done(&out);
}

/* Without memory ----------------------------------------------------------------------------- */

/* A take that fails leaves everything as it was, and can be done again. */
static enum rc fold(void *ctx)
{
    const struct roster_log *l = ctx;
    struct roster *r = NULL;
    struct str rest = buf_str(&l->kept), bytes;
    struct roster_stand at;
    const char *why;
    enum rc rc = roster_open(&r);
    while (rc == RC_OK && roster_lost_next(&rest, &at, &bytes)) {
        at.number = roster_length(r) + 1;
        uint64_t hash = roster_hash(r);
        rc = roster_take(r, &at, bytes, &why);
        if (rc == RC_NOMEM) {
            assert_int_equal(roster_hash(r), hash);
            assert_rc(roster_take(r, &at, bytes, &why), RC_OK);
        }
    }
    if (r && rc == RC_OK)
        assert_int_equal(roster_hash(r), roster_hash(l->roster));
    roster_close(r);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct roster_log l;
    roster_log_open(&l);
    roster_log_say(&l, "found; ant join; ant settled; bee join; ant settled; cat join; ant settled;"
                       "ant weight weight=32; ant settled; bee,cat go 60; bee dead ant; bee leave;"
                       "cat adopted ant; bee adopted ant; cat settled; bee leave; cat settled;"
                       "bee gone; ant join; cat settled");
    assert_string_equal(l.why, "");
    test_each_allocation_fails(fold, &l);
    roster_log_close(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_prefix_gives_the_same_roster),
        cmocka_unit_test(a_restore_gives_what_was_lost),
        cmocka_unit_test(a_restore_within_a_restore_is_refused),
        cmocka_unit_test(entries_come_back_and_nothing_shorter_is_taken),
        cmocka_unit_test(what_no_agent_writes_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("roster", tests, NULL, NULL);
}
