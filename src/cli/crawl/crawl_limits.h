/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_limits: the limits of the whole crawl (--pages, --size, --time), from one run to the next.
 *
 * The crawl's directory has them, as it has every setting. When an earlier run has reached a limit
 * of the directory, the next run lifts it and says so. A limit from a flag, the environment or
 * --config holds even if it is reached: then the run ends at once and says why.
 *
 * On one machine the sums tell whether a limit is reached. The sums of one agent of a cluster do
 * not. So each run writes the limits that it has reached to state/limits, a line "KEY: VALUE" each.
 * Lines that fit no limit of the crawl are ignored. */
#ifndef CLI_CRAWL_CRAWL_LIMITS_H
#define CLI_CRAWL_CRAWL_LIMITS_H

#include "cli/crawl_files.h"
#include "cli/settings.h"
#include "flow/flow.h"
#include "flow/wiring.h"
#include "roles/budget.h"
#include "roles/ledger.h"

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

/* For a resumed crawl: warns that a greater --depth than before brings back no link that was left
 * out for its depth, because the crawl remembers only URLs that belong to it. Call it while the
 * directory still has the settings of the earlier run. */
void crawl_limits_warn_of_depth(const struct crawl_limits *l);

/* Before flow_open, because an agent checks its limits from then on: lifts limits of the directory
 * that state/limits has; not for a recrawl, which counts from 0. */
MUST_CHECK enum rc crawl_limits_lift_written(const struct crawl_limits *l, struct buf *why);

/* Between flow_open and flow_start: lifts limits of the directory that the sums have reached,
 * for a run that was killed before it wrote state/limits; not in a cluster. Save the settings
 * afterwards. */
MUST_CHECK enum rc crawl_limits_lift_summed(const struct crawl_limits *l, struct buf *why);

/* After that: whether earlier runs have reached a limit that still holds, so that this run fetches
 * nothing. False in a cluster, where the sums of one agent do not tell. */
bool crawl_limits_are_reached(const struct crawl_limits *l);

/* When the settings are saved: empties state/limits. */
MUST_CHECK enum rc crawl_limits_forget(const struct crawl_limits *l);

/* When the flow has ended: writes the limits that are reached, if any. */
MUST_CHECK enum rc crawl_limits_end(const struct crawl_limits *l);

/* "--pages 60, --time 40s": the limits that are reached now; nothing if none is. */
void crawl_limits_print(const struct crawl_limits *l, struct buf *out);

#endif
