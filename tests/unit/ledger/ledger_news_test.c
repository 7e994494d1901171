/* SPDX-License-Identifier: Apache-2.0 */
/* What an agent of a cluster is told, and what of it is there when the crawl is opened again: every
 * case looks twice, before and after. */
#include "small_crawl.h"

#include "base/hash.h"
#include "cluster/wire/records.h"
#include "disk/disk_crash.h"
#include "frontier/swap.h"
#include "ledger/batch.h"
#include "lib/test.h"

#include <pthread.h>
#include <stdatomic.h>

#define HOST "told.test"

static struct small_crawl crawl;
static struct small_truth truth;
static struct disk *disk;
static bool is_tight; /* all that is not looked at is swapped to disk */

static void begin(void)
{
    memset(&truth, 0, sizeof truth);
    truth.is_tight = is_tight;
    assert_rc(disk_crash_open(&disk), RC_OK);
    assert_rc(small_open(&crawl, disk, 1, &truth), RC_OK);
}

static void open_again(void)
{
    assert_rc(ledger_sync(crawl.ledger), RC_OK);
    small_close(&crawl);
    assert_rc(small_open(&crawl, disk, 1, &truth), RC_OK);
}

static void end(void)
{
    small_close(&crawl);
    disk_close(disk);
}

static uint64_t fingerprint_of(const char *path)
{
    struct buf url = {.max = 200};
    buf_printf(&url, "http://" HOST "%s", path);
    uint64_t fingerprint = hash64(buf_str(&url));
    buf_done(&url);
    return fingerprint;
}

static struct record record_of(enum record_kind kind, const char *path)
{
    return (struct record){.kind = kind,
                           .host_hash = hash64(STR(HOST)),
                           .host = STR(HOST),
                           .fingerprint = fingerprint_of(path),
                           .path = kind == RECORD_URL ? str_c(path) : STR(""),
                           .seed_path = STR("L"),
                           .time_ms = 7,
                           .status = 200};
}

/* Journals, and merges at once. */
static uint64_t merge(const struct record *r)
{
    static char room[500];
    struct buf mine = buf_on(room, sizeof room);
    unsigned epoch;
    uint64_t batch;
    size_t fresh;
    record_batch_begin(&mine, &(struct record_batch){.is = BATCH_IS_RECORDS, .src = STR("t")});
    record_put(&mine, r);
    struct ledger_news n = {.kept = LEDGER_NOT_SAID, .mine = buf_str(&mine)};
    assert_rc(ledger_tell(crawl.ledger, &n, &epoch, &batch), RC_OK);
    if (r->kind == RECORD_SEED_PATH || r->kind == RECORD_SHORTER)
        assert_rc(ledger_take_seed_path(crawl.ledger, 0, r), RC_OK);
    assert_rc(ledger_merge(crawl.ledger, 0, epoch, r, 1, &fresh), RC_OK);
    return batch;
}

static bool is_swapped(void)
{
    return frontier_is_swapped(ledger_frontier(crawl.ledger, 0), hash64(STR(HOST)));
}

/* There is memory for one bucket: others are wanted until HOST's has gone. */
static void swap_out(void)
{
    static const char *const others[] = {"1.test", "2.test"};
    for (unsigned i = 0; is_tight && i < 50 && !is_swapped(); i++) {
        struct record r = record_of(RECORD_URL, i / 2 % 2 ? "/a" : "/b");
        r.host = str_c(others[i % 2]);
        r.host_hash = hash64(r.host);
        r.fingerprint += i; /* another each time */
        merge(&r);
        crawl.clock.now += 1000;
        assert_rc(ledger_turn(crawl.ledger, 0), RC_OK);
    }
    assert_true(!is_tight || is_swapped());
}

static uint64_t tell(const struct record *r)
{
    uint64_t batch = merge(r);
    swap_out();
    return batch;
}

static void bring(void)
{
    if (is_tight)
        assert_rc(ledger_bring(crawl.ledger, 0, hash64(STR(HOST))), RC_OK);
}

static void is_queued(unsigned count)
{
    bring();
    struct host *h = frontier_host(ledger_frontier(crawl.ledger, 0), hash64(STR(HOST)), STR(HOST));
    assert_int_equal(h ? host_queued(h) : 0, count);
}

static bool is_known(const char *path)
{
    bring();
    return frontier_knows(ledger_frontier(crawl.ledger, 0), hash64(STR(HOST)),
                          fingerprint_of(path));
}

