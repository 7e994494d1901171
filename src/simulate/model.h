/* SPDX-License-Identifier: Apache-2.0 */
/* model: a crawl without pages behind cluster/port.h: which URLs are queued, open and done, and the
 * journal that all of it can be made from again.
 *
 * The journal is a list of entries; a position is a number of entries. kill -9 loses nothing of it,
 * a power cut some of those behind the last sync, a wiped disk all. */
#ifndef SIMULATE_MODEL_H
#define SIMULATE_MODEL_H

#include "cluster/agent.h"
#include "simulate/facts.h"
#include "simulate/web.h"

enum model_entry_kind {
    MODEL_FACT,
    MODEL_TAKE,
    MODEL_PAGE,
    MODEL_SEEDS,
    MODEL_ASIDE,
    MODEL_FORGET
};

/* What an entry has besides a fact. */
struct model_body {
    uint64_t time_ms, next_ms; /* of a page: wall clock; its host's next moment */
    uint64_t inc;              /* of a page; of an aside: the one that begins */
    struct buf mine, foreign;  /* of a take: records, as a batch; of a forget: numbers of URLs */
    uint32_t foreign_count;
    uint32_t url;   /* of a page */
    uint64_t pages; /* journalled up to it, with it */
};

struct model_entry {
    struct fact *fact;       /* or NULL */
    struct model_body *body; /* NULL: of a fact alone */
    enum model_entry_kind kind;
};

enum model_url_state { MODEL_UNKNOWN, MODEL_QUEUED, MODEL_DONE };

struct model_url {
    uint8_t state;
    bool is_open;
    uint64_t time_ms, where_inc;
    char where[8];
};

struct model_host {
    uint64_t next_ms; /* wall clock */
    uint64_t due_ms;  /* this process's clock */
    bool is_known, is_open, was_mine;
};

/* Of a web of thousands an agent knows a few dozen: they stand in pages, made when one is written.
 */
enum { MODEL_ROWS = 16 };

struct model {
    struct port port;
    const struct web *web;
    struct agent *agent; /* whose crawl it is; NULL: the process does not run */
    char name[8];
    struct facts *facts;
    struct model_entry *entries;
    size_t count, cap, durable;
    size_t aside;    /* the last that began an incarnation, plus one; 0: none */
    bool wants_sync; /* the agent waits for it */
    uint64_t keep, kept;
    struct model_url **url_pages;
    struct model_host **host_pages;
    bool has_failed; /* no memory for a page of them */
    uint64_t admitted, last, pages;
    uint64_t walks;           /* asked for, ever: some are told "not yet" */
    uint64_t now_ms, wall_ms; /* set before every call */
    uint64_t inc;             /* of pages that are settled */
    struct port_counts counts;
    bool are_counts_known;
    bool is_aborting;   /* the world ends the open ones */
    struct record *out; /* what read and walk hand out */
    struct record outcome[2];
};

/* `facts` is borrowed. */
MUST_CHECK enum rc model_init(struct model *m, const struct web *web, const char *name,
                              struct facts *facts);
void model_done(struct model *m);

/* What is known of one; zeros if nothing is. */
const struct model_url *model_url(const struct model *m, uint32_t url);
const struct model_host *model_host(const struct model *m, uint32_t host);
/* The first at or behind *url, or *host, of which something may be known; false: none. */
bool model_next_url(const struct model *m, uint32_t *url);
bool model_next_host(const struct model *m, uint32_t *host);
void model_clock_jumps(struct model *m, uint64_t by_ms); /* the web's does not */

/* The process begins: everything is made from the journal again. */
MUST_CHECK enum rc model_start(struct model *m, uint64_t now_ms, uint64_t wall_ms);
void model_sync(struct model *m);
void model_power_cut(struct model *m, uint64_t lose); /* that many of those not synced */
void model_wipe(struct model *m);
void model_roll_back(struct model *m); /* to some moment before its last process began */

/* Seeds, journalled as links that nobody fetched. */
MUST_CHECK enum rc model_seed(struct model *m);

/* One record, as if it had been taken; not journalled. */
void model_merge(struct model *m, const struct record *r);
/* The incarnation whose state it has: that of the last fact that began one. */
uint64_t model_inc(const struct model *m);

/* The next URL that may be asked at `now`; UINT32_MAX: none. It is open then. */
uint32_t model_lend(struct model *m);
/* It was fetched: journalled, with its links. */
MUST_CHECK enum rc model_settle(struct model *m, uint32_t url);
void model_return(struct model *m, uint32_t url); /* or not */

#endif
