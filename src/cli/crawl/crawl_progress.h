/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_progress: prints the progress of a running crawl: a line on standard error, redrawn four
 * times a second; without a terminal a line a minute; with --json JSON lines.
 *
 * It has a thread of its own. The thread also ends a crawl that was stopped, or has reached a
 * limit, and does not end in time: open URLs then go back to their queues. Lines of the log go
 * through it, so that they never stand inside the progress line. */
#ifndef CLI_CRAWL_CRAWL_PROGRESS_H
#define CLI_CRAWL_CRAWL_PROGRESS_H

#include "base/log.h"
#include "flow/flow.h"
#include "roles/ledger.h"

struct crawl_progress;

struct crawl_progress_settings {
    bool json, quiet;
    const char *dir;   /* of the crawl, for logs/progress-statistics.log */
    uint64_t grace_ms; /* from the first signal, or a limit, until the crawl is cut short */
};

struct crawl_progress *crawl_progress_open(const struct crawl_progress_settings *s);
void crawl_progress_close(struct crawl_progress *w);

/* For log_open. */
struct log_sink crawl_progress_sink(struct crawl_progress *w);

/* Watches the crawl until crawl_progress_end. */
MUST_CHECK enum rc crawl_progress_begin(struct crawl_progress *w, struct flow *flow,
                                        struct ledger_service *ledger);
void crawl_progress_end(struct crawl_progress *w);

/* The signal that ended it, 0 if none did. */
int crawl_progress_signal(const struct crawl_progress *w);
/* How many signals came. */
int crawl_progress_signals(const struct crawl_progress *w);

#endif
