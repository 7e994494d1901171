/* SPDX-License-Identifier: Apache-2.0 */
/* Beginning anew: the frontiers of the snapshot that the next MANIFEST names hold nothing but what
 * was queued. The MANIFEST's rename is the moment; state/RECRAWL is written first and names that
 * snapshot. While an older snapshot counts, it means nothing. So a crash leaves the crawl as it
 * was, or begun anew and known to be. */
#include "ledger/ledger_internal.h"

#include "base/hash.h"
#include "frontier/redo.h"

enum { MARK_MAX_BYTES = 100, FOREVER_MS = INT32_MAX };

#define BEGUN "begun "
#define ENDED "ended "

/* The mark ---------------------------------------------------------------------------------------
 *
 *     begun 7 7 1700000000000 #0123456789abcdef
 *
 * "begun" or "ended", a generation, the generation with which it began, the wall clock's moment of
 * that, the hash of all before it, a line feed. Earlier versions wrote no hash, and the first of
 * them the first number alone. */

struct mark {
    bool is_there, has_ended;
    uint64_t numbers[3]; /* what an earlier version did not write is 0 */
};

static void put_hash(struct buf *text)
{
    buf_printf(text, " #%016llx", (unsigned long long)hash64(buf_str(text)));
}

static enum rc write_mark(struct ledger *l, struct str word, uint64_t generation)
{
    char room[MARK_MAX_BYTES];
    struct buf text = buf_on(room, sizeof room);
    buf_add(&text, word);
    buf_u64(&text, generation);
    buf_byte(&text, ' ');
    buf_u64(&text, l->recrawl.last.id);
    buf_byte(&text, ' ');
    buf_u64(&text, l->recrawl.last.wall_ms);
    put_hash(&text);
    buf_byte(&text, '\n');
    return disk_replace(l->disk, LEDGER_RECRAWL, buf_str(&text));
}

/* Takes the hash off the end of the mark, if it has one. */
static enum rc take_hash(struct str *mark)
{
    char room[MARK_MAX_BYTES];
    struct buf text = buf_on(room, sizeof room);
    size_t at = str_find_str(*mark, STR(" #"));
    if (at == mark->n)
        return RC_OK;
    buf_add(&text, str_first(*mark, at));
    put_hash(&text);
    if (!str_eq(buf_str(&text), *mark))
        return RC_CORRUPT;
    *mark = str_first(*mark, at);
    return RC_OK;
}

static enum rc parse_mark(struct str text, struct mark *ret)
{
    struct str mark = str_first(text, text.n ? text.n - 1 : 0);
    enum rc rc = text.n && text.p[text.n - 1] == '\n' ? take_hash(&mark) : RC_CORRUPT;
    ret->has_ended = str_starts(mark, STR(ENDED));
    if (rc == RC_OK && !ret->has_ended && !str_starts(mark, STR(BEGUN)))
        rc = RC_CORRUPT;
    struct str numbers = str_from(mark, sizeof BEGUN - 1);
    for (unsigned i = 0; i < 3 && rc == RC_OK && (numbers.n || !i); i++)
        if (str_to_u64(str_take_until(&numbers, ' '), &ret->numbers[i]))
            rc = RC_CORRUPT;
    return rc == RC_OK && numbers.n ? RC_CORRUPT : rc;
}

static enum rc look_at_mark(struct ledger *l, struct mark *ret, struct buf *why)
{
    char room[MARK_MAX_BYTES];
    struct buf text = buf_on(room, sizeof room);
    *ret = (struct mark){0};
    enum rc rc = disk_read_whole(l->disk, LEDGER_RECRAWL, &text);
    if (rc == RC_NOT_FOUND)
        return RC_OK;
    ret->is_there = true;
    rc = rc == RC_LIMIT ? RC_CORRUPT : rc ? rc : parse_mark(buf_str(&text), ret);
    if (rc)
        buf_printf(why, LEDGER_RECRAWL ": %s", rc_text(rc));
    return rc;
}

