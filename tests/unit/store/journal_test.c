/* SPDX-License-Identifier: Apache-2.0 */
/* The journal with the power cut at every call: what was synced is replayed, in order, whole; what
 * was only written is there up to some batch; and the journal goes on from there. */
#include "store/journal.h"

#include "disk/disk_crash.h"
#include "lib/test.h"
#include "power_cut.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_BATCH = 6000 };
static const struct journal_settings small = {.segment_bytes = 2000, .buffer_bytes = 4000};

/* Batch number i, always the same; some empty, some longer than a block or a segment. */
static struct str batch_of(uint32_t i, char *room)
{
    size_t n = i % 7 == 4 ? 0 : i % 5 == 3 ? 4100 + i : 1 + i * 37 % 300;
    for (size_t at = 0; at < n; at++)
        room[at] = (char)(i * 31 + at * 7);
    return str_make(room, n);
}

/* What a replay found: batches 'first', 'first' + 1, … */
struct found {
    uint32_t first;
    uint32_t count;
    uint64_t last_position;
    const char *why;
};

static enum rc take(void *ctx, uint64_t position, struct str batch)
{
    struct found *f = ctx;
    static char room[MAX_BATCH];
    if (f->count && position <= f->last_position)
        f->why = "positions do not grow";
    if (!str_eq(batch, batch_of(f->first + f->count, room)))
        f->why = "a batch is not what was added";
    f->count++;
    f->last_position = position;
    return RC_OK;
}

static enum rc add(struct journal *j, uint32_t i, uint64_t *ret_position)
{
    static char room[MAX_BATCH];
    struct str whole = batch_of(i, room);
    struct str pieces[] = {str_first(whole, whole.n / 3), str_from(whole, whole.n / 3)};
    return journal_add(j, pieces, 2, ret_position);
}

/* The power cut ------------------------------------------------------------------------------ */

struct trial {
    struct power_cut cut;
    uint32_t added;  /* batches that may be there */
    uint32_t synced; /* batches that must be there */
    uint64_t from;   /* replay from this position, where batch `first` stands */
    uint32_t first;
};

/* Recovers, compares, adds one more, and recovers again. */
static const char *go_on(struct power_cut *cut, struct disk *image)
{
    struct trial *t = (struct trial *)cut;
    struct journal *j;
    struct found f = {.first = t->first}, again = {.first = t->first};
    uint64_t position;
    enum rc rc = journal_open(image, "journal", &small, t->from, take, &f, &j);
    if (rc)
        return rc_text(rc);
    uint32_t there = f.count + t->first;
    if (!f.why && there < t->synced)
        f.why = "a synced batch is lost";
    if (!f.why && there > t->added)
        f.why = "a batch that was never added is there";
    t->synced = there;
    t->added = there + 1;
    rc = add(j, there, &position);
    rc = rc ? rc : journal_sync(j);
    journal_close(j);
    if (rc)
        return "it cannot be gone on with";
    t->synced = t->added;
    power_cut_enough(image);
    rc = journal_open(image, "journal", &small, t->from, take, &again, &j);
    if (rc)
        return "it cannot be opened again";
    journal_close(j);
    if (!f.why && again.count != f.count + 1)
        f.why = "what was added after the crash is not there";
    return f.why ? f.why : again.why;
}

/* At once, or in two steps. */
static enum rc write_it(struct journal *j, uint32_t i)
{
    if (i % 2)
        return journal_write(j);
    journal_take(j);
    return journal_write_taken(j);
}

static enum rc add_some(struct trial *t, struct journal *j, uint32_t count, bool sync)
{
    enum rc rc = RC_OK;
    uint64_t position = 0;
    for (uint32_t i = 0; i < count && rc == RC_OK; i++) {
        t->added++;
        rc = add(j, t->added - 1, &position);
        rc = rc ? rc : write_it(j, i);
    }
    if (rc == RC_OK && sync) {
        rc = journal_sync(j);
        if (rc == RC_OK)
            t->synced = t->added;
    }
    return rc;
}

