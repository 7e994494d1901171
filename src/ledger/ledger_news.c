/* SPDX-License-Identifier: Apache-2.0 */
/* What an agent of a cluster is told and decides, in the same journal as everything else.
 *
 * A batch of news is absolute, like all others: a URL is known, a URL is done, a host may not be
 * asked before some moment, a host is not here any more. Done again in order it ends in the same.
 * Facts are kept in memory as they were told; a snapshot holds those before its position, so that
 * the journal may go. */
#include "ledger/ledger_internal.h"

#include "base/hash.h"
#include "base/taker.h"
#include "cluster/wire/elsewhere.h"
#include "cluster/wire/records.h"
#include "frontier/move.h"
#include "frontier/swap.h"

#define PIECE_MAGIC "OWNEWS\1\n"
enum { PIECE_MAGIC_BYTES = 8, FACT_HEAD_BYTES = 12 };

/* Telling ------------------------------------------------------------------------------------ */

static size_t count_records(struct str bytes)
{
    struct record_batch b;
    struct record r;
    size_t count = 0;
    if (!bytes.n || record_batch_head(bytes, &b))
        return 0;
    while (records_next(&b.records, &r))
        count++;
    return count;
}

static size_t count_names(struct str names)
{
    struct taker t = {.rest = names};
    size_t count = 0;
    for (; t.rest.n && !t.bad; count++)
        (void)take_str8(&t);
    return count;
}

/* Under `lock`, or before other threads run. Adds a line for each page that another agent has
 * archived, and for each that is asked for again because it was lost there. */
enum rc news_lines(struct ledger *l, const struct ledger_news *n)
{
    struct record_batch b;
    struct record r;
    struct buf line = {.max = ELSEWHERE_MAX_LINE};
    enum rc rc = n->mine.n ? record_batch_head(n->mine, &b) : RC_OK;
    while (n->mine.n && rc == RC_OK && records_next(&b.records, &r)) {
        buf_clear(&line);
        elsewhere_print(&r, &line);
        rc = buf_rc(&line);
        if (rc == RC_OK && line.n)
            rc = line_file_add(l->files[LEDGER_ELSEWHERE], buf_str(&line));
    }
    buf_done(&line);
    return rc;
}

/* Under `lock`, or before other threads run. */
static enum rc remember(struct ledger *l, uint64_t position, const struct ledger_news *n)
{
    if (n->kept != LEDGER_NOT_SAID)
        l->agent.outbox_kept = n->kept;
    if (!n->fact.n)
        return RC_OK;
    buf_le64(&l->agent.facts, position);
    buf_le32(&l->agent.facts, (uint32_t)n->fact.n);
    buf_add(&l->agent.facts, n->fact);
    return buf_rc(&l->agent.facts);
}

/* Notes in the history which agent has a page that it fetched. Under `lock`, with the batch that
 * says so. */
static void remember_seed_path(struct ledger *l, const struct record *r)
{
    char room[FRONTIER_MAX_HOST_BYTES + FRONTIER_MAX_PATH_BYTES + 32], file[64];
    struct buf url = buf_on(room, sizeof room), name = buf_on(file, sizeof file);
    uint64_t fingerprint;
    history_elsewhere_print(&name, r->where);
    if (buf_rc(&name) ||
        move_fingerprint(r->host, r->is_https, r->port, r->path, &url, &fingerprint))
        return;
    struct history_entry history = {
        .url = buf_str(&url), .via = r->via, .seed_path = r->seed_path, .file = buf_str(&name)};
    history_put(l->batch, fingerprint, &history);
}

static void remember_seed_paths(struct ledger *l, struct str bytes)
{
    struct record_batch b;
    struct record r;
    if (!l->history || !bytes.n || record_batch_head(bytes, &b))
        return;
    while (records_next(&b.records, &r))
        if (r.kind == RECORD_SEED_PATH)
            remember_seed_path(l, &r);
}

