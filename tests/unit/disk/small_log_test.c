/* SPDX-License-Identifier: Apache-2.0 */
/* The power is cut at every call of a small log, in every way disk.h allows: what was committed is
 * there, at most a prefix of the rest, never a torn record. Logs with a flaw must be found out. */
#include "power_cut.h"
#include "small_log.h"

#include "base/rng.h"
#include "lib/test.h"

enum { MAX_PAYLOAD = 6000 };

/* What is known of a log while it works. */
struct trial {
    struct power_cut cut;
    enum small_log_flaw flaw;
    uint32_t begun;     /* records that may be there */
    uint32_t committed; /* records that must be there */
};

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
    power_cut_look(&t->cut, image);
    power_cut_enough(image);
    const char *why = small_log_init(&again, image, t->flaw) ? "it cannot be opened again"
                                                             : check_records(t, &again);
    small_log_done(&again);
    return why;
}

static const char *go_on(struct power_cut *cut, struct disk *image)
{
    struct trial *t = (struct trial *)cut;
    struct small_log log;
    enum rc rc = small_log_init(&log, image, t->flaw);
    const char *why = rc ? rc_text(rc) : check_records(t, &log);
    if (!why && !cut->failed)
        why = resume(t, &log, image);
    small_log_done(&log);
    return why;
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
static enum rc work(struct power_cut *cut, struct disk *d)
{
    struct trial *t = (struct trial *)cut;
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

static const struct power_cut_test cut_test = {
    .bytes = sizeof(struct trial),
    .outer = {400, 60, 7, false},
    .nested = {24, 6, 9, false},
    .nested_every = 7,
    .work = work,
    .go_on = go_on,
};

static void whatever_the_cut_the_log_keeps_what_it_committed(void **state)
{
    (void)state;
    struct trial t = {.cut = {.test = &cut_test}, .flaw = FLAW_NONE};
    power_cut_everywhere(&t.cut, 1000);
    assert_int_equal(t.committed, 21);
}

static void every_flaw_is_found_out(void **state)
{
    (void)state;
    for (enum small_log_flaw flaw = FLAW_NONE + 1; flaw < FLAW_COUNT; flaw++) {
        struct trial t = {.cut = {.test = &cut_test}, .flaw = flaw};
        power_cut_run(&t.cut);
        if (!t.cut.failed || !t.cut.why[0])
            fail_msg("flaw %d was not found out in %llu images", (int)flaw,
                     (unsigned long long)t.cut.images);
        print_message("# flaw %d: %s\n", (int)flaw, t.cut.why);
    }
}

static void whatever_call_fails_the_log_keeps_what_it_committed(void **state)
{
    (void)state;
    static const enum rc ways[] = {RC_IO, RC_DISK_FULL, RC_SYNC, RC_NOMEM};
    const struct trial t = {.cut = {.test = &cut_test}, .flaw = FLAW_NONE};
    power_cut_failures(&t.cut, ways, sizeof ways / sizeof *ways, 40);
}

static void a_disk_that_fills_up_loses_nothing(void **state)
{
    (void)state;
    for (uint64_t quota = 0; quota < 20000; quota += 251) {
        struct disk *d;
        struct trial t = {.cut = {.test = &cut_test, .looks = true, .is_brief = true}};
        assert_rc(disk_crash_open(&d), RC_OK);
        disk_crash_quota(d, quota);
        assert_rc(work(&t.cut, d), RC_DISK_FULL);
        disk_crash_quota(d, UINT64_MAX);
        power_cut_look(&t.cut, d);
        if (t.cut.failed)
            fail_msg("quota %llu: %s", (unsigned long long)quota, t.cut.why);
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
    rc = work(&t.cut, d);
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
