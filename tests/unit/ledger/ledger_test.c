/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger where nothing crashes: who is refused, what a resume keeps, and with its own thread.
 */
#include "small_crawl.h"

#include "base/hash.h"
#include "disk/disk_crash.h"
#include "lib/test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

static struct small_crawl one, two;
static struct small_truth truth;

static struct disk *fresh_disk(void)
{
    struct disk *d;
    memset(&truth, 0, sizeof truth);
    assert_rc(disk_crash_open(&d), RC_OK);
    return d;
}

static void crawl_some(struct small_crawl *c, unsigned steps)
{
    bool more;
    for (unsigned i = 0; i < steps; i++)
        assert_rc(small_step(c, true, &more), RC_OK);
}

static void a_second_process_is_refused(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    assert_rc(small_open(&one, d, 1, &truth), RC_OK);
    assert_rc(small_open(&two, d, 1, &truth), RC_LOCKED);
    assert_non_null(strstr(two.why, "another process"));
    small_close(&two);
    small_close(&one);
    assert_rc(small_open(&two, d, 1, &truth), RC_OK);
    small_close(&two);
    disk_close(d);
}

static void another_version_is_refused(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    assert_rc(small_open(&one, d, 1, &truth), RC_OK);
    small_close(&one);
    assert_rc(disk_replace(d, "state/VERSION", STR("orbweaver crawl 2\n")), RC_OK);
    assert_rc(small_open(&one, d, 1, &truth), RC_VERSION);
    assert_non_null(strstr(one.why, "state/VERSION"));
    small_close(&one);
    disk_close(d);
}

static enum rc ignore(void *ctx, uint64_t position, struct str batch)
{
    (void)ctx, (void)position, (void)batch;
    return RC_OK;
}

static void a_batch_of_no_sense_is_refused_by_its_position(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    struct journal_settings s = {.segment_bytes = 1500, .buffer_bytes = 100000};
    struct journal *j;
    struct str batch = STR("\1\1 this is not what an outcome looks like");
    uint64_t position;
    assert_rc(small_open(&one, d, 1, &truth), RC_OK);
    crawl_some(&one, 3);
    small_close(&one);
    assert_rc(journal_open(d, "state/journal", &s, 0, ignore, NULL, &j), RC_OK);
    assert_rc(journal_add(j, &batch, 1, &position), RC_OK);
    assert_rc(journal_sync(j), RC_OK);
    journal_close(j);
    assert_rc(small_open(&one, d, 1, &truth), RC_CORRUPT);
    char want[40];
    (void)snprintf(want, sizeof want, "batch at %llu", (unsigned long long)position);
    assert_non_null(strstr(one.why, want));
    small_close(&one);
    disk_close(d);
}

static void a_damaged_manifest_or_image_is_refused(void **state)
{
    (void)state;
    static const char *const files[] = {"state/MANIFEST", "state/images/0000000000000001"};
    for (size_t i = 0; i < 4; i++) { /* in its middle, and in the length that it begins with */
        struct disk *d = fresh_disk();
        struct buf bytes = {.max = 1 << 20};
        assert_rc(small_open(&one, d, 2, &truth), RC_OK);
        assert_rc(small_finish(&one), RC_OK);
        small_close(&one);
        assert_rc(disk_read_whole(d, files[i % 2], &bytes), RC_OK);
        bytes.p[i < 2 ? bytes.n / 2 : 3] ^= 0x40;
        assert_rc(disk_replace(d, files[i % 2], buf_str(&bytes)), RC_OK);
        assert_rc(small_open(&one, d, 2, &truth), RC_CORRUPT);
        assert_non_null(strstr(one.why, files[i % 2]));
        small_close(&one);
        buf_done(&bytes);
        disk_close(d);
    }
}

static void a_finished_crawl_opens_with_nothing_to_replay(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    assert_rc(small_open(&one, d, 2, &truth), RC_OK);
    assert_true(one.report.is_new);
    assert_rc(small_finish(&one), RC_OK);
    struct ledger_totals before = ledger_totals(one.ledger);
    small_close(&one);
    assert_rc(small_open(&one, d, 3, &truth), RC_OK);
    assert_false(one.report.is_new);
    assert_int_equal(one.report.batches, 0);
    assert_int_equal(one.seeds_heard, 2);
    struct ledger_totals after = ledger_totals(one.ledger);
    assert_true(after.pages == before.pages && after.bytes == before.bytes);
    assert_true(after.archive_bytes == before.archive_bytes && before.archive_bytes > 0);
    assert_true(after.elapsed_ms >= before.elapsed_ms);
    assert_null(small_check_end(&one, d));
    small_close(&one);
    disk_close(d);
}

struct folder {
    struct disk *disk;
    const char *path;
    uint64_t bytes;
};

