/* SPDX-License-Identifier: Apache-2.0 */
/* ring: identifier-seeded consistent hashing (D3), with more than one look at the circle.
 *
 * An agent's points come from the generator of base/rng.h seeded by hash64(name); weight w takes
 * the first points * w / ASSIGN_WEIGHT_ONE of them (at least one, none for weight 0), so that a
 * change of weight only adds or only removes points. A key has `probes` positions: the first is
 * its hash, the others are mixed from it. From each position the circle is followed upwards to the
 * next point; the agent of the nearest point, over all positions, is the owner (the earlier
 * position on a tie). With one probe this is the ring of the paper.
 *
 * D5 holds exactly, whatever the numbers: a key ranks all points of the circle by (distance,
 * position) and no two points of different agents can stand at one place, so the owner is the
 * first living agent in an order that does not depend on who is living.
 *
 *   points      a b   b  a c        sorted, unique
 *   slots   [ a a b . . b a c ]     slot_count about 1.5 a point; a point stands at or after the
 *             ^ ^                   slot its high bits name; an empty slot repeats the next point
 *
 * So a search starts where the high bits say and walks up to the first point that is not below:
 * nearly always within one cache line. */
#ifndef ASSIGN_RING_H
#define ASSIGN_RING_H

#include "assign/kind.h"

struct ring {
    uint64_t *slots;
    uint16_t *owners;    /* of the point in each slot, as a place in the list */
    uint32_t slot_count; /* slots that high bits can name */
    uint32_t end;        /* slots in use; those behind hold UINT64_MAX and no point */
    uint32_t point_count;
    uint32_t probes;
    uint32_t agent_count;
};

struct ring_shape {
    uint32_t points;     /* of weight one */
    uint32_t probes;     /* 1 to ASSIGN_MAX_PROBES */
    uint32_t point_bits; /* 64; tests use fewer so that points meet */
};

/* Fills *ret_ring, which the caller ends with ring_done. RC_EXISTS with the lowest point at which
 * two agents meet. */
MUST_CHECK enum rc ring_init(struct ring *ret_ring, struct ring_shape shape,
                             const struct assign_list *list, struct assign_conflict *ret_conflict);

/* A ring of the same shape that differs in one agent, and in any number that are not in the list.
 */
struct ring_former {
    const struct ring *ring;
    const uint32_t *now_at; /* where each of its agents stands in the list now, its weight being the
                               same; ASSIGN_GONE */
    uint32_t fresh;         /* the only one of the list that it has not; the list's count: none */
};

/* The same ring as ring_init makes, without sorting all points again; NULL: without a former. */
MUST_CHECK enum rc ring_init_from(struct ring *ret_ring, struct ring_shape shape,
                                  const struct assign_list *list, const struct ring_former *former,
                                  struct assign_conflict *ret_conflict);
void ring_done(struct ring *r);

/* The place in the list of the owner of a key with that hash. */
uint32_t ring_owner(const struct ring *r, uint64_t hash);

/* The same if the agents whose bits are set in `absent` were not in the list: the next in the key's
 * own order. Some agent with points must be left. It walks over the points of those absent, so when
 * many are it is time for a ring without them. */
uint32_t ring_owner_among(const struct ring *r, uint64_t hash, const uint64_t *absent);

/* How many points an agent of that weight has. */
uint32_t ring_points_of(uint32_t points, uint32_t weight);

/* The fraction of all keys that each agent owns, into share[0..agent_count); exact up to rounding:
 * from the arcs, and the chance that no other position is nearer. RC_NOMEM or RC_OK. */
MUST_CHECK enum rc ring_shares(const struct ring *r, double *share);

#endif
