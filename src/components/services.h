/* SPDX-License-Identifier: Apache-2.0 */
/* services: what the crawl's providers offer to its components.
 *
 *   role        interface                  what it knows                               how many
 *   ledger      struct ledger_service      what is known and done, durably; counts     one
 *   scope       struct scope_service       what belongs to the crawl                   one
 *   budget      struct budget              how much may be taken                       one
 *   pace        struct pace_service        when a host may be asked again              one
 *   addresses   struct addresses_service   when an address may, and who is asked now   one
 *   guard       struct guard               which addresses may at all                  one a shard
 *   cluster     struct cluster_service     whose hosts are whose (components/cluster.h) one
 *   sink        struct sink_service        where archive files go (components/sink.h)  one
 *   dns, http   struct dns, struct http    the network                                 one a shard
 */
#ifndef COMPONENTS_SERVICES_H
#define COMPONENTS_SERVICES_H

#include "components/calls.h"
#include "components/depths.h"
#include "components/recent_pages.h"
#include "crawl/ledger.h"
#include "fetch/address_table.h"
#include "fetch/pace.h"
#include "fetch/request.h"
#include "net/dns.h"
#include "net/http.h"
#include "scope/budget.h"
#include "scope/scope.h"
#include "url/idn.h"

#include <stdatomic.h>

#define LEDGER_INTERFACE "ledger"
#define SCOPE_INTERFACE "scope"
#define BUDGET_INTERFACE "budget"
#define PACE_INTERFACE "pace"
#define ADDRESSES_INTERFACE "addresses"
#define GUARD_INTERFACE "guard"
#define DNS_INTERFACE "dns"
#define HTTP_INTERFACE "http"

enum { CRAWL_MAX_SHARDS = 256 };

/* What people watch. Any thread adds, any thread reads. */
struct crawl_counts {
    _Atomic uint64_t fetched;     /* answers with a status, robots.txt not counted */
    _Atomic uint64_t by_class[6]; /* of them: 1xx … 5xx at [1] … [5], others at [0] */
    _Atomic uint64_t failed;      /* ended without an answer */
    _Atomic uint64_t retried;     /* tries that will be repeated */
    _Atomic uint64_t refused;     /* never asked: robots.txt, quotas, blocked addresses */
    _Atomic uint64_t robots;      /* of the refused: by robots.txt */
    _Atomic uint64_t bytes;       /* received */
    _Atomic uint64_t pages;       /* HTML with 200 */
    _Atomic uint64_t links;       /* found on pages */
    _Atomic uint64_t rejected[SCOPE_VERDICTS_];   /* of them, by verdict */
    _Atomic uint64_t over_budget;                 /* of them, by budgets; the next included */
    _Atomic uint64_t over_limit[BRING_VERDICTS_]; /* by what a host may bring or hold */
    _Atomic uint64_t admitted;                    /* new URLs */
    _Atomic uint64_t known;                       /* links that were known */
    _Atomic uint64_t revisits;                    /* captures that repeat a payload */
    _Atomic uint64_t changed, unchanged;          /* of what was captured before */
    /* Of the changed, as far as it is known what: one page may count for the first two. */
    _Atomic uint64_t changed_structure, changed_text, changed_markup;
    _Atomic uint64_t truncated;
    _Atomic uint64_t relevant, irrelevant; /* pages that fit the topic and that do not (focus) */
    _Atomic uint64_t unkept;               /* answers that were not archived: focus, types */
    _Atomic uint64_t off_topic;            /* links not followed because of it */
    _Atomic uint64_t open;                 /* requests now */
    /* The last word of each shard on its frontier. */
    struct crawl_shard_counts {
        _Atomic uint64_t hosts, known, queued, out, waiting, ready, memory_bytes;
        _Atomic uint64_t resting, unsorted; /* buckets on disk, links to them not looked at */
        /* Queued and unsorted: one word, so that nobody misses what goes from one to the other. */
        _Atomic uint64_t work;
        _Atomic uint64_t due_ms; /* when the next host may be asked; UINT64_MAX = none waits */
    } shards[CRAWL_MAX_SHARDS];
};

/* Fingerprints of links that a shard has sent to others lately; settle's of that shard, but whoever
 * admits takes those out that may come to be wanted. */
enum { SENT_SLOTS = 1 << 16 };
struct sent_links {
    _Atomic uint64_t slots[SENT_SLOTS];
};

struct sink_outbox;

struct ledger_service {
    struct ledger *ledger;
    struct sink_outbox *outbox; /* the sink's, set before the flow starts; NULL: archives stay */
    struct sent_links *sent[CRAWL_MAX_SHARDS]; /* set before the flow starts */
    struct ledger_report opened;
    struct clock *clock;
    uint64_t begun_ms;      /* the clock's, of this run */
    uint64_t earlier_ms;    /* of crawling, by earlier runs */
    uint64_t not_before_ms; /* the clock's: when it was begun anew, hosts have a rest first */
    struct recent_pages *recent;
    struct depths *const *depths; /* one a shard; NULL: the crawl has no limit that needs them */
    bool compares; /* pages are compared with what was captured before, or kept to be */
    struct crawl_counts counts;
    /* URLs that are nearer than earlier runs had time to see (depths_recall.h), for `known`. */
    struct buf found_again;
    struct buf joined;  /* where seeds redirected to in earlier runs, a line each (a cluster's) */
    struct calls calls; /* from other threads to schedule of each shard, and to seeds */
    /* Whether earlier runs have brought that seed. */
    bool (*knows_seed)(const struct ledger_service *s, uint64_t fingerprint);
};

/* The URL of a page by its fingerprint, in the arena: of one that was settled lately, or from the
 * history; absent if it is not known, or 0. */
struct str ledger_service_url(struct ledger_service *s, uint64_t fingerprint, struct arena *arena);

/* A shard's word on what waits there, on its thread. In a cluster the
 * end of the whole crawl depends on `work`: it is said before a shard without work waits. */
void ledger_service_gauge(struct ledger_service *s, unsigned shard);

/* Milliseconds of crawling, earlier runs included. */
uint64_t ledger_service_elapsed_ms(struct ledger_service *s);

struct scope_service {
    struct scope *scope;
    const struct url_idn *idn;
};

/* Both keyed by 64 bits: an address's group (net/address.h), a host's position. */
struct addresses_service {
    struct address_table *addresses;
    struct address_table *hosts;
};

/* Settings that may change while the crawl runs. Any thread. */
struct pace_service {
    struct pace_settings (*now)(struct pace_service *s);
};

static inline void count_add(_Atomic uint64_t *counter, uint64_t n)
{
    if (n) /* all shards write there, so that even adding nothing would cost */
        atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

/* URLs that are left out because of what a host may bring or hold. */
static inline void count_over_limit(struct crawl_counts *c, enum bring_verdict why, uint64_t n)
{
    count_add(&c->over_budget, n);
    count_add(&c->over_limit[why], n);
}

#endif
