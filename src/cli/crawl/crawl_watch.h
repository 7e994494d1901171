/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_watch: prints the progress of a running crawl: a line on standard error, redrawn four times
 * a second; without a terminal a line a minute; with --json JSON lines.
 *
 * It has a thread of its own. The thread also ends a crawl that was stopped, or has reached a
 * limit, and does not end in time: open URLs then go back to their queues. Lines of the log go
 * through it, so that they never stand inside the progress line. */
#ifndef CLI_CRAWL_CRAWL_WATCH_H
#define CLI_CRAWL_CRAWL_WATCH_H

#include "base/log.h"
#include "flow/flow.h"
#include "roles/ledger.h"

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

/* Watches the crawl until crawl_watch_end. */
MUST_CHECK enum rc crawl_watch_begin(struct crawl_watch *w, struct flow *flow,
                                     struct ledger_service *ledger);
void crawl_watch_end(struct crawl_watch *w);

/* The signal that ended it, 0 if none did. */
int crawl_watch_signal(const struct crawl_watch *w);
/* How many signals came. */
int crawl_watch_signals(const struct crawl_watch *w);

#endif