/* Batches over several segments, written and synced by turns; then the first segments go. */
static enum rc work(struct power_cut *cut, struct disk *d)
{
    struct trial *t = (struct trial *)cut;
    struct journal *j = NULL;
    struct found none = {0};
    enum rc rc = journal_open(d, "journal", &small, 0, take, &none, &j);
    rc = rc ? rc : add_some(t, j, 3, true);
    rc = rc ? rc : add_some(t, j, 6, false);
    rc = rc ? rc : add_some(t, j, 4, true);
    uint64_t middle = j ? journal_end(j) : 0;
    uint32_t first = t->added;
    rc = rc ? rc : add_some(t, j, 3, true);
    if (rc == RC_OK) {
        t->from = middle; /* from now on somebody else keeps what was before */
        t->first = first;
        rc = journal_trim(j, middle);
    }
    rc = rc ? rc : add_some(t, j, 5, false);
    journal_close(j);
    return rc;
}

static const struct power_cut_test cut_test = {
    .bytes = sizeof(struct trial),
    .outer = {300, 40, 3, false},
    .nested = {24, 6, 9, false},
    .nested_every = 5,
    .work = work,
    .go_on = go_on,
};

static void whatever_the_cut_what_was_synced_is_replayed(void **state)
{
    (void)state;
    struct trial t = {.cut = {.test = &cut_test}};
    power_cut_everywhere(&t.cut, 300);
}

static void whatever_call_fails_nothing_synced_is_lost(void **state)
{
    (void)state;
    static const enum rc ways[] = {RC_IO, RC_DISK_FULL, RC_NOMEM, RC_SYNC};
    const struct trial t = {.cut = {.test = &cut_test}};
    power_cut_failures(&t.cut, ways, sizeof ways / sizeof *ways, 30);
}

/* Plain use ---------------------------------------------------------------------------------- */

static struct journal *open_from(struct disk *d, uint64_t from, struct found *f)
{
    struct journal *j;
    assert_rc(journal_open(d, "journal", &small, from, take, f, &j), RC_OK);
    assert_null(f->why);
    return j;
}

static void a_batch_is_replayed_with_the_position_it_was_given(void **state)
{
    (void)state;
    struct disk *d;
    uint64_t positions[20];
    assert_rc(disk_crash_open(&d), RC_OK);
    struct found none = {0};
    struct journal *j = open_from(d, 0, &none);
    for (uint32_t i = 0; i < 20; i++)
        assert_rc(add(j, i, &positions[i]), RC_OK);
    assert_int_equal(positions[0], 0);
    assert_int_equal(journal_synced(j), 0);
    assert_rc(journal_sync(j), RC_OK);
    assert_int_equal(journal_synced(j), journal_end(j));
    uint64_t end = journal_end(j);
    journal_close(j);
    for (uint32_t first = 0; first < 20; first++) {
        struct found f = {.first = first};
        j = open_from(d, positions[first], &f);
        assert_int_equal(f.count, 20 - first);
        assert_int_equal(f.last_position, positions[19]);
        assert_int_equal(journal_end(j), end);
        journal_close(j);
    }
    disk_close(d);
}

static void what_is_newer_than_the_journal_is_refused(void **state)
{
    (void)state;
    struct disk *d;
    uint64_t position;
    assert_rc(disk_crash_open(&d), RC_OK);
    struct found f = {0};
    struct journal *j;
    assert_rc(journal_open(d, "journal", &small, 5, take, &f, &j), RC_CORRUPT);
    j = open_from(d, 0, &f);
    assert_rc(add(j, 0, &position), RC_OK);
    assert_rc(journal_sync(j), RC_OK);
    uint64_t end = journal_end(j);
    journal_close(j);
    assert_rc(journal_open(d, "journal", &small, end + 1, take, &f, &j), RC_CORRUPT);
    disk_close(d);
}

static void trimming_removes_whole_segments_below_and_no_others(void **state)
{
    (void)state;
    struct disk *d;
    uint64_t positions[40];
    assert_rc(disk_crash_open(&d), RC_OK);
    struct found none = {0}, f = {.first = 30};
    struct journal *j = open_from(d, 0, &none);
    for (uint32_t i = 0; i < 40; i++) {
        assert_rc(add(j, i, &positions[i]), RC_OK);
        assert_rc(journal_write(j), RC_OK);
    }
    uint64_t before = journal_bytes(j);
    assert_rc(journal_trim(j, positions[30]), RC_OK);
    assert_true(journal_bytes(j) < before);
    assert_true(journal_bytes(j) >= journal_end(j) - positions[30]);
    assert_rc(journal_sync(j), RC_OK);
    journal_close(j);
    j = open_from(d, positions[30], &f);
    assert_int_equal(f.count, 10);
    journal_close(j);
    assert_rc(journal_open(d, "journal", &small, 0, take, &none, &j), RC_CORRUPT);
    disk_close(d);
}

