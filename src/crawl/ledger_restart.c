/* SPDX-License-Identifier: Apache-2.0 */
/* Beginning anew: the frontiers of the image that the next MANIFEST names hold nothing but what was
 * queued. The MANIFEST's rename is the moment; state/RECRAWL, written before it, names that image,
 * and says nothing while an older one counts. So a crash leaves the crawl as it was, or restarted
 * and known to be. */
#include "crawl/ledger_inside.h"

#include "base/hash.h"
#include "frontier/redo.h"

enum { MARK_MAX_BYTES = 100, FOREVER_MS = INT32_MAX };

#define BEGUN "begun "
#define ENDED "ended "

/* The mark: "begun " or "ended ", a generation, that with which it began, the wall clock's moment
 * of that; a line feed --------------------------------------------------------------------------
 */

static enum rc write_mark(struct ledger *l, struct str word, uint64_t generation)
{
    char room[MARK_MAX_BYTES];
    struct buf text = buf_on(room, sizeof room);
    buf_add(&text, word);
    buf_u64(&text, generation);
    buf_byte(&text, ' ');
    buf_u64(&text, l->restarts.id);
    buf_byte(&text, ' ');
    buf_u64(&text, l->restarts.wall_ms);
    buf_byte(&text, '\n');
    return disk_replace(l->disk, LEDGER_RECRAWL, buf_str(&text));
}

/* What is not there counts as 0: an earlier version wrote the first number alone. */
static enum rc read_numbers(struct str numbers, uint64_t ret[3])
{
    for (unsigned i = 0; i < 3 && numbers.n; i++)
        if (str_to_u64(str_take_until(&numbers, ' '), &ret[i]))
            return RC_CORRUPT;
    return RC_OK;
}

/* One that names an image which was never made is removed: its number will be given again. */
static enum rc read_mark(struct ledger *l, bool *ret_is_there, bool *ret_has_ended, struct buf *why)
{
    char room[MARK_MAX_BYTES];
    struct buf text = buf_on(room, sizeof room);
    uint64_t numbers[3] = {0};
    *ret_is_there = *ret_has_ended = false;
    enum rc rc = disk_read_whole(l->disk, LEDGER_RECRAWL, &text);
    if (rc == RC_NOT_FOUND)
        return RC_OK;
    struct str mark = str_trim(buf_str(&text));
    bool has_ended = str_starts(mark, STR(ENDED));
    if (rc == RC_LIMIT || (rc == RC_OK && !has_ended && !str_starts(mark, STR(BEGUN))))
        rc = RC_CORRUPT;
    if (rc == RC_OK)
        rc = read_numbers(str_from(mark, sizeof BEGUN - 1), numbers);
    if (rc) {
        buf_printf(why, LEDGER_RECRAWL ": %s", rc_text(rc));
        return rc;
    }
    if (numbers[0] > l->kept.generation) {
        rc = disk_unlink(l->disk, LEDGER_RECRAWL);
        return rc ? rc : disk_dirsync(l->disk, "state");
    }
    l->restarts = (struct ledger_restarts){numbers[1] ? numbers[1] : numbers[0], numbers[2]};
    *ret_is_there = true;
    *ret_has_ended = has_ended;
    return RC_OK;
}

/* Frontiers ------------------------------------------------------------------------------------ */

static enum rc fingerprint_of(const struct lent *lent, struct buf *room, uint64_t *ret)
{
    buf_clear(room);
    buf_add(room, lent->is_https ? STR("https://") : STR("http://"));
    buf_add(room, lent->host_name);
    if (lent->port) {
        buf_byte(room, ':');
        buf_u64(room, lent->port);
    }
    buf_add(room, lent->path);
    *ret = hash64(buf_str(room));
    return buf_rc(room);
}

/* What is queued, in its order, from one to the other. */
static enum rc move_queued(struct frontier *from, struct frontier *to, uint64_t now_ms)
{
    struct buf room = {.max = 1 << 20};
    struct lent lent;
    enum admitted became;
    size_t done;
    enum rc rc = RC_OK;
    while (rc == RC_OK && frontier_lend(from, 0, now_ms + FOREVER_MS, &lent) == RC_OK) {
        struct candidate c = {.host = lent.host_name,
                              .position = host_position(lent.host),
                              .path = lent.path,
                              .via = lent.via,
                              .port = lent.port,
                              .is_https = lent.is_https,
                              .class = lent.class,
                              .hops = lent.hops};
        rc = fingerprint_of(&lent, &room, &c.fingerprint);
        rc = rc ? rc : frontier_admit(to, &c, 1, now_ms, &became, &done);
        frontier_settle(from, &lent, SETTLE_DONE, 0);
    }
    buf_done(&room);
    return rc;
}

