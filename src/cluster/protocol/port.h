/* SPDX-License-Identifier: Apache-2.0 */
/* port: the crawl and its journal, as the agent of a cluster sees them.
 *
 * Two implementations exist: the simulation's model (src/simulate) and the ledger of a real crawl
 * (src/agent/port.c). All calls come from the agent's thread, and none blocks.
 *
 * Each process has one journal; positions in it grow with every batch. A journalled batch survives
 * kill -9; a batch below port_durable() survives a power cut. The agent tells others nothing that
 * is not durable here, so it never has to take anything back.
 *
 * The outbox is derived from the journal. port_read() returns the batches that were journalled for
 * other agents, in order and whole: a page that is done (its outcome, and its links, mine and
 * foreign), or records that were received and are not ours. port_keep() says from which position on
 * the journal is still needed. After a restart, reading begins again at port_kept().
 *
 * The agent's own facts are opaque bytes here. They are journalled in order, and handed back in
 * order at the next opening (port_recall).
 *
 * The crawl asks agent_owns() and agent_may_fetch() (cluster/protocol/agent.h) which hosts it
 * owns. */
#ifndef CLUSTER_PROTOCOL_PORT_H
#define CLUSTER_PROTOCOL_PORT_H

#include "cluster/wire/heartbeat.h"
#include "cluster/wire/records.h"

enum {
    PORT_MAX_LINKS = 1 << 15, /* records of one batch: more than fit into its bytes */
    PORT_MAX_WALK = 64,       /* records of one step of a walk */
    PORT_WALK_MS = 2,         /* before the next step of a walk that has to wait */
    PORT_MAX_FACT_BYTES = 96 << 10,
};

/* One journalled batch for other agents. Borrowed until the next call of the port. */
struct port_batch {
    uint64_t position; /* of this batch */
    uint64_t next;     /* where to read on */
    const struct record *links;
    size_t link_count;
    /* the done record of a page, its seed path (if depth counts) and its host; or the seed path of
     * a page whose links were judged again; none: no request was made */
    const struct record *outcome;
    size_t outcome_count;
    uint64_t pages; /* journalled up to this batch, ever; set only with an outcome */
};

struct port_counts {
    uint64_t queued; /* URLs that wait at hosts of mine */
    uint64_t open;   /* pages being fetched, or fetched and not yet journalled */
    /* URLs ever taken as new, by link, seed or message: it grows with any work */
    uint64_t admitted;
    uint64_t moving;     /* open pages of hosts that are not mine any more */
    uint64_t pages;      /* done, ever: for people */
    uint64_t last;       /* the position behind the last batch for others, durable or not */
    uint64_t journalled; /* pages, ever, as port_batch.pages counts them */
};

/* What was used of the whole crawl's budgets: by this agent, or by all others together. */
struct port_used {
    uint64_t pages, bytes;
    bool is_over; /* this agent knows that a limit is reached; one of the others says so */
};

/* Whether the crawl was begun anew, to fetch known pages again (--recrawl). */
struct port_recrawl {
    uint64_t id;      /* of the last such start, higher than those before; 0: there was none */
    uint64_t wall_ms; /* when that start was */
    uint64_t now_wall_ms;
};

enum port_walk {
    PORT_WALK_MOVED, /* url (is_back) and host records of hosts that are not mine at this epoch */
    /* url and host records of my hosts, and done records of all hosts: what our stream may have
     * held. The done records of hosts that have just moved are in no other stream, and the handover
     * looks for them in ours. */
    PORT_WALK_OWN,
};

struct port;
struct port_ops {
    enum rc (*note)(struct port *p, struct str fact);
    enum rc (*take)(struct port *p, const struct record *mine, size_t mine_count,
                    const struct record *foreign, size_t foreign_count, struct str fact);
    enum rc (*recall)(struct port *p,
                      enum rc (*each)(void *ctx, uint64_t position, struct str fact), void *ctx);
    uint64_t (*end)(struct port *p);
    uint64_t (*durable)(struct port *p);
    enum rc (*read)(struct port *p, uint64_t from, struct port_batch *ret);
    void (*keep)(struct port *p, uint64_t from);
    uint64_t (*kept)(struct port *p);
    void (*epoch)(struct port *p);
    void (*abort)(struct port *p);
    struct port_counts (*counts)(struct port *p);
    enum rc (*walk)(struct port *p, enum port_walk which, uint64_t *at, struct record *ret,
                    size_t most, size_t *ret_count);
    enum rc (*forget)(struct port *p);
    enum rc (*aside)(struct port *p, struct str fact);
    struct port_recrawl (*last_recrawl)(struct port *p); /* NULL: the crawl is never begun anew */
    void (*hurry)(struct port *p);                       /* optional */
    /* Budgets that agents share, and addresses that they ask; a port has all of these or none. */
    struct port_used (*used)(struct port *p);
    void (*others)(struct port *p, const struct port_used *sum);
    size_t (*tell_domains)(struct port *p, struct heartbeat_domain *ret, size_t most);
    void (*heard_domain)(struct port *p, uint64_t agent, const struct heartbeat_domain *d);
    size_t (*tell_addresses)(struct port *p, uint64_t *ret, size_t most);
    void (*heard_addresses)(struct port *p, uint64_t agent, const uint64_t *list, size_t count);
};
struct port {
    const struct port_ops *ops;
};