enum rc ledger_tell(struct ledger *l, const struct ledger_news *n, unsigned *ret_epoch,
                    uint64_t *ret_batch)
{
    struct buf batch;
    uint64_t position = 0;
    size_t pending =
        count_records(n->mine) + count_names(n->forgotten) + (n->is_aside ? l->settings.shards : 0);
    buf_init(&batch, JOURNAL_MAX_BATCH_BYTES);
    batch_put_news(&batch, n);
    enum rc rc = buf_rc(&batch);
    struct str bytes = buf_str(&batch);
    (void)pthread_mutex_lock(&l->lock);
    rc = rc ? rc : l->failed;
    rc = rc ? rc : journal_add(l->journal, &bytes, 1, &position);
    if (rc == RC_OK) {
        l->pending[l->epoch % 2] += pending;
        *ret_epoch = l->epoch;
        *ret_batch = position;
        remember_seed_paths(l, n->mine);
        if (n->foreign.n)
            l->agent.for_others = position + JOURNAL_HEAD_BYTES + bytes.n;
        rc = remember(l, position, n); /* journalled: only a replay can mend it */
        rc = l->failed = rc ? rc : news_lines(l, n);
    }
    (void)pthread_mutex_unlock(&l->lock);
    buf_done(&batch);
    return rc;
}

/* Merging ------------------------------------------------------------------------------------ */

struct candidate ledger_candidate_of(const struct record *r)
{
    return (struct candidate){.fingerprint = r->fingerprint,
                              .host_hash = r->host_hash,
                              .host = r->host,
                              .path = r->path,
                              .via = r->via,
                              .port = r->port,
                              .is_https = r->is_https,
                              .class = r->class < FRONTIER_CLASSES ? r->class : 0,
                              .seed_path = r->seed_path};
}

static enum rc merge_one(struct ledger *l, struct frontier *f, const struct record *r,
                         size_t *ret_new)
{
    struct snapshot_context c = ledger_snapshot_context(l);
    struct candidate url = ledger_candidate_of(r);
    struct move_record host = {.host_hash = r->host_hash,
                               .name = r->host,
                               .next_wall_ms = r->next_wall_ms,
                               .time_ms = r->time_ms,
                               .extra = r->state};
    enum admitted became = ADMITTED_KNOWN;
    size_t done;
    enum rc rc = RC_OK;
    switch (r->kind) {
    case RECORD_URL:
        if (r->is_again)
            rc = move_unknow(f, r->host_hash, r->host, &r->fingerprint, 1);
        rc = rc ? rc : frontier_admit(f, &url, 1, c.now_ms, &became, &done);
        break;
    case RECORD_DONE:
        rc = move_done(f, r->host_hash, r->host, &r->fingerprint, 1);
        break;
    case RECORD_HOST:
        rc = move_host(f, &host, &c);
        rc = rc == RC_LIMIT || rc == RC_CORRUPT || rc == RC_VERSION ? RC_OK : rc;
        break;
    case RECORD_SEED_PATH:
    case RECORD_SHORTER: /* taken before (ledger_take_seed_path); now the link itself */
        rc = frontier_admit(f, &url, 1, c.now_ms, &became, &done);
        break;
    }
    *ret_new += became == ADMITTED_NEW;
    return rc;
}

/* Tells the frontier that the page is done; or that it may be asked for again, because no agent has
 * its links. */
static enum rc take_seed_path(struct ledger *l, unsigned shard, const struct record *r)
{
    struct frontier *f = l->shards[shard].frontier;
    enum rc rc = ledger_bring(l, shard, r->host_hash);
    if (rc)
        return rc;
    if (r->kind == RECORD_SEED_PATH || r->where.n)
        return move_done(f, r->host_hash, r->host, &r->fingerprint, 1);
    return move_unknow(f, r->host_hash, r->host, &r->fingerprint, 1);
}

enum rc ledger_take_seed_path(struct ledger *l, unsigned shard, const struct record *r)
{
    return ledger_fail(l, take_seed_path(l, shard, r));
}