static enum rc add_bytes(void *ctx, struct str name, bool is_folder)
{
    struct folder *f = ctx;
    char path[DISK_MAX_PATH_BYTES];
    struct disk_file *file;
    uint64_t bytes = 0;
    (void)snprintf(path, sizeof path, "%s/" STR_FMT, f->path, STR_ARG(name));
    if (is_folder || disk_open(f->disk, path, DISK_READ, &file) != RC_OK)
        return RC_OK;
    enum rc rc = disk_size(file, &bytes);
    disk_file_close(file);
    f->bytes += bytes;
    return rc;
}

static uint64_t bytes_in(struct disk *d, const char *path)
{
    struct folder f = {d, path, 0};
    assert_rc(disk_list(d, path, add_bytes, &f), RC_OK);
    return f.bytes;
}

/* What a turn has given to the kernel so far. */
struct order {
    uint64_t archive, journal;
    bool journal_grew, archive_grew_behind;
};

static void look(void *ctx, struct disk *d, const char *call)
{
    struct order *o = ctx;
    (void)call;
    uint64_t archive = bytes_in(d, "archive"), journal = bytes_in(d, "state/journal");
    o->archive_grew_behind |= o->journal_grew && archive > o->archive;
    o->journal_grew |= journal > o->journal;
    o->archive = archive;
    o->journal = journal;
}

static void a_turn_writes_records_before_the_journal(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    unsigned turns = 0;
    bool more;
    assert_rc(small_open(&one, d, 1, &truth), RC_OK);
    for (unsigned i = 0; i < 200; i++) {
        struct order o = {bytes_in(d, "archive"), bytes_in(d, "state/journal"), false, false};
        uint64_t archive = o.archive;
        disk_crash_before_each(d, look, &o);
        assert_rc(small_step(&one, false, &more), RC_OK);
        disk_crash_before_each(d, NULL, NULL);
        look(&o, d, "");
        assert_false(o.archive_grew_behind);
        turns += o.archive > archive && o.journal_grew;
    }
    assert_true(turns > 3);
    small_close(&one);
    disk_close(d);
}

static void images_are_made_on_the_way_and_the_journal_is_trimmed(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    struct buf bytes = {.max = 1 << 20};
    bool more = true;
    assert_rc(small_open(&one, d, 2, &truth), RC_OK);
    while (more)
        assert_rc(small_step(&one, true, &more), RC_OK);
    assert_rc(disk_read_whole(d, "state/MANIFEST", &bytes), RC_OK);
    assert_true((unsigned char)bytes.p[12] >= 2); /* its generation */
    assert_true(disk_read_whole(d, "state/journal/0000000000000000", &bytes) == RC_NOT_FOUND);
    assert_true(disk_read_whole(d, "state/images/0000000000000001", &bytes) == RC_NOT_FOUND);
    buf_done(&bytes);
    small_close(&one);
    assert_rc(small_open(&one, d, 3, &truth), RC_OK);
    assert_rc(small_finish(&one), RC_OK);
    assert_null(small_check_end(&one, d));
    small_close(&one);
    disk_close(d);
}

static void links_that_nobody_admitted_come_back(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    assert_rc(small_open(&one, d, 3, &truth), RC_OK);
    crawl_some(&one, 4);
    /* The mail between the shards is lost here; the journal has what was in it. */
    assert_rc(ledger_finish(one.ledger), RC_OK);
    small_close(&one);
    assert_rc(small_open(&one, d, 3, &truth), RC_OK);
    assert_rc(small_finish(&one), RC_OK);
    assert_null(small_check_end(&one, d));
    small_close(&one);
    disk_close(d);
}

/* A link of a page is dropped; the same link of another page is not, or is on its way. */
static void links_that_were_dropped_stay_out(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    struct candidate links[3];
    uint64_t batches[2], out[2] = {101, 102};
    enum admitted became;
    unsigned epoch[2];
    for (unsigned i = 0; i < 3; i++)
        links[i] = (struct candidate){.fingerprint = 101 + i,
                                      .host_hash = hash64(STR("h0.test")),
                                      .host = STR("h0.test"),
                                      .path = i ? i == 1 ? STR("/x") : STR("/y") : STR("/w"),
                                      .seed_path = STR("L")};
    struct ledger_outcome first = {.links = links, .link_count = 3};
    struct ledger_outcome second = {.links = &links[1], .link_count = 1};
    assert_rc(small_open(&one, d, 1, &truth), RC_OK);
    assert_rc(ledger_record_outcome(one.ledger, 0, &first, &epoch[0]), RC_OK);
    batches[0] = ledger_outcome_at(one.ledger, 0);
    assert_rc(ledger_record_outcome(one.ledger, 0, &second, &epoch[1]), RC_OK);
    batches[1] = ledger_outcome_at(one.ledger, 0);
    assert_true(batches[0] < batches[1]);
    assert_rc(ledger_drop(one.ledger, 0, epoch[0], batches[0], out, 2), RC_OK);
    assert_rc(ledger_admit(one.ledger, 0, epoch[0], &links[2], 1, 5000, &became), RC_OK);
    assert_rc(ledger_turn(one.ledger, 0), RC_OK);
    small_close(&one); /* as a kill would: nothing is saved, the second page's link is on its way */
    assert_rc(small_open(&one, d, 1, &truth), RC_OK);
    const struct frontier *f = ledger_frontier(one.ledger, 0);
    assert_false(frontier_knows(f, links[0].host_hash, 101));
    assert_true(frontier_knows(f, links[1].host_hash, 102));
    assert_true(frontier_knows(f, links[2].host_hash, 103));
    small_close(&one);
    disk_close(d);
}

