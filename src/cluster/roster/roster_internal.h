/* SPDX-License-Identifier: Apache-2.0 */
/* roster_internal: the roster as its own files see it.
 *
 *   members   all incarnations that are not forgotten or that own something at an epoch that is
 *             kept, and the youngest of every name; sorted by name and inc
 *   rows      the epochs from the settled one to the last: a ring, and which members are absent
 *
 * Only a join or a new weight makes a new ring. An agent that dies or leaves is marked absent in
 * the existing ring. The owners are then the next agents in each host's own order, which is the
 * same as in a ring without its points (docs/assign.md). So a death costs nothing, however many
 * agents there are. */
#ifndef CLUSTER_ROSTER_ROSTER_INTERNAL_H
#define CLUSTER_ROSTER_ROSTER_INTERNAL_H

#include "assign/ring.h"
#include "cluster/roster/roster.h"

struct member {
    struct roster_agent is;
    uint64_t lease_time; /* in the log's time */
    /* Belong to the name; kept on its youngest incarnation. */
    uint64_t heard_since, heard_time;
    /* Its index in the last two rings that it is in; it is seldom in more. */
    struct {
        uint64_t ring;
        uint32_t index;
    } at[2];
    uint32_t shared_name; /* the name's number in the shared rings; ROSTER_NOT_SHARED */
};

enum { ROSTER_NOT_SHARED = UINT32_MAX };

struct shared_ring;
struct roster_ring {
    struct ring own;            /* the points, unless they are shared */
    struct shared_ring *shared; /* NULL: the points are not shared */
    uint64_t id;                /* number among this roster's rings; 1 is the first */
    uint32_t count, users;      /* agents; rows that use this ring */
    /* by index in the ring, sorted; NULL: absent at every epoch that is kept */
    struct member **of;
    uint32_t weight[]; /* by index in the ring */
};

enum { ABSENT_WORDS = ROSTER_MAX_AGENTS / 64 };

struct roster_row {
    struct roster_ring *ring; /* NULL: the ring is empty */
    uint32_t absent_count;
    uint64_t absent[ABSENT_WORDS]; /* by index in the ring */
};

struct roster {
    struct member **members;
    uint64_t *heads; /* heads of the names (names.h), so that a search touches nothing else */
    const struct roster_agent **shown; /* members that are not forgotten */
    size_t count, cap, shown_count, name_count, dead_count;
    struct roster_row *rows; /* rows[0] belongs to the settled epoch */
    size_t row_count, row_cap;
    uint64_t length, epoch, settled, recrawl_number;
    uint64_t time, last_stamp_ms;
    bool is_founded;
    struct roster_timings timings;
    struct ring_shape shape; /* point_bits is 64; a test uses fewer */
    uint64_t ring_serial;
    struct roster_rings *shared; /* NULL in a real process */
};

/* members: roster_members.c ------------------------------------------------------------------ */

struct member *member_youngest(const struct roster *r, struct str name);
struct member *member_of(const struct roster *r, struct str name, uint64_t inc);
/* The living incarnation of that name, LEAVING included; there is at most one. */
struct member *member_living(const struct roster *r, struct str name);

static inline bool member_is_living(const struct member *m)
{
    return m->is.state == ROSTER_LIVING || m->is.state == ROSTER_LEAVING;
}

/* Adds a zeroed member of that name and inc; RC_NOMEM, RC_LIMIT. */
MUST_CHECK enum rc member_add(struct roster *r, struct str name, uint64_t inc, struct member **ret);
void member_remove(struct roster *r, struct member *m);

/* Call it after states have changed: it renews `shown`, and frees members that are not needed. */
void members_tidy(struct roster *r);

/* rules: roster_rules.c ---------------------------------------------------------------------- */

/* The log's own time behind an entry with that stamp. */
uint64_t roster_time_at(const struct roster *r, uint64_t stamp_ms);

/* NULL: the entry is valid there, except for collisions, which are found when the ring is made. */
const char *roster_why_not(const struct roster *r, const struct roster_stand *at, uint64_t time,
                           const struct roster_entry *e);

/* rings: roster_ring.c ----------------------------------------------------------------------- */

/* Adds a row for the next epoch: with a ring of all members that are LIVING and have a weight, or
 * with the ring of the last row without `m`. RC_EXISTS: points of two agents collide. After
 * RC_EXISTS, RC_LIMIT and RC_NOMEM nothing has changed. */
MUST_CHECK enum rc rows_add_ring(struct roster *r);
MUST_CHECK enum rc rows_add_without(struct roster *r, const struct member *m);
/* The same with the ring of the last row, unchanged. */
MUST_CHECK enum rc rows_add_same(struct roster *r);

/* Points that several rosters share: roster_shared.c ------------------------------------------ */

/* The number of that name; ROSTER_NOT_SHARED: it was not given to roster_rings_open. */
uint32_t shared_name_of(const struct roster_rings *s, struct str name);

/* The shared points of the agents of `g`, in that shape; NULL: they cannot be shared, or there is
 * no memory. They are drawn when they are first needed. */
struct shared_ring *shared_ring_take(struct roster_rings *s, struct ring_shape shape,
                                     const struct roster_ring *g);
void shared_ring_give(struct shared_ring *ring);
/* NULL: no memory to draw them. */
const struct ring *shared_ring_points(struct shared_ring *ring);

/* Keeps the last row only. */
void rows_settle(struct roster *r);
void rows_done(struct roster *r);

#endif
