/* SPDX-License-Identifier: Apache-2.0 */
/* guests: the turns of hosts that agents lend each other (host/host_guest.h).
 *
 *   agent that asks                              agent that owns the host
 *   ask_guest ──► {"do":"guest"} ──────────────► guest_lend(), on the host's shard
 *                 {"wait":0}, or milliseconds ◄──
 *   every GUESTS_KEEP_MS {"do":"guest-keep"} ──► the loan goes on
 *   end_guest ──► {"do":"guest-back"} ─────────► guest_take_back()
 *
 * Each is a request with an answer on the bus (cluster/wire/subjects.h); requests whose answers do
 * not come are repeated. A loan that is not kept ends after GUESTS_LOAN_MS: the agent that asked has
 * gone, and so has its request. An answer that was lost may have lent the host: then it is given
 * back. At most GUESTS_MOST hosts are asked for and lent at a time; further guests come later.
 *
 * Shards call ask_guest and end_guest; all else is the agent's thread's. */
#ifndef AGENT_GUESTS_H
#define AGENT_GUESTS_H

#include "bus/bus.h"
#include "roles/cluster.h"
#include "roles/ledger.h"

enum { GUESTS_MOST = 64, GUESTS_KEEP_MS = 15000, GUESTS_LOAN_MS = 60000, GUESTS_TRIES = 5 };

struct guests;

struct guests_setup { /* all borrowed */
    struct bus *bus;
    struct ledger_service *ledger;
    struct cluster_service *cluster;
    struct log *log;
    struct str crawl, name;
    unsigned shards;
    int wake; /* an eventfd: a write makes the agent's thread look */
    /* The name of the agent that owns the host, if another one does (PEER_NAME_BYTES + 1). The
     * agent's thread asks. */
    bool (*owner)(void *ctx, uint64_t host_hash, char *name);
    void *ctx;
};

MUST_CHECK enum rc guests_open(const struct guests_setup *s, struct guests **ret);
/* The shards have stopped: what is still asked for is answered with a no. Accepts NULL. */
void guests_close(struct guests *g);

/* As the operations of struct cluster_ops. */
bool guests_ask(struct guests *g, struct cluster_guest *guest);
void guests_end(struct guests *g, const struct cluster_guest_end *e);

/* True: the event is about a guest, and about nothing else. */
bool guests_event(struct guests *g, const struct bus_event *e, uint64_t now_ms);
void guests_turn(struct guests *g, uint64_t now_ms);

#endif
