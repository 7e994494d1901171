/* SPDX-License-Identifier: Apache-2.0 */
/* The helper's round:
 *
 *   1. under both locks: everything is written, as in a turn; the journal's end, and with it the
 *      length of every file and archive
 *   2. archives are synced, then files of lines, then the journal; turns go on writing, and only
 *      they write to the journal, so that it is never ahead of an archive
 *   3. archives that are full and behind which nothing is missing get their last names
 *   4. the history gets the outcomes; it never knows more than the journal that lasts
 *   5. a commit says 1. It lasts with the next round; until then the one before is true as well;
 *      logs/SYNCED says the position
 *   6. snapshots: pieces are written, one that is whole is named, another begun */
#include "ledger/ledger_internal.h"

#include <errno.h>
#include <time.h>

enum {
    HURRY_LEAST_MS = 20, /* between two rounds that a caller waits for, */
    HURRY_SHARE = 5,     /* and this many times what the last one took */
};

static bool nothing_new(struct ledger *l)
{
    bool snapshot_waits =
        l->snapshot.step != SNAPSHOT_NONE && l->snapshot.position > l->round.commit_position;
    return journal_end(l->journal) == l->round.commit_end && !snapshot_waits;
}

/* 1. False: nothing has happened since the last round. */
static bool begin(struct ledger *l, struct batch_commit *c, enum rc *ret)
{
    uint64_t now = clock_now_ms(l->settings.clock);
    (void)pthread_mutex_lock(&l->writing);
    (void)pthread_mutex_lock(&l->lock);
    bool go_on = !l->failed && !nothing_new(l);
    *ret = go_on ? ledger_write_all(l) : l->failed;
    go_on = go_on && *ret == RC_OK;
    if (go_on) {
        *c = (struct batch_commit){.position = journal_end(l->journal),
                                   .elapsed_ms = l->elapsed_before_ms + (now - l->opened_ms),
                                   .totals = l->totals};
        for (unsigned i = 0; i < LEDGER_FILES; i++)
            c->lengths[i] = line_file_bytes(l->files[i]);
        for (unsigned i = 0; i < l->settings.shards; i++)
            l->shards[i].round_recorded = l->shards[i].recorded;
        struct history_batch *swap = l->batch;
        l->batch = l->round.history;
        l->round.history = swap;
    }
    (void)pthread_mutex_unlock(&l->lock);
    (void)pthread_mutex_unlock(&l->writing);
    return go_on;
}

/* 2. */
static enum rc sync_archives(struct ledger *l)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < l->settings.shards && rc == RC_OK; i++)
        rc = warc_files_sync(l->shards[i].warc);
    return rc;
}

static enum rc sync_lines(struct ledger *l)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < LEDGER_FILES && rc == RC_OK; i++)
        if (line_file_bytes(l->files[i]) != line_file_synced(l->files[i]))
            rc = line_file_sync(l->files[i]);
    return rc;
}

/* The commit before this round lasts now: no recovery cuts the files of lines below it. */
static void note_lasting(struct ledger *l)
{
    if (!l->round.commit_behind || journal_synced(l->journal) < l->round.commit_behind)
        return;
    (void)pthread_mutex_lock(&l->lock);
    memcpy(l->lasting, l->round.commit_lengths, sizeof l->lasting);
    (void)pthread_mutex_unlock(&l->lock);
}

/* 3. The list has their lengths first. */
static enum rc note_sealed(void *ctx, const char *file, uint64_t bytes)
{
    struct ledger *l = ctx;
    l->round.seals = true;
    return sealed_add(l->sealed, str_c(file), bytes);
}

static enum rc seal(struct ledger *l)
{
    enum rc rc = RC_OK;
    l->round.seals = false;
    for (unsigned i = 0; i < l->settings.shards && rc == RC_OK; i++)
        rc = warc_files_full(l->shards[i].warc, l->shards[i].round_recorded, note_sealed, l);
    if (rc || !l->round.seals)
        return rc;
    rc = sealed_sync(l->sealed);
    for (unsigned i = 0; i < l->settings.shards && rc == RC_OK; i++)
        rc = warc_files_seal(l->shards[i].warc, l->shards[i].round_recorded);
    return rc;
}

