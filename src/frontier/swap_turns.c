/* SPDX-License-Identifier: Apache-2.0 */
/* Which bucket is swapped out next, and which is loaded. */
#include "base/mem.h"
#include "frontier/frontier_internal.h"
#include "frontier/swap_internal.h"

enum {
    TURN_BYTES = 4 << 20,         /* of memory freed in one turn */
    FLIGHT_MOST_BYTES = 64 << 20, /* with the carrier: no more is sent */
    LOADS_AT_ONCE = 2,
    LOOK_MS = 100,
    FIT_SHARE = 64,  /* of the budget: the part that is freed beyond need */
    FRESH_MS = 1000, /* time that a loaded bucket has until one of its hosts is checked out */
};

static uint64_t budget_of(const struct frontier *f)
{
    return f->settings.memory_bytes ? f->settings.memory_bytes : UINT64_MAX;
}

static uint64_t used_bytes(const struct frontier *f)
{
    return f->counts.bytes + f->swap.inbox_bytes;
}

/* When there is work -------------------------------------------------------------------------- */

static uint64_t due_of(const struct away *a)
{
    if (a->unsorted || a->is_wanted)
        return 0;
    return a->summary.queued ? a->summary.due_ms : UINT64_MAX;
}

uint64_t swap_due_ms(const struct frontier *f)
{
    struct swap_state *r = (struct swap_state *)(uintptr_t)&f->swap; /* what it remembers */
    if (r->leaving || r->loading)
        return 0;
    if (!f->counts.swapped)
        return UINT64_MAX;
    if (!r->is_stale)
        return r->due_ms;
    r->due_ms = UINT64_MAX;
    for (unsigned i = f->shard; i < FRONTIER_BUCKETS; i += f->shards)
        if (f->away[i] && due_of(f->away[i]) < r->due_ms)
            r->due_ms = due_of(f->away[i]);
    r->is_stale = false;
    return r->due_ms;
}

/* Leaving ------------------------------------------------------------------------------------- */

static void stay(struct frontier *f, struct bucket *b)
{
    b->is_leaving = false;
    b->is_stuck = true;
    for (uint32_t i = 0; i < b->host_slots; i++)
        if (b->hosts[i] && b->hosts[i]->state != HOST_OUT)
            frontier_put_down(f, b->hosts[i], 0);
}

static struct swap_summary summary_of(const struct bucket *b)
{
    struct swap_summary s = {.hosts = b->host_count,
                             .known = bucket_known(b),
                             .queued = b->queued,
                             .memory_bytes = b->bytes,
                             .due_ms = UINT64_MAX};
    for (uint32_t i = 0; i < b->host_slots; i++)
        if (b->hosts[i] && b->hosts[i]->queued && b->hosts[i]->due_ms < s.due_ms)
            s.due_ms = b->hosts[i]->due_ms;
    return s;
}

/* One whose snapshot cannot be made (too large) stays, for ever. */
static enum rc swap_out(struct frontier *f, unsigned bucket, const struct snapshot_context *c)
{
    struct bucket *b = f->buckets[bucket];
    struct buf bytes = {.max = SWAP_MAX_BYTES};
    buf_fill(&bytes, 0, SWAP_HEAD_BYTES);
    snapshot_write(f, bucket, c, &bytes);
    struct swap_file file = {.generation = f->swap.generation + 1, .bytes = bytes.n};
    struct swap_summary s = summary_of(b);
    enum rc rc = buf_rc(&bytes);
    if (rc) {
        buf_done(&bytes);
        stay(f, b);
        return rc == RC_LIMIT ? RC_OK : rc;
    }
    f->swap.generation++;
    frontier_bucket_drop(f, bucket);
    struct away *a = swap_add(f, bucket, &s, file);
    rc = a ? swap_send(f, SWAP_WRITE, bucket, file, &bytes, 0) : RC_NOMEM;
    if (a) {
        a->since_ms = c->now_ms;
        a->is_old = f->settings.replays;
    }
    buf_done(&bytes);
    return rc;
}

