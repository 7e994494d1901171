/* SPDX-License-Identifier: Apache-2.0 */
/* roll: the members of a pool, as all shards of the manager see them.
 *
 * A member is present while one of its lanes stands. Present members have the numbers 0, 1, 2, … in
 * the order in which they registered, so the numbers are dense: when one leaves, those behind it
 * move up. `epoch` rises with every change, and an assignment over the members is made anew then.
 *
 * Shards call it from their threads; a lock inside guards all of it. */
#ifndef POOL_ROLL_H
#define POOL_ROLL_H

#include "pool/lanes.h"

#include <stdatomic.h>

struct pool_counts {
    _Atomic uint64_t sent, fetched, failed, lost, bytes_in; /* bytes_in: of answers, as packed */
};

struct pool_member_view {
    char name[POOL_MAX_NAME_BYTES + 1];
    uint64_t boot, since_ms;                  /* since_ms: wall clock, of its registration */
    unsigned number, lanes, up, open, window; /* lanes of which `up` are connected; open tickets */
    uint64_t heard_ms;                        /* the flow's clock */
    uint64_t sent, fetched, failed, lost, bytes_in;
    bool is_leaving;
};

struct pool_roll;
struct pool_roll *pool_roll_open(void);
void pool_roll_close(struct pool_roll *r);

/* A lane of that process entered or is gone. *ret_member counts for the name from then on; it stays
 * valid until close: a member that comes back, with whatever boot, finds its counts. RC_NOMEM.
 * RC_EXISTS: another process of that name is present. There are no more members than keys were made
 * for. */
struct pool_member;
MUST_CHECK enum rc pool_roll_enter(struct pool_roll *r, const struct pool_process *p,
                                   int64_t wall_ms, struct pool_member **ret_member);
void pool_roll_leave(struct pool_roll *r, struct pool_member *m);
struct pool_counts *pool_member_counts(struct pool_member *m);
struct str pool_member_name(const struct pool_member *m);

/* For views: what a shard knows of its lanes. Relaxed; any thread. heard_ms 0: nothing was heard.
 * What a lane adds it takes away before it leaves. */
void pool_member_note(struct pool_member *m, int up_by, int open_by, uint64_t heard_ms);
void pool_member_note_window(struct pool_member *m, int by);
void pool_member_note_leaving(struct pool_member *m); /* until it is absent */

/* What the lanes of the member share (pool_lane_share). */
struct pool_suspicion *pool_member_suspicion(struct pool_member *m);

uint64_t pool_roll_epoch(const struct pool_roll *r); /* one atomic load */

/* The names of those present, by number; borrowed from the roll, valid until it is closed. Returns
 * how many there are; at most `most` are written. */
unsigned pool_roll_names(struct pool_roll *r, struct str *names, unsigned most);

/* All that were ever present, those present first by number. */
unsigned pool_roll_view(struct pool_roll *r, struct pool_member_view *list, unsigned most);

#endif
