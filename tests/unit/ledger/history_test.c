/* SPDX-License-Identifier: Apache-2.0 */
/* The history beside the ledger: it has what is durable in the journal, and what it lost in a crash
 * comes back from there. */
#include "base/clock.h"
#include "ledger/ledger.h"
#include "lib/test.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>

struct world {
    char root[40], history[60];
    struct disk *disk;
    struct ledger *ledger;
    struct ledger_report report;
};

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static void open_ledger(struct world *w)
{
    struct buf why = {.max = 1000};
    struct ledger_settings s = {
        .shards = 1,
        .frontier = {.max_hosts = 10, .max_host_queue = 10},
        .warc = {.prefix = STR("T"), .host = STR("t"), .info = {.software = STR("test")}},
        .journal = {.segment_bytes = 1000, .buffer_bytes = 10000},
        .history_path = w->history,
        .digest_bytes = 10000,
        .snapshot_bytes = UINT64_MAX,
        .clock = clock_real()};
    enum rc rc = ledger_open(w->disk, &s, (struct ledger_hears){0}, &w->ledger, &w->report, &why);
    if (rc)
        fail_msg("%s", buf_c(&why));
    buf_done(&why);
}

static void record_code(struct world *w, uint64_t fingerprint, int32_t code)
{
    struct history_entry history = {
        .url = STR("http://a.test/"), .code = code, .etag = STR("\"e\"")};
    struct ledger_outcome o = {.fingerprint = fingerprint, .history = &history, .pages = 1};
    unsigned epoch;
    assert_rc(ledger_record_outcome(w->ledger, 0, &o, &epoch), RC_OK);
}

static void assert_code(struct world *w, uint64_t fingerprint, int32_t code)
{
    struct history_entry history;
    struct arena *arena = arena_open(1000, 1 << 16);
    assert_non_null(arena);
    enum rc rc = history_get(ledger_history(w->ledger), fingerprint, arena, &history);
    assert_rc(rc, code ? RC_OK : RC_NOT_FOUND);
    if (code) {
        assert_int_equal(history.code, code);
        assert_str(history.etag, STR("\"e\""));
    }
    arena_close(arena);
}

static void what_the_history_lost_comes_from_the_journal(void **state)
{
    (void)state;
    struct world w = {.root = "/tmp/orbweaver-past-XXXXXX"};
    assert_non_null(mkdtemp(w.root));
    (void)snprintf(w.history, sizeof w.history, "%s/history", w.root);
    assert_rc(disk_real_open(w.root, &w.disk), RC_OK);
    open_ledger(&w);
    record_code(&w, 1, 200);
    assert_rc(ledger_turn(w.ledger, 0), RC_OK);
    assert_code(&w, 1, 0); /* not before the journal is durable */
    assert_rc(ledger_sync(w.ledger), RC_OK);
    assert_code(&w, 1, 200);
    record_code(&w, 1, 404);
    record_code(&w, 2, 200);
    assert_rc(ledger_turn(w.ledger, 0), RC_OK);
    ledger_close(w.ledger); /* as kill -9: nothing of the history was flushed */
    open_ledger(&w);
    assert_code(&w, 1, 404);
    assert_code(&w, 2, 200);
    record_code(&w, 3, -2);
    assert_rc(ledger_finish(w.ledger), RC_OK);
    ledger_close(w.ledger);
    open_ledger(&w);
    assert_int_equal(w.report.batches, 0); /* so the next three are its own */
    assert_code(&w, 1, 404);
    assert_code(&w, 2, 200);
    assert_code(&w, 3, -2);
    ledger_close(w.ledger);
    disk_close(w.disk);
    (void)nftw(w.root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_history_lost_comes_from_the_journal)};
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
