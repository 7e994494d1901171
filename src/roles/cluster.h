/* SPDX-License-Identifier: Apache-2.0 */
/* The role `cluster`: what the steps ask where several agents are one crawl.
 *
 *   schedule     phase       does the crawl go on?
 *                claim       may this host be asked now? it then counts as open
 *   gate         phase       is it over, now that a budget of the whole crawl is used up?
 *   fetch        may_ask     may it still be asked, now that its address is known?
 *                break_with  ends this shard's open transfers when the agent must not ask any more
 *                ask_guest   asks the owner of another host for its turn (asking/guest.h), and
 *                end_guest   gives it back
 *   disposition  owns        which of these links belong to this agent
 *                give_back   a host_claim has come back
 *                join        tells all agents where a seed redirects to
 *   seeds        begin, end  a list is on its way that is neither open nor journalled; admit,
 *                            rejudge and disposition say the same of pages that are judged again
 *   rejudge      forward     another agent has the page: that agent judges the links again
 *   requeue      requeued    all URLs of earlier runs are in the frontier
 *   peer-links   mail        what the agent's thread has for this shard (roles/mail.h)
 *
 * Three kinds: alone, where one machine crawls and everything is its own; nats, where an agent
 * (cluster/protocol/agent.h) runs on a thread of its own; and absent, for a place of the wiring
 * without a ledger. Each answers every question: steps do not ask which one it is. */
#ifndef ROLES_CLUSTER_H
#define ROLES_CLUSTER_H

#include "base/jsonw.h"
#include "frontier/frontier.h"
#include "roles/mail.h"
#include "roles/peer_request.h"
#include "scope/budget.h"

#include <stdatomic.h>

#define CLUSTER_INTERFACE "cluster"

enum cluster_claim {
    CLUSTER_CLAIMED,
    CLUSTER_NOT_THIS,    /* another's, or its former owner is not done with it */
    CLUSTER_NOTHING_NOW, /* we are not in the ring, or not sure of it */
};

enum cluster_phase {
    CLUSTER_CRAWLS,
    CLUSTER_PAUSES,  /* a limit of the crawl is reached, and not all agents have ended */
    CLUSTER_ENDS,    /* there is nothing left to do */
    CLUSTER_LIMITED, /* a limit of the crawl ends it */
};

/* Ends the open transfers of one shard. The shard's thread alone sets and calls it. */
struct cluster_breaker {
    void (*run)(void *ctx);
    void *ctx;
};

/* The turn of a host that another agent owns. */
struct cluster_guest {
    struct str host; /* all is borrowed until `done` */
    uint64_t host_hash;
    void (*done)(struct cluster_guest *g); /* once, on any thread; `may` and `wait_ms` are set */
    bool may;
    uint64_t wait_ms; /* if not: when to ask again, from now */
};
struct cluster_guest_end {
    struct str host;
    uint64_t wait_ms, delay_ms, delay_most_ms; /* as guest_return() has them */
};

