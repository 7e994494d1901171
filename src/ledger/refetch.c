/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/refetch.h"

#include "base/arena.h"
#include "base/hash.h"
#include "cluster/wire/records.h"
#include "outputs/lost.h"
#include "url/normalise.h"

enum { AT_ONCE_BYTES = 128 << 10, ARENA_BYTES = 4096, ARENA_MAX_BYTES = 1 << 20 };

struct refetch {
    struct ledger *ledger;
    unsigned shards;
    const struct url_idn *idn;
    struct arena *arena;
    struct buf batch;
    bool only_forgets;
    uint64_t lost;
};

struct str refetch_seed_path(struct ledger *l, uint64_t fingerprint, struct arena *arena)
{
    struct history_entry history;
    struct history *h = ledger_history(l);
    bool is_known =
        h && history_get(h, fingerprint, arena, &history) == RC_OK && history.seed_path.p;
    return is_known ? history.seed_path : STR("L");
}

static void begin_batch(struct refetch *r)
{
    buf_clear(&r->batch);
    record_batch_begin(&r->batch,
                       &(struct record_batch){.is = BATCH_IS_RECORDS, .src = STR("alone")});
}

/* Journalled, then given to the frontiers. */
static enum rc send_batch(struct refetch *r)
{
    struct record_batch b;
    struct record record;
    struct ledger_news news = {.kept = LEDGER_NOT_SAID, .mine = buf_str(&r->batch)};
    unsigned epoch;
    uint64_t position;
    size_t fresh;
    enum rc rc = buf_rc(&r->batch);
    rc = rc ? rc : ledger_tell(r->ledger, &news, &epoch, &position);
    rc = rc ? rc : record_batch_read(buf_str(&r->batch), &b);
    while (rc == RC_OK && records_next(&b.records, &record))
        rc = ledger_merge(r->ledger, frontier_bucket(record.host_hash) % r->shards, epoch, &record,
                          1, &fresh);
    begin_batch(r);
    return rc;
}

/* The next answer is not compared with a payload that is lost, and not asked for with conditions.
 */
static enum rc forget_payload(struct refetch *r, uint64_t fingerprint)
{
    struct history_entry history;
    struct history *h = ledger_history(r->ledger);
    unsigned epoch;
    if (!h || history_get(h, fingerprint, r->arena, &history))
        return RC_OK;
    history.has_digest = false;
    history.etag = history.last_modified = history.file = history.codes = STR_NONE;
    struct ledger_outcome o = {.fingerprint = fingerprint, .history = &history};
    return ledger_record_outcome(r->ledger, 0, &o, &epoch);
}

static enum rc take_lost(void *ctx, const struct lost_capture *c)
{
    struct refetch *r = ctx;
    struct url_parser parser = {.idn = r->idn};
    char room[URL_ROOM_BYTES];
    struct url u;
    if (c->is_asked || url_parse(&parser, c->url, NULL, (struct url_room){room, sizeof room}, &u))
        return RC_OK;
    arena_clear(r->arena);
    r->lost++;
    enum rc rc = forget_payload(r, url_fingerprint(&u));
    if (rc || r->only_forgets)
        return rc;
    record_put(&r->batch, &(struct record){.kind = RECORD_URL,
                                           .host_hash = hash64(url_host(&u)),
                                           .host = url_host(&u),
                                           .fingerprint = url_fingerprint(&u),
                                           .path = url_path_query(&u),
                                           .seed_path = refetch_seed_path(
                                               r->ledger, url_fingerprint(&u), r->arena),
                                           .port = u.port,
                                           .is_https = u.kind == URL_HTTPS,
                                           .is_again = true});
    return r->batch.n > AT_ONCE_BYTES ? send_batch(r) : RC_OK;
}

enum rc refetch_lost(struct ledger *l, unsigned shards, const struct url_idn *idn,
                     bool only_forgets, uint64_t *ret)
{
    struct refetch r = {.ledger = l,
                        .shards = shards,
                        .idn = idn,
                        .arena = arena_open(ARENA_BYTES, ARENA_MAX_BYTES),
                        .only_forgets = only_forgets};
    struct disk *d = ledger_disk(l);
    struct lost_agents none = {0};
    struct lost_counts counts;
    if (!r.arena)
        return RC_NOMEM;
    buf_init(&r.batch, RECORDS_MAX_BATCH_BYTES);
    begin_batch(&r);
    enum rc rc = lost_find(crawl_set_one(&d), &none, "state/lost", take_lost, &r, &counts);
    if (rc == RC_OK && r.lost && !only_forgets)
        rc = send_batch(&r);
    if (rc == RC_OK && !only_forgets)
        rc = ledger_asked_lost(l);
    *ret = r.lost;
    buf_done(&r.batch);
    arena_close(r.arena);
    return rc;
}
