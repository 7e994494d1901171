/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_limits: the limits in all (--pages, --size, --time) from one run of a crawl to the next.
 *
 * The crawl's directory keeps them, as it keeps every setting. A run that finds a kept limit
 * reached by an earlier run goes on without that limit and says so. A limit of a flag, of the
 * environment or of --config holds also when it is reached: then the run ends at once and says why.
 *
 * The sums of one machine tell whether a limit is reached. Those of one agent of a cluster do not:
 * so each run writes to state/limits what it has reached, a line "KEY: VALUE" each. Lines that do
 * not fit a limit of the crawl are passed over. */
#ifndef CLI_CRAWL_LIMITS_H
#define CLI_CRAWL_LIMITS_H

#include "cli/settings.h"
#include "components/services.h"
#include "flow/flow.h"
#include "flow/wiring.h"

#define CRAWL_LIMITS_FILE "state/limits"

struct crawl_limits {
    struct settings *settings;
    enum settings_source *sources;
    struct wiring *wiring;
    struct log *log;
    /* Once the flow is open; the budget is NULL where the wiring has none: then nothing below does
     * anything. */
    struct flow *flow;
    struct ledger_service *ledger;
    struct budget *budget;
};

/* Of a crawl that goes on: a greater --depth than before draws no link back that was left out for
 * its depth, because only URLs that belong to the crawl are kept. Says so, while the directory
 * still has the settings of the earlier run. */
void crawl_limits_warn_of_depth(const struct crawl_limits *l);

/* Before flow_open, because an agent looks at its limits from then on: lifts kept limits that
 * state/limits says are reached; not for a recrawl, which counts from 0. */
MUST_CHECK enum rc crawl_limits_lift_written(const struct crawl_limits *l, struct buf *why);

/* Between flow_open and flow_start: lifts those that the sums say are reached, after a kill that
 * left no time to write it down; not in a cluster. Save the settings afterwards. */
MUST_CHECK enum rc crawl_limits_lift_summed(const struct crawl_limits *l, struct buf *why);

/* After that: whether a limit that holds was reached by earlier runs, so that this run fetches
 * nothing. In a cluster the sums of one agent do not tell. */
bool crawl_limits_are_reached(const struct crawl_limits *l);

/* Once the settings are saved: what earlier runs have reached is over. */
MUST_CHECK enum rc crawl_limits_forget(const struct crawl_limits *l);

/* When the flow has ended: writes down what is reached, if anything. */
MUST_CHECK enum rc crawl_limits_end(const struct crawl_limits *l);

/* "--pages 60, --time 40s": the limits that are reached now; nothing if none is. */
void crawl_limits_print(const struct crawl_limits *l, struct buf *out);

#endif
