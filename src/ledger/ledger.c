/* SPDX-License-Identifier: Apache-2.0 */
/* What shards call. `lock` is held for a journal_add and a few line_file_adds, all of them copies
 * into memory. A turn gives these to the kernel under `writing`, so that other shards go on
 * recording meanwhile. */
#include "ledger/host_records.h"
#include "ledger/ledger_internal.h"

#include "base/bytes.h"

enum rc ledger_fail(struct ledger *l, enum rc rc)
{
    (void)pthread_mutex_lock(&l->lock);
    if (rc && !l->failed) {
        l->failed = rc;
        log_error(l->settings.log, "ledger.failed", LOG_RC(rc));
    }
    enum rc failed = l->failed;
    (void)pthread_mutex_unlock(&l->lock);
    return failed;
}

/* Outcomes ----------------------------------------------------------------------------------- */

/* Whether these are `count` lines, each with its LF. */
static bool are_lines(struct str text, size_t count)
{
    size_t ends = 0;
    for (size_t i = 0; i < text.n; i++)
        ends += text.p[i] == '\n';
    return text.n <= LINE_FILE_MAX_ADD && ends == count && text.p[text.n - 1] == '\n';
}

/* What recovery would refuse must never be journalled. */
static bool outcome_ok(const struct ledger_outcome *o)
{
    for (size_t i = 0; i < o->line_count; i++) {
        struct str t = o->lines[i].text;
        if (o->lines[i].file >= LEDGER_FILES || !t.n || t.n > LINE_FILE_MAX_ADD ||
            t.p[t.n - 1] != '\n')
            return false;
    }
    if (o->names.n && !are_lines(o->names, o->link_count))
        return false;
    for (size_t i = 0; i < o->link_count; i++) {
        const struct candidate *c = &o->links[i];
        if (!c->host.n || c->host.n > FRONTIER_MAX_HOST_BYTES ||
            c->path.n > FRONTIER_MAX_PATH_BYTES || c->class >= FRONTIER_CLASSES)
            return false;
    }
    return true;
}

/* The clocks of processes differ; moments are kept by the wall. */
static uint64_t due_by_wall(struct ledger *l, uint64_t due_ms)
{
    uint64_t now = clock_now_ms(l->settings.clock);
    return due_ms > now ? clock_wall_ms(l->settings.clock) + (due_ms - now) : 0;
}

/* Under `lock`: the row of the lines of links.nodes that no outcome before this has, into
 * l->named. It stays empty if there are none. */
static enum rc choose_names(struct ledger *l, const struct ledger_outcome *o)
{
    struct str rest = o->names;
    char head[BATCH_ROW_BYTES] = {0};
    buf_clear(&l->named);
    if (!rest.n)
        return RC_OK;
    buf_add(&l->named, str_make(head, sizeof head));
    for (size_t i = 0; i < o->link_count; i++) {
        struct str line = rest;
        (void)str_take_until(&rest, '\n');
        line.n -= rest.n;
        if (names_add(l->names, o->links[i].fingerprint))
            buf_add(&l->named, line);
    }
    enum rc rc = buf_rc(&l->named);
    if (rc == RC_OK && l->named.n > sizeof head)
        batch_put_row_head(l->named.p, LEDGER_NODES, l->named.n - sizeof head);
    else
        buf_clear(&l->named);
    return rc;
}

/* Under `lock`. Once the batch is in the journal, lines that find no memory cannot be taken back:
 * the ledger has failed, and the next opening writes them. */
static enum rc add_lines(struct ledger *l, const struct ledger_outcome *o)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; i < o->line_count && rc == RC_OK; i++)
        rc = line_file_add(l->files[o->lines[i].file], o->lines[i].text);
    if (rc == RC_OK && l->named.n)
        rc = line_file_add(l->files[LEDGER_NODES], str_from(buf_str(&l->named), BATCH_ROW_BYTES));
    return l->failed = rc;
}

