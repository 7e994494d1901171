/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/roster/roster_internal.h"

#include "base/hash.h"
#include "base/mem.h"

/* Rings and rows ----------------------------------------------------------------------------- */

static void ring_close(struct roster_ring *g)
{
    if (!g)
        return;
    ring_done(&g->own);
    shared_ring_give(g->shared);
    mem_free(g->of);
    mem_free(g);
}

static void ring_give_up(struct roster_ring *g)
{
    if (g && --g->users == 0)
        ring_close(g);
}

static bool is_in_ring(const struct member *m)
{
    return m->is.state == ROSTER_LIVING && m->is.weight > 0;
}

static bool is_absent(const struct roster_row *row, uint32_t index)
{
    return row->absent[index / 64] >> index % 64 & 1;
}

/* Finds the agents of the last row in `g`; both are sorted. An agent with another weight counts as
 * gone. Returns how many are the same. */
static uint32_t match_last(const struct roster_row *last, const struct roster_ring *g,
                           uint32_t *now_at, uint32_t *ret_fresh)
{
    uint32_t same = 0, at = 0;
    *ret_fresh = g->count;
    for (uint32_t i = 0; i < last->ring->count; i++) {
        const struct member *m = last->ring->of[i];
        now_at[i] = ASSIGN_GONE;
        if (is_absent(last, i))
            continue;
        for (; at < g->count && strcmp(g->of[at]->is.name, m->is.name) < 0; at++)
            *ret_fresh = at;
        if (at == g->count || g->of[at] != m)
            continue;
        if (g->weight[at] == last->ring->weight[i]) {
            now_at[i] = at;
            same++;
        } else {
            *ret_fresh = at;
        }
        at++;
    }
    *ret_fresh = at < g->count ? at : *ret_fresh;
    return same;
}

/* Makes the ring from the last one if only one agent is new, as after a join or a new weight. */
static enum rc fill_from(struct roster_ring *g, const struct roster *r,
                         const struct assign_list *list)
{
    struct assign_conflict conflict;
    const struct roster_row *last = r->row_count ? &r->rows[r->row_count - 1] : NULL;
    if (!last || !last->ring || last->ring->shared)
        return ring_init(&g->own, r->shape, list, &conflict);
    uint32_t *now_at = mem_alloc(last->ring->count * sizeof *now_at);
    if (!now_at)
        return RC_NOMEM;
    struct ring_former former = {.ring = &last->ring->own, .now_at = now_at};
    bool is_near = match_last(last, g, now_at, &former.fresh) + 1 >= g->count;
    enum rc rc = ring_init_from(&g->own, r->shape, list, is_near ? &former : NULL, &conflict);
    mem_free(now_at);
    return rc;
}

/* Members are sorted by name, and a name is living at most once. */
static enum rc fill_ring(struct roster_ring *g, const struct roster *r)
{
    if (r->shared)
        g->shared = shared_ring_take(r->shared, r->shape, g);
    if (g->shared)
        return RC_OK;
    struct assign_agent *agents = mem_alloc(g->count * sizeof *agents);
    uint32_t *by_name = mem_alloc(g->count * sizeof *by_name);
    enum rc rc = agents && by_name ? RC_OK : RC_NOMEM;
    for (uint32_t i = 0; rc == RC_OK && i < g->count; i++) {
        agents[i] = (struct assign_agent){.name = str_c(g->of[i]->is.name), .weight = g->weight[i]};
        by_name[i] = i;
    }
    struct assign_list list = {agents, by_name, g->count};
    if (rc == RC_OK)
        rc = fill_from(g, r, &list);
    mem_free(agents);
    mem_free(by_name);
    return rc;
}

/* Tells the members their index in the ring. */
static void ring_number(struct roster *r, struct roster_ring *g)
{
    g->id = ++r->ring_serial;
    for (uint32_t i = 0; i < g->count; i++) {
        g->of[i]->at[1] = g->of[i]->at[0];
        g->of[i]->at[0].ring = g->id;
        g->of[i]->at[0].index = i;
    }
}

