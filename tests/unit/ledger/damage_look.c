/* SPDX-License-Identifier: Apache-2.0 */
/* The first half of damage_judge.h: opening and looking. */
#include "damage_judge.h"
#include "ledger/host_records.h"

#include "base/hash.h"
#include "cluster/wire/records.h"
#include "lib/test.h"
#include "store/history_entry.h"

#include <stdio.h>

enum { ROOT_BYTES = 400, MOST_LOANS = 1000 };
#define FAR_MS UINT64_C(1000000000000)

struct looking {
    struct small_crawl crawl;
    struct small_truth truth;
    struct disk *disk;
    char history[ROOT_BYTES], written[ROOT_BYTES];
    struct opened *to;
};

static enum rc hear_seed(void *ctx, struct str line)
{
    (void)ctx, (void)line;
    return RC_OK;
}

static enum rc hear_fact(void *ctx, uint64_t position, struct str fact)
{
    (void)position, (void)fact;
    ((struct opened *)ctx)->facts++;
    return RC_OK;
}

static unsigned shard_of(const struct looking *l, uint64_t position)
{
    return frontier_bucket(position) % l->crawl.shards;
}

static void note_late(struct opened *o, enum rc rc, const char *what)
{
    if (!rc || o->late)
        return;
    o->late = rc;
    (void)snprintf(o->why, sizeof o->why, "%s: %s", what, rc_text(rc));
}

static void look_at_hosts(struct looking *l)
{
    for (unsigned i = 0; i < SMALL_URLS; i++) {
        struct candidate c = small_candidate(i);
        unsigned shard = shard_of(l, c.host_hash), number = (unsigned)(c.host.p[1] - '0');
        struct frontier *f = ledger_frontier(l->crawl.ledger, shard);
        note_late(l->to, ledger_bring(l->crawl.ledger, shard, c.host_hash), "a bucket");
        struct host *h = frontier_host(f, c.host_hash, c.host);
        const struct host_record *record = h ? host_record_if(h) : NULL;
        l->to->hosts[number].is_there = h != NULL;
        if (record) {
            l->to->hosts[number].pages = record->pages;
            l->to->hosts[number].tries = record->tries;
            l->to->hosts[number].is_listed = record->is_listed;
            l->to->hosts[number].has_robots = record->robots_count > 0;
        }
        if (frontier_knows(f, c.host_hash, c.fingerprint))
            l->to->urls[i] = URL_DONE;
    }
}

/* Every URL that waits is checked out; the directory has been read already. */
static void look_at_queues(struct looking *l)
{
    struct checkout checkout;
    for (unsigned shard = 0; shard < l->crawl.shards; shard++) {
        struct frontier *f = ledger_frontier(l->crawl.ledger, shard);
        for (unsigned n = 0; n < MOST_LOANS && frontier_checkout(f, 0, FAR_MS, &checkout) == RC_OK;
             n++) {
            uint64_t i = SMALL_URLS;
            if (str_to_u64(str_from(checkout.path, 1), &i) == RC_OK && i < SMALL_URLS)
                l->to->urls[i] = URL_WAITS;
            frontier_checkin(f, &checkout, CHECKIN_DONE, 0);
        }
    }
}

static void look_at_history(struct looking *l)
{
    struct arena *arena = arena_open(1000, 1 << 20);
    struct buf bytes = {.max = HISTORY_ENTRY_MAX_BYTES};
    for (unsigned i = 0; arena && i < SMALL_URLS; i++) {
        struct history_entry history;
        enum rc rc = history_get(ledger_history(l->crawl.ledger), small_candidate(i).fingerprint,
                                 arena, &history);
        if (rc == RC_OK) {
            buf_clear(&bytes);
            history_entry_write(&history, &bytes);
            l->to->history[i] = hash64(buf_str(&bytes));
        } else if (rc != RC_NOT_FOUND) {
            note_late(l->to, rc, "an entry of the history");
        }
    }
    buf_done(&bytes);
    arena_close(arena);
}

static void count_batch(struct opened *o, const struct batch *b)
{
    struct record_batch records;
    struct record r;
    if (b->kind == BATCH_NEWS && record_batch_read(b->news.foreign, &records) == RC_OK)
        while (records_next(&records.records, &r))
            o->sent_records++;
    o->sent_pages += b->has_url && b->url.how == CHECKIN_DONE;
}

static void look_at_outbox(struct looking *l)
{
    uint64_t at, next = 0;
    struct batch b;
    struct ledger_outbox *o = ledger_outbox_open(l->crawl.ledger);
    enum rc rc = o ? RC_OK : RC_NOMEM;
    l->to->kept = ledger_kept(l->crawl.ledger);
    while (rc == RC_OK) {
        rc = ledger_outbox_next(o, next, &b, &at, &next);
        if (rc == RC_OK)
            count_batch(l->to, &b);
    }
    ledger_outbox_close(o);
    note_late(l->to, rc == RC_NOT_FOUND ? RC_OK : rc, "the outbox");
}

static void look_at_all(struct looking *l, const struct base *b)
{
    struct opened *o = l->to;
    struct ledger_totals t = ledger_totals(l->crawl.ledger);
    struct ledger_recrawl r = ledger_last_recrawl(l->crawl.ledger);
    o->pages = t.pages;
    o->bytes = t.bytes;
    o->archive_bytes = t.archive_bytes;
    o->recrawl_id = r.id;
    o->recrawl_ms = r.wall_ms;
    note_late(o, ledger_facts(l->crawl.ledger, hear_fact, o), "facts");
    if (b->kind == BASE_AGENT)
        look_at_outbox(l);
    look_at_history(l);
    look_at_hosts(l);
    look_at_queues(l);
}

static enum rc open_ledger(struct looking *l, const struct base *b, const char *root)
{
    struct opened *o = l->to;
    struct buf why = buf_on(o->why, sizeof o->why - 1);
    struct ledger_report report = {0};
    (void)snprintf(l->history, sizeof l->history, "%s/state/history", root);
    (void)snprintf(l->written, sizeof l->written, "%s/state/WRITTEN", root);
    l->truth.history_path = l->history;
    l->truth.written_path = l->written;
    small_prepare(&l->crawl, b->shards, &l->truth);
    struct ledger_settings s = small_settings(&l->crawl);
    enum rc rc = disk_real_open(root, &l->disk);
    rc = rc ? rc
            : ledger_open(l->disk, &s, (struct ledger_hears){.seed = hear_seed}, &l->crawl.ledger,
                          &report, &why);
    o->is_new = report.is_new;
    o->is_recrawl = report.is_recrawl;
    o->needs_requeue = report.needs_requeue;
    return rc;
}

void opened_look(const struct base *b, const char *root, bool is_rebooted, struct opened *ret)
{
    static struct looking l;
    memset(&l, 0, sizeof l);
    l.truth.boot = BASE_BOOT + is_rebooted;
    memset(ret, 0, sizeof *ret);
    l.to = ret;
    ret->rc = open_ledger(&l, b, root);
    for (unsigned i = 0; ret->rc == RC_OK && i < b->shards; i++)
        note_late(ret, ledger_turn(l.crawl.ledger, i), "a turn");
    if (!tree_read(root, &ret->after))
        note_late(ret, RC_IO, "the directory");
    if (ret->rc == RC_OK)
        look_at_all(&l, b);
    ledger_close(l.crawl.ledger);
    disk_close(l.disk);
}

void opened_done(struct opened *o)
{
    tree_done(&o->after);
}