/* Journals a fact. After RC_NOMEM or an error of the journal the agent stops. */
MUST_CHECK static inline enum rc port_note(struct port *p, struct str fact)
{
    return p->ops->note(p, fact);
}

/* Journals records that arrived, as one batch with the fact (the new cursor): all of it or nothing.
 * `mine` are merged into the crawl; `foreign` come back from port_read, as links. */
MUST_CHECK static inline enum rc port_take(struct port *p, const struct record *mine,
                                           size_t mine_count, const struct record *foreign,
                                           size_t foreign_count, struct str fact)
{
    return p->ops->take(p, mine, mine_count, foreign, foreign_count, fact);
}

/* Hands back all facts of earlier runs, in order, with the position of each. It ends at the first
 * failure. */
MUST_CHECK static inline enum rc
port_recall(struct port *p, enum rc (*each)(void *ctx, uint64_t position, struct str fact),
            void *ctx)
{
    return p->ops->recall(p, each, ctx);
}

/* port_end: where the next batch will stand. port_durable: below it, a batch is lost only with the
 * disk. */
static inline uint64_t port_end(struct port *p)
{
    return p->ops->end(p);
}

static inline uint64_t port_durable(struct port *p)
{
    return p->ops->durable(p);
}

/* The agent waits for what is not durable yet: asks for a sync soon. It may be called often. */
static inline void port_hurry(struct port *p)
{
    if (p->ops->hurry)
        p->ops->hurry(p);
}

/* The first batch for others at or behind `from` that is durable. RC_NOT_FOUND: none yet. */
MUST_CHECK static inline enum rc port_read(struct port *p, uint64_t from, struct port_batch *ret)
{
    return p->ops->read(p, from, ret);
}

/* Nothing below `from` will be read again. After a crash port_kept() may be lower, never higher. */
static inline void port_keep(struct port *p, uint64_t from)
{
    p->ops->keep(p, from);
}

static inline uint64_t port_kept(struct port *p)
{
    return p->ops->kept(p);
}

/* Ownership has changed. From now on no host is checked out that agent_owns() denies; a host that
 * was gained is asked no earlier than now + its delay, and not before its recorded time. */
static inline void port_epoch(struct port *p)
{
    p->ops->epoch(p);
}

/* Ends all open transfers now: their hosts may belong to another agent. */
static inline void port_abort(struct port *p)
{
    p->ops->abort(p);
}

static inline struct port_counts port_counts(struct port *p)
{
    return p->ops->counts(p);
}

static inline struct port_used port_used(struct port *p)
{
    return p->ops->used(p);
}

static inline struct port_recrawl port_recrawl(struct port *p)
{
    return p->ops->last_recrawl ? p->ops->last_recrawl(p) : (struct port_recrawl){0};
}

/* The next records of a walk, at most `most`. *at is 0 at first, later the port's. *ret_count 0:
 * the end. Borrowed until the next call of the port. The walk may miss what is admitted meanwhile.
 * RC_AGAIN: a part of the crawl is being read from disk; ask again with the same *at,
 * PORT_WALK_MS later. */
MUST_CHECK static inline enum rc port_walk(struct port *p, enum port_walk which, uint64_t *at,
                                           struct record *ret, size_t most, size_t *ret_count)
{
    return p->ops->walk(p, which, at, ret, most, ret_count);
}

/* Hosts that are not mine at this epoch have been handed over: drops their queues, and forgets the
 * queued URLs, so that they can come back. What is done stays known. */
MUST_CHECK static inline enum rc port_forget(struct port *p)
{
    return p->ops->forget(p);
}

/* The incarnation has ended: puts the queues and the known URLs aside, so that the crawl is empty.
 * Batches for others from port_kept() on can still be read. One batch with the fact. */
MUST_CHECK static inline enum rc port_aside(struct port *p, struct str fact)
{
    return p->ops->aside(p, fact);
}

#endif