/* *ret is NULL if the ring is empty. */
static enum rc ring_open(struct roster *r, struct roster_ring **ret)
{
    uint32_t count = 0;
    for (size_t i = 0; i < r->count; i++)
        count += is_in_ring(r->members[i]);
    *ret = NULL;
    if (!count)
        return RC_OK;
    struct roster_ring *g = mem_zero(1, sizeof *g + count * sizeof *g->weight);
    if (!g)
        return RC_NOMEM;
    g->of = mem_alloc(count * sizeof(void *));
    for (size_t i = 0; g->of && i < r->count; i++)
        if (is_in_ring(r->members[i])) {
            g->weight[g->count] = r->members[i]->is.weight;
            g->of[g->count++] = r->members[i];
        }
    enum rc rc = g->of ? fill_ring(g, r) : RC_NOMEM;
    if (rc) {
        ring_close(g);
        return rc;
    }
    ring_number(r, g);
    *ret = g;
    return RC_OK;
}

static struct roster_row *last_row(const struct roster *r)
{
    return &r->rows[r->row_count - 1];
}

static enum rc rows_reserve(struct roster *r)
{
    if (r->row_count >= ROSTER_MAX_EPOCHS)
        return RC_LIMIT;
    struct roster_row *rows = mem_grow(r->rows, r->row_count, &r->row_cap, sizeof *rows);
    if (!rows)
        return RC_NOMEM;
    r->rows = rows;
    return RC_OK;
}

static void rows_push(struct roster *r, const struct roster_row *row)
{
    r->rows[r->row_count++] = *row;
    if (row->ring)
        row->ring->users++;
}

static size_t count_rings(const struct roster *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->row_count; i++)
        count += r->rows[i].ring && (i == 0 || r->rows[i].ring != r->rows[i - 1].ring);
    return count;
}

enum rc rows_add_ring(struct roster *r)
{
    struct roster_row row = {0};
    enum rc rc = count_rings(r) < ROSTER_MAX_RINGS ? rows_reserve(r) : RC_LIMIT;
    if (rc == RC_OK)
        rc = ring_open(r, &row.ring);
    if (rc == RC_OK)
        rows_push(r, &row);
    return rc;
}

/* The member's index in a ring; its count if it is not there. */
static uint32_t ring_index(const struct roster_ring *g, const struct member *m)
{
    for (size_t i = 0; i < sizeof m->at / sizeof *m->at; i++)
        if (m->at[i].ring == g->id)
            return m->at[i].index;
    if (!m->at[1].ring) /* it was in no other ring */
        return g->count;
    uint32_t at = 0;
    while (at < g->count && g->of[at] != m)
        at++;
    return at;
}

enum rc rows_add_without(struct roster *r, const struct member *m)
{
    enum rc rc = rows_reserve(r);
    if (rc)
        return rc;
    struct roster_row row = r->row_count ? *last_row(r) : (struct roster_row){0};
    uint32_t at = row.ring ? ring_index(row.ring, m) : 0;
    if (row.ring && at < row.ring->count && !is_absent(&row, at)) {
        row.absent[at / 64] |= UINT64_C(1) << at % 64;
        row.absent_count++;
    }
    if (row.ring && row.absent_count == row.ring->count)
        row = (struct roster_row){0};
    rows_push(r, &row);
    return RC_OK;
}

enum rc rows_add_same(struct roster *r)
{
    enum rc rc = rows_reserve(r);
    if (rc)
        return rc;
    struct roster_row row = r->row_count ? *last_row(r) : (struct roster_row){0};
    rows_push(r, &row);
    return RC_OK;
}

/* A lookup walks over the points of absent agents, so the ring is made anew when these are many.
 * Without memory it stays as it is, which is only slower. */
static void renew_ring(struct roster *r)
{
    struct roster_row *row = last_row(r);
    struct roster_ring *g = NULL;
    if (!row->ring || row->absent_count < row->ring->count / 4 + 1 || ring_open(r, &g) || !g)
        return;
    ring_give_up(row->ring);
    *row = (struct roster_row){.ring = g};
    g->users = 1;
}