/* 5. */
static enum rc add_file(void *ctx, const char *file, uint64_t bytes)
{
    struct buf *out = ctx;
    batch_put_file(out, str_c(file), bytes);
    return buf_rc(out);
}

static enum rc commit(struct ledger *l, const struct batch_commit *c)
{
    enum rc rc = RC_OK;
    uint64_t position = 0;
    buf_clear(&l->round.commit);
    batch_put_commit(&l->round.commit, c);
    for (unsigned i = 0; i < l->settings.shards && rc == RC_OK; i++)
        rc = warc_files_list(l->shards[i].warc, l->shards[i].round_recorded, add_file,
                             &l->round.commit);
    rc = rc ? rc : buf_rc(&l->round.commit);
    struct str bytes = buf_str(&l->round.commit);
    /* No thread may see the journal with the commit and `commit_end` without it: ledger_end() would
     * name a position that nothing makes durable until something else is journalled. */
    (void)pthread_mutex_lock(&l->lock);
    rc = rc ? rc : journal_add(l->journal, &bytes, 1, &position);
    if (rc == RC_OK) {
        l->round.commit_position = c->position;
        l->round.commit_behind = position + JOURNAL_HEAD_BYTES + bytes.n;
        memcpy(l->round.commit_lengths, c->lengths, sizeof c->lengths);
        if (c->position > l->durable)
            l->durable = c->position;
        /* What was journalled in between is not vouched for: the next round has something to do. */
        l->round.commit_end =
            position == c->position ? position + JOURNAL_HEAD_BYTES + bytes.n : UINT64_MAX;
    }
    (void)pthread_mutex_unlock(&l->lock);
    return rc;
}

struct claims ledger_claims(const struct ledger *l, uint64_t position)
{
    return (struct claims){.position = position,
                           .generation = l->kept.generation,
                           .recrawl = l->recrawl.is_on ? l->recrawl.last.id : 0,
                           .has_history = l->history != NULL};
}

enum rc ledger_claim(struct ledger *l, uint64_t position)
{
    struct claims c = ledger_claims(l, position);
    return l->claims ? claim_synced(l->claims, &c) : RC_OK;
}

static enum rc sync_all(struct ledger *l)
{
    struct batch_commit c;
    enum rc rc;
    if (!begin(l, &c, &rc))
        return rc;
    rc = sync_archives(l);
    rc = rc ? rc : sync_lines(l);
    rc = rc ? rc : journal_sync_written(l->journal);
    if (rc == RC_OK)
        note_lasting(l);
    rc = rc ? rc : seal(l);
    if (rc == RC_OK && l->history)
        rc = history_write(l->history, l->round.history, c.position);
    rc = rc ? rc : commit(l, &c);
    return rc ? rc : ledger_claim(l, c.position);
}

static void look_around(struct ledger *l)
{
    uint64_t free_bytes = UINT64_MAX, bytes = journal_bytes(l->journal);
    enum rc rc = disk_free_bytes(l->disk, &free_bytes);
    bool is_short = rc == RC_OK && free_bytes < l->settings.reserve_bytes;
    (void)pthread_mutex_lock(&l->lock);
    bool changed = is_short != l->room.is_short;
    l->room.is_short = is_short;
    l->room.free_bytes = rc == RC_OK ? free_bytes : UINT64_MAX;
    l->room.journal_bytes = bytes;
    (void)pthread_mutex_unlock(&l->lock);
    if (changed && is_short)
        log_warn(l->settings.log, "disk.short", LOG_U64("free_bytes", free_bytes));
    else if (changed)
        log_info(l->settings.log, "disk.recovered", LOG_U64("free_bytes", free_bytes));
}