static void no_host_is_asked_at_once_after_a_resume(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    struct checkout l;
    assert_rc(small_open(&one, d, 1, &truth), RC_OK);
    crawl_some(&one, 5);
    assert_rc(ledger_sync(one.ledger), RC_OK);
    small_close(&one);
    assert_rc(small_open(&one, d, 1, &truth), RC_OK);
    struct frontier *f = ledger_frontier(one.ledger, 0);
    assert_rc(frontier_checkout(f, 0, one.clock.now, &l), RC_AGAIN);
    assert_true(frontier_due_ms(f) >= one.clock.now + 10);
    small_close(&one);
    disk_close(d);
}

static void what_a_batch_cannot_hold_is_refused_and_changes_nothing(void **state)
{
    (void)state;
    struct disk *d = fresh_disk();
    static char name[300];
    memset(name, 'a', sizeof name);
    struct candidate link = {.host = str_make(name, sizeof name), .path = STR("/")};
    struct ledger_line line = {LEDGER_CRAWL_LOG, STR("no end")};
    struct ledger_outcome long_host = {.links = &link, .link_count = 1};
    struct ledger_outcome no_end = {.lines = &line, .line_count = 1};
    unsigned epoch;
    assert_rc(small_open(&one, d, 1, &truth), RC_OK);
    assert_rc(ledger_record_outcome(one.ledger, 0, &long_host, &epoch), RC_INVALID);
    assert_rc(ledger_record_outcome(one.ledger, 0, &no_end, &epoch), RC_INVALID);
    assert_rc(ledger_state(one.ledger), RC_OK);
    assert_rc(small_finish(&one), RC_OK);
    assert_null(small_check_end(&one, d));
    small_close(&one);
    disk_close(d);
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static void its_own_thread_syncs_and_makes_images(void **state)
{
    (void)state;
    char root[] = "/tmp/orbweaver-ledger-XXXXXX";
    struct disk *d;
    memset(&truth, 0, sizeof truth);
    assert_non_null(mkdtemp(root));
    assert_rc(disk_real_open(root, &d), RC_OK);
    for (int round = 0; round < 3; round++) {
        assert_rc(small_open_helped(&one, d, 2, &truth, 1), RC_OK);
        crawl_some(&one, 6);
        small_close(&one);
    }
    assert_rc(small_open_helped(&one, d, 2, &truth, 1), RC_OK);
    assert_rc(small_finish(&one), RC_OK);
    assert_false(ledger_is_short(one.ledger));
    const char *why = small_check_end(&one, d);
    small_close(&one);
    disk_close(d);
    (void)nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    if (why)
        fail_msg("%s", why);
}

static enum rc every_step(void *ctx)
{
    struct disk *d;
    bool more;
    (void)ctx;
    memset(&truth, 0, sizeof truth);
    enum rc rc = disk_crash_open(&d);
    if (rc)
        return rc;
    rc = small_open(&one, d, 2, &truth);
    for (int i = 0; i < 5 && rc == RC_OK; i++)
        rc = small_step(&one, true, &more);
    rc = rc ? rc : ledger_finish(one.ledger);
    small_close(&one);
    rc = rc ? rc : small_open(&one, d, 2, &truth);
    small_close(&one);
    disk_close(d);
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
        cmocka_unit_test(a_second_process_is_refused),
        cmocka_unit_test(another_version_is_refused),
        cmocka_unit_test(a_batch_of_no_sense_is_refused_by_its_position),
        cmocka_unit_test(a_damaged_manifest_or_image_is_refused),
        cmocka_unit_test(a_finished_crawl_opens_with_nothing_to_replay),
        cmocka_unit_test(a_turn_writes_records_before_the_journal),
        cmocka_unit_test(images_are_made_on_the_way_and_the_journal_is_trimmed),
        cmocka_unit_test(links_that_nobody_admitted_come_back),
        cmocka_unit_test(links_that_were_dropped_stay_out),
        cmocka_unit_test(no_host_is_asked_at_once_after_a_resume),
        cmocka_unit_test(what_a_batch_cannot_hold_is_refused_and_changes_nothing),
        cmocka_unit_test(its_own_thread_syncs_and_makes_images),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