/* The same of one bucket, from where it rests; `shard` has `from`. What is new may rest in turn. */
static enum rc move_resting(struct ledger *l, unsigned shard, unsigned bucket, struct frontier *to,
                            uint64_t now_ms)
{
    struct frontier *from = l->shards[shard].frontier;
    uint64_t position = (uint64_t)bucket << 52;
    if (!frontier_rests(from, position))
        return RC_OK;
    enum rc rc = ledger_bring(l, shard, position);
    rc = rc ? rc : move_queued(from, to, now_ms);
    if (rc)
        return rc;
    frontier_forget(from, bucket);
    frontier_rest_raise(to, frontier_rest_generation(from));
    l->shards[shard].frontier = to;
    rc = rest_fit(l, shard);
    l->shards[shard].frontier = from;
    frontier_rest_raise(from, frontier_rest_generation(to));
    return rc;
}

static enum rc begin_frontier(struct ledger *l, unsigned shard, struct frontier *to)
{
    struct frontier *from = l->shards[shard].frontier;
    uint64_t now_ms = clock_now_ms(l->settings.clock);
    frontier_rest_copy(to, from);
    enum rc rc = move_queued(from, to, now_ms);
    for (unsigned i = shard; i < FRONTIER_BUCKETS && rc == RC_OK; i += l->settings.shards)
        frontier_forget(from, i);
    for (unsigned i = shard; i < FRONTIER_BUCKETS && rc == RC_OK; i += l->settings.shards)
        rc = move_resting(l, shard, i, to, now_ms);
    if (rc)
        return rc;
    frontier_close(from);
    l->shards[shard].frontier = to;
    frontier_hold_all(to, now_ms + l->settings.delay_ms);
    rc = rest_fit(l, shard);
    frontier_limit(to, &l->settings.frontier);
    return rc;
}

static enum rc begin_frontiers(struct ledger *l)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < l->settings.shards && rc == RC_OK; i++) {
        struct frontier_settings s = l->settings.frontier;
        s.replays = true; /* what is queued was admitted once */
        struct frontier *f = frontier_open(&s, i, l->settings.shards);
        rc = f ? begin_frontier(l, i, f) : RC_NOMEM;
        if (rc && f != l->shards[i].frontier)
            frontier_close(f);
    }
    return rc;
}

static enum rc restart(struct ledger *l, struct buf *why)
{
    uint64_t generation = l->kept.generation + 1;
    enum rc rc = begin_frontiers(l);
    l->totals = (struct batch_totals){.archive_bytes = l->totals.archive_bytes};
    l->elapsed_before_ms = 0;
    l->restarts = (struct ledger_restarts){generation, clock_wall_ms(l->settings.clock)};
    rc = rc ? rc : write_mark(l, STR(BEGUN), generation);
    rc = rc ? rc : image_of_all(l);
    if (rc == RC_OK && l->kept.generation != generation)
        rc = RC_CORRUPT;
    if (rc)
        buf_printf(why, "the crawl cannot begin anew: %s", rc_text(rc));
    return rc;
}

enum rc ledger_restart(struct ledger *l, struct ledger_report *report, struct buf *why)
{
    bool is_there, has_ended;
    enum rc rc = read_mark(l, &is_there, &has_ended, why);
    if (rc)
        return rc;
    bool is_running = is_there && !has_ended;
    if (l->settings.restart && !report->is_new && !is_running) {
        rc = restart(l, why);
        is_there = is_running = report->is_restarted = true;
    }
    l->is_recrawl = report->is_recrawl = is_there;
    report->is_unmet = is_running;
    return rc;
}

/* Its end -------------------------------------------------------------------------------------- */

void ledger_met(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    l->is_met = true;
    (void)pthread_mutex_unlock(&l->lock);
}

struct ledger_restarts ledger_restarts(struct ledger *l)
{
    return l->restarts;
}

void ledger_conclude(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    l->is_concluded = true;
    (void)pthread_mutex_unlock(&l->lock);
}

enum rc ledger_end_recrawl(struct ledger *l)
{
    bool is_done = l->is_met && !l->pending[0] && !l->pending[1];
    for (unsigned i = 0; i < l->settings.shards; i++) {
        struct frontier_counts c = frontier_counts(l->shards[i].frontier);
        is_done &= c.queued == 0 && c.unsorted == 0;
    }
    if (!l->is_recrawl || !(is_done || l->is_concluded))
        return RC_OK;
    return write_mark(l, STR(ENDED), l->kept.generation);
}
