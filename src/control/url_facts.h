/* SPDX-License-Identifier: Apache-2.0 */
/* url_facts: everything a crawl knows of a URL, and why it was or was not fetched.
 *
 * Three sources, one function each: the URL itself; the frontier of its shard, on that shard's
 * thread or of a crawl that does not run; history and scope, on any thread. */
#ifndef CONTROL_URL_FACTS_H
#define CONTROL_URL_FACTS_H

#include "base/jsonw.h"
#include "frontier/host.h"
#include "host/host_http.h"
#include "host/host_wait.h"
#include "order/order.h"
#include "roles/scope.h"
#include "store/history.h"
#include "url/url.h"

enum { URL_FACTS_WALK = 200000 }; /* entries of a queue that are searched */
enum { URL_FACTS_ORIGINS = 64 };  /* of a host that are listed */

struct url_facts {
    struct arena *arena; /* of all texts */
    struct url url;      /* normalised */
    struct str asked;    /* as it was asked for */
    uint64_t fingerprint, host_hash;
    unsigned shard;

    bool is_partial; /* DIR cannot be written, so the frontier was not read */

    /* the frontier's */
    bool has_host;
    bool is_known;
    bool is_queued, is_out;
    bool is_far;     /* it may be in the queue behind the entries that were searched */
    uint64_t before; /* URLs of the queue, or of its list, before it */
    enum order_kind order;
    unsigned list;  /* of an order with lists: ORDER_REVISITS, or a list */
    bool has_worth; /* with ORDER_PRIORITY */
    struct frontier_worth worth;
    struct str seed_path; /* absent: it was not found in a queue */
    uint64_t via;
    enum host_state host_state;
    uint64_t wait_ms; /* until the host may be asked */
    uint64_t queued;  /* URLs of its host, what is out included */
    struct record_facts {
        uint64_t pages, bytes;
        uint32_t failures, tries;
        int32_t dead_code;
        enum host_wait wait; /* why it is not asked before its moment */
        int32_t wait_code;
        enum host_http http;
    } record;
    struct robots_facts {
        bool is_there;   /* it was asked for */
        bool is_failing; /* the last time in vain */
        bool has_rules;
        bool is_empty; /* the rules allow everything: there is no robots.txt, or none for us */
        bool allowed;
        unsigned line;
        struct str rule;
        uint64_t age_ms;
        bool has_delay;
        uint32_t delay_ms;
    } robots;
    unsigned origin_count; /* of its host that are listed */
    struct origin_facts {
        uint16_t port; /* 0 = the scheme's own */
        bool is_https;
        uint32_t failures, tries; /* of connections in a row; of the URL that it has on trial */
        int32_t dead_code;
        uint64_t wait_ms; /* until it may be asked */
        bool robots_asked, robots_failing, robots_has_rules, robots_is_empty;
    } * origins;

    /* history's and scope's */
    bool has_history;
    struct history_entry history;
    struct str via_url; /* absent: unknown, or a seed */
    bool has_scope;
    enum scope_verdict verdict;
};

/* Understands `text`, http:// added where it has no scheme, by the rules of the crawl. RC_INVALID
 * with `why`; RC_NOMEM. */
MUST_CHECK enum rc url_facts_name(struct url_facts *f, const struct url_idn *idn, struct str text,
                                  uint32_t rules, unsigned shards, struct buf *why);
void url_facts_frontier(struct url_facts *f, const struct frontier *frontier, uint64_t now_ms,
                        int64_t wall_ms);
void url_facts_history(struct url_facts *f, struct history *h); /* NULL: there is none */
void url_facts_scope(struct url_facts *f, const struct scope *s);

/* One JSON object; its members "text" and "why" are for people. */
void url_facts_json(const struct url_facts *f, bool is_running, struct buf *out);

/* url_words.c: one sentence each. */
void url_words_why(const struct url_facts *f, bool is_running, struct buf *out);
void url_words_scope(const struct url_facts *f, struct buf *out);
void url_words_robots(const struct url_facts *f, struct buf *out);
void url_words_host(const struct url_facts *f, bool is_running, struct buf *out);
void url_words_origin(const struct origin_facts *o, struct buf *out);
const char *url_words_robots_state(const struct origin_facts *o); /* "rules" */
const char *url_words_change(unsigned what); /* bits of enum history_change: "structure and text" */
const char *url_words_cut(unsigned cut);     /* enum history_cut: "by its length"; "" */
void url_words_last(const struct url_facts *f, struct buf *out);
const char *url_words_state(const struct url_facts *f); /* "queued" */

#endif