static void what_is_added_after_the_taking_is_not_written_with_it(void **state)
{
    (void)state;
    struct disk *d;
    uint64_t positions[5];
    assert_rc(disk_crash_open(&d), RC_OK);
    struct found none = {0}, all = {0};
    struct journal *j = open_from(d, 0, &none);
    for (uint32_t i = 0; i < 5; i++) {
        assert_rc(add(j, i, &positions[i]), RC_OK);
        if (i == 1 || i == 2)
            journal_take(j); /* twice, and nothing is written in between */
    }
    assert_int_equal(journal_written(j), 0);
    assert_rc(journal_write_taken(j), RC_OK);
    assert_int_equal(journal_written(j), positions[3]);
    journal_take(j);
    assert_rc(journal_write(j), RC_OK);
    assert_int_equal(journal_written(j), journal_end(j));
    journal_close(j);
    j = open_from(d, 0, &all);
    assert_int_equal(all.count, 5);
    journal_close(j);
    disk_close(d);
}

static void it_says_when_too_much_waits_to_be_written(void **state)
{
    (void)state;
    struct disk *d;
    uint64_t position;
    assert_rc(disk_crash_open(&d), RC_OK);
    struct found none = {0};
    struct journal *j = open_from(d, 0, &none);
    assert_false(journal_is_full(j));
    for (uint32_t i = 0; i < 20; i++)
        assert_rc(add(j, i, &position), RC_OK);
    assert_true(journal_is_full(j));
    assert_rc(journal_write(j), RC_OK);
    assert_false(journal_is_full(j));
    journal_close(j);
    disk_close(d);
}

static void a_failed_sync_is_for_ever(void **state)
{
    (void)state;
    struct disk *d;
    uint64_t position;
    assert_rc(disk_crash_open(&d), RC_OK);
    struct found none = {0};
    struct journal *j = open_from(d, 0, &none);
    assert_rc(add(j, 0, &position), RC_OK);
    disk_crash_fail_at(d, 2, RC_SYNC, 0); /* append, then the sync */
    assert_rc(journal_sync(j), RC_SYNC);
    assert_rc(journal_write(j), RC_SYNC);
    assert_rc(journal_sync(j), RC_SYNC);
    assert_int_equal(journal_synced(j), 0);
    journal_close(j);
    disk_close(d);
}

static enum rc every_step(void *ctx)
{
    (void)ctx;
    struct disk *d;
    struct journal *j = NULL;
    struct found none = {0};
    uint64_t position;
    enum rc rc = disk_crash_open(&d);
    if (rc)
        return rc;
    rc = journal_open(d, "journal", &small, 0, take, &none, &j);
    for (uint32_t i = 0; i < 6 && rc == RC_OK; i++) {
        rc = add(j, i, &position);
        rc = rc ? rc : journal_write(j);
    }
    rc = rc ? rc : journal_sync(j);
    journal_close(j);
    disk_close(d);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(every_step, NULL);
}

/* Threads ------------------------------------------------------------------------------------ */

enum { ADDERS = 4, EACH = TEST_IS_EMULATED ? 200 : 2000 };

struct crowd {
    struct journal *journal;
    uint32_t who;
    bool failed;
};

static void *add_many(void *arg)
{
    struct crowd *c = arg;
    for (uint32_t i = 0; i < EACH; i++) {
        char text[32];
        uint64_t position;
        int n = snprintf(text, sizeof text, "%u %u", c->who, i);
        struct str piece = str_make(text, (size_t)n);
        if (journal_add(c->journal, &piece, 1, &position) ||
            (i % 10 == 0 && journal_write(c->journal)))
            c->failed = true;
    }
    return NULL;
}

static void *sync_many(void *arg)
{
    struct crowd *c = arg;
    for (int i = 0; i < 50; i++)
        if (journal_sync(c->journal))
            c->failed = true;
    return NULL;
}

/* Each adder's batches come in its own order, none twice, none missing. */
static enum rc take_crowd(void *ctx, uint64_t position, struct str batch)
{
    uint32_t *next = ctx;
    (void)position;
    struct str rest = batch;
    uint64_t who, i;
    assert_rc(str_to_u64(str_take_until(&rest, ' '), &who), RC_OK);
    assert_rc(str_to_u64(rest, &i), RC_OK);
    assert_true(who < ADDERS);
    assert_int_equal(next[who], i);
    next[who]++;
    return RC_OK;
}

