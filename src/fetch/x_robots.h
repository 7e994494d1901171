/* SPDX-License-Identifier: Apache-2.0 */
/* x_robots: what the X-Robots-Tag fields of an answer say to one agent.
 *
 * A value may be for all ("noindex, nofollow"), for one agent ("otherbot: noindex"), or for several
 * in a row ("a: none, b: nofollow"); "unavailable_after: date" is no agent. The union of what holds
 * for all and for ours counts. */
#ifndef FETCH_X_ROBOTS_H
#define FETCH_X_ROBOTS_H

#include "base/buf.h"

/* `head`: an answer's head as http.h gives it; `agent`: the robots token. Bits of enum page_robots
 * (html/page.h). `scratch` is for folded fields. */
unsigned x_robots_read(struct str head, struct str agent, struct buf *scratch);

#endif
