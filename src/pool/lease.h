/* SPDX-License-Identifier: Apache-2.0 */
/* lease: how long a member may ask web servers, as the member counts it.
 *
 * The lease begins at the moment of sending the newest hello or ping that the manager has answered:
 * never at the moment of the answer, because the manager counts from what it received. A member
 * that stood still finds its lease over as soon as it looks; so it looks before each request, and
 * at each wake before anything else.
 *
 * No clock in here: the caller hands in now_ms, of CLOCK_BOOTTIME. */
#ifndef POOL_LEASE_H
#define POOL_LEASE_H

#include "pool/timings.h"

#include <stdbool.h>

enum pool_lease_state {
    POOL_NO_LEASE, /* none was ever answered, or it is over: what is open is broken off */
    POOL_FENCED,   /* nothing more is started; what is open goes on */
    POOL_LEASE_GOOD,
};

enum { POOL_PINGS_OPEN = 16 };

struct pool_lease {
    struct pool_timings timings;
    uint64_t last;     /* number of the newest ping that was sent; the first has 1 */
    uint64_t answered; /* number of the newest that was answered */
    uint64_t good_ms;  /* when that one was sent */
    uint64_t sent_ms[POOL_PINGS_OPEN]; /* of the newest pings, by number modulo that */
    bool has_answer;
};

void pool_lease_init(struct pool_lease *l);

/* The welcome brings the timings of the manager. */
void pool_lease_time(struct pool_lease *l, const struct pool_timings *t);

/* The number of a hello or ping that is sent now. */
uint64_t pool_lease_send(struct pool_lease *l, uint64_t now_ms);

/* That number was answered. One that is too old to be remembered changes nothing. False: it was
 * never sent, which only another program can say. */
MUST_CHECK bool pool_lease_answer(struct pool_lease *l, uint64_t number);

/* The lease is over at once: the manager has another session, or refused. An answer to a newer ping
 * or hello than those that were answered begins it again, also if that one was sent before: so a
 * welcome of another session is dropped first, then timed, then answered. */
void pool_lease_drop(struct pool_lease *l);

enum pool_lease_state pool_lease_look(const struct pool_lease *l, uint64_t now_ms);

/* When the state changes next if no answer comes; UINT64_MAX: never. */
uint64_t pool_lease_changes_ms(const struct pool_lease *l, uint64_t now_ms);

#endif
