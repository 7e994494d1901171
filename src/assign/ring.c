/* SPDX-License-Identifier: Apache-2.0 */
#include "assign/ring.h"

#include "assign/sort.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/rng.h"

#include <assert.h>

/* Slots compared at a time: which of them is the last one below is then a sum, and not a branch
 * that the processor would mispredict every other time. */
enum { LOOK = 4 };

uint32_t ring_points_of(uint32_t points, uint32_t weight)
{
    uint64_t n = (uint64_t)points * weight / ASSIGN_WEIGHT_ONE;
    return n > ASSIGN_MAX_POINTS ? ASSIGN_MAX_POINTS + 1 : n || !weight ? (uint32_t)n : 1;
}

static enum rc count_points(const struct assign_list *list, uint32_t points, uint32_t *ret_count)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        count += ring_points_of(points, list->agents[i].weight);
    *ret_count = (uint32_t)count;
    return count <= ASSIGN_MAX_POINTS ? RC_OK : RC_LIMIT;
}

/* Agents are drawn in the order of their names, and sorting is stable: rows with the same point
 * also stand in that order, so the conflict found does not depend on the order of the list. */
static struct sort_row *draw_agent(const struct assign_list *list, uint32_t index,
                                   struct ring_shape shape, struct sort_row *rows)
{
    const struct assign_agent *agent = &list->agents[index];
    uint32_t dropped_bits = 64 - shape.point_bits;
    struct rng rng;
    rng_init(&rng, hash64(agent->name));
    uint32_t count = ring_points_of(shape.points, agent->weight);
    for (uint32_t j = 0; j < count; j++) {
        uint64_t point = rng_next(&rng) >> dropped_bits << dropped_bits;
        *rows++ = (struct sort_row){point, index};
    }
    return rows;
}

static void draw_points(const struct assign_list *list, struct ring_shape shape,
                        struct sort_row *rows)
{
    for (uint32_t i = 0; i < list->count; i++)
        rows = draw_agent(list, list->by_name[i], shape, rows);
}

/* If an agent's generator gives one point twice, it is kept once; if two agents have the same
 * point, the list is refused. */
static enum rc drop_equal(const struct assign_list *list, struct sort_row *rows, uint32_t *count,
                          struct assign_conflict *ret_conflict)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++) {
        if (kept == 0 || rows[kept - 1].key != rows[i].key) {
            rows[kept++] = rows[i];
        } else if (rows[kept - 1].value != rows[i].value) {
            *ret_conflict = (struct assign_conflict){list->agents[rows[kept - 1].value].name,
                                                     list->agents[rows[i].value].name, rows[i].key};
            return RC_EXISTS;
        }
    }
    *count = kept;
    return RC_OK;
}

static uint32_t home(uint32_t slot_count, uint64_t point)
{
    return (uint32_t)((point >> 32) * slot_count >> 32);
}

/* The slot of the last point, plus one. */
static uint32_t slots_needed(const struct sort_row *rows, uint32_t count, uint32_t slot_count)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = home(slot_count, rows[i].key);
        next = (at > next ? at : next) + 1;
    }
    return next;
}

/* A search reads LOOK slots at a time, starting from any slot that high bits can name. */
static uint32_t slots_room(const struct ring *r)
{
    return (r->end > r->slot_count ? r->end : r->slot_count) + LOOK;
}

static void fill_slots(struct ring *r, const struct sort_row *rows, uint32_t count)
{
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = home(r->slot_count, rows[i].key);
        uint32_t last = at > next ? at : next;
        for (; next <= last; next++) {
            r->slots[next] = rows[i].key;
            r->owners[next] = (uint16_t)rows[i].value;
        }
    }
    /* Above the last point the circle begins again; ring_owner checks for `end`. */
    for (uint32_t i = r->end; i < slots_room(r); i++) {
        r->slots[i] = UINT64_MAX;
        r->owners[i] = 0;
    }
}

static enum rc lay_out(struct ring *r, const struct sort_row *rows, uint32_t count)
{
    r->point_count = count;
    r->slot_count = count + count / 2 + 1;
    r->end = slots_needed(rows, count, r->slot_count);
    uint32_t room = slots_room(r);
    r->slots = mem_alloc(room * sizeof *r->slots);
    r->owners = mem_alloc(room * sizeof *r->owners);
    if (!r->slots || !r->owners)
        return RC_NOMEM;
    fill_slots(r, rows, count);
    return RC_OK;
}

