/* SPDX-License-Identifier: Apache-2.0 */
/* ring: consistent hashing in which an agent's name seeds its points, with several probes per key.
 *
 * An agent's points come from the generator of base/rng.h seeded by hash64(name); weight w takes
 * the first points * w / ASSIGN_WEIGHT_ONE of them (at least one, none for weight 0), so that a
 * change of weight only adds or only removes points. A key has `probes` positions on the circle:
 * the first is its hash, the others are mixed from it. From each position the circle is followed
 * upwards to the next point; the agent of the nearest point, over all positions, is the owner (the
 * earlier position on a tie). With one probe this is the ring of the paper.
 *
 * A join moves keys only to the newcomer, and a death only those of the dead agent, whatever the
 * numbers: a key ranks all points of the circle by (distance, position), and points of different
 * agents never coincide, so the owner is the first living agent in an order that does not depend on
 * which agents are living.
 *
 *   points      a b   b  a c        sorted, unique
 *   slots   [ a a b . . b a c ]     slot_count about 1.5 a point; a point stands at or after the
 *             ^ ^                   slot its high bits name; an empty slot repeats the next point
 *
 * So a search starts at the slot that the high bits name and walks up to the first point that is
 * not below: nearly always within one cache line. */
#ifndef ASSIGN_RING_H
#define ASSIGN_RING_H

#include "assign/kind.h"

struct ring {
    uint64_t *slots;
    uint16_t *owners;    /* of the point in each slot, as an index in the list */
    uint32_t slot_count; /* slots that high bits can name */
    uint32_t end;        /* slots in use; those behind hold UINT64_MAX and no point */
    uint32_t point_count;
    uint32_t probes;
    uint32_t agent_count;
};

struct ring_shape {
    uint32_t points;     /* of weight one */
    uint32_t probes;     /* 1 to ASSIGN_MAX_PROBES */
    uint32_t point_bits; /* 64; tests use fewer so that points collide */
};

/* Fills *ret_ring, which the caller ends with ring_done. RC_EXISTS, with the lowest point that two
 * agents share. */
MUST_CHECK enum rc ring_init(struct ring *ret_ring, struct ring_shape shape,
                             const struct assign_list *list, struct assign_conflict *ret_conflict);

/* A ring of the same shape that lacks at most one agent of the list, and may have any number that
 * are not in the list. */
struct ring_former {
    const struct ring *ring;
    /* the index of each of its agents in the list, if its weight is the same; ASSIGN_GONE */
    const uint32_t *now_at;
    /* index of the only agent of the list that the former ring lacks; the list's count: none */
    uint32_t fresh;
};

/* Makes the same ring as ring_init, without sorting all points again. `former` may be NULL. */
MUST_CHECK enum rc ring_init_from(struct ring *ret_ring, struct ring_shape shape,
                                  const struct assign_list *list, const struct ring_former *former,
                                  struct assign_conflict *ret_conflict);
void ring_done(struct ring *r);

/* The index in the list of the owner of a key with that hash. */
uint32_t ring_owner(const struct ring *r, uint64_t hash);

/* The same, as if the agents whose bits are set in `absent` were not in the list: the next agent in
 * the key's own order. An agent with points must be left. It walks over the points of absent
 * agents, so with many of them a new ring is faster. */
uint32_t ring_owner_among(const struct ring *r, uint64_t hash, const uint64_t *absent);

/* The number of points of an agent of that weight. */
uint32_t ring_points_of(uint32_t points, uint32_t weight);

/* The fraction of all keys that each agent owns, into share[0..agent_count). Exact up to rounding:
 * from the arcs, and the chance that no other position is nearer. RC_NOMEM or RC_OK. */
MUST_CHECK enum rc ring_shares(const struct ring *r, double *share);

#endif
