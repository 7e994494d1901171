/* SPDX-License-Identifier: Apache-2.0 */
/* port: the crawl and its journal, as the agent of a cluster sees them.
 *
 * Two stand here: the simulation's model (src/simulate) and the real crawl's ledger. All calls come
 * from the agent's thread and none waits.
 *
 * One journal per process; a position in it grows with every batch. What is journalled survives
 * kill -9, what is below port_durable() survives a power cut. Nothing is told to anybody before it
 * is durable here, so what others have heard of us is never taken back.
 *
 * The outbox is derived from the journal: port_read() gives what was journalled for others, in
 * order, each batch whole: a settled page (its outcome, its links, mine and foreign), or records
 * that were received and are not ours. port_keep() says from where on it is still needed; after a
 * restart reading begins again at port_kept().
 *
 * The agent's own facts are opaque bytes here: journalled in order, and handed back in order at the
 * next opening (port_recall).
 *
 * Who owns what: the crawl asks agent_owns() and agent_may_fetch() (cluster/agent.h). */
#ifndef CLUSTER_PORT_H
#define CLUSTER_PORT_H

#include "cluster/heartbeat.h"
#include "cluster/records.h"

enum {
    PORT_MAX_LINKS = 1 << 15, /* records of one batch: more than its bytes can hold */
    PORT_MAX_WALK = 64,       /* records of one step of a walk */
    PORT_WALK_MS = 2,         /* before the next step, where one has to wait */
    PORT_MAX_FACT_BYTES = 96 << 10,
};

/* One journalled batch for others. Borrowed until the next call of the port. */
struct port_batch {
    uint64_t position; /* where it stands */
    uint64_t next;     /* where reading goes on */
    const struct record *links;
    size_t link_count;
    const struct record *outcome; /* done and way (if it is) and host records, or the way of a page
                                     whose links were judged again; none: nothing was asked for */
    size_t outcome_count;
    uint64_t pages; /* journalled up to this batch, ever; only if it has an outcome */
};

struct port_counts {
    uint64_t queued;     /* URLs waiting at hosts that are mine */
    uint64_t open;       /* being fetched, or fetched and not yet journalled */
    uint64_t admitted;   /* URLs ever taken as new, by link, seed or message: grows with any work */
    uint64_t moving;     /* open ones of hosts that are not mine any more */
    uint64_t pages;      /* settled, ever: for people */
    uint64_t last;       /* position behind the last batch for others, durable or not */
    uint64_t journalled; /* pages, ever, as port_batch.pages counts them */
};

/* Of the budgets of the whole crawl: used here, or by all others together. */
struct port_used {
    uint64_t pages, bytes;
    bool is_over; /* a limit is reached, by what we know; by what one of them says */
};

/* Whether the crawl was begun anew, to ask again for what is known (--recrawl). */
struct port_restart {
    uint64_t id;      /* of the last time, above those before; 0: never */
    uint64_t wall_ms; /* when that was */
    uint64_t now_wall_ms;
};

enum port_walk {
    PORT_WALK_MOVED, /* url (is_back) and host records of hosts that are not mine at this epoch */
    /* url and host records of hosts of mine, and done records of all hosts: what a stream of ours
     * may have held. Those of hosts that have just moved stand nowhere else, and the hand-over
     * looks for them in the stream. */
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
    enum rc (*walk)(struct port *p, enum port_walk which, uint64_t *token, struct record *ret,
                    size_t most, size_t *ret_count);
    enum rc (*forget)(struct port *p);
    enum rc (*aside)(struct port *p, struct str fact);
    struct port_restart (*restart)(struct port *p); /* NULL: never */
    void (*hurry)(struct port *p);                  /* optional */
    /* Budgets that agents share, and addresses that they ask; all of these or none. */
    struct port_used (*used)(struct port *p);
    void (*others)(struct port *p, const struct port_used *sum);
    size_t (*tell_domains)(struct port *p, struct heartbeat_domain *ret, size_t most);
    void (*heard_domain)(struct port *p, uint64_t who, const struct heartbeat_domain *d);
    size_t (*tell_addresses)(struct port *p, uint64_t *ret, size_t most);
    void (*heard_addresses)(struct port *p, uint64_t who, const uint64_t *list, size_t count);
};
struct port {
    const struct port_ops *ops;
};

/* Journals a fact. RC_NOMEM, or what the journal says: the agent stops then. */
MUST_CHECK static inline enum rc port_note(struct port *p, struct str fact)
{
    return p->ops->note(p, fact);
}

/* Records that arrived, as one batch with the fact (the new cursor): all of it or nothing. `mine`
 * are merged into the crawl, `foreign` come back by port_read, as links. */
MUST_CHECK static inline enum rc port_take(struct port *p, const struct record *mine,
                                           size_t mine_count, const struct record *foreign,
                                           size_t foreign_count, struct str fact)
{
    return p->ops->take(p, mine, mine_count, foreign, foreign_count, fact);
}

/* All facts of earlier runs, in order, with the position of each; ends at the first failure. */
MUST_CHECK static inline enum rc
port_recall(struct port *p, enum rc (*each)(void *ctx, uint64_t position, struct str fact),
            void *ctx)
{
    return p->ops->recall(p, each, ctx);
}

/* Where the next batch will stand; and below what nothing can be lost but with the disk. */
static inline uint64_t port_end(struct port *p)
{
    return p->ops->end(p);
}

static inline uint64_t port_durable(struct port *p)
{
    return p->ops->durable(p);
}

/* Somebody waits for what is not durable yet: soon, please. It may be asked again and again. */
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

/* Nothing below `from` will be read again. kept() may be an earlier one after a crash, no later. */
static inline void port_keep(struct port *p, uint64_t from)
{
    p->ops->keep(p, from);
}

static inline uint64_t port_kept(struct port *p)
{
    return p->ops->kept(p);
}

/* Ownership has changed: nothing is lent any more that agent_owns() denies, and a host that was
 * gained is asked no earlier than now + its delay, nor before its recorded moment. */
static inline void port_epoch(struct port *p)
{
    p->ops->epoch(p);
}

/* Ends all open transfers now: their hosts may be somebody else's. */
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

static inline struct port_restart port_restart(struct port *p)
{
    return p->ops->restart ? p->ops->restart(p) : (struct port_restart){0};
}

/* The next records of a walk, at most `most`; *token is 0 at first and the port's own then.
 * *ret_count 0: the end. Borrowed until the next call of the port. What is admitted meanwhile may
 * be missed. RC_AGAIN: not yet, for a part of what is known is on a disk and being read; ask again
 * with the same token, PORT_WALK_MS later. */
MUST_CHECK static inline enum rc port_walk(struct port *p, enum port_walk which, uint64_t *token,
                                           struct record *ret, size_t most, size_t *ret_count)
{
    return p->ops->walk(p, which, token, ret, most, ret_count);
}

/* Hosts that are not mine at this epoch have been handed over: their queues go, and what was queued
 * is unknown again, so that it can come back. What is done stays known. */
MUST_CHECK static inline enum rc port_forget(struct port *p)
{
    return p->ops->forget(p);
}

/* The incarnation has ended: queues and what is known are put aside and the crawl is empty; batches
 * for others from port_kept() on are still read. One batch with the fact. */
MUST_CHECK static inline enum rc port_aside(struct port *p, struct str fact)
{
    return p->ops->aside(p, fact);
}

#endif