enum rc ledger_check_mark(struct ledger *l, uint64_t least_id, struct buf *why)
{
    struct mark mark;
    enum rc rc = look_at_mark(l, &mark, why);
    uint64_t id = mark.numbers[1] ? mark.numbers[1] : mark.numbers[0];
    if (rc || id >= least_id)
        return rc;
    buf_printf(why, LEDGER_RECRAWL ": %s",
               mark.is_there ? "it is older than the rest of the crawl" : "it is missing");
    return RC_CORRUPT;
}

/* One that names a snapshot which was never made is removed: its number will be given again. */
static enum rc read_mark(struct ledger *l, struct mark *ret, struct buf *why)
{
    enum rc rc = look_at_mark(l, ret, why);
    const uint64_t *numbers = ret->numbers;
    if (rc || !ret->is_there)
        return rc;
    if (numbers[0] > l->kept.generation) {
        ret->is_there = ret->has_ended = false;
        rc = disk_unlink(l->disk, LEDGER_RECRAWL);
        return rc ? rc : disk_dirsync(l->disk, "state");
    }
    l->recrawl.last = (struct ledger_recrawl){numbers[1] ? numbers[1] : numbers[0], numbers[2]};
    return RC_OK;
}

/* Frontiers ------------------------------------------------------------------------------------ */

static enum rc fingerprint_of(const struct checkout *checkout, struct buf *room, uint64_t *ret)
{
    buf_clear(room);
    buf_add(room, checkout->is_https ? STR("https://") : STR("http://"));
    buf_add(room, checkout->host_name);
    if (checkout->port) {
        buf_byte(room, ':');
        buf_u64(room, checkout->port);
    }
    buf_add(room, checkout->path);
    *ret = hash64(buf_str(room));
    return buf_rc(room);
}

/* What is queued, in its order, from one to the other. */
static enum rc move_queued(struct frontier *from, struct frontier *to, uint64_t now_ms)
{
    struct buf room = {.max = 1 << 20};
    struct checkout checkout;
    enum admitted became;
    size_t done;
    enum rc rc = RC_OK;
    while (rc == RC_OK && frontier_checkout(from, 0, now_ms + FOREVER_MS, &checkout) == RC_OK) {
        struct candidate c = {.host = checkout.host_name,
                              .host_hash = host_hash(checkout.host),
                              .path = checkout.path,
                              .via = checkout.via,
                              .port = checkout.port,
                              .is_https = checkout.is_https,
                              .class = checkout.class,
                              .seed_path = checkout.seed_path};
        rc = fingerprint_of(&checkout, &room, &c.fingerprint);
        rc = rc ? rc : frontier_admit(to, &c, 1, now_ms, &became, &done);
        frontier_checkin(from, &checkout, CHECKIN_DONE, 0);
    }
    buf_done(&room);
    return rc;
}

/* The same of one swapped bucket; `shard` has `from`. What is new may be swapped out in turn. */
static enum rc move_swapped(struct ledger *l, unsigned shard, unsigned bucket, struct frontier *to,
                            uint64_t now_ms)
{
    struct frontier *from = l->shards[shard].frontier;
    uint64_t host_hash = (uint64_t)bucket << 52;
    if (!frontier_is_swapped(from, host_hash))
        return RC_OK;
    enum rc rc = ledger_bring(l, shard, host_hash);
    rc = rc ? rc : move_queued(from, to, now_ms);
    if (rc)
        return rc;
    frontier_forget(from, bucket);
    frontier_swap_raise(to, frontier_swap_generation(from));
    l->shards[shard].frontier = to;
    rc = swap_fit(l, shard);
    l->shards[shard].frontier = from;
    frontier_swap_raise(from, frontier_swap_generation(to));
    return rc;
}

