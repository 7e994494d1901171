/* SPDX-License-Identifier: Apache-2.0 */
/* The power is cut at every call of a small log, in every way disk.h allows: what was committed is
 * there, at most a prefix of the rest, never a torn record. Logs with a flaw must be found out. */
#include "small_log.h"

#include "base/rng.h"
#include "disk/disk_crash.h"
#include "lib/test.h"

#include <stdio.h>

enum { MAX_PAYLOAD = 6000, NESTED_EVERY = 7 };

/* What is known of a log while it works, and what was seen of its images. */
struct trial {
    enum small_log_flaw flaw;
    uint32_t begun;     /* records that may be there */
    uint32_t committed; /* records that must be there */
    const struct disk_crash_limits *limits;
    struct trial *outer; /* the trial whose image this one goes on with */
    uint64_t images;
    bool failed;
    char why[2000];
};

static const struct disk_crash_limits outer_limits = {400, 60, 7};
static const struct disk_crash_limits nested_limits = {24, 6, 9};

/* Record number i, always the same; some longer than a block. */
static struct str payload_of(uint32_t i, char *room)
{
    struct rng rng;
    rng_init(&rng, i);
    size_t n = i % 5 == 3 ? 4000 + i % 1900 : 1 + i * 37 % 300;
    for (size_t at = 0; at < n; at++)
        room[at] = (char)rng_next(&rng);
    return str_make(room, n);
}

static enum rc fail_trial(struct trial *t, const char *what, const char *why)
{
    struct trial *top = t;
    while (top->outer)
        top = top->outer;
    top->failed = true;
    t->failed = true;
    snprintf(top->why, sizeof top->why, "%s%s (%s)", t->outer ? "after a second cut: " : "", why,
             what);
    return RC_CLOSED;
}

static const char *check_records(const struct trial *t, const struct small_log *log)
{
    static char room[MAX_PAYLOAD];
    struct str rest = buf_str(&log->records), payload;
    if (log->count < t->committed)
        return "a committed record is lost";
    if (log->count > t->begun)
        return "a record that was never written is there";
    for (uint32_t i = 0; i < log->count; i++)
        if (!small_log_take(&rest, false, &payload) || !str_eq(payload, payload_of(i, room)))
            return "a record is not what was written";
    return NULL;
}

static void look(void *ctx, struct disk *d, const char *call);

/* Goes on with the image: one more record, committed, and read again. */
static const char *resume(struct trial *t, struct small_log *log, struct disk *image)
{
    char room[MAX_PAYLOAD];
    struct small_log again;
    t->committed = log->count;
    t->begun = log->count + 1;
    enum rc rc = small_log_add(log, payload_of(log->count, room));
    rc = rc ? rc : small_log_commit(log);
    if (rc)
        return "the image cannot be gone on with";
    t->committed = log->count;
    if (t->limits)
        look(t, image, "end");
    disk_crash_before_each(image, NULL, NULL);
    const char *why = small_log_init(&again, image, t->flaw) ? "it cannot be opened again"
                                                             : check_records(t, &again);
    small_log_done(&again);
    return why;
}

static enum rc check_image(void *ctx, struct disk *image, const char *what)
{
    struct trial *outer = ctx;
    struct trial t = {
        .flaw = outer->flaw, .begun = outer->begun, .committed = outer->committed, .outer = outer};
    struct small_log log;
    if (!outer->outer && outer->images++ % NESTED_EVERY == 0) {
        t.limits = &nested_limits;
        disk_crash_before_each(image, look, &t);
    }
    enum rc rc = small_log_init(&log, image, t.flaw);
    const char *why = rc ? rc_text(rc) : check_records(&t, &log);
    if (!why && !t.failed)
        why = resume(&t, &log, image);
    small_log_done(&log);
    if (t.failed)
        return RC_CLOSED;
    return why ? fail_trial(outer, what, why) : RC_OK;
}

static void look(void *ctx, struct disk *d, const char *call)
{
    struct trial *t = ctx;
    (void)call;
    if (!t->failed && t->limits && disk_crash_images(d, t->limits, check_image, t) != RC_OK)
        t->failed = true;
}

static enum rc add_batch(struct trial *t, struct small_log *log, uint32_t count)
{
    static char room[MAX_PAYLOAD];
    enum rc rc = RC_OK;
    for (uint32_t i = 0; rc == RC_OK && i < count; i++) {
        t->begun++;
        rc = small_log_add(log, payload_of(log->count, room));
    }
    rc = rc ? rc : small_log_commit(log);
    if (rc == RC_OK)
        t->committed = log->count;
    return rc;
}