static void what_was_done_elsewhere_is_not_queued(void **state)
{
    (void)state;
    struct record before = record_of(RECORD_URL, "/1"), done = record_of(RECORD_DONE, "/1");
    struct record first = record_of(RECORD_DONE, "/2"), then = record_of(RECORD_URL, "/2");
    begin();
    tell(&before);
    is_queued(1);
    tell(&done);
    is_queued(0);
    tell(&first);
    tell(&then);
    is_queued(0);
    open_again();
    is_queued(0);
    assert_true(is_known("/1") && is_known("/2"));
    end();
}

static struct record way_to(enum record_kind kind, const char *path, const char *where)
{
    struct record r = record_of(kind, path);
    r.path = str_c(path);
    r.where = str_c(where);
    return r;
}

static void
a_page_that_somebody_has_is_done_and_one_that_nobody_has_is_asked_for_again(void **state)
{
    (void)state;
    struct record way = way_to(RECORD_SEED_PATH, "/1", "bee"),
                  ours = way_to(RECORD_SHORTER, "/2", "t");
    struct record done = record_of(RECORD_DONE, "/3"), lost = way_to(RECORD_SHORTER, "/3", "");
    begin();
    tell(&way);
    tell(&ours);
    tell(&done);
    is_queued(0);
    open_again();
    is_queued(0);
    assert_true(is_known("/1") && is_known("/2") && is_known("/3"));
    tell(&lost);
    is_queued(1);
    tell(&lost); /* it waits: not twice */
    is_queued(1);
    open_again();
    is_queued(1);
    end();
}

static void what_is_handed_over_is_forgotten_but_for_what_is_done(void **state)
{
    (void)state;
    struct record url = record_of(RECORD_URL, "/1"), done = record_of(RECORD_DONE, "/2");
    struct ledger_news n = {.kept = LEDGER_NOT_SAID, .forgotten = STR("\x09" HOST)};
    unsigned epoch;
    uint64_t batch;
    begin();
    tell(&url);
    tell(&done);
    assert_rc(ledger_tell(crawl.ledger, &n, &epoch, &batch), RC_OK);
    assert_rc(ledger_forget(crawl.ledger, 0, epoch, STR(HOST)), RC_OK);
    for (int i = 0; i < 2; i++) {
        is_queued(0);
        assert_false(is_known("/1"));
        assert_true(is_known("/2"));
        open_again();
    }
    tell(&url); /* and it can come back */
    is_queued(1);
    open_again();
    is_queued(1);
    end();
}

/* The same where everything is_swapped: what is told waits in the inbox, across an opening too. */
static void tight(void (*test)(void **state))
{
    is_tight = true;
    test(NULL);
    is_tight = false;
}

static void what_was_done_elsewhere_is_not_queued_though_it_is_swapped(void **state)
{
    (void)state;
    tight(what_was_done_elsewhere_is_not_queued);
}

static void what_is_swapped_is_forgotten_when_it_is_handed_over(void **state)
{
    (void)state;
    tight(what_is_handed_over_is_forgotten_but_for_what_is_done);
}

static enum rc count_fact(void *ctx, uint64_t position, struct str fact)
{
    (void)position;
    assert_true(str_eq(fact, STR("1")));
    ++*(unsigned *)ctx;
    return RC_OK;
}

static void an_incarnation_put_aside_leaves_nothing_but_facts_and_outbox(void **state)
{
    (void)state;
    struct record url = record_of(RECORD_URL, "/1"), done = record_of(RECORD_DONE, "/2");
    struct ledger_news n = {.kept = 0, .fact = STR("1"), .is_aside = true};
    unsigned epoch, facts = 0;
    uint64_t batch;
    begin();
    tell(&url);
    tell(&done);
    assert_rc(ledger_tell(crawl.ledger, &n, &epoch, &batch), RC_OK);
    assert_int_equal(ledger_pending(crawl.ledger), 3); /* two seeds are on their way */
    assert_rc(ledger_empty(crawl.ledger, 0, epoch), RC_OK);
    assert_int_equal(ledger_pending(crawl.ledger), 2);
    for (int i = 0; i < 2; i++) {
        is_queued(0);
        assert_false(is_known("/1") || is_known("/2"));
        struct frontier_counts left = frontier_counts(ledger_frontier(crawl.ledger, 0));
        assert_true(!left.known && !left.queued && !left.unsorted && !left.swapped);
        open_again();
    }
    assert_rc(ledger_facts(crawl.ledger, count_fact, &facts), RC_OK);
    assert_int_equal(facts, 1);
    struct ledger_outbox *o = ledger_outbox_open(crawl.ledger);
    struct batch b;
    uint64_t at, next;
    assert_non_null(o);
    assert_rc(ledger_outbox_next(o, ledger_kept(crawl.ledger), &b, &at, &next), RC_OK);
    assert_true(b.links.n > 0); /* the seeds */
    ledger_outbox_close(o);
    end();
}

