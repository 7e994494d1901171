/* SPDX-License-Identifier: Apache-2.0 */
/* counters: the numbers of a crawl, each with its name, its meaning and where it is counted.
 *
 * What says a number to people or programs takes it from this one table: `status`, the lines of
 * --json, the progress line and its log. A new counter is a field (services.h) and a row here. The
 * order is that of the JSON, and the names are part of it: programs read them.
 *
 *     value = counter_value(COUNTER_QUEUED, &ledger->counts, &totals);
 *
 * A row: its id, its name, what counts it, the field there, and what it means. What counts it:
 *   - CRAWL: this run; it rises
 *   - NOW: this run; it rises and falls
 *   - REASONS: this run, one number for each reason
 *   - SHARDS: all shards together; it rises and falls
 *   - LEDGER: all runs together */
#ifndef COMPONENTS_COUNTERS_H
#define COMPONENTS_COUNTERS_H

#include "components/services.h"

/* clang-format off */
#define CRAWL_COUNTERS(X)                                                                          \
    X(FETCHED, "fetched", CRAWL, fetched, "answers with a status; robots.txt is not counted")      \
    X(PAGES, "pages", CRAWL, pages, "answers that are HTML with status 200")                       \
    X(FAILED, "failed", CRAWL, failed, "URLs that ended without an answer")                        \
    X(REFUSED, "refused", CRAWL, refused, "URLs never asked: robots.txt, quotas, addresses")       \
    X(REFUSED_BY_ROBOTS, "refused_by_robots", CRAWL, robots, "of the refused: by robots.txt")      \
    X(RETRIED, "retried", CRAWL, retried, "tries that will be repeated")                           \
    X(BYTES, "bytes", CRAWL, bytes, "bytes received")                                              \
    X(LINKS, "links", CRAWL, links, "links found on pages")                                        \
    X(ADMITTED, "admitted", CRAWL, admitted, "URLs that are new")                                  \
    X(KNOWN_LINKS, "known_links", CRAWL, known, "links to URLs that were known")                   \
    X(OVER_BUDGET, "over_budget", CRAWL, over_budget, "links left out by budgets and limits")      \
    X(OVER_LIMIT, "over_limit", REASONS, over_limit, "of them: by what a host may bring or hold")  \
    X(REJECTED, "rejected", REASONS, rejected, "links outside of the scope")                       \
    X(REVISITS, "revisits", CRAWL, revisits, "captures that repeat a payload")                     \
    X(TRUNCATED, "truncated", CRAWL, truncated, "answers that were cut short")                     \
    X(CHANGED, "changed", CRAWL, changed, "pages captured before that have changed")               \
    X(UNCHANGED, "unchanged", CRAWL, unchanged, "pages captured before that have not")             \
    X(CHANGED_STRUCTURE, "changed_structure", CRAWL, changed_structure, "of the changed: in elements")\
    X(CHANGED_TEXT, "changed_text", CRAWL, changed_text, "of the changed: in their words")         \
    X(CHANGED_MARKUP, "changed_markup", CRAWL, changed_markup, "of the changed: in neither")       \
    X(UNKEPT, "unkept", CRAWL, unkept, "answers that were not archived: focus, types")             \
    X(RELEVANT, "relevant", CRAWL, relevant, "pages that fit the topic")                           \
    X(IRRELEVANT, "irrelevant", CRAWL, irrelevant, "pages that do not fit the topic")              \
    X(OFF_TOPIC, "off_topic", CRAWL, off_topic, "links not followed because of the topic")         \
    X(OPEN, "open", NOW, open, "requests that are open")                                           \
    X(HOSTS, "hosts", SHARDS, hosts, "hosts in memory")                                            \
    X(HOSTS_WAITING, "hosts_waiting", SHARDS, waiting, "hosts that wait for their moment")         \
    X(HOSTS_READY, "hosts_ready", SHARDS, ready, "hosts that may be asked")                        \
    X(KNOWN, "known", SHARDS, known, "URLs that are known")                                        \
    X(QUEUED, "queued", SHARDS, queued, "URLs that wait")                                          \
    X(OUT, "out", SHARDS, out, "hosts that are being asked")                                       \
    X(FRONTIER_BYTES, "frontier_bytes", SHARDS, memory_bytes, "memory of the frontier")            \
    X(BUCKETS_RESTING, "buckets_resting", SHARDS, resting, "buckets of hosts on disk")             \
    X(LINKS_UNSORTED, "links_unsorted", SHARDS, unsorted, "links to them not looked at yet")       \
    X(ARCHIVE_BYTES, "archive_bytes", LEDGER, archive_bytes, "bytes of archive files")             \
    X(JOURNAL_BYTES, "journal_bytes", LEDGER, journal_bytes, "bytes of the journal")               \
    X(TOTAL_PAGES, "total_pages", LEDGER, pages, "pages, over all runs")                           \
    X(TOTAL_BYTES, "total_bytes", LEDGER, bytes, "bytes received, over all runs")
/* clang-format on */

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