/* What is about a swapped bucket waits in its inbox. */
static enum rc merge_list(struct ledger *l, unsigned shard, const struct record *list, size_t count,
                          size_t *ret_new)
{
    struct frontier *f = l->shards[shard].frontier;
    enum rc rc = RC_OK;
    *ret_new = 0;
    for (size_t i = 0; i < count && rc == RC_OK; i++)
        rc = merge_one(l, f, &list[i], ret_new);
    return rc;
}

enum rc ledger_merge(struct ledger *l, unsigned shard, unsigned epoch, const struct record *list,
                     size_t count, size_t *ret_new)
{
    return ledger_not_pending(l, epoch, count, merge_list(l, shard, list, count, ret_new));
}

enum rc ledger_unknow(struct ledger *l, unsigned shard, uint64_t host_hash, struct str host,
                      const uint64_t *fingerprints, size_t count)
{
    enum rc rc = move_unknow(l->shards[shard].frontier, host_hash, host, fingerprints, count);
    return rc ? ledger_fail(l, rc) : RC_OK;
}

static enum rc forget(struct ledger *l, unsigned shard, struct str host)
{
    return move_forget(l->shards[shard].frontier, hash64(host), host);
}

enum rc ledger_forget(struct ledger *l, unsigned shard, unsigned epoch, struct str host)
{
    return ledger_not_pending(l, epoch, 1, forget(l, shard, host));
}

/* Files of swapped buckets are not moved about meanwhile. */
static enum rc empty(struct ledger *l, unsigned shard)
{
    struct frontier *f = l->shards[shard].frontier;
    enum rc rc = swap_collect(l, shard);
    if (rc == RC_OK && (frontier_counts(f).out || frontier_swap_is_busy(f)))
        rc = RC_AGAIN;
    for (unsigned i = shard; i < FRONTIER_BUCKETS && rc == RC_OK; i += l->settings.shards) {
        rc = swap_drop(l, shard, i);
        frontier_empty(f, i);
    }
    return rc ? rc : seen_empty(l, shard);
}

enum rc ledger_empty(struct ledger *l, unsigned shard, unsigned epoch)
{
    enum rc rc = empty(l, shard);
    return rc == RC_AGAIN ? rc : ledger_not_pending(l, epoch, 1, rc);
}

enum rc ledger_walk(struct ledger *l, unsigned shard, struct move_walk *w,
                    const struct move_taker *t, size_t most, bool *ret_is_over)
{
    struct snapshot_context c = ledger_snapshot_context(l);
    enum rc rc = swap_collect(l, shard); /* what the last step has asked for may have come */
    return rc ? ledger_fail(l, rc)
              : move_step(l->shards[shard].frontier, w, &c, t, most, ret_is_over);
}

/* Doing again -------------------------------------------------------------------------------- */

static unsigned shard_of(const struct ledger *l, uint64_t host_hash)
{
    return frontier_bucket(host_hash) % l->settings.shards;
}

static enum rc redo_records(struct ledger *l, uint64_t position, struct str bytes,
                            const struct drops *drops)
{
    struct record_batch b;
    struct record r;
    size_t fresh;
    enum rc rc = bytes.n ? record_batch_read(bytes, &b) : RC_OK;
    while (bytes.n && rc == RC_OK && records_next(&b.records, &r)) {
        unsigned shard = shard_of(l, r.host_hash);
        bool is_seed_path = r.kind == RECORD_SEED_PATH || r.kind == RECORD_SHORTER;
        struct candidate link = ledger_candidate_of(&r);
        if (is_seed_path)
            rc = take_seed_path(l, shard, &r);
        if (is_seed_path || r.kind == RECORD_URL)
            ledger_tell_link(l, position, &link);
        if (rc == RC_OK &&
            ((r.kind != RECORD_URL && !is_seed_path) || !drops_has(drops, position, r.fingerprint)))
            rc = merge_list(l, shard, &r, 1, &fresh);
    }
    return rc;
}

