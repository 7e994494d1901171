/* SPDX-License-Identifier: Apache-2.0 */
/* One suite over every kind of set of known URLs (ledger.h, enum ledger_seen): what is admitted,
 * done, forgotten and asked for again, across swaps, snapshots, kills and restarts, against a small
 * model. A filter of this size has no false positive, so all kinds must give the same. */
#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"
#include "cluster/wire/records.h"
#include "disk/disk_crash.h"
#include "frontier/seen_store.h"
#include "frontier/swap.h"
#include "ledger/ledger.h"
#include "lib/test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

enum { HOSTS = 6, PATHS = 9, URLS = HOSTS * PATHS, STEPS = TEST_IS_SANITIZED ? 200 : 600 };

enum url_state { UNKNOWN, QUEUED, DONE };

static struct world {
    enum ledger_seen kind;
    bool is_tight;
    char root[40], path[60];
    struct disk *disk;
    struct clock_simulated clock;
    struct ledger *ledger;
    struct ledger_report report;
    enum url_state urls[URLS];
    char why[500];
} world;

static const char *const kind_names[] = {"exact", "rocksdb", "bloom"};

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

/* Opening -------------------------------------------------------------------------------------- */

static struct ledger_seen_settings seen_of(enum ledger_seen kind)
{
    return (struct ledger_seen_settings){
        .kind = kind, .path = world.path, .bytes = 1 << 20, .expected = 1000, .loss = 1e-9};
}

static enum rc open_with(struct ledger_seen_settings seen, bool recrawl)
{
    struct buf why = buf_on(world.why, sizeof world.why - 1);
    memset(world.why, 0, sizeof world.why);
    struct ledger_settings s = {
        .shards = 1,
        .frontier = {.max_hosts = 1000,
                     .max_host_queue = 1000,
                     .memory_bytes = world.is_tight,
                     .slice_ms = 1},
        .seen = seen,
        .warc = {.prefix = STR("T"), .host = STR("t"), .info = {.software = STR("test")}},
        .journal = {.segment_bytes = 100000, .buffer_bytes = 1 << 20},
        .digest_bytes = 10000,
        .snapshot_bytes = UINT64_MAX,
        .slice_buckets = 2,
        .most_wait_ms = 1000,
        .recrawl = recrawl,
        .clock = &world.clock.clock};
    enum rc rc =
        ledger_open(world.disk, &s, (struct ledger_hears){0}, &world.ledger, &world.report, &why);
    world.why[why.n] = '\0';
    return rc;
}

static void must_open(void)
{
    enum rc rc = open_with(seen_of(world.kind), false);
    if (rc)
        fail_msg("%s: %s: %s", kind_names[world.kind], rc_text(rc), world.why);
}

static void begin(enum ledger_seen kind, bool is_tight)
{
    world =
        (struct world){.kind = kind, .is_tight = is_tight, .root = "/tmp/orbweaver-seen-XXXXXX"};
    assert_non_null(mkdtemp(world.root));
    (void)snprintf(world.path, sizeof world.path, "%s/seen", world.root);
    assert_rc(disk_crash_open(&world.disk), RC_OK);
    clock_simulated_init(&world.clock, 5000, UINT64_C(1700000000000));
    must_open();
}

static void close_ledger(void)
{
    ledger_close(world.ledger);
    world.ledger = NULL;
}

