/* SPDX-License-Identifier: Apache-2.0 */
/* A small crawl through the ledger on a disk whose power is cut at every call: whatever is left,
 * the crawl is opened again and brought to its end, and then every page is there exactly once, in
 * the archive and in every file, and nothing that had been synced was lost. */
#include "small_crawl.h"

#include "base/hash.h"
#include "disk/disk_crash.h"
#include "lib/test.h"

#include <stdio.h>

/* Of each cut are tried: nothing of what was not synced, all of it, and so many mixtures at random
 * (a soak counts up the seed). One image in so many is cut again while it recovers, at one call in
 * so many. */
enum { SAMPLES = 2, NESTED_SAMPLES = 1, NESTED_ONE_IN = 60, NESTED_CALLS = 11 };

enum { CUT_ONE_IN = TEST_IS_SANITIZED ? 10 : 1 };

struct trial {
    struct small_truth truth;
    unsigned shards, shards_after;
    uint64_t seed, tried, killed, calls;
    unsigned samples;
    unsigned depth;
    struct trial *outer;
    bool failed;
    char why[1500];
};

static void look(void *ctx, struct disk *d, const char *call);

static enum rc fail_trial(struct trial *t, const char *what, const char *why, const char *more)
{
    struct trial *top = t;
    while (top->outer)
        top = top->outer;
    if (!top->failed)
        (void)snprintf(top->why, sizeof top->why, "%s%s %s (%s)",
                       t->depth ? "after a second cut: " : "", why, more, what);
    top->failed = t->failed = true;
    return RC_CLOSED;
}

/* Everything that was written is there: this is what kill -9 leaves. */
static bool is_kill(const char *what)
{
    unsigned is, of;
    if (strstr(what, " and ") || strstr(what, ", ") || strstr(what, "[not "))
        return false;
    for (const char *at = what; (at = strstr(at, ": ")) != NULL; at++)
        if (sscanf(at, ": %u of %u", &is, &of) == 2 && is != of) // NOLINT(cert-err34-c)
            return false;
    return true;
}

/* Recovers, looks what is there, goes on to the end, looks again. */
static const char *go_on(struct small_crawl *c, struct disk *image, unsigned shards,
                         struct small_truth *truth, const bool *must)
{
    enum rc rc = small_open(c, image, shards, truth);
    rc = rc ? rc : ledger_turn(c->ledger, 0);
    const char *why = rc ? rc_text(rc) : small_check_kept(image, must);
    why = why ? why : small_check_lasting(image, truth);
    if (why)
        return why;
    rc = small_finish(c);
    return rc ? rc_text(rc) : small_check_end(c, image);
}

static enum rc check_image(void *ctx, struct disk *image, const char *what)
{
    struct trial *outer = ctx;
    bool killed = is_kill(what);
    outer->tried++;
    outer->killed += killed;
    struct trial t = *outer;
    static struct small_crawl crawls[2];
    struct small_crawl *c = &crawls[t.depth];
    t.outer = outer;
    t.depth++;
    t.samples = NESTED_SAMPLES;
    const bool *must = killed ? outer->truth.written : outer->truth.synced;
    memcpy(t.truth.synced, must, sizeof t.truth.synced);
    memcpy(t.truth.written, must, sizeof t.truth.written);
    memcpy(t.truth.done, must, sizeof t.truth.done);
    t.truth.told_synced = t.truth.told_written = t.truth.told =
        killed ? outer->truth.told_written : outer->truth.told_synced;
    t.truth.boot += !killed; /* what was given to the kernel survives a kill, not a power cut */
    if (!outer->depth && outer->tried % NESTED_ONE_IN == 0)
        disk_crash_before_each(image, look, &t);
    const char *why = go_on(c, image, t.shards_after, &t.truth, must);
    small_close(c);
    disk_crash_before_each(image, NULL, NULL);
    if (t.failed)
        return RC_CLOSED;
    return why ? fail_trial(outer, what, why, c->why) : RC_OK;
}

static void look(void *ctx, struct disk *d, const char *call)
{
    struct trial *t = ctx;
    struct disk_crash_limits limits = {4, t->samples, hash64_mix(t->seed + t->tried), true};
    (void)call;
    if (!t->depth && t->calls++ % CUT_ONE_IN)
        return;
    if (t->depth && (t->seed + t->tried + t->calls++) % NESTED_CALLS)
        return;
    if (!t->failed && t->depth < 2 && disk_crash_images(d, &limits, check_image, t) != RC_OK)
        t->failed = true;
}

static enum rc crawl(struct trial *t, struct disk *d)
{
    static struct small_crawl c;
    bool more = true;
    enum rc rc = small_open(&c, d, t->shards, &t->truth);
    while (more && rc == RC_OK)
        rc = small_step(&c, true, &more);
    rc = rc ? rc : ledger_finish(c.ledger);
    if (rc == RC_OK)
        memcpy(t->truth.synced, t->truth.done, sizeof t->truth.synced);
    if (rc == RC_OK)
        t->truth.told_synced = t->truth.told;
    small_close(&c);
    return rc;
}