/* All points in order, drawn and sorted. */
static enum rc make_rows(const struct assign_list *list, struct ring_shape shape,
                         struct sort_row *rows, uint32_t *count)
{
    draw_points(list, shape, rows);
    return sort_rows(rows, *count);
}

/* Merges the points of the former ring that stay, in their order, with those of the new agent.
 * Here, too, rows with the same point stand in the order of the names. */
static void merge_rows(const struct assign_list *list, const struct ring_former *former,
                       const struct sort_row *fresh, uint32_t fresh_count, struct sort_row *rows,
                       uint32_t *count)
{
    const struct ring *r = former->ring;
    struct sort_row *to = rows;
    uint32_t at = 0;
    for (uint32_t i = 0; i < r->end; i++) {
        uint32_t index = former->now_at[r->owners[i]];
        uint64_t point = r->slots[i];
        if (index == ASSIGN_GONE || (i + 1 < r->end && r->slots[i + 1] == point))
            continue; /* gone, or an empty slot */
        for (; at < fresh_count && fresh[at].key <= point; at++) {
            if (fresh[at].key == point &&
                str_cmp(list->agents[fresh[at].value].name, list->agents[index].name) > 0)
                break;
            *to++ = fresh[at];
        }
        *to++ = (struct sort_row){point, index};
    }
    while (at < fresh_count)
        *to++ = fresh[at++];
    *count = (uint32_t)(to - rows);
}

static enum rc merge_points(const struct assign_list *list, struct ring_shape shape,
                            const struct ring_former *former, struct sort_row *rows,
                            uint32_t *count)
{
    uint32_t drawn = former->fresh < list->count
                         ? ring_points_of(shape.points, list->agents[former->fresh].weight)
                         : 0;
    struct sort_row *fresh = mem_alloc(drawn * sizeof *fresh);
    if (!fresh)
        return RC_NOMEM;
    if (drawn)
        draw_agent(list, former->fresh, shape, fresh);
    enum rc rc = sort_rows(fresh, drawn);
    if (rc == RC_OK)
        merge_rows(list, former, fresh, drawn, rows, count);
    mem_free(fresh);
    return rc;
}

enum rc ring_init_from(struct ring *ret_ring, struct ring_shape shape,
                       const struct assign_list *list, const struct ring_former *former,
                       struct assign_conflict *ret_conflict)
{
    if (shape.probes < 1 || shape.probes > ASSIGN_MAX_PROBES || shape.points < 1)
        return RC_INVALID;
    uint32_t count;
    enum rc rc = count_points(list, shape.points, &count);
    if (rc)
        return rc;
    struct ring r = {.probes = shape.probes, .agent_count = list->count};
    struct sort_row *rows = mem_alloc(count * sizeof *rows);
    rc = rows ? RC_OK : RC_NOMEM;
    if (rc == RC_OK)
        rc = former ? merge_points(list, shape, former, rows, &count)
                    : make_rows(list, shape, rows, &count);
    if (rc == RC_OK)
        rc = drop_equal(list, rows, &count, ret_conflict);
    if (rc == RC_OK)
        rc = lay_out(&r, rows, count);
    mem_free(rows);
    if (rc)
        ring_done(&r);
    else
        *ret_ring = r;
    return rc;
}

enum rc ring_init(struct ring *ret_ring, struct ring_shape shape, const struct assign_list *list,
                  struct assign_conflict *ret_conflict)
{
    return ring_init_from(ret_ring, shape, list, NULL, ret_conflict);
}

void ring_done(struct ring *r)
{
    mem_free(r->slots);
    mem_free(r->owners);
    *r = (struct ring){0};
}

/* The slot of the first point at or above `position`; 0 if there is none (the first point of the
 * circle follows, which is always in slot 0). */
static inline uint32_t next_point(const struct ring *r, uint64_t position)
{
    uint32_t at = home(r->slot_count, position);
    uint32_t below;
    do {
        const uint64_t *s = &r->slots[at];
        below = 0;
        for (uint32_t i = 0; i < LOOK; i++)
            below += s[i] < position;
        at += below;
    } while (below == LOOK);
    return at < r->end ? at : 0;
}

static inline uint64_t nth_position(uint64_t hash, uint32_t i)
{
    return i ? hash64_mix(hash + i * UINT64_C(0x9e3779b97f4a7c15)) : hash;
}