static void end(void)
{
    close_ledger();
    disk_close(world.disk);
    (void)nftw(world.root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static struct frontier *frontier(void)
{
    return ledger_frontier(world.ledger, 0);
}

/* URLs ----------------------------------------------------------------------------------------- */

static struct str host_of(unsigned url)
{
    static const char *const names[HOSTS] = {"a.test", "b.test", "c.test",
                                             "d.test", "e.test", "f.test"};
    return str_c(names[url / PATHS]);
}

static struct str path_of(unsigned url)
{
    static const char digits[] = "/0/1/2/3/4/5/6/7/8";
    return str_make(digits + url % PATHS * 2, 2);
}

static struct record record_of(enum record_kind kind, unsigned url)
{
    static char room[100];
    struct buf text = buf_on(room, sizeof room);
    buf_printf(&text, "http://" STR_FMT STR_FMT, STR_ARG(host_of(url)), STR_ARG(path_of(url)));
    return (struct record){.kind = kind,
                           .host_hash = hash64(host_of(url)),
                           .host = host_of(url),
                           .fingerprint = hash64(buf_str(&text)),
                           .path = kind == RECORD_URL ? path_of(url) : STR(""),
                           .seed_path = STR("L"),
                           .time_ms = 7,
                           .status = 200};
}

static enum rc tell(const struct record *r)
{
    char room[500];
    struct buf mine = buf_on(room, sizeof room);
    unsigned epoch;
    uint64_t batch;
    size_t fresh;
    record_batch_begin(&mine, &(struct record_batch){.is = BATCH_IS_RECORDS, .src = STR("t")});
    record_put(&mine, r);
    struct ledger_news n = {.kept = LEDGER_NOT_SAID, .mine = buf_str(&mine)};
    enum rc rc = ledger_tell(world.ledger, &n, &epoch, &batch);
    return rc ? rc : ledger_merge(world.ledger, 0, epoch, r, 1, &fresh);
}

static enum rc admit(unsigned url)
{
    struct record r = record_of(RECORD_URL, url);
    enum rc rc = tell(&r);
    if (rc == RC_OK && world.urls[url] == UNKNOWN)
        world.urls[url] = QUEUED;
    return rc;
}

static void note_done(unsigned url)
{
    struct record r = record_of(RECORD_DONE, url);
    assert_rc(tell(&r), RC_OK);
    world.urls[url] = DONE;
}

static void ask_again(unsigned url)
{
    struct record r = record_of(RECORD_URL, url);
    r.is_again = true;
    assert_rc(tell(&r), RC_OK);
    world.urls[url] = QUEUED;
}

static void hand_over(unsigned host)
{
    char room[20];
    struct buf name = buf_on(room, sizeof room);
    struct str host_name = host_of(host * PATHS);
    unsigned epoch;
    uint64_t batch;
    buf_byte(&name, (char)host_name.n);
    buf_add(&name, host_name);
    struct ledger_news n = {.kept = LEDGER_NOT_SAID, .forgotten = buf_str(&name)};
    assert_rc(ledger_tell(world.ledger, &n, &epoch, &batch), RC_OK);
    assert_rc(ledger_forget(world.ledger, 0, epoch, host_name), RC_OK);
    for (unsigned i = host * PATHS; i < (host + 1) * PATHS; i++)
        if (world.urls[i] == QUEUED)
            world.urls[i] = UNKNOWN;
}

static enum rc turn(void)
{
    world.clock.now += 10;
    return ledger_turn(world.ledger, 0);
}

/* A snapshot that counts, and what was listed for it is in the store. */
static enum rc take_snapshot(void)
{
    enum rc rc = RC_OK;
    ledger_checkpoint(world.ledger);
    for (unsigned i = 0; i < 130 && rc == RC_OK; i++) {
        rc = i % 65 ? turn() : ledger_sync(world.ledger);
        rc = rc ? rc : turn();
    }
    return rc ? rc : ledger_sync(world.ledger);
}

static void kill_and_open(void)
{
    assert_rc(turn(), RC_OK);
    close_ledger();
    must_open();
}

static void finish_and_open(void)
{
    assert_rc(ledger_finish(world.ledger), RC_OK);
    close_ledger();
    must_open();
}

/* The model ------------------------------------------------------------------------------------ */

static void check_url(unsigned url)
{
    struct record r = record_of(RECORD_URL, url);
    bool knows = frontier_knows(frontier(), r.host_hash, r.fingerprint);
    if (knows != (world.urls[url] != UNKNOWN))
        fail_msg("%s: http://" STR_FMT STR_FMT " is %sknown", kind_names[world.kind],
                 STR_ARG(r.host), STR_ARG(path_of(url)), knows ? "" : "not ");
}

static void check_host(unsigned host)
{
    struct str name = host_of(host * PATHS);
    unsigned queued = 0;
    assert_rc(ledger_bring(world.ledger, 0, hash64(name)), RC_OK);
    const struct host *h = frontier_host(frontier(), hash64(name), name);
    for (unsigned i = host * PATHS; i < (host + 1) * PATHS; i++) {
        check_url(i);
        queued += world.urls[i] == QUEUED;
    }
    assert_int_equal(h ? host_queued(h) : 0, queued);
}

static void check_all(void)
{
    uint64_t known = 0;
    for (unsigned i = 0; i < HOSTS; i++)
        check_host(i);
    for (unsigned i = 0; i < URLS; i++)
        known += world.urls[i] != UNKNOWN;
    if (!world.is_tight) /* else some of it waits in inboxes */
        assert_int_equal(frontier_counts(frontier()).known, known);
}

static void step(struct rng *r)
{
    unsigned url = (unsigned)rng_below(r, URLS);
    switch (rng_below(r, 26)) {
    case 0:
        hand_over(url / PATHS);
        break;
    case 1:
        assert_rc(take_snapshot(), RC_OK);
        break;
    case 2:
        kill_and_open();
        break;
    case 3:
        if (rng_below(r, 4) == 0)
            finish_and_open();
        break;
    case 4:
        check_all();
        break;
    case 5:
    case 6:
        ask_again(url);
        break;
    case 7:
    case 8:
    case 9:
    case 10:
        note_done(url);
        break;
    case 11:
    case 14:
        assert_rc(ledger_sync(world.ledger), RC_OK);
        break;
    case 15: /* a snapshot begins, and everything else goes on while it is made */
        ledger_checkpoint(world.ledger);
        break;
    case 12:
    case 13:
        assert_rc(turn(), RC_OK);
        break;
    default:
        assert_rc(admit(url), RC_OK);
    }
}

static void each_kind(void (*test)(enum ledger_seen kind, bool is_tight))
{
    for (enum ledger_seen kind = LEDGER_SEEN_EXACT; kind <= LEDGER_SEEN_BLOOM; kind++)
        for (unsigned tight = 0; tight < 2; tight++)
            test(kind, tight);
}

static void follow_model(enum ledger_seen kind, bool is_tight)
{
    struct rng r;
    rng_init(&r, test_seed(kind * 2 + is_tight));
    begin(kind, is_tight);
    for (unsigned i = 0; i < STEPS; i++)
        step(&r);
    check_all();
    finish_and_open();
    check_all();
    end();
}

static void every_kind_knows_what_the_model_knows(void **state)
{
    (void)state;
    each_kind(follow_model);
}

/* What is stored takes no memory --------------------------------------------------------------- */

static void fill(void)
{
    for (unsigned i = 0; i < URLS; i++) {
        assert_rc(admit(i), RC_OK);
        if (i % 3 == 0)
            note_done(i);
    }
}

static void store_takes_all(enum ledger_seen kind, bool is_tight)
{
    begin(kind, is_tight);
    fill();
    uint64_t before = frontier_counts(frontier()).bytes;
    assert_rc(take_snapshot(), RC_OK);
    for (unsigned i = 0; i < 70; i++)
        assert_rc(turn(), RC_OK);
    if (!is_tight && kind != LEDGER_SEEN_EXACT)
        assert_true(frontier_counts(frontier()).bytes < before);
    if (!is_tight && kind == LEDGER_SEEN_BLOOM)
        assert_int_equal(ledger_seen_numbers(world.ledger).count, URLS);
    check_all();
    kill_and_open();
    check_all();
    end();
}

static void what_a_snapshot_has_leaves_memory_and_stays_known(void **state)
{
    (void)state;
    each_kind(store_takes_all);
}

/* The buckets are in the snapshot, and their lists with the helper; the store has nothing of them
 * yet. */
static void slice_only(void)
{
    ledger_checkpoint(world.ledger);
    assert_rc(ledger_sync(world.ledger), RC_OK);
    for (unsigned i = 0; i < 20; i++)
        assert_rc(turn(), RC_OK);
}

static void change_while_sliced(enum ledger_seen kind, bool is_tight)
{
    begin(kind, is_tight);
    fill();
    slice_only();
    finish_and_open(); /* gives that snapshot up, and makes another */
    check_all();
    for (unsigned i = 0; i < URLS; i++)
        ask_again(i);
    slice_only();
    hand_over(0); /* young and listed, then forgotten */
    hand_over(1);
    for (unsigned i = PATHS; i < 2 * PATHS; i++)
        assert_rc(admit(i), RC_OK); /* and back again */
    assert_rc(take_snapshot(), RC_OK);
    check_all();
    hand_over(1);
    slice_only(); /* now they are listed as gone */
    for (unsigned i = PATHS; i < PATHS + 4; i++)
        assert_rc(admit(i), RC_OK);
    assert_rc(take_snapshot(), RC_OK);
    check_all();
    kill_and_open();
    check_all();
    for (unsigned i = 0; i < URLS; i++)
        assert_rc(admit(i), RC_OK);
    check_all();
    end();
}

static void what_changes_while_a_snapshot_is_made_is_right_afterwards(void **state)
{
    (void)state;
    each_kind(change_while_sliced);
}

/* Beginning anew ------------------------------------------------------------------------------- */

static void forget_done(void)
{
    for (unsigned i = 0; i < URLS; i++)
        world.urls[i] = world.urls[i] == DONE ? UNKNOWN : world.urls[i];
}

static void recrawl_forgets(enum ledger_seen kind, bool is_tight)
{
    begin(kind, is_tight);
    fill();
    assert_rc(take_snapshot(), RC_OK);
    assert_rc(turn(), RC_OK);
    close_ledger();
    assert_rc(open_with(seen_of(kind), true), RC_OK);
    assert_true(world.report.has_begun_recrawl);
    forget_done();
    for (unsigned i = 0; i < 2; i++) {
        check_all();
        kill_and_open();
    }
    for (unsigned i = 0; i < URLS; i += 2)
        note_done(i);
    assert_rc(take_snapshot(), RC_OK);
    kill_and_open();
    check_all();
    end();
}

static void a_recrawl_forgets_what_is_done(void **state)
{
    (void)state;
    each_kind(recrawl_forgets);
}

static void put_aside(enum ledger_seen kind, bool is_tight)
{
    struct ledger_news n = {.kept = LEDGER_NOT_SAID, .is_aside = true};
    unsigned epoch;
    uint64_t batch;
    if (kind == LEDGER_SEEN_BLOOM) /* no agent of a cluster has one */
        return;
    begin(kind, is_tight);
    for (unsigned round = 0; round < 3; round++) {
        fill();
        assert_rc(take_snapshot(), RC_OK);
        check_all();
        assert_rc(ledger_tell(world.ledger, &n, &epoch, &batch), RC_OK);
        enum rc rc = RC_AGAIN;
        for (unsigned i = 0; i < 100 && rc == RC_AGAIN; i++)
            rc = ledger_empty(world.ledger, 0, epoch);
        assert_rc(rc, RC_OK);
        memset(world.urls, 0, sizeof world.urls);
        check_all();
        if (round) /* the snapshot before it, or one behind it */
            assert_rc(take_snapshot(), RC_OK);
        kill_and_open();
        check_all();
    }
    end();
}

static void an_incarnation_put_aside_leaves_nothing_known(void **state)
{
    (void)state;
    each_kind(put_aside);
}

/* Without memory ------------------------------------------------------------------------------- */

/* Whatever allocation fails, the ledger fails or it did not matter; what was journalled is there
 * when it is opened again. */
static bool fail_at(enum ledger_seen kind, bool is_tight, uint64_t nth)
{
    begin(kind, is_tight);
    for (unsigned i = 0; i < URLS / 2; i++)
        assert_rc(admit(i), RC_OK);
    assert_rc(turn(), RC_OK);
    mem_fault_at(nth);
    enum rc rc = take_snapshot();
    for (unsigned i = 0; i < 4 && rc == RC_OK; i++)
        rc = turn();
    bool hit = mem_fault_hit();
    mem_fault_at(0);
    assert_true(rc == RC_OK || rc == RC_NOMEM);
    close_ledger();
    must_open();
    check_all();
    end();
    return hit;
}

static void fail_everywhere(enum ledger_seen kind, bool is_tight)
{
    uint64_t nth = 1;
    while (fail_at(kind, is_tight, nth))
        nth += 1 + nth / (TEST_IS_SANITIZED ? 4 : 20);
    assert_true(nth > 10);
}

static void nothing_is_lost_when_memory_runs_out_in_a_snapshot(void **state)
{
    (void)state;
    each_kind(fail_everywhere);
}

/* Which kind a directory has ---------------------------------------------------------------------
 */

static void a_directory_stays_with_its_kind(void **state)
{
    (void)state;
    for (enum ledger_seen made = LEDGER_SEEN_EXACT; made <= LEDGER_SEEN_BLOOM; made++)
        for (enum ledger_seen then = LEDGER_SEEN_EXACT; then <= LEDGER_SEEN_AS_MADE; then++) {
            begin(made, false);
            fill();
            assert_rc(take_snapshot(), RC_OK);
            close_ledger();
            bool fits = made == then || then == LEDGER_SEEN_AS_MADE ||
                        (made == LEDGER_SEEN_EXACT && then == LEDGER_SEEN_ROCKSDB);
            assert_rc(open_with(seen_of(then), false), fits ? RC_OK : RC_INVALID);
            if (fits)
                check_all();
            else
                assert_non_null(strstr(world.why, "write the first into the wiring"));
            close_ledger();
            world.kind =
                fits && made == LEDGER_SEEN_EXACT && then == LEDGER_SEEN_ROCKSDB ? then : made;
            must_open();
            check_all();
            end();
        }
}

static void a_store_that_is_missing_or_not_said_is_damage(void **state)
{
    (void)state;
    char aside[80];
    begin(LEDGER_SEEN_ROCKSDB, false);
    fill();
    assert_rc(take_snapshot(), RC_OK);
    fill();
    assert_rc(take_snapshot(), RC_OK);
    close_ledger();
    (void)snprintf(aside, sizeof aside, "%s/aside", world.root);
    assert_int_equal(rename(world.path, aside), 0);
    assert_rc(open_with(seen_of(LEDGER_SEEN_ROCKSDB), false), RC_CORRUPT);
    assert_string_equal(world.why, "state/seen: it is missing");
    assert_int_equal(rename(aside, world.path), 0);
    must_open();
    assert_rc(take_snapshot(), RC_OK); /* the first of this process relies on earlier ones */
    close_ledger();
    assert_int_equal(rename(world.path, aside), 0);
    assert_rc(open_with(seen_of(LEDGER_SEEN_ROCKSDB), false), RC_CORRUPT);
    assert_int_equal(rename(aside, world.path), 0);
    assert_rc(disk_replace(world.disk, "state/SEEN", STR("tree\n")), RC_OK);
    assert_rc(open_with(seen_of(LEDGER_SEEN_ROCKSDB), false), RC_CORRUPT);
    assert_string_equal(world.why, "state/SEEN: it does not say how known URLs are kept");
    assert_rc(disk_unlink(world.disk, "state/SEEN"), RC_OK);
    assert_rc(open_with(seen_of(LEDGER_SEEN_EXACT), false), RC_CORRUPT);
    assert_non_null(strstr(world.why, "state/SEEN: it is missing"));
    assert_rc(disk_replace(world.disk, "state/SEEN", STR("rocksdb\n")), RC_OK);
    must_open();
    check_all();
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_knows_what_the_model_knows),
        cmocka_unit_test(what_a_snapshot_has_leaves_memory_and_stays_known),
        cmocka_unit_test(what_changes_while_a_snapshot_is_made_is_right_afterwards),
        cmocka_unit_test(a_recrawl_forgets_what_is_done),
        cmocka_unit_test(an_incarnation_put_aside_leaves_nothing_known),
        cmocka_unit_test(nothing_is_lost_when_memory_runs_out_in_a_snapshot),
        cmocka_unit_test(a_directory_stays_with_its_kind),
        cmocka_unit_test(a_store_that_is_missing_or_not_said_is_damage),
    };
    return cmocka_run_group_tests_name("ledger_seen", tests, NULL, NULL);
}