/* Under `lock`. */
static enum rc enter(struct ledger *l, struct ledger_shard *s, const struct ledger_outcome *o,
                     const struct batch_body *body)
{
    enum rc rc = choose_names(l, o);
    if (rc)
        return rc;
    struct batch_totals after = l->totals;
    after.pages += o->pages;
    after.bytes += o->bytes;
    if (o->location && o->location->position > s->recorded)
        after.archive_bytes += o->location->position - s->recorded;
    char front[BATCH_FRONT_BYTES];
    batch_put_front(front, &after);
    if (l->named.n)
        put_le32(s->batch.p + body->rows, (uint32_t)o->line_count + 1);
    struct str all = buf_str(&s->batch);
    struct str pieces[] = {str_make(front, sizeof front), str_first(all, body->rows_end),
                           buf_str(&l->named), str_from(all, body->rows_end)};
    uint64_t position;
    rc = journal_add(l->journal, pieces, 4, &position);
    if (rc)
        return rc;
    s->outcome_at = position;
    l->totals = after;
    l->pending[l->epoch % 2] += o->link_count - o->foreign_count;
    if (o->link_count || o->checkout || (o->history && o->history->file.p))
        l->agent.for_others = position + JOURNAL_HEAD_BYTES + sizeof front + all.n + l->named.n;
    if (o->location && o->location->position > s->recorded)
        s->recorded = o->location->position;
    if (l->history && o->history)
        history_put(l->batch, o->fingerprint, o->history);
    return add_lines(l, o);
}

enum rc ledger_record_outcome(struct ledger *l, unsigned shard, const struct ledger_outcome *o,
                              unsigned *ret_epoch)
{
    struct ledger_shard *s = &l->shards[shard];
    struct batch_body body;
    if (!outcome_ok(o))
        return RC_INVALID;
    buf_clear(&s->batch);
    batch_put_body(&s->batch, o, o->checkout ? due_by_wall(l, o->due_ms) : 0, &body);
    enum rc rc = buf_rc(&s->batch);
    if (rc)
        return rc;
    (void)pthread_mutex_lock(&l->lock);
    rc = l->failed ? l->failed : enter(l, s, o, &body);
    *ret_epoch = l->epoch;
    (void)pthread_mutex_unlock(&l->lock);
    if (rc)
        return rc;
    if (o->checkout && host_record_if(o->checkout->host))
        frontier_extra_bytes(s->frontier, o->checkout->host,
                             host_record_bytes(host_record_if(o->checkout->host)));
    if (o->checkout)
        frontier_checkin(s->frontier, o->checkout, o->how, o->due_ms);
    if (o->location && o->capture)
        capture_remember(l->digests, o->capture, o->location);
    return RC_OK;
}

void ledger_return(struct ledger *l, unsigned shard, struct checkout *checkout, uint64_t due_ms)
{
    frontier_checkin(l->shards[shard].frontier, checkout, CHECKIN_AGAIN, due_ms);
}

void ledger_put_last(struct ledger *l, unsigned shard, struct checkout *checkout, uint64_t due_ms)
{
    frontier_checkin(l->shards[shard].frontier, checkout, CHECKIN_LAST, due_ms);
}

enum rc ledger_not_pending(struct ledger *l, unsigned epoch, size_t count, enum rc rc)
{
    if (rc) /* journalled and not done: only a replay can mend that */
        return ledger_fail(l, rc);
    (void)pthread_mutex_lock(&l->lock);
    l->pending[epoch % 2] -= count;
    rc = l->failed;
    (void)pthread_mutex_unlock(&l->lock);
    return rc;
}

enum rc ledger_admit(struct ledger *l, unsigned shard, unsigned epoch, const struct candidate *list,
                     size_t count, uint64_t now_ms, enum admitted *ret)
{
    size_t done = 0;
    enum rc rc = frontier_admit(l->shards[shard].frontier, list, count, now_ms, ret, &done);
    return ledger_not_pending(l, epoch, count, rc);
}

uint64_t ledger_outcome_at(struct ledger *l, unsigned shard)
{
    return l->shards[shard].outcome_at;
}

/* The links count as open until the word about them is journalled: a snapshot that begins between
 * the two would have them. */
enum rc ledger_drop(struct ledger *l, unsigned shard, unsigned epoch, uint64_t batch,
                    const uint64_t *fingerprints, size_t count)
{
    struct ledger_shard *s = &l->shards[shard];
    uint64_t position;
    buf_clear(&s->batch);
    batch_put_drop(&s->batch, batch, fingerprints, count);
    enum rc rc = buf_rc(&s->batch);
    struct str bytes = buf_str(&s->batch);
    (void)pthread_mutex_lock(&l->lock);
    rc = rc ? rc : l->failed ? l->failed : journal_add(l->journal, &bytes, 1, &position);
    l->pending[epoch % 2] -= count;
    (void)pthread_mutex_unlock(&l->lock);
    return rc;
}

/* A turn ------------------------------------------------------------------------------------- */