enum rc news_redo(struct ledger *l, uint64_t position, const struct ledger_news *n,
                  const struct drops *drops)
{
    struct taker names = {.rest = n->forgotten};
    enum rc rc = remember(l, position, n);
    for (unsigned i = 0; n->is_aside && i < l->settings.shards && rc == RC_OK; i++)
        rc = empty(l, i);
    rc = rc ? rc : redo_records(l, position, n->mine, drops);
    if (rc == RC_OK && position >= l->history_from)
        remember_seed_paths(l, n->mine);
    while (names.rest.n && rc == RC_OK) {
        struct str host = take_str8(&names);
        rc = forget(l, shard_of(l, hash64(host)), host);
    }
    return rc;
}

/* As a piece of a snapshot --------------------------------------------------------------------- */

bool news_is_piece(struct str bytes)
{
    return str_starts(bytes, str_make(PIECE_MAGIC, PIECE_MAGIC_BYTES));
}

void news_write_piece(const struct ledger *l, struct buf *out)
{
    if (!l->snapshot.facts && l->agent.outbox_kept == LEDGER_NOT_SAID)
        return;
    buf_add(out, str_make(PIECE_MAGIC, PIECE_MAGIC_BYTES));
    buf_le64(out, l->agent.outbox_kept);
    buf_add(out, str_make(l->agent.facts.p, l->snapshot.facts));
    struct str all = buf_str(out);
    struct str piece = str_from(all, sizeof(uint32_t));
    buf_le64(out, hash64(piece));
}

enum rc news_read_piece(struct ledger *l, struct str bytes)
{
    struct taker t = {.rest = bytes};
    if (bytes.n < PIECE_MAGIC_BYTES + 8 + 8)
        return RC_CORRUPT;
    struct str body = str_first(bytes, bytes.n - 8);
    if (get_le64(bytes.p + body.n) != hash64(body))
        return RC_CORRUPT;
    (void)take_bytes(&t, PIECE_MAGIC_BYTES);
    l->agent.outbox_kept = take_u64(&t);
    buf_clear(&l->agent.facts);
    buf_add(&l->agent.facts, str_first(t.rest, t.rest.n - 8));
    return buf_rc(&l->agent.facts);
}

/* Looking ------------------------------------------------------------------------------------ */

enum rc ledger_facts(struct ledger *l,
                     enum rc (*each)(void *ctx, uint64_t position, struct str fact), void *ctx)
{
    struct taker t = {.rest = buf_str(&l->agent.facts)};
    enum rc rc = RC_OK;
    while (t.rest.n && rc == RC_OK) {
        uint64_t position = take_u64(&t);
        struct str fact = take_str32(&t);
        rc = t.bad ? RC_CORRUPT : each(ctx, position, fact);
    }
    return rc;
}

enum rc ledger_note_agent(struct ledger *l, struct str name, uint64_t first_inc)
{
    struct buf line = {.max = ELSEWHERE_MAX_LINE};
    elsewhere_print_agent(name, first_inc, &line);
    enum rc rc = buf_rc(&line);
    rc = rc ? rc : disk_replace(l->disk, ELSEWHERE_AGENT_PATH, buf_str(&line));
    buf_done(&line);
    return rc;
}

uint64_t ledger_lines_bytes(struct ledger *l, enum ledger_file file)
{
    (void)pthread_mutex_lock(&l->lock);
    uint64_t bytes = line_file_bytes(l->files[file]);
    (void)pthread_mutex_unlock(&l->lock);
    return bytes;
}

uint64_t ledger_end(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    uint64_t end = journal_end(l->journal);
    end = end == l->round.commit_end ? l->durable : end;
    (void)pthread_mutex_unlock(&l->lock);
    return end;
}

uint64_t ledger_durable(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    uint64_t durable = l->durable;
    (void)pthread_mutex_unlock(&l->lock);
    return durable;
}

uint64_t ledger_kept(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    uint64_t kept = l->agent.outbox_kept;
    (void)pthread_mutex_unlock(&l->lock);
    return kept;
}

uint64_t ledger_for_others(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    uint64_t position = l->agent.for_others;
    (void)pthread_mutex_unlock(&l->lock);
    return position;
}

uint64_t ledger_pending(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    uint64_t pending = l->pending[0] + l->pending[1];
    (void)pthread_mutex_unlock(&l->lock);
    return pending;
}
