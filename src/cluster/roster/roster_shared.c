/* SPDX-License-Identifier: Apache-2.0 */
/* roster_shared: points of rings that the rosters of one process share (cluster/roster/roster.h).
 *
 * A ring is identified by its members: numbers of names, and weights. Only the rings of epochs that
 * a roster still keeps exist at a time, so a list holds them. The hash of a fold, which invariant 5
 * compares, does not depend on this: each roster has its own members and rows. */
#include "base/hash.h"
#include "base/mem.h"
#include "cluster/roster/roster_internal.h"

struct shared_ring {
    struct roster_rings *all;
    struct shared_ring *next;
    uint64_t key[2];
    uint32_t users, count;
    struct ring_shape shape;
    struct ring points;
    bool is_drawn;
    struct {
        uint32_t name, weight;
    } of[];
};

struct roster_rings {
    struct str *names; /* sorted; the bytes follow the array */
    uint32_t count, most_weight, most_points;
    struct shared_ring *first;
};

/* ---- names ---- */

static uint32_t first_not_before(const struct roster_rings *s, struct str name, uint32_t count)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t mid = (low + high) / 2;
        if (str_cmp(s->names[mid], name) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

uint32_t shared_name_of(const struct roster_rings *s, struct str name)
{
    uint32_t at = first_not_before(s, name, s->count);
    return at < s->count && str_eq(s->names[at], name) ? at : ROSTER_NOT_SHARED;
}

static void sort_in(struct roster_rings *s, const struct str *names, char *bytes)
{
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t at = first_not_before(s, names[i], i);
        memmove(s->names + at + 1, s->names + at, (i - at) * sizeof *s->names);
        memcpy(bytes, names[i].p, names[i].n);
        s->names[at] = str_make(bytes, names[i].n);
        bytes += names[i].n;
    }
}

static enum rc draw(struct shared_ring *g)
{
    struct assign_agent *agents = mem_alloc(g->count * sizeof *agents);
    uint32_t *by_name = mem_alloc(g->count * sizeof *by_name);
    struct assign_conflict conflict;
    enum rc rc = agents && by_name ? RC_OK : RC_NOMEM;
    for (uint32_t i = 0; rc == RC_OK && i < g->count; i++) {
        agents[i] =
            (struct assign_agent){.name = g->all->names[g->of[i].name], .weight = g->of[i].weight};
        by_name[i] = i;
    }
    struct assign_list list = {agents, by_name, g->count};
    if (rc == RC_OK)
        rc = ring_init(&g->points, g->shape, &list, &conflict);
    g->is_drawn = rc == RC_OK;
    mem_free(agents);
    mem_free(by_name);
    return rc;
}

static struct shared_ring *ring_new(struct roster_rings *s, struct ring_shape shape, uint32_t count)
{
    struct shared_ring *g = mem_zero(1, sizeof *g + count * sizeof g->of[0]);
    if (!g)
        return NULL;
    g->all = s;
    g->shape = shape;
    g->count = count;
    return g;
}

/* Draws the points of all agents that may join, each with the greatest weight. A ring of fewer
 * agents has only points of these, so its points do not collide either. */
static enum rc look_for_conflicts(struct roster_rings *s)
{
    struct ring_shape shape = {s->most_points, 1, 64};
    struct shared_ring *g = ring_new(s, shape, s->count);
    if (!g)
        return RC_NOMEM;
    for (uint32_t i = 0; i < s->count; i++) {
        g->of[i].name = i;
        g->of[i].weight = s->most_weight;
    }
    enum rc rc = draw(g);
    ring_done(&g->points);
    mem_free(g);
    return rc;
}

enum rc roster_rings_open(const struct str *names, uint32_t count, uint32_t points,
                          uint32_t most_weight, struct roster_rings **ret)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += names[i].n;
    struct roster_rings *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    *s = (struct roster_rings){.count = count, .most_weight = most_weight, .most_points = points};
    s->names = mem_alloc(count * sizeof *s->names + bytes + 1);
    enum rc rc = s->names ? RC_OK : RC_NOMEM;
    if (rc == RC_OK) {
        sort_in(s, names, (char *)(s->names + count));
        rc = look_for_conflicts(s);
    }
    if (rc)
        roster_rings_close(s);
    else
        *ret = s;
    return rc;
}

void roster_rings_close(struct roster_rings *s)
{
    if (!s)
        return;
    mem_free(s->names);
    mem_free(s);
}

/* ---- rings ---- */

static void key_of(const struct roster_ring *g, struct ring_shape shape, uint64_t *ret)
{
    ret[0] = hash64_mix(shape.points);
    ret[1] = hash64_mix(shape.probes);
    for (uint32_t i = 0; i < g->count; i++) {
        uint64_t one = (uint64_t)g->of[i]->shared_name << 32 | g->weight[i];
        ret[0] = hash64_mix(ret[0] + one);
        ret[1] += hash64_mix(one ^ UINT64_C(0x5bd1e9955bd1e995));
    }
}

static bool may_share(const struct roster_rings *s, struct ring_shape shape,
                      const struct roster_ring *g)
{
    for (uint32_t i = 0; i < g->count; i++)
        if (g->of[i]->shared_name == ROSTER_NOT_SHARED || g->weight[i] > s->most_weight)
            return false;
    return shape.points <= s->most_points && shape.point_bits == 64;
}

struct shared_ring *shared_ring_take(struct roster_rings *s, struct ring_shape shape,
                                     const struct roster_ring *g)
{
    uint64_t key[2];
    if (!may_share(s, shape, g))
        return NULL;
    key_of(g, shape, key);
    for (struct shared_ring *at = s->first; at; at = at->next)
        if (at->key[0] == key[0] && at->key[1] == key[1] && at->count == g->count) {
            at->users++;
            return at;
        }
    struct shared_ring *new = ring_new(s, shape, g->count);
    if (!new)
        return NULL;
    for (uint32_t i = 0; i < g->count; i++) {
        new->of[i].name = g->of[i]->shared_name;
        new->of[i].weight = g->weight[i];
    }
    memcpy(new->key, key, sizeof key);
    new->users = 1;
    new->next = s->first;
    s->first = new;
    return new;
}

void shared_ring_give(struct shared_ring *ring)
{
    if (!ring || --ring->users)
        return;
    struct shared_ring **at = &ring->all->first;
    while (*at != ring)
        at = &(*at)->next;
    *at = ring->next;
    ring_done(&ring->points);
    mem_free(ring);
}

const struct ring *shared_ring_points(struct shared_ring *ring)
{
    return ring->is_drawn || draw(ring) == RC_OK ? &ring->points : NULL;
}
