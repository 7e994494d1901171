/* SPDX-License-Identifier: Apache-2.0 */
/* counters: the numbers of a crawl while it runs. Their names and meanings stand in the one table,
 * outputs/counter_table.h. A new counter is a field of struct crawl_counts and a row there.
 *
 *     value = counter_value(COUNTER_QUEUED, &ledger->counts, &totals); */
#ifndef ROLES_COUNTERS_H
#define ROLES_COUNTERS_H

#include "host/bring.h"
#include "ledger/ledger.h"
#include "outputs/counter_table.h"
#include "scope/scope.h"

#include <stdatomic.h>

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
        _Atomic uint64_t swapped, unsorted; /* buckets on disk, links to them not looked at */
        /* Queued and unsorted: one word, so that a reader does not miss links that go from one to
         * the other. */
        _Atomic uint64_t work;
        _Atomic uint64_t due_ms; /* when the next host may be asked; UINT64_MAX = none waits */
    } shards[CRAWL_MAX_SHARDS];
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

/* What became of links (ledger_admit). Those that are sorted later are counted then. */
void count_admitted(struct crawl_counts *c, const enum admitted *became, size_t count);

enum counter_id {
#define X(id, name, by, field, help) COUNTER_##id,
    CRAWL_COUNTERS(X)
#undef X
        COUNTERS_
};

enum counter_by {
    COUNTED_BY_CRAWL,
    COUNTED_BY_NOW,
    COUNTED_BY_REASONS,
    COUNTED_BY_SHARDS,
    COUNTED_BY_LEDGER
};

struct counter {
    const char *name, *help;
    enum counter_by by;
    size_t at; /* of the field, in what `by` says */
};

extern const struct counter crawl_counters[COUNTERS_];

/* Not of COUNTED_BY_REASONS. */
uint64_t counter_value(enum counter_id id, const struct crawl_counts *c,
                       const struct ledger_totals *t);

/* Of COUNTED_BY_REASONS: the count for reason i and the reason's name, from 0 on; false: there are
 * no more. */
bool counter_reason(enum counter_id id, const struct crawl_counts *c, size_t i,
                    const char **ret_name, uint64_t *ret_count);

#endif