static enum rc begin_frontier(struct ledger *l, unsigned shard, struct frontier *to)
{
    struct frontier *from = l->shards[shard].frontier;
    uint64_t now_ms = clock_now_ms(l->settings.clock);
    frontier_swap_copy(to, from);
    enum rc rc = move_queued(from, to, now_ms);
    for (unsigned i = shard; i < FRONTIER_BUCKETS && rc == RC_OK; i += l->settings.shards)
        frontier_forget(from, i);
    for (unsigned i = shard; i < FRONTIER_BUCKETS && rc == RC_OK; i += l->settings.shards)
        rc = move_swapped(l, shard, i, to, now_ms);
    if (rc)
        return rc;
    frontier_close(from);
    l->shards[shard].frontier = to;
    frontier_hold_all(to, now_ms + l->settings.pace.delay_ms);
    rc = swap_fit(l, shard);
    frontier_limit(to, &l->settings.frontier);
    return rc;
}

static enum rc begin_frontiers(struct ledger *l)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < l->settings.shards && rc == RC_OK; i++) {
        struct frontier_settings s = l->settings.frontier;
        s.replays = true; /* what is queued was admitted once */
        s.max_host_queue_bytes = 0;
        struct frontier *f = frontier_open(&s, i, l->settings.shards);
        if (f)
            frontier_set_era(f, seen_next_era(l));
        rc = f ? begin_frontier(l, i, f) : RC_NOMEM;
        if (rc && f != l->shards[i].frontier)
            frontier_close(f);
    }
    if (rc == RC_OK)
        seen_begin_era(l);
    return rc;
}

static enum rc begin_recrawl(struct ledger *l, struct buf *why)
{
    uint64_t generation = l->kept.generation + 1;
    enum rc rc = begin_frontiers(l);
    l->totals = (struct batch_totals){.archive_bytes = l->totals.archive_bytes};
    l->elapsed_before_ms = 0;
    l->recrawl.last = (struct ledger_recrawl){generation, clock_wall_ms(l->settings.clock)};
    rc = rc ? rc : write_mark(l, STR(BEGUN), generation);
    rc = rc ? rc : snapshot_of_all(l);
    if (rc == RC_OK && l->kept.generation != generation)
        rc = RC_CORRUPT;
    if (rc)
        buf_printf(why, "cannot begin the recrawl: %s", rc_text(rc));
    return rc;
}

enum rc ledger_begin_recrawl(struct ledger *l, struct ledger_report *report, struct buf *why)
{
    struct mark mark;
    enum rc rc = read_mark(l, &mark, why);
    if (rc)
        return rc;
    bool is_running = mark.is_there && !mark.has_ended;
    if (l->settings.recrawl && !report->is_new && !is_running) {
        rc = begin_recrawl(l, why);
        mark.is_there = is_running = report->has_begun_recrawl = true;
    }
    l->recrawl.is_on = report->is_recrawl = mark.is_there;
    report->needs_requeue = is_running;
    return rc;
}

/* Its end -------------------------------------------------------------------------------------- */

void ledger_requeued(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    l->recrawl.is_requeued = true;
    (void)pthread_mutex_unlock(&l->lock);
}

struct ledger_recrawl ledger_last_recrawl(struct ledger *l)
{
    return l->recrawl.last;
}

bool ledger_conclude(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    bool is_first = !l->recrawl.is_concluded;
    l->recrawl.is_concluded = true;
    (void)pthread_mutex_unlock(&l->lock);
    return is_first;
}

enum rc ledger_end_recrawl(struct ledger *l)
{
    bool is_done = l->recrawl.is_requeued && !l->pending[0] && !l->pending[1];
    for (unsigned i = 0; i < l->settings.shards; i++) {
        struct frontier_counts c = frontier_counts(l->shards[i].frontier);
        is_done &= c.queued == 0 && c.unsorted == 0;
    }
    if (!l->recrawl.is_on || !(is_done || l->recrawl.is_concluded))
        return RC_OK;
    return write_mark(l, STR(ENDED), l->kept.generation);
}