/* The order is archives, lines, journal. So the kernel never has an outcome without its records,
 * and kill -9 takes nothing that a turn has written, synced or not. Where an archive cannot take
 * more before a sync ends, the whole waits for a later turn. Under `writing`. */
static enum rc write_files(struct ledger *l)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < l->settings.shards && rc == RC_OK; i++)
        rc = warc_files_write(l->shards[i].warc);
    for (unsigned i = 0; i < LEDGER_FILES && rc == RC_OK; i++)
        rc = line_file_write(l->files[i]);
    return rc;
}

static enum rc written(struct ledger *l, enum rc rc)
{
    if (rc == RC_OK)
        claim_written(l->claims, journal_written(l->journal));
    return rc == RC_AGAIN ? RC_OK : rc;
}

enum rc ledger_write_all(struct ledger *l)
{
    enum rc rc = l->failed;
    rc = rc ? rc : write_files(l);
    rc = rc ? rc : journal_write(l->journal);
    return written(l, rc);
}

/* What the journal has is set apart first. The records and lines of those outcomes were added before
 * them, so they are among what is written then; what other shards record meanwhile is behind. */
static enum rc write_recorded(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->writing);
    (void)pthread_mutex_lock(&l->lock);
    enum rc rc = l->failed;
    if (rc == RC_OK)
        journal_take(l->journal);
    (void)pthread_mutex_unlock(&l->lock);
    rc = rc ? rc : write_files(l);
    rc = rc ? rc : journal_write_taken(l->journal);
    rc = written(l, rc);
    (void)pthread_mutex_unlock(&l->writing);
    return rc;
}

enum rc ledger_turn(struct ledger *l, unsigned shard)
{
    enum rc rc = write_recorded(l);
    (void)pthread_mutex_lock(&l->lock);
    snapshot_step_on(l);
    bool slice = l->snapshot.step == SNAPSHOT_SLICING && !l->shards[shard].is_sliced &&
                 l->snapshot.piece_bytes < SNAPSHOT_WAITING_BYTES;
    uint64_t stored = l->seen.has;
    (void)pthread_mutex_unlock(&l->lock);
    seen_turn(l, shard, stored);
    if (rc == RC_OK && slice)
        rc = snapshot_slice(l, shard);
    rc = rc ? rc : swap_turn(l, shard);
    return rc ? ledger_fail(l, rc) : RC_OK;
}

/* Looking ------------------------------------------------------------------------------------ */

struct frontier *ledger_frontier(struct ledger *l, unsigned shard)
{
    return l->shards[shard].frontier;
}

struct warc_files *ledger_warc(struct ledger *l, unsigned shard)
{
    return l->shards[shard].warc;
}

struct digest_table *ledger_digests(struct ledger *l)
{
    return l->digests;
}

struct disk *ledger_disk(struct ledger *l)
{
    return l->disk;
}

struct history *ledger_history(struct ledger *l)
{
    return l->history;
}

enum rc ledger_state(struct ledger *l)
{
    return ledger_fail(l, RC_OK);
}

bool ledger_is_short(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    bool is_short = l->room.is_short;
    (void)pthread_mutex_unlock(&l->lock);
    return is_short;
}

struct ledger_room ledger_room(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    uint64_t left = l->room.free_bytes, reserve = l->settings.reserve_bytes;
    struct ledger_room room = {
        .used_bytes = l->totals.archive_bytes + l->room.journal_bytes,
        .free_bytes = left == UINT64_MAX ? left
                      : left > reserve   ? left - reserve
                                         : 0,
    };
    (void)pthread_mutex_unlock(&l->lock);
    return room;
}

uint64_t ledger_lasting_bytes(struct ledger *l, enum ledger_file file)
{
    (void)pthread_mutex_lock(&l->lock);
    uint64_t bytes = l->lasting[file];
    (void)pthread_mutex_unlock(&l->lock);
    return bytes;
}

struct ledger_totals ledger_totals(struct ledger *l)
{
    uint64_t now = clock_now_ms(l->settings.clock);
    (void)pthread_mutex_lock(&l->lock);
    struct ledger_totals t = {.pages = l->totals.pages,
                              .bytes = l->totals.bytes,
                              .archive_bytes = l->totals.archive_bytes,
                              .journal_bytes = l->room.journal_bytes,
                              .elapsed_ms = l->elapsed_before_ms + (now - l->opened_ms)};
    (void)pthread_mutex_unlock(&l->lock);
    return t;
}
