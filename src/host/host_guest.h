/* SPDX-License-Identifier: Apache-2.0 */
/* host_guest: a request that goes to a host from outside of its queue: a robots.txt of another host
 * redirects to it. Such a guest has the host's turn as any of its URLs has: nothing else is asked of
 * the host meanwhile, nor before its moment, and the host's delay follows.
 *
 *                    ┌─────────────────┐ a guest asks too early: the host's own URLs leave the next
 *                    │ the host waits  │ moment to it, and come HOST_GUEST_GRACE_MS later
 *                    └─────────────────┘
 *       its moment comes │         │ the guest does not come: an own URL has the turn
 *         and the guest  ▼         ▼
 *                  guest's turn   own turn ──► the next guest may reserve again
 *                        └──────────▲
 *
 * So neither starves: after a guest the host's own URLs go first. The guest waits in the queue of its
 * own host, and asks again at the moment that it was told. The host's robots.txt need not allow what
 * a guest asks for: it is a robots.txt. */
#ifndef HOST_HOST_GUEST_H
#define HOST_HOST_GUEST_H

#include "host/host_record.h"
#include "host/pace.h"

enum { HOST_GUEST_GRACE_MS = 1000, HOST_GUEST_LOOK_MS = 250 };

struct host_guest_answer {
    bool may;         /* the guest has the turn */
    uint64_t when_ms; /* if not: the moment to ask again */
    uint64_t hold_ms; /* the host's own URLs wait until then; 0 = they do not */
};

/* A guest asks for the turn of a host that is not out and may be asked from `due_ms`. `has_queue`:
 * URLs of its own wait. */
struct host_guest_answer host_guest_ask(struct host_record *c, uint64_t due_ms, bool has_queue,
                                        uint64_t now_ms);

/* An own URL of the host has the turn. */
static inline void host_guest_passed(struct host_record *c)
{
    c->guest_ms = 0;
    c->had_guest = false;
}

/* The moment from which the host may be asked after a guest: its own delay counts, and what its
 * server asked of the guest (`wait_ms`). 0: nothing was asked of it, and it may be asked now. */
uint64_t host_guest_due_ms(const struct host_record *c, const struct pace_settings *s,
                           uint64_t wait_ms, uint64_t now_ms);

#endif
