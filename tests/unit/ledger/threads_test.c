/* SPDX-License-Identifier: Apache-2.0 */
/* Two shards on two threads and the helper on a third, on real files: meant for a thread sanitizer,
 * and what they did together must be there when the ledger is opened again. */
#include "base/clock.h"
#include "base/hash.h"
#include "ledger/ledger.h"
#include "lib/test.h"

#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHARDS = 2, PAGES = 400, LINKS = 3, LATE = 5, TEXT = 48 };

struct shard {
    struct ledger *ledger;
    unsigned number;
    char host[TEXT];
    enum rc rc;
};

struct page {
    char paths[LINKS][TEXT];
    struct candidate links[LINKS];
    unsigned epoch;
};

static const struct ledger_settings settings = {
    .shards = SHARDS,
    .frontier = {.max_hosts = 1000, .max_host_queue = 1 << 20},
    .warc = {.prefix = STR("T"),
             .host = STR("test"),
             .roll_bytes = 20000,
             .buffer_bytes = 1 << 20,
             .info = {.software = STR("orbweaver/test")}},
    .journal = {.segment_bytes = 20000, .buffer_bytes = 1 << 20},
    .digest_bytes = 100000,
    .sync_ms = 1,
    .snapshot_bytes = 30000,
    .slice_buckets = 1,
    .most_wait_ms = 1000,
};

static enum rc open_it(struct disk *d, struct ledger **ret, struct ledger_report *report)
{
    struct ledger_settings s = settings;
    struct buf why = {.max = 1000};
    s.clock = clock_real();
    enum rc rc = ledger_open(d, &s, (struct ledger_hears){0}, ret, report, &why);
    buf_done(&why);
    return rc;
}

/* A host that belongs to the shard. */
static void name_host(struct shard *s)
{
    for (unsigned i = 0;; i++) {
        int n = snprintf(s->host, TEXT, "h%u.test", i);
        if (frontier_bucket(hash64(str_make(s->host, (size_t)n))) % SHARDS == s->number)
            return;
    }
}

static void make_page(const struct shard *s, struct page *p, unsigned number)
{
    for (unsigned i = 0; i < LINKS; i++) {
        (void)snprintf(p->paths[i], TEXT, "/%u", number * LINKS + i);
        struct str path = str_c(p->paths[i]);
        p->links[i] = (struct candidate){.fingerprint = hash64_seeded(path, s->number),
                                         .host_hash = hash64(str_c(s->host)),
                                         .host = str_c(s->host),
                                         .path = path,
                                         .seed_path = STR("L")};
    }
}

static enum rc record_page(struct shard *s, struct capture_writer *w, struct page *p,
                           struct checkout *checkout)
{
    struct capture capture = {.target_uri = STR("http://h.test/"),
                              .date_ms = (int64_t)clock_wall_ms(clock_real()),
                              .head = STR("HTTP/1.1 200 OK\r\n\r\n"),
                              .body = str_c(p->paths[0])};
    struct warc_location location;
    struct ledger_line line = {LEDGER_CRAWL_LOG, STR("page\n")};
    enum rc rc = capture_write(w, ledger_warc(s->ledger, s->number), ledger_digests(s->ledger),
                               &capture, &location);
    struct ledger_outcome o = {.checkout = checkout,
                               .location = &location,
                               .capture = &capture,
                               .lines = &line,
                               .line_count = 1,
                               .links = p->links,
                               .link_count = LINKS,
                               .pages = 1};
    return rc ? rc : ledger_record_outcome(s->ledger, s->number, &o, &p->epoch);
}

static enum rc admit(struct shard *s, struct page *p)
{
    enum admitted what[LINKS];
    return ledger_admit(s->ledger, s->number, p->epoch, p->links, LINKS, 0, what);
}

/* Links are admitted some pages late, so that snapshots have to wait for them. */
static void *run(void *ctx)
{
    struct shard *s = ctx;
    static struct page rooms[SHARDS][PAGES];
    struct page *pages = rooms[s->number];
    struct capture_writer *w = capture_writer_open();
    s->rc = w ? RC_OK : RC_NOMEM;
    for (unsigned i = 0; i < PAGES + LATE && s->rc == RC_OK; i++) {
        struct checkout checkout;
        bool has_url =
            frontier_checkout(ledger_frontier(s->ledger, s->number), 0, 1, &checkout) == RC_OK;
        if (i < PAGES) {
            make_page(s, &pages[i], i);
            s->rc = record_page(s, w, &pages[i], has_url ? &checkout : NULL);
        } else if (has_url) {
            ledger_return(s->ledger, s->number, &checkout, 0);
        }
        if (i >= LATE && s->rc == RC_OK)
            s->rc = admit(s, &pages[i - LATE]);
        s->rc = s->rc ? s->rc : ledger_turn(s->ledger, s->number);
        if (i % 50 == 0)
            ledger_checkpoint(s->ledger);
        (void)ledger_totals(s->ledger);
    }
    capture_writer_close(w);
    return NULL;
}

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st, (void)kind, (void)at;
    return remove(path);
}

static void run_both(struct ledger *l)
{
    struct shard shards[SHARDS];
    pthread_t threads[SHARDS];
    for (unsigned i = 0; i < SHARDS; i++) {
        shards[i] = (struct shard){.ledger = l, .number = i};
        name_host(&shards[i]);
        assert_int_equal(pthread_create(&threads[i], NULL, run, &shards[i]), 0);
    }
    for (unsigned i = 0; i < SHARDS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_rc(shards[i].rc, RC_OK);
    }
}

static void check(struct ledger *l, struct disk *d, const struct frontier_counts before[SHARDS])
{
    struct buf log = {.max = 1 << 20};
    for (unsigned i = 0; i < SHARDS; i++) {
        struct frontier_counts c = frontier_counts(ledger_frontier(l, i));
        assert_int_equal(c.known, before[i].known);
        assert_int_equal(c.queued, before[i].queued);
    }
    assert_int_equal(ledger_totals(l).pages, SHARDS * PAGES);
    assert_rc(disk_read_whole(d, "logs/crawl.log", &log), RC_OK);
    assert_int_equal(log.n, SHARDS * PAGES * 5);
    buf_done(&log);
}

static void three_threads_leave_what_they_did(void **state)
{
    (void)state;
    char root[] = "/tmp/orbweaver-threads-XXXXXX";
    struct disk *d;
    struct ledger *l;
    struct ledger_report report;
    struct frontier_counts before[SHARDS];
    assert_non_null(mkdtemp(root));
    assert_rc(disk_real_open(root, &d), RC_OK);
    assert_rc(open_it(d, &l, &report), RC_OK);
    run_both(l);
    for (unsigned i = 0; i < SHARDS; i++) {
        before[i] = frontier_counts(ledger_frontier(l, i));
        assert_rc(ledger_turn(l, i), RC_OK);
    }
    assert_rc(ledger_sync(l), RC_OK);
    ledger_close(l);
    assert_rc(open_it(d, &l, &report), RC_OK); /* as after a kill */
    assert_int_equal(report.dropped, 0);
    assert_rc(ledger_turn(l, 0), RC_OK);
    check(l, d, before);
    assert_rc(ledger_finish(l), RC_OK);
    ledger_close(l);
    assert_rc(open_it(d, &l, &report), RC_OK);
    assert_int_equal(report.batches, 0);
    check(l, d, before);
    ledger_close(l);
    disk_close(d);
    (void)nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(three_threads_leave_what_they_did)};
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