/* At once, or when the last of its hosts that are out has come back. */
static enum rc send_away(struct frontier *f, unsigned bucket, const struct snapshot_context *c,
                         bool *ret_more)
{
    struct bucket *b = f->buckets[bucket];
    b->is_leaving = true;
    for (uint32_t i = 0; i < b->host_slots; i++)
        if (b->hosts[i] && b->hosts[i]->state != HOST_OUT)
            frontier_take_up(f, b->hosts[i]);
    if (!b->out) {
        *ret_more = true;
        return swap_out(f, bucket, c);
    }
    f->swap.leaving++;
    f->swap.leaving_bytes += b->bytes;
    return RC_OK;
}

/* Leaving buckets without a host that is out go. What the others take is counted anew: it may have
 * grown.
 */
static enum rc let_go(struct frontier *f, const struct snapshot_context *c, bool *ret_more)
{
    enum rc rc = RC_OK;
    if (!f->swap.has_left)
        return RC_OK;
    f->swap.has_left = false;
    f->swap.leaving = 0;
    f->swap.leaving_bytes = 0;
    for (unsigned i = f->shard; i < FRONTIER_BUCKETS && rc == RC_OK; i += f->shards) {
        struct bucket *b = f->buckets[i];
        if (!b || !b->is_leaving)
            continue;
        if (!b->out) {
            rc = swap_out(f, i, c);
            *ret_more = true;
            continue;
        }
        f->swap.leaving++;
        f->swap.leaving_bytes += b->bytes;
    }
    return rc;
}

/* Choosing ------------------------------------------------------------------------------------ */

enum rank { RANK_IDLE, RANK_IN, RANK_OUT, RANK_NONE };

/* `by_time`: only one that has no work, or whose slice has passed. */
static enum rank rank_of(const struct frontier *f, const struct bucket *b, uint64_t now_ms,
                         bool by_time)
{
    uint64_t slice_ms = f->settings.slice_ms;
    if (!b || b->is_leaving || b->is_stuck || bucket_is_empty(b))
        return RANK_NONE;
    if (b->is_wanted && now_ms < b->since_ms + FRESH_MS)
        return RANK_NONE;
    if (!b->queued && !b->out)
        return RANK_IDLE;
    if (by_time && now_ms < b->since_ms + slice_ms)
        return RANK_NONE;
    if (b->is_fresh && now_ms < b->since_ms + FRESH_MS)
        return RANK_NONE;
    return b->out ? RANK_OUT : RANK_IN;
}

/* The one to swap out next: of the best rank the one longest in memory. FRONTIER_BUCKETS: none. One
 * that would be the last in memory stays unless its time is over. */
static unsigned choose_leaver(const struct frontier *f, uint64_t now_ms, bool by_time)
{
    unsigned found = FRONTIER_BUCKETS, count = 0;
    enum rank best = RANK_NONE;
    for (unsigned i = f->shard; i < FRONTIER_BUCKETS; i += f->shards) {
        const struct bucket *b = f->buckets[i];
        count += b && !b->is_leaving && !bucket_is_empty(b);
        enum rank rank = rank_of(f, b, now_ms, by_time);
        if (rank < best ||
            (rank == best && rank != RANK_NONE && b->since_ms < f->buckets[found]->since_ms)) {
            best = rank;
            found = i;
        }
    }
    return count == 1 && best != RANK_IDLE && !by_time ? FRONTIER_BUCKETS : found;
}

/* The one with work that was swapped out first, or that a caller wants; FRONTIER_BUCKETS: none. */
static unsigned choose_comer(const struct frontier *f, uint64_t now_ms)
{
    unsigned found = FRONTIER_BUCKETS;
    for (unsigned i = f->shard; i < FRONTIER_BUCKETS; i += f->shards) {
        const struct away *a = f->away[i];
        if (!a || a->is_loading || due_of(a) > now_ms)
            continue;
        if (a->is_wanted)
            return i;
        if (found == FRONTIER_BUCKETS || a->since_ms < f->away[found]->since_ms)
            found = i;
    }
    return found;
}