static void an_incarnation_put_aside_leaves_nothing_at_rest(void **state)
{
    (void)state;
    tight(an_incarnation_put_aside_leaves_nothing_but_facts_and_outbox);
}

/* The file of lines as it is, once a turn has written what the journal brought back. */
static void assert_elsewhere(struct str text)
{
    struct buf all = {.max = 10000};
    assert_rc(ledger_turn(crawl.ledger, 0), RC_OK);
    assert_rc(disk_read_whole(disk, "state/elsewhere", &all), RC_OK);
    assert_str(buf_str(&all), text);
    buf_done(&all);
}

static void what_is_lost_is_asked_for_again_and_only_that(void **state)
{
    (void)state;
    struct record waits = record_of(RECORD_URL, "/1"), done = record_of(RECORD_DONE, "/2");
    struct record again = record_of(RECORD_URL, "/2"), other = record_of(RECORD_URL, "/1");
    again.is_again = other.is_again = true;
    done.where = STR("bee");
    done.where_inc = 3;
    done.path = STR("/2");
    begin();
    tell(&waits);
    tell(&done);
    is_queued(1);
    tell(&other); /* it waits already */
    is_queued(1);
    tell(&again);
    is_queued(2);
    tell(&again);
    is_queued(2);
    for (int i = 0; i < 2; i++) {
        open_again();
        is_queued(2);
        assert_elsewhere(STR("done bee 3 7 L 0 http://" HOST "/2\n"
                             "again - 0 0 L 0 http://" HOST "/1\n"
                             "again - 0 0 L 0 http://" HOST "/2\n"
                             "again - 0 0 L 0 http://" HOST "/2\n"));
    }
    tell(&done); /* heard once more */
    is_queued(1);
    end();
}

static void what_is_swapped_and_lost_is_asked_for_again(void **state)
{
    (void)state;
    tight(what_is_lost_is_asked_for_again_and_only_that);
}

static void the_lines_of_news_survive_a_kill(void **state)
{
    (void)state;
    struct record done = record_of(RECORD_DONE, "/2");
    done.where = STR("bee");
    done.where_inc = 3;
    done.path = STR("/2");
    begin();
    assert_rc(ledger_sync(crawl.ledger), RC_OK);
    tell(&done);
    assert_rc(ledger_turn(crawl.ledger, 0), RC_OK); /* the kernel has it, no commit says so */
    small_close(&crawl);
    assert_rc(small_open(&crawl, disk, 1, &truth), RC_OK);
    assert_elsewhere(STR("done bee 3 7 L 0 http://" HOST "/2\n"));
    end();
}

static void what_a_budget_left_out_of_news_stays_out(void **state)
{
    (void)state;
    struct record url = record_of(RECORD_URL, "/1");
    static char room[500];
    struct buf mine = buf_on(room, sizeof room);
    unsigned epoch;
    uint64_t batch;
    begin();
    record_batch_begin(&mine, &(struct record_batch){.is = BATCH_IS_RECORDS, .src = STR("t")});
    record_put(&mine, &url);
    struct ledger_news n = {.kept = LEDGER_NOT_SAID, .mine = buf_str(&mine)};
    assert_rc(ledger_tell(crawl.ledger, &n, &epoch, &batch), RC_OK);
    assert_rc(ledger_drop(crawl.ledger, 0, epoch, batch, &url.fingerprint, 1), RC_OK);
    open_again();
    is_queued(0);
    assert_false(is_known("/1"));
    end();
}

