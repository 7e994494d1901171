/* SPDX-License-Identifier: Apache-2.0 */
/* roster inside: the roster as its own files see it.
 *
 *   members   every incarnation that is not forgotten or still owns something at an epoch that is
 *             kept, and the youngest of every name; sorted by name and inc
 *   rows      the epochs from the settled one to the last: a ring, and who of it is absent
 *
 * Only a join or another weight makes a new ring. Who dies or leaves is marked absent in the ring
 * that is there: the owners are then the next in each host's own order, which is what a ring
 * without its points would say (docs/assign.md), and a death costs nothing, however many agents
 * there are. */
#ifndef CLUSTER_ROSTER_INSIDE_H
#define CLUSTER_ROSTER_INSIDE_H

#include "assign/ring.h"
#include "cluster/roster.h"

struct member {
    struct roster_agent is;
    uint64_t lease_time; /* of the log */
    /* The name's: kept on its youngest incarnation. */
    uint64_t heard_since, heard_time;
    /* Where it stands in the last two rings that it is in: there are seldom more. */
    struct {
        uint64_t ring;
        uint32_t place;
    } at[2];
    uint32_t shared_name; /* its number there; ROSTER_NOT_SHARED */
};

enum { ROSTER_NOT_SHARED = UINT32_MAX };

struct shared_ring;
struct roster_ring {
    struct ring own;            /* its points, unless they are shared */
    struct shared_ring *shared; /* NULL: they are not */
    uint64_t id;                /* of this roster's rings; 1 is the first */
    uint32_t count, users;      /* agents; rows that have it */
    struct member **of;         /* by place in the ring, sorted; NULL: absent at every epoch kept */
    uint32_t weight[];          /* likewise */
};

enum { ABSENT_WORDS = ROSTER_MAX_AGENTS / 64 };

struct roster_row {
    struct roster_ring *ring; /* NULL: nobody */
    uint32_t absent_count;
    uint64_t absent[ABSENT_WORDS]; /* by place in the ring */
};

struct roster {
    struct member **members;
    uint64_t *heads; /* of their names (names.h): looking for one touches nothing else */
    const struct roster_agent **shown; /* those not forgotten */
    size_t count, cap, shown_count, name_count, dead_count;
    struct roster_row *rows; /* rows[0] is the settled epoch's */
    size_t row_count, row_cap;
    uint64_t length, epoch, settled, round;
    uint64_t time, last_stamp_ms;
    bool is_founded;
    struct roster_timings timings;
    struct ring_shape shape; /* point_bits is 64; a test makes it less */
    uint64_t ring_serial;
    struct roster_rings *shared; /* NULL in a real process */
};

/* members: roster_members.c ------------------------------------------------------------------ */

struct member *member_youngest(const struct roster *r, struct str name);
struct member *member_of(const struct roster *r, struct str name, uint64_t inc);
/* Its living incarnation, LEAVING included; there is at most one. */
struct member *member_living(const struct roster *r, struct str name);

static inline bool member_is_living(const struct member *m)
{
    return m->is.state == ROSTER_LIVING || m->is.state == ROSTER_LEAVING;
}

/* Adds a zeroed one of that name and inc; RC_NOMEM, RC_LIMIT. */
MUST_CHECK enum rc member_add(struct roster *r, struct str name, uint64_t inc, struct member **ret);
void member_remove(struct roster *r, struct member *m);

/* After states changed: who is shown, and who is kept no longer. */
void members_tidy(struct roster *r);

/* rules: roster_rules.c ---------------------------------------------------------------------- */

/* Where the log's own time will be behind an entry with that stamp. */
uint64_t roster_time_at(const struct roster *r, uint64_t stamp_ms);

/* NULL if the entry is valid there, but for collisions, which show when the ring is made. */
const char *roster_why_not(const struct roster *r, const struct roster_stand *at, uint64_t time,
                           const struct roster_entry *e);

/* rings: roster_ring.c ----------------------------------------------------------------------- */

/* A row for the next epoch: with a ring of all that are LIVING and have a weight, or with that of
 * the last row without `m`. RC_EXISTS: two agents' points meet; RC_LIMIT, RC_NOMEM: as it was. */
MUST_CHECK enum rc rows_add_ring(struct roster *r);
MUST_CHECK enum rc rows_add_without(struct roster *r, const struct member *m);
/* The same with the ring of the last row as it is. */
MUST_CHECK enum rc rows_add_same(struct roster *r);

/* Points that several rosters share: roster_shared.c ------------------------------------------ */

/* That name's number; ROSTER_NOT_SHARED: it is not among those that were told. */
uint32_t shared_name_of(const struct roster_rings *s, struct str name);

/* Those of the agents of `g` and of that shape; NULL: they cannot be shared, or no memory. They are
 * drawn when somebody looks at them first. */
struct shared_ring *shared_ring_take(struct roster_rings *s, struct ring_shape shape,
                                     const struct roster_ring *g);
void shared_ring_give(struct shared_ring *ring);
/* NULL: no memory to draw them. */
const struct ring *shared_ring_points(struct shared_ring *ring);

/* Only the last one stays. */
void rows_settle(struct roster *r);
void rows_done(struct roster *r);

#endif
