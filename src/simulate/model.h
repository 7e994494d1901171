/* SPDX-License-Identifier: Apache-2.0 */
/* model: a crawl without pages behind cluster/protocol/port.h: which URLs are queued, open and
 * done, and the journal from which all of it can be rebuilt.
 *
 * The journal is a list of entries; a position is a number of entries. kill -9 loses none of them,
 * a power cut some of those behind the last sync, a wiped disk all. */
#ifndef SIMULATE_MODEL_H
#define SIMULATE_MODEL_H

#include "cluster/protocol/agent.h"
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

/* What an entry has beside a fact. */
struct model_body {
    uint64_t time_ms, next_ms; /* of a page: wall clock; its host's next moment */
    uint64_t inc;              /* of a page; of an aside: the incarnation that begins */
    struct buf mine, foreign;  /* of a take: records, as a batch; of a forget: numbers of URLs */
    uint32_t foreign_count;
    uint32_t url;   /* of a page */
    uint64_t pages; /* journalled up to this entry, inclusive */
};

struct model_entry {
    struct fact *fact;       /* may be NULL */
    struct model_body *body; /* NULL: the entry is a fact alone */
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
    uint64_t due_ms;  /* by this process's clock */
    bool is_known, is_open, was_mine;
};

/* Of a web of thousands an agent knows a few dozen. So URLs stand in chunks, which are made when
 * one of them is written. */
enum { MODEL_ROWS = 16 };

struct model {
    struct port port;
    const struct web *web;
    struct agent *agent; /* NULL: the process does not run */
    char name[8];
    struct facts *facts;
    struct model_entry *entries;
    size_t count, cap, durable;
    size_t aside;    /* the last entry that began an incarnation, plus one; 0: none */
    bool wants_sync; /* the agent waits for it */
    uint64_t keep, kept;
    struct model_url **url_pages;
    struct model_host **host_pages;
    bool has_failed; /* there was no memory for a chunk */
    uint64_t admitted, last, pages;
    uint64_t walks;           /* asked for, ever: some get RC_AGAIN */
    uint64_t now_ms, wall_ms; /* set before every call */
    uint64_t inc;             /* of pages that are done */
    struct port_counts counts;
    bool are_counts_known;
    bool is_aborting;   /* the world ends the open fetches */
    struct record *out; /* what read and walk return */
    struct record outcome[2];
};

/* `facts` is borrowed. */
MUST_CHECK enum rc model_init(struct model *m, const struct web *web, const char *name,
                              struct facts *facts);
void model_done(struct model *m);

/* What is known of a URL or host; zeros if nothing is. */
const struct model_url *model_url(const struct model *m, uint32_t url);
const struct model_host *model_host(const struct model *m, uint32_t host);
/* The first at or behind *url, or *host, that may be known; false: none. */
bool model_next_url(const struct model *m, uint32_t *url);
bool model_next_host(const struct model *m, uint32_t *host);
void model_clock_jumps(struct model *m, uint64_t by_ms); /* the web's clock does not */

/* The process begins: rebuilds everything from the journal. */
MUST_CHECK enum rc model_start(struct model *m, uint64_t now_ms, uint64_t wall_ms);
void model_sync(struct model *m);
/* loses that many entries that are not synced */
void model_power_cut(struct model *m, uint64_t lose);
void model_wipe(struct model *m);
void model_roll_back(struct model *m); /* to a moment before its last process began */

/* Journals seeds, as links without a page. */
MUST_CHECK enum rc model_seed(struct model *m);

/* Merges one record as if it had been taken; it is not journalled. */
void model_merge(struct model *m, const struct record *r);
/* The incarnation of the last fact that began one. */
uint64_t model_inc(const struct model *m);

/* The next URL that may be fetched at `now`; UINT32_MAX: none. It is open from then on. */
uint32_t model_claim(struct model *m);
/* The page was fetched: journals it, with its links. */
MUST_CHECK enum rc model_record_outcome(struct model *m, uint32_t url);
void model_return(struct model *m, uint32_t url); /* the page was not fetched */

#endif