/* 6. */
static enum rc work_on_snapshot(struct ledger *l)
{
    enum rc rc = snapshot_write_pieces(l);
    rc = rc ? rc : snapshot_finish(l);
    (void)pthread_mutex_lock(&l->lock);
    if (rc == RC_OK && l->snapshot.step == SNAPSHOT_NONE && snapshot_is_due(l))
        snapshot_begin(l);
    (void)pthread_mutex_unlock(&l->lock);
    return rc;
}

enum rc ledger_sync(struct ledger *l)
{
    uint64_t begun_ms = clock_now_ms(l->settings.clock);
    (void)pthread_mutex_lock(&l->round.lock);
    enum rc rc = sync_all(l);
    rc = rc ? rc : work_on_snapshot(l);
    look_around(l);
    (void)pthread_mutex_lock(&l->lock);
    l->helper.round_ms = clock_now_ms(l->settings.clock) - begun_ms;
    (void)pthread_mutex_unlock(&l->lock);
    (void)pthread_mutex_unlock(&l->round.lock);
    return ledger_fail(l, rc);
}

void ledger_checkpoint(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    l->snapshot.is_wanted = true;
    (void)pthread_cond_signal(&l->helper.wake);
    (void)pthread_mutex_unlock(&l->lock);
}

void ledger_hurry(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    if (!l->helper.is_hurried)
        (void)pthread_cond_signal(&l->helper.wake);
    l->helper.is_hurried = true;
    (void)pthread_mutex_unlock(&l->lock);
}

/* The thread --------------------------------------------------------------------------------- */

static struct timespec time_after(struct timespec t, uint64_t ms)
{
    t.tv_sec += (time_t)(ms / 1000);
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    return t;
}

static uint64_t hurried_ms(const struct ledger *l)
{
    uint64_t ms = HURRY_SHARE * l->helper.round_ms;
    ms = ms < HURRY_LEAST_MS ? HURRY_LEAST_MS : ms;
    return ms < l->settings.sync_ms ? ms : l->settings.sync_ms;
}

/* Writes pieces of a snapshot as they come, until it is time for a round. False: stop. */
static bool wait_for_round(struct ledger *l)
{
    struct timespec from, until;
    (void)clock_gettime(CLOCK_MONOTONIC, &from);
    int waited = 0;
    (void)pthread_mutex_lock(&l->lock);
    while (!l->helper.stop && waited != ETIMEDOUT) {
        if (l->snapshot.pieces && !l->failed) {
            (void)pthread_mutex_unlock(&l->lock);
            (void)pthread_mutex_lock(&l->round.lock);
            enum rc rc = snapshot_write_pieces(l);
            (void)pthread_mutex_unlock(&l->round.lock);
            (void)ledger_fail(l, rc);
            (void)pthread_mutex_lock(&l->lock);
        }
        until = time_after(from, l->helper.is_hurried ? hurried_ms(l) : l->settings.sync_ms);
        waited = pthread_cond_timedwait(&l->helper.wake, &l->lock, &until);
    }
    bool go_on = !l->helper.stop;
    l->helper.is_hurried = false;
    (void)pthread_mutex_unlock(&l->lock);
    return go_on;
}

static void *helper(void *ctx)
{
    struct ledger *l = ctx;
    while (wait_for_round(l))
        (void)!ledger_sync(l);
    return NULL;
}

enum rc helper_start(struct ledger *l)
{
    if (!l->settings.sync_ms)
        return RC_OK;
    l->helper.has_thread = pthread_create(&l->helper.thread, NULL, helper, l) == 0;
    return l->helper.has_thread ? RC_OK : RC_NOMEM;
}

void helper_stop(struct ledger *l)
{
    if (!l->helper.has_thread)
        return;
    (void)pthread_mutex_lock(&l->lock);
    l->helper.stop = true;
    (void)pthread_cond_signal(&l->helper.wake);
    (void)pthread_mutex_unlock(&l->lock);
    (void)pthread_join(l->helper.thread, NULL);
    l->helper.has_thread = false;
}
