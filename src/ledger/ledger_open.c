/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/ledger_look.h"

#include "archive/digest_refill.h"
#include "base/hash.h"
#include "base/mem.h"

#include <sys/random.h>
#include <time.h>

static struct ledger *ledger_make(struct disk *d, const struct ledger_settings *s)
{
    struct ledger *l = mem_zero(1, sizeof *l);
    if (!l)
        return NULL;
    pthread_condattr_t monotonic;
    l->settings = *s;
    l->room.free_bytes = UINT64_MAX;
    l->disk = d;
    l->round.commit_end = UINT64_MAX;
    l->opened_ms = clock_now_ms(s->clock);
    l->wall_minus_now = (int64_t)clock_wall_ms(s->clock) - (int64_t)l->opened_ms;
    buf_init(&l->round.commit, MANIFEST_MAX_BYTES / 2);
    buf_init(&l->agent.facts, LEDGER_MAX_FACTS_BYTES);
    l->agent.outbox_kept = LEDGER_NOT_SAID;
    (void)pthread_mutex_init(&l->round.lock, NULL);
    (void)pthread_mutex_init(&l->writing, NULL);
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)pthread_condattr_init(&monotonic);
    (void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&l->helper.wake, &monotonic);
    (void)pthread_condattr_destroy(&monotonic);
    l->shards = mem_zero(s->shards, sizeof *l->shards);
    l->digests = digest_table_open(s->digest_bytes);
    l->names = names_open(s->name_bytes ? s->name_bytes : NAMES_USUAL_BYTES);
    buf_init(&l->named, LINE_FILE_MAX_ADD + BATCH_ROW_BYTES);
    for (unsigned i = 0; l->shards && i < s->shards; i++)
        buf_init(&l->shards[i].batch, JOURNAL_MAX_BATCH_BYTES - BATCH_FRONT_BYTES);
    if (!swap_make(l) || !l->shards || !l->digests || !l->names) {
        ledger_close(l);
        return NULL;
    }
    return l;
}

enum rc ledger_open_history(struct ledger *l, struct buf *why)
{
    if (!l->settings.history_path)
        return RC_OK;
    l->batch = history_batch_open();
    l->round.history = history_batch_open();
    if (!l->batch || !l->round.history)
        return RC_NOMEM;
    return history_open(l->settings.history_path, l->settings.history_bytes, &l->history, why);
}

/* Payloads of earlier runs make revisits again, as many as the table holds. Lines of the index take
 * about twice what the table keeps of them. Those that recovery wrote are given to the kernel
 * first.
 */
static enum rc recall_payloads(struct ledger *l)
{
    enum rc rc = line_file_write(l->files[LEDGER_CDXJ]);
    return rc ? rc
              : digest_refill(l->digests, l->disk, ledger_lines_path(LEDGER_CDXJ),
                              2 * l->settings.digest_bytes, l->sealed);
}

/* So that no URL gets a second line. */
static enum rc recall_names(struct ledger *l)
{
    enum rc rc = line_file_write(l->files[LEDGER_NODES]);
    return rc ? rc : names_refill(l->names, l->disk, ledger_lines_path(LEDGER_NODES));
}

/* Names of records must differ from those of every other process and shard. */
static uint64_t id_seed(struct ledger *l, unsigned shard)
{
    uint64_t from[4] = {shard, clock_wall_ms(l->settings.clock), journal_end(l->journal)};
    if (getrandom(&from[3], sizeof from[3], GRND_NONBLOCK) != (ssize_t)sizeof from[3])
        from[3] = (uint64_t)(uintptr_t)l;
    return hash64(str_make((const char *)from, sizeof from));
}

static enum rc open_archives(struct ledger *l, struct buf *why)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < l->settings.shards && rc == RC_OK; i++) {
        struct warc_files_settings s = l->settings.warc;
        s.folder = LEDGER_ARCHIVE;
        s.serial_first = i;
        s.serial_step = l->settings.shards;
        s.id_seed = id_seed(l, i);
        rc = warc_files_open(l->disk, &s, &l->shards[i].warc);
    }
    if (rc)
        buf_printf(why, LEDGER_ARCHIVE ": %s", rc_text(rc));
    return rc;
}

/* Everything that is there has been made durable. */
static enum rc begin_claims(struct ledger *l, struct buf *why)
{
    struct claims c = ledger_claims(l, journal_synced(l->journal));
    enum rc rc =
        claim_writer_open(l->disk, l->settings.written_path, l->settings.boot, &c, &l->claims);
    if (rc)
        buf_printf(why, "logs/SYNCED: %s", rc_text(rc));
    return rc;
}