struct cluster_service;
struct cluster_ops {
    /* Whether the crawl goes on. `is_idle`: the shard has nothing that it could ask, now or later.
     * *ret_limit: of CLUSTER_LIMITED. */
    enum cluster_phase (*phase)(struct cluster_service *s, bool is_idle,
                                enum budget_verdict *ret_limit);
    /* When to ask for the phase again, at the latest; UINT64_MAX: it does not change by itself. */
    uint64_t (*phase_lasts_ms)(struct cluster_service *s);
    /* Which of the hosts are ours. The host_hashes stand `step` bytes apart. True: all are, and
     * `ret` is as it was. */
    bool (*owns)(struct cluster_service *s, const uint64_t *host_hashes, size_t step, size_t count,
                 bool *ret);
    enum cluster_claim (*claim)(struct cluster_service *s, uint64_t host_hash,
                                uint64_t *ret_host_claim);
    bool (*may_ask)(struct cluster_service *s, uint64_t host_hash);
    void (*give_back)(struct cluster_service *s, uint64_t host_claim);
    /* False: no other agent owns the host, or too many are asked for; `done` is not called. */
    bool (*ask_guest)(struct cluster_service *s, struct cluster_guest *g);
    void (*end_guest)(struct cluster_service *s, const struct cluster_guest_end *e);
    void (*break_with)(struct cluster_service *s, unsigned shard, struct cluster_breaker b);
    void (*begin)(struct cluster_service *s);
    void (*end)(struct cluster_service *s);
    void (*join)(struct cluster_service *s, struct str url);
    void (*requeued)(struct cluster_service *s);
    /* Sends a shorter seed path to an agent, which has the page. RC_NOT_FOUND: there is no other
     * agent. The ledger gives other failures. */
    enum rc (*forward)(struct cluster_service *s, const struct candidate *c, struct str agent);
    /* The first shard whose peer-links stops ends the agent's thread: nothing is mailed after that.
     */
    void (*stop)(struct cluster_service *s);
    /* For people, on any thread. view: members of an object, of this agent and of the cluster as it
     * sees it. owner: false if the host is ours or has no owner, else `name` (PEER_NAME_BYTES + 1).
     * former: what became of an agent of that name (member "former"). others: the living. leave:
     * hands everything over and ends. */
    void (*view)(struct cluster_service *s, struct jsonw *j);
    void (*former)(struct cluster_service *s, struct str name, struct jsonw *j);
    bool (*owner)(struct cluster_service *s, uint64_t host_hash, char *name);
    size_t (*others)(struct cluster_service *s, char (*names)[PEER_NAME_BYTES + 1], size_t most);
    void (*leave)(struct cluster_service *s);
    /* With which incarnation the directory of that agent began; 0: it has not said. */
    uint64_t (*first)(struct cluster_service *s, struct str name);
    /* Whether that agent is living, and has not been heard for the roster's `suspect`. */
    bool (*is_suspect)(struct cluster_service *s, struct str name);
};

struct cluster_service {
    const struct cluster_ops *ops;
    struct str name, login;           /* the agent's; the folder of its login */
    struct mailbox *mail;             /* one a shard; NULL: nothing is mailed */
    struct cluster_breaker *breakers; /* likewise */
    struct peer_requests *peers;      /* questions, and what the operator says; NULL: none */
    _Atomic uint64_t generation;      /* rises when ownership changes */
    _Atomic bool is_over;             /* the whole crawl is done, or we have left it */
    _Atomic bool is_limited;          /* a limit of the whole crawl is reached: nothing is asked for
                                         any more, and soon it is over */
    _Atomic bool has_failed;          /* the agent has stopped; the flow says why */
    _Atomic unsigned emptying;        /* shards that have yet to empty their frontier: no host is
                                         claimed, for its outcome would be forgotten */
    _Atomic uint64_t foreign;         /* links journalled for others */
    _Atomic uint64_t repeated;        /* links that were not, having been sent lately */
    _Atomic uint64_t told;            /* URLs that others told us */
    _Atomic uint64_t told_before;     /* of them: another of them, or the same, told it lately */
    _Atomic uint64_t refused;         /* of them: outside of the scope, or no URLs */
    _Atomic uint64_t shorter; /* pages of others' archives to which a shorter path was found */
    _Atomic uint64_t again;   /* asked for again, because no agent has what was found on it */
};

/* Whether this process is an agent of a cluster. */
static inline bool cluster_is_shared(const struct cluster_service *s)
{
    return s->peers != NULL;
}

/* A list of URLs is work that is neither open nor journalled. `begin` counts it, and this ends it.
 * `ctx` is the service, for a struct url_list_waiter. */
static inline void cluster_work_ended(void *ctx, bool is_safe)
{
    struct cluster_service *s = ctx;
    (void)is_safe;
    s->ops->end(s);
}

/* One machine: everything is ours, and the crawl ends when this process has done it, or by a limit
 * of `budget`. NULL without memory. */
struct ledger_service;
struct cluster_service *cluster_alone_open(struct ledger_service *ledger, struct budget *budget);
void cluster_alone_close(struct cluster_service *s);

/* Of a place without a ledger: whatever it is given may be asked for. */
struct cluster_service *cluster_absent(void);

#endif