/* Batches, a compaction, batches; until something fails. */
static enum rc work(struct trial *t, struct disk *d)
{
    struct small_log log;
    enum rc rc = small_log_init(&log, d, t->flaw);
    for (uint32_t round = 0; rc == RC_OK && round < 3; round++) {
        rc = add_batch(t, &log, 1);
        rc = rc ? rc : add_batch(t, &log, 4);
        rc = rc ? rc : small_log_compact(&log);
        rc = rc ? rc : add_batch(t, &log, 2);
    }
    small_log_done(&log);
    return rc;
}

static void try_flaw(struct trial *t)
{
    struct disk *d;
    t->limits = &outer_limits;
    assert_rc(disk_crash_open(&d), RC_OK);
    disk_crash_before_each(d, look, t);
    assert_rc(work(t, d), RC_OK);
    look(t, d, "end");
    disk_close(d);
}

static void whatever_the_cut_the_log_keeps_what_it_committed(void **state)
{
    (void)state;
    struct trial t = {.flaw = FLAW_NONE};
    try_flaw(&t);
    if (t.failed)
        fail_msg("%s", t.why);
    print_message("# %llu images, every one recovered\n", (unsigned long long)t.images);
    assert_int_equal(t.committed, 21);
    assert_true(t.images > 1000);
}

static void every_flaw_is_found_out(void **state)
{
    (void)state;
    for (enum small_log_flaw flaw = FLAW_NONE + 1; flaw < FLAW_COUNT; flaw++) {
        struct trial t = {.flaw = flaw};
        try_flaw(&t);
        if (!t.failed || !t.why[0])
            fail_msg("flaw %d was not found out in %llu images", (int)flaw,
                     (unsigned long long)t.images);
        print_message("# flaw %d: %s\n", (int)flaw, t.why);
    }
}

/* The process ends at the first failure; then the power is cut. */
static bool fail_at(uint64_t call, enum rc rc, size_t part_bytes)
{
    struct disk *d;
    struct trial t = {.flaw = FLAW_NONE};
    assert_rc(disk_crash_open(&d), RC_OK);
    disk_crash_fail_at(d, call, rc, part_bytes);
    enum rc result = work(&t, d);
    bool hit = disk_crash_has_failed(d);
    if (hit)
        assert_true(result == rc || result == RC_SYNC || result == RC_CORRUPT);
    else
        assert_rc(result, RC_OK);
    disk_crash_fail_at(d, 0, RC_OK, 0);
    t.limits = &nested_limits;
    look(&t, d, "end");
    if (t.failed)
        fail_msg("call %llu: %s: %s", (unsigned long long)call, rc_text(rc), t.why);
    disk_close(d);
    return hit;
}

static void whatever_call_fails_the_log_keeps_what_it_committed(void **state)
{
    (void)state;
    static const enum rc failures[] = {RC_IO, RC_DISK_FULL, RC_SYNC, RC_NOMEM};
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        uint64_t call = 1;
        while (fail_at(call, failures[i], call % 50))
            call++;
        assert_true(call > 40);
    }
}

static void a_disk_that_fills_up_loses_nothing(void **state)
{
    (void)state;
    for (uint64_t quota = 0; quota < 20000; quota += 251) {
        struct disk *d;
        struct trial t = {.flaw = FLAW_NONE};
        assert_rc(disk_crash_open(&d), RC_OK);
        disk_crash_quota(d, quota);
        assert_rc(work(&t, d), RC_DISK_FULL);
        disk_crash_quota(d, UINT64_MAX);
        t.limits = &nested_limits;
        look(&t, d, "end");
        if (t.failed)
            fail_msg("quota %llu: %s", (unsigned long long)quota, t.why);
        disk_close(d);
    }
}

static enum rc whole_run(void *ctx)
{
    (void)ctx;
    struct disk *d;
    struct trial t = {.flaw = FLAW_NONE};
    enum rc rc = disk_crash_open(&d);
    if (rc)
        return rc;
    rc = work(&t, d);
    disk_close(d);
    return rc == RC_SYNC ? RC_NOMEM : rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(whole_run, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whatever_the_cut_the_log_keeps_what_it_committed),
        cmocka_unit_test(every_flaw_is_found_out),
        cmocka_unit_test(whatever_call_fails_the_log_keeps_what_it_committed),
        cmocka_unit_test(a_disk_that_fills_up_loses_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