enum rc ledger_open(struct disk *d, const struct ledger_settings *s, struct ledger_hears hears,
                    struct ledger **ret, struct ledger_report *ret_report, struct buf *why)
{
    struct ledger_report report = {0};
    struct ledger *l = ledger_make(d, s);
    if (!l)
        return RC_NOMEM;
    l->hears = hears;
    enum rc rc = ledger_lock(l, why);
    rc = rc ? rc : ledger_recover(l, &report, why);
    rc = rc ? rc : ledger_tell_seeds(l, hears);
    rc = rc ? rc : recall_payloads(l);
    rc = rc ? rc : recall_names(l);
    rc = rc ? rc : open_archives(l, why);
    rc = rc ? rc : ledger_begin_recrawl(l, &report, why);
    rc = rc ? rc : begin_claims(l, why);
    rc = rc ? rc : swap_start(l);
    rc = rc ? rc : helper_start(l);
    if (rc) {
        if (!why->n)
            buf_printf(why, "cannot open the crawl: %s", rc_text(rc));
        ledger_close(l);
        return rc;
    }
    log_info(s->log, "ledger.open", LOG_U64("batches", report.batches),
             LOG_U64("dropped", report.dropped), LOG_U64("cut_bytes", report.cut_bytes));
    *ret = l;
    *ret_report = report;
    return RC_OK;
}

enum rc ledger_check(struct disk *d, const struct ledger_settings *s, struct buf *why)
{
    struct ledger_report report = {0};
    struct recovery r;
    struct ledger *l = ledger_make(d, s);
    if (!l)
        return RC_NOMEM;
    enum rc rc = ledger_lock(l, why);
    recovery_init(&r, l, &report, why);
    r.only_looks = true;
    rc = rc ? rc : ledger_look(&r);
    recovery_done(&r);
    ledger_close(l);
    return rc;
}

/* No other thread calls: the shards' slices are made here. Links that were journalled and never
 * admitted are only in the journal, so then there is no snapshot and the journal stays. The round's
 * commit vouches for everything before the snapshot, which it then names; the last sync makes the
 * commit itself durable. */
enum rc snapshot_of_all(struct ledger *l)
{
    enum rc rc = RC_OK;
    snapshot_drop(l);
    rc = swap_end_snapshot(l, false);
    if (rc)
        return rc;
    if (l->pending[0] || l->pending[1]) {
        rc = ledger_sync(l);
        return rc ? rc : journal_sync(l->journal);
    }
    rc = snapshot_remove_others(l);
    snapshot_begin(l);
    snapshot_step_on(l);
    for (unsigned i = 0; i < l->settings.shards && rc == RC_OK; i++)
        while (!l->shards[i].is_sliced && rc == RC_OK) {
            rc = snapshot_slice(l, i);
            rc = rc ? rc : snapshot_write_pieces(l);
        }
    rc = rc ? rc : ledger_sync(l);
    return rc ? rc : journal_sync(l->journal);
}

enum rc ledger_finish(struct ledger *l)
{
    helper_stop(l);
    swap_stop(l);
    enum rc rc = ledger_state(l);
    for (unsigned i = 0; i < l->settings.shards && rc == RC_OK; i++)
        rc = swap_collect(l, i);
    for (unsigned i = 0; i < l->settings.shards && rc == RC_OK; i++)
        warc_files_roll(l->shards[i].warc);
    rc = rc ? rc : snapshot_of_all(l);
    rc = rc ? rc : ledger_end_recrawl(l);
    seen_finish(l);
    return rc ? ledger_fail(l, rc) : RC_OK;
}

void ledger_close(struct ledger *l)
{
    if (!l)
        return;
    helper_stop(l);
    swap_stop(l);
    snapshot_drop(l);
    swap_done(l);
    for (unsigned i = 0; l->shards && i < l->settings.shards; i++) {
        frontier_close(l->shards[i].frontier);
        warc_files_close(l->shards[i].warc);
        buf_done(&l->shards[i].batch);
    }
    for (unsigned i = 0; i < LEDGER_FILES; i++)
        line_file_close(l->files[i]);
    buf_done(&l->agent.facts);
    stretches_done(&l->voids);
    seen_close(l);
    journal_close(l->journal);
    if (l->history)
        history_close(l->history);
    if (l->batch)
        history_batch_close(l->batch);
    if (l->round.history)
        history_batch_close(l->round.history);
    digest_table_close(l->digests);
    sealed_close(l->sealed);
    claim_writer_close(l->claims);
    disk_unlock(l->dir_lock);
    buf_done(&l->round.commit);
    buf_done(&l->named);
    names_close(l->names);
    (void)pthread_mutex_destroy(&l->round.lock);
    (void)pthread_mutex_destroy(&l->writing);
    (void)pthread_mutex_destroy(&l->lock);
    (void)pthread_cond_destroy(&l->helper.wake);
    mem_free(l->shards);
    mem_free(l);
}