static enum rc remove_segment(void *ctx, struct str name, bool is_folder)
{
    char path[64];
    (void)is_folder;
    (void)snprintf(path, sizeof path, "journal/" STR_FMT, STR_ARG(name));
    return disk_unlink(ctx, path);
}

static void remove_folder(const char *folder)
{
    struct disk *d;
    char inner[64];
    (void)snprintf(inner, sizeof inner, "%s/journal", folder);
    assert_rc(disk_real_open(folder, &d), RC_OK);
    assert_rc(disk_list(d, "journal", remove_segment, d), RC_OK);
    disk_close(d);
    assert_int_equal(rmdir(inner), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void many_threads_add_while_one_syncs(void **state)
{
    (void)state;
    char folder[] = "/tmp/journal-test-XXXXXX";
    struct disk *d;
    struct journal *j;
    pthread_t threads[ADDERS + 1];
    struct crowd crowd[ADDERS + 1];
    uint32_t next[ADDERS] = {0};
    assert_non_null(mkdtemp(folder));
    assert_rc(disk_real_open(folder, &d), RC_OK);
    assert_rc(journal_open(d, "journal", &small, 0, take_crowd, next, &j), RC_OK);
    for (uint32_t i = 0; i <= ADDERS; i++) {
        crowd[i] = (struct crowd){.journal = j, .who = i};
        assert_int_equal(
            pthread_create(&threads[i], NULL, i < ADDERS ? add_many : sync_many, &crowd[i]), 0);
    }
    for (uint32_t i = 0; i <= ADDERS; i++) {
        (void)pthread_join(threads[i], NULL);
        assert_false(crowd[i].failed);
    }
    assert_rc(journal_sync(j), RC_OK);
    assert_int_equal(journal_synced(j), journal_end(j));
    journal_close(j);
    assert_rc(journal_open(d, "journal", &small, 0, take_crowd, next, &j), RC_OK);
    for (uint32_t i = 0; i < ADDERS; i++)
        assert_int_equal(next[i], EACH);
    assert_rc(journal_trim(j, journal_end(j)), RC_OK);
    journal_close(j);
    disk_close(d);
    remove_folder(folder);
}

static void what_is_durable_is_read_while_more_is_added(void **state)
{
    (void)state;
    enum { MANY = 200 };
    struct disk *d;
    struct journal *j = NULL;
    struct found f = {0};
    uint64_t at[MANY], next = 0;
    char room[MAX_BATCH];
    struct str got;
    assert_rc(disk_crash_open(&d), RC_OK);
    j = open_from(d, 0, &f);
    struct journal_reader *r = journal_reader_open(j);
    assert_rc(journal_reader_at(r, 0, &got, &next), RC_NOT_FOUND);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_rc(add(j, i, &at[i]), RC_OK);
        assert_rc(journal_write(j), RC_OK);
        assert_rc(journal_reader_at(r, at[i], &got, &next), RC_NOT_FOUND);
        assert_rc(journal_sync(j), RC_OK);
        for (uint32_t back = 0; back <= i; back += 7) { /* to and fro, over several segments */
            assert_rc(journal_reader_at(r, at[i - back], &got, &next), RC_OK);
            assert_str(got, batch_of(i - back, room));
            assert_true(back == 0 || next == at[i - back + 1]);
        }
    }
    assert_rc(journal_reader_at(r, at[3] + 1, &got, &next), RC_CORRUPT);
    assert_rc(journal_trim(j, at[MANY / 2]), RC_OK);
    assert_rc(journal_reader_at(r, at[MANY / 2], &got, &next), RC_OK);
    assert_rc(journal_reader_at(r, at[0], &got, &next), RC_CORRUPT);
    journal_reader_close(r);
    journal_close(j);
    disk_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_is_replayed_with_the_position_it_was_given),
        cmocka_unit_test(what_is_newer_than_the_journal_is_refused),
        cmocka_unit_test(trimming_removes_whole_segments_below_and_no_others),
        cmocka_unit_test(what_is_added_after_the_taking_is_not_written_with_it),
        cmocka_unit_test(it_says_when_too_much_waits_to_be_written),
        cmocka_unit_test(a_failed_sync_is_for_ever),
        cmocka_unit_test(whatever_the_cut_what_was_synced_is_replayed),
        cmocka_unit_test(whatever_call_fails_nothing_synced_is_lost),
        cmocka_unit_test(many_threads_add_while_one_syncs),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(what_is_durable_is_read_while_more_is_added),
    };
    return cmocka_run_group_tests_name("journal", tests, NULL, NULL);
}
