/* SPDX-License-Identifier: Apache-2.0 */
/* frontier_bringing: the questions of scope/bringing.h, answered by the frontier of this shard. */
#ifndef VISIT_FRONTIER_BRINGING_H
#define VISIT_FRONTIER_BRINGING_H

#include "frontier/frontier.h"
#include "scope/bringing.h"
#include "visit/visit.h"

/* Must stay where it is: `bringing` points into it. */
struct frontier_bringing {
    struct bringing bringing;
    const struct frontier *frontier; /* borrowed, like the host */
    const struct host *host;         /* NULL: it is not in memory */
};

/* `brought`: what the host has brought; NULL: it is not known. The caller says what the page is
 * (is_robots, is_sitemap). */
void frontier_bringing_init(struct frontier_bringing *b, const struct frontier *f,
                            const struct host *host, struct str host_name,
                            const struct bring_limits *limits, struct brought *brought);

/* For a visit. */
void visit_bringing_init(struct frontier_bringing *b, const struct frontier *f,
                         const struct bring_limits *limits, struct visit *v);

#endif