void rows_settle(struct roster *r)
{
    for (size_t i = 0; i + 1 < r->row_count; i++)
        ring_give_up(r->rows[i].ring);
    r->rows[0] = *last_row(r);
    r->row_count = 1;
    renew_ring(r);
    struct roster_row *row = last_row(r);
    for (uint32_t i = 0; row->ring && i < row->ring->count; i++)
        if (is_absent(row, i))
            row->ring->of[i] = NULL; /* the member may be forgotten */
}

void rows_done(struct roster *r)
{
    for (size_t i = 0; i < r->row_count; i++)
        ring_give_up(r->rows[i].ring);
    mem_free(r->rows);
}

/* Owners ------------------------------------------------------------------------------------- */

static const struct roster_agent *row_owner(const struct roster_row *row, uint64_t host_hash)
{
    const struct roster_ring *g = row->ring;
    const struct ring *points = !g ? NULL : g->shared ? shared_ring_points(g->shared) : &g->own;
    if (!points)
        return NULL;
    uint32_t at = row->absent_count ? ring_owner_among(points, host_hash, row->absent)
                                    : ring_owner(points, host_hash);
    return &g->of[at]->is;
}

const struct roster_agent *roster_owner(const struct roster *r, uint64_t host_hash, uint64_t epoch)
{
    if (epoch < r->settled || epoch > r->epoch)
        return NULL;
    return row_owner(&r->rows[epoch - r->settled], host_hash);
}

bool roster_has_owners(const struct roster *r)
{
    return r->row_count && r->rows[r->epoch - r->settled].ring;
}

const struct roster_agent *roster_adopter(const struct roster *r, const struct roster_agent *dead)
{
    return roster_owner(r, hash64(str_c(dead->name)), r->epoch);
}

static bool holds(const struct roster_agent **list, size_t count, const struct roster_agent *a)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == a)
            return true;
    return false;
}

size_t roster_holders(const struct roster *r, uint64_t host_hash, const struct roster_agent **ret,
                      size_t most, uint64_t *ret_gained)
{
    const struct roster_agent *former = NULL;
    size_t count = 0;
    *ret_gained = r->settled;
    for (size_t i = 0; i < r->row_count; i++) {
        const struct roster_agent *owner = row_owner(&r->rows[i], host_hash);
        if (owner != former)
            *ret_gained = r->settled + i;
        if (owner && owner != former && count < most && !holds(ret, count, owner))
            ret[count++] = owner;
        former = owner;
    }
    return count;
}

/* Former holders ----------------------------------------------------------------------------- */

/* An agent's weight in one row after another; neighbouring rows mostly share a ring. */
struct weigher {
    const struct roster_agent *agent;
    const struct roster_ring *ring;
    uint32_t index;
};

static uint32_t weigh(struct weigher *w, const struct roster_row *row)
{
    const struct roster_ring *g = row->ring;
    if (!g)
        return 0;
    if (w->ring != g) {
        w->ring = g;
        w->index = ring_index(g, (const struct member *)w->agent);
    }
    return w->index == g->count || is_absent(row, w->index) ? 0 : g->weight[w->index];
}

/* The points of an agent are the first ones of a fixed sequence; a greater weight means more of
 * them. If the holder still has all the points that it had, and `to` has no point that it had not,
 * then every key that was nearer to the holder still is, and no host went from the one to the
 * other. Otherwise a host may have, and with three probes per host it nearly always did. */
bool roster_held_for(const struct roster *r, const struct roster_agent *holder,
                     const struct roster_agent *to, uint64_t epoch)
{
    if (holder == to)
        return false;
    if (epoch < r->settled || epoch > r->epoch)
        return true;
    const struct roster_row *at = &r->rows[epoch - r->settled];
    struct weigher by_holder = {.agent = holder}, by_to = {.agent = to};
    uint32_t holder_now = weigh(&by_holder, at), to_now = weigh(&by_to, at);
    if (!to_now)
        return false;
    for (const struct roster_row *row = r->rows; row < at; row++) {
        uint32_t held = weigh(&by_holder, row);
        if (held && (held > holder_now || weigh(&by_to, row) < to_now))
            return true;
    }
    return false;
}