/* Making room --------------------------------------------------------------------------------- */

static bool is_past(const struct frontier *f, uint64_t bytes)
{
    return used_bytes(f) - f->swap.leaving_bytes > bytes;
}

static enum rc make_fit(struct frontier *f, const struct snapshot_context *c, bool by_hand,
                        bool *ret_more)
{
    enum rc rc = RC_OK;
    uint64_t begun = f->counts.bytes, most = budget_of(f);
    if (!is_past(f, most))
        return RC_OK;
    most -= most / FIT_SHARE; /* so that not every turn has to choose one */
    while (rc == RC_OK && is_past(f, most) && begun - f->counts.bytes < TURN_BYTES &&
           (by_hand || f->swap.flight_bytes < FLIGHT_MOST_BYTES)) {
        unsigned leaver = choose_leaver(f, c->now_ms, false);
        if (leaver == FRONTIER_BUCKETS)
            return RC_OK;
        rc = send_away(f, leaver, c, ret_more);
    }
    return rc;
}

/* Loading ------------------------------------------------------------------------------------- */

static enum rc load(struct frontier *f, unsigned bucket, bool *ret_more)
{
    struct away *a = f->away[bucket];
    enum rc rc = swap_send(f, SWAP_READ, bucket, a->file, NULL, 0);
    if (rc)
        return rc;
    a->is_loading = true;
    f->swap.loading++;
    *ret_more = true;
    return RC_OK;
}

static bool has_room(const struct frontier *f, const struct away *a)
{
    uint64_t need = a->summary.memory_bytes + a->unsorted * 64;
    return used_bytes(f) + need <= budget_of(f);
}

/* While a host is ready there is no hurry, and choosing costs a look at every bucket. */
static bool is_time_to_look(struct frontier *f, const struct snapshot_context *c)
{
    uint64_t every_ms = f->settings.slice_ms / 8 < LOOK_MS ? f->settings.slice_ms / 8 : LOOK_MS;
    if (f->counts.ready && !f->swap.is_asked && c->now_ms < f->swap.looked_ms + every_ms)
        return false;
    f->swap.looked_ms = c->now_ms;
    f->swap.is_asked = false;
    return true;
}

static enum rc load_some(struct frontier *f, const struct snapshot_context *c, bool *ret_more)
{
    if (f->swap.loading >= LOADS_AT_ONCE || swap_due_ms(f) > c->now_ms || !is_time_to_look(f, c))
        return RC_OK;
    unsigned comer = choose_comer(f, c->now_ms);
    if (comer == FRONTIER_BUCKETS)
        return RC_OK;
    struct away *a = f->away[comer];
    if (a->is_wanted)
        return load(f, comer, ret_more);
    if (f->counts.ready && c->now_ms < a->since_ms + f->settings.slice_ms)
        return RC_OK;
    if (has_room(f, a))
        return load(f, comer, ret_more);
    if (f->swap.leaving || f->swap.loading)
        return RC_OK;
    unsigned leaver = choose_leaver(f, c->now_ms, true);
    if (leaver != FRONTIER_BUCKETS)
        return send_away(f, leaver, c, ret_more);
    if (f->counts.queued || f->counts.out)
        return RC_OK;                    /* what is in memory has its time first */
    f->swap.is_over |= !f->counts.hosts; /* else what else is in memory cannot go just now */
    return load(f, comer, ret_more);
}

bool frontier_is_over(const struct frontier *f)
{
    return f->swap.is_over;
}

enum rc frontier_rotate(struct frontier *f, const struct snapshot_context *c, bool only_fit,
                        bool *ret_more)
{
    *ret_more = false;
    if (!f->swap.carrier.send || (!f->settings.memory_bytes && !f->counts.swapped))
        return RC_OK;
    look_expire(f, c->now_ms);
    enum rc rc = let_go(f, c, ret_more);
    rc = rc ? rc : make_fit(f, c, only_fit, ret_more);
    return rc || only_fit ? rc : load_some(f, c, ret_more);
}
