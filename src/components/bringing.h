/* SPDX-License-Identifier: Apache-2.0 */
/* bringing: which of the URLs that a visit found its host may bring (scope/bring.h).
 *
 * Two steps ask: intake about what listings name, before anything is made of it, so that a URL over
 * a limit takes no room in archive, graph or journal; settle about every new link, before it is
 * journalled. What is left out is counted in the visit (left_out), annotated in crawl.log, counted
 * in the status, and told in the log once a host and limit. */
#ifndef COMPONENTS_BRINGING_H
#define COMPONENTS_BRINGING_H

#include "components/services.h"
#include "components/visit.h"

struct bringing {
    struct bring_limits limits;
    struct frontier *frontier;
    struct brought *host; /* what the host of the visit has brought; NULL: it is not known */
    struct brought once;  /* by this visit alone, where nothing is durable */
    uint64_t own;         /* links to the visit's own host that were let through; their bytes */
    uint64_t own_bytes;
};

/* For one visit. */
struct bringing bringing_of(struct visit *v, struct frontier *f, struct budget *budget);

/* Whether what the visit read, a listing or not, may name that link. */
bool bringing_listed(struct bringing *b, struct visit *v, const struct visit_link *l);

/* Whether a link that is new may go into the journal, and from there to its host's queue. */
bool bringing_new(struct bringing *b, struct visit *v, const struct visit_link *l);

/* Counts what was left out, and logs the first of each host and limit. */
void bringing_tell(struct visit *v, struct crawl_counts *counts, struct log *log);

#endif