static void a_foreign_link_is_for_others_alone(void **state)
{
    (void)state;
    struct candidate links[2] = {{.fingerprint = fingerprint_of("/1"),
                                  .host_hash = hash64(STR(HOST)),
                                  .host = STR(HOST),
                                  .path = STR("/1")},
                                 {.fingerprint = fingerprint_of("/2"),
                                  .host_hash = hash64(STR(HOST)),
                                  .host = STR(HOST),
                                  .path = STR("/2"),
                                  .is_https = true}};
    struct ledger_outcome o = {.links = links, .link_count = 2, .foreign_count = 1};
    unsigned epoch, count = 0;
    enum admitted what;
    begin();
    uint64_t from = ledger_end(crawl.ledger), pending = ledger_pending(crawl.ledger), at, next;
    assert_rc(ledger_record_outcome(crawl.ledger, 0, &o, &epoch), RC_OK);
    assert_int_equal(ledger_pending(crawl.ledger), pending + 1);
    assert_int_equal(ledger_for_others(crawl.ledger), ledger_end(crawl.ledger));
    assert_rc(ledger_admit(crawl.ledger, 0, epoch, links, 1, 5000, &what), RC_OK);
    is_queued(1);
    open_again();
    is_queued(1);
    assert_false(is_known("/2"));
    struct ledger_outbox *outbox = ledger_outbox_open(crawl.ledger);
    struct batch b;
    struct candidate link;
    bool is_foreign;
    assert_non_null(outbox);
    assert_rc(ledger_outbox_next(outbox, from, &b, &at, &next), RC_OK);
    assert_int_equal(at, from);
    while (batch_next_link(&b.links, &link, &is_foreign)) {
        assert_int_equal(link.is_https, links[count].is_https);
        assert_int_equal(is_foreign, count++ == 1);
    }
    assert_int_equal(count, 2);
    ledger_outbox_close(outbox);
    end();
}

/* Looks at the journal's end all the while, and keeps the last one that it saw. */
static _Atomic uint64_t end_seen;
static _Atomic bool is_over;

static void *look_at_end(void *ctx)
{
    struct ledger *l = ctx;
    while (!atomic_load(&is_over)) {
        uint64_t end = ledger_end(l);
        if (end > atomic_load(&end_seen))
            atomic_store(&end_seen, end);
    }
    return NULL;
}

/* An agent waits until what it was told as the end is durable (invariant 12). */
static void whatever_end_was_named_becomes_durable_though_nothing_more_happens(void **state)
{
    (void)state;
    struct ledger_news n = {.kept = LEDGER_NOT_SAID, .fact = STR("a fact")};
    pthread_t looker;
    unsigned epoch;
    uint64_t batch;
    begin();
    atomic_store(&end_seen, 0);
    atomic_store(&is_over, false);
    assert_int_equal(pthread_create(&looker, NULL, look_at_end, crawl.ledger), 0);
    for (int i = 0; i < 10000; i++) {
        assert_rc(ledger_tell(crawl.ledger, &n, &epoch, &batch), RC_OK);
        assert_rc(ledger_sync(crawl.ledger), RC_OK);
        uint64_t end = atomic_load(&end_seen);
        assert_rc(ledger_sync(crawl.ledger), RC_OK);
        assert_true(ledger_durable(crawl.ledger) >= end);
    }
    atomic_store(&is_over, true);
    assert_int_equal(pthread_join(looker, NULL), 0);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_done_elsewhere_is_not_queued),
        cmocka_unit_test(
            a_page_that_somebody_has_is_done_and_one_that_nobody_has_is_asked_for_again),
        cmocka_unit_test(what_is_handed_over_is_forgotten_but_for_what_is_done),
        cmocka_unit_test(what_was_done_elsewhere_is_not_queued_though_it_is_swapped),
        cmocka_unit_test(what_is_swapped_is_forgotten_when_it_is_handed_over),
        cmocka_unit_test(an_incarnation_put_aside_leaves_nothing_at_rest),
        cmocka_unit_test(what_is_swapped_and_lost_is_asked_for_again),
        cmocka_unit_test(an_incarnation_put_aside_leaves_nothing_but_facts_and_outbox),
        cmocka_unit_test(what_is_lost_is_asked_for_again_and_only_that),
        cmocka_unit_test(the_lines_of_news_survive_a_kill),
        cmocka_unit_test(what_a_budget_left_out_of_news_stays_out),
        cmocka_unit_test(a_foreign_link_is_for_others_alone),
        cmocka_unit_test(whatever_end_was_named_becomes_durable_though_nothing_more_happens),
    };
    return cmocka_run_group_tests_name("ledger_news", tests, NULL, NULL);
}
