/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_watch: what a person sees of a running crawl: a progress line on standard error, redrawn
 * four times a second; where that is no terminal, a line a minute; with --json, JSON lines.
 *
 * It has a thread of its own, which also ends a crawl that was told to stop, or has reached a
 * limit, and does not come to its end in time: what is under way then goes back to its queue. Lines
 * of the log go through it, so that they never stand inside the progress line. */
#ifndef CLI_CRAWL_WATCH_H
#define CLI_CRAWL_WATCH_H

#include "base/jsonw.h"
#include "base/log.h"
#include "components/services.h"
#include "flow/flow.h"

struct crawl_watch;

struct crawl_watch_settings {
    bool json, quiet;
    const char *dir;   /* of the crawl, for logs/progress-statistics.log */
    uint64_t grace_ms; /* from the first signal, or a limit, until the crawl is cut short */
};

struct crawl_watch *crawl_watch_open(const struct crawl_watch_settings *s);
void crawl_watch_close(struct crawl_watch *w);

/* For log_open. */
struct log_sink crawl_watch_sink(struct crawl_watch *w);

/* The crawl runs from here; until crawl_watch_end. */
MUST_CHECK enum rc crawl_watch_begin(struct crawl_watch *w, struct flow *flow,
                                     struct ledger_service *ledger);
void crawl_watch_end(struct crawl_watch *w);

/* The signal that ended it, 0 if none did. */
int crawl_watch_signal(const struct crawl_watch *w);
/* How many came. */
int crawl_watch_signals(const struct crawl_watch *w);

/* The numbers of a crawl, for the last words too. */
void crawl_status_print(struct ledger_service *l, uint64_t fetched_before, uint64_t over_ms,
                        struct buf *out);
void crawl_status_json(struct ledger_service *l, struct buf *out);
/* The members of that object. */
void crawl_status_fields(struct ledger_service *l, struct jsonw *j);

#endif