uint32_t ring_owner(const struct ring *r, uint64_t hash)
{
    uint32_t best = next_point(r, hash);
    uint64_t least = r->slots[best] - hash;
    for (uint32_t i = 1; i < r->probes; i++) {
        uint64_t position = nth_position(hash, i);
        uint32_t at = next_point(r, position);
        uint64_t distance = r->slots[at] - position;
        best = distance < least ? at : best;
        least = distance < least ? distance : least;
    }
    return r->owners[best];
}

static uint32_t next_present(const struct ring *r, uint64_t position, const uint64_t *absent)
{
    uint32_t at = next_point(r, position);
    for (uint32_t i = 0; i < r->end && absent[r->owners[at] / 64] >> r->owners[at] % 64 & 1; i++)
        at = at + 1 < r->end ? at + 1 : 0;
    return at;
}

uint32_t ring_owner_among(const struct ring *r, uint64_t hash, const uint64_t *absent)
{
    uint32_t best = 0;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < r->probes; i++) {
        uint64_t position = nth_position(hash, i);
        uint32_t at = next_present(r, position, absent);
        uint64_t distance = r->slots[at] - position;
        if (i == 0 || distance < least) {
            best = at;
            least = distance;
        }
    }
    return r->owners[best];
}

static void list_gaps(const struct ring *r, struct sort_row *gaps)
{
    uint64_t former = r->slots[r->end - 1];
    for (uint32_t i = 0; i < r->end; i++) {
        if (i + 1 < r->end && r->slots[i + 1] == r->slots[i])
            continue; /* an empty slot */
        *gaps++ = (struct sort_row){r->slots[i] - former, r->owners[i]};
        former = r->slots[i];
    }
}

static double power(double base, uint32_t exponent)
{
    double result = 1;
    while (exponent--)
        result *= base;
    return result;
}

/* A point whose gap (to the point before it) is g takes a key if one of the P positions is at a
 * distance d < g below it and the others are farther from theirs: the integral over d from 0 to g
 * of P * far(d)^(P-1), where far(d) is the part of the circle farther than d from its next point.
 * far falls linearly between two gaps (by the number of gaps that are longer), so with the gaps
 * sorted each step of the integral is (far^P before - far^P after) / longer gaps. */
enum rc ring_shares(const struct ring *r, double *share)
{
    struct sort_row *gaps = mem_alloc(r->point_count * sizeof *gaps);
    if (!gaps)
        return RC_NOMEM;
    list_gaps(r, gaps);
    enum rc rc = sort_rows(gaps, r->point_count);
    for (uint32_t i = 0; i < r->agent_count; i++)
        share[i] = 0;
    double far = 1, sum = 0;
    uint64_t former = 0;
    for (uint32_t i = 0; rc == RC_OK && i < r->point_count; i++) {
        double longer = r->point_count - i;
        double after = far - (double)(gaps[i].key - former) * 0x1p-64 * longer;
        if (after < 0 || i + 1 == r->point_count)
            after = 0;
        sum += (power(far, r->probes) - power(after, r->probes)) / longer;
        share[gaps[i].value] += sum;
        former = gaps[i].key;
        far = after;
    }
    mem_free(gaps);
    return rc;
}

static enum rc open_ring(const struct assign_list *list, const struct assign_options *options,
                         struct assign_conflict *ret_conflict, void **ret_state)
{
    struct ring *r = mem_zero(1, sizeof *r);
    if (!r)
        return RC_NOMEM;
    enum rc rc =
        ring_init(r, (struct ring_shape){options->points, options->probes, 64}, list, ret_conflict);
    if (rc)
        mem_free(r);
    else
        *ret_state = r;
    return rc;
}

static void close_ring(void *state)
{
    if (!state)
        return;
    ring_done(state);
    mem_free(state);
}

static enum rc owner_by_host(void *state, const struct assign_key *key, uint32_t *ret_agent)
{
    *ret_agent = ring_owner(state, key->host.p ? hash64(key->host) : key->host_hash);
    return RC_OK;
}

const struct assign_kind assign_ring = {
    .name = "ring",
    .help = "consistent hashing of the host name; each agent's points follow from its name",
    .by = ASSIGN_BY_HOST,
    .open = open_ring,
    .close = close_ring,
    .owner = owner_by_host,
};