static void cut_all(unsigned shards, unsigned shards_after, struct small_truth truth)
{
    struct disk *d;
    static struct trial t;
    memset(&t, 0, sizeof t);
    t.shards = shards;
    t.shards_after = shards_after;
    t.truth = truth;
    t.truth.boot = 1;
    t.seed = test_seed(shards * 10 + shards_after);
    t.samples = SAMPLES;
    assert_rc(disk_crash_open(&d), RC_OK);
    disk_crash_before_each(d, look, &t);
    enum rc rc = crawl(&t, d);
    look(&t, d, "end");
    uint64_t calls = disk_crash_calls(d);
    disk_close(d);
    if (t.failed)
        fail_msg("%s", t.why);
    assert_rc(rc, RC_OK);
    print_message("# %llu calls, %llu images, %llu of a kill\n", (unsigned long long)calls,
                  (unsigned long long)t.tried, (unsigned long long)t.killed);
    assert_true(t.truth.lasting > 0);
    assert_true(t.tried > 300 / CUT_ONE_IN);
}

static void cut_with(unsigned shards, unsigned shards_after, bool is_tight, bool has_news)
{
    cut_all(shards, shards_after, (struct small_truth){.is_tight = is_tight, .has_news = has_news});
}

static void cut_everywhere(unsigned shards, unsigned shards_after, bool is_tight)
{
    cut_with(shards, shards_after, is_tight, false);
}

static void one_shard_survives_every_cut(void **state)
{
    (void)state;
    cut_everywhere(1, 1, false);
}

static void three_shards_survive_every_cut(void **state)
{
    (void)state;
    cut_everywhere(3, 3, false);
}

static void the_number_of_shards_may_change_at_every_cut(void **state)
{
    (void)state;
    cut_everywhere(3, 2, false);
}

/* Without memory for the frontier: what is_swapped and what was loaded survives as well. */
static void buckets_that_rest_survive_every_cut(void **state)
{
    (void)state;
    cut_everywhere(1, 1, true);
}

static void buckets_that_rest_survive_every_cut_with_three_shards(void **state)
{
    (void)state;
    cut_everywhere(3, 3, true);
}

static void buckets_that_rest_may_change_their_shard(void **state)
{
    (void)state;
    cut_everywhere(3, 2, true);
}

/* What an agent of a cluster is told and decides lasts like all else: facts come back each once and
 * in order, what it was told of is crawled, and the outbox has every page and every foreign record
 * once, passing over what a recovery made void. */
static void news_survive_every_cut(void **state)
{
    (void)state;
    cut_with(1, 1, false, true);
}

static void news_survive_every_cut_with_other_shards(void **state)
{
    (void)state;
    cut_with(3, 2, false, true);
}

static void news_survive_every_cut_where_buckets_rest(void **state)
{
    (void)state;
    cut_with(2, 2, true, true);
}

/* Known URLs outside of the buckets: what the store gets behind a snapshot, and what the buckets drop
 * then, survives as well. */
static void a_filter_of_known_urls_survives_every_cut(void **state)
{
    (void)state;
    cut_all(1, 1, (struct small_truth){.has_filter = true});
}

static void a_filter_of_known_urls_survives_every_cut_where_buckets_rest(void **state)
{
    (void)state;
    cut_all(3, 2, (struct small_truth){.has_filter = true, .is_tight = true});
}

/* Whatever call fails, the crawl ends with that failure, or it did not matter (how much is free)
 * and everything has been done; then the power is cut. */
static bool fail_at(uint64_t call, enum rc rc, bool is_tight)
{
    struct disk *d;
    static struct trial t;
    memset(&t, 0, sizeof t);
    t.shards = t.shards_after = 2;
    t.seed = call;
    t.truth.is_tight = is_tight;
    t.samples = 1;
    assert_rc(disk_crash_open(&d), RC_OK);
    disk_crash_fail_at(d, call, rc, 10);
    (void)!crawl(&t, d);
    bool hit = disk_crash_has_failed(d);
    disk_crash_fail_at(d, 0, RC_OK, 0);
    look(&t, d, "end");
    disk_close(d);
    if (t.failed)
        fail_msg("call %llu, %s: %s", (unsigned long long)call, rc_text(rc), t.why);
    return hit;
}

static void a_disk_that_fills_at_any_call_loses_nothing(void **state)
{
    (void)state;
    for (int is_tight = 0; is_tight < 2; is_tight++) {
        uint64_t call = 1;
        while (fail_at(call, RC_DISK_FULL, is_tight))
            call += 1 + call / 40;
        assert_true(call > 100);
    }
}

static void a_sync_that_fails_loses_nothing(void **state)
{
    (void)state;
    for (int is_tight = 0; is_tight < 2; is_tight++) {
        uint64_t call = 2;
        while (fail_at(call, RC_SYNC, is_tight))
            call += 1 + call / 40;
        assert_true(call > 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_shard_survives_every_cut),
        cmocka_unit_test(three_shards_survive_every_cut),
        cmocka_unit_test(the_number_of_shards_may_change_at_every_cut),
        cmocka_unit_test(buckets_that_rest_survive_every_cut),
        cmocka_unit_test(buckets_that_rest_survive_every_cut_with_three_shards),
        cmocka_unit_test(buckets_that_rest_may_change_their_shard),
        cmocka_unit_test(news_survive_every_cut),
        cmocka_unit_test(news_survive_every_cut_with_other_shards),
        cmocka_unit_test(news_survive_every_cut_where_buckets_rest),
        cmocka_unit_test(a_filter_of_known_urls_survives_every_cut),
        cmocka_unit_test(a_filter_of_known_urls_survives_every_cut_where_buckets_rest),
        cmocka_unit_test(a_disk_that_fills_at_any_call_loses_nothing),
        cmocka_unit_test(a_sync_that_fails_loses_nothing),
    };
    return cmocka_run_group_tests_name("crash", tests, NULL, NULL);
}
