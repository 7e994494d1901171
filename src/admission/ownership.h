/* SPDX-License-Identifier: Apache-2.0 */
/* ownership: which links are still this agent's? Links are journalled by the owner that their host
 * has at that moment. If ownership changes before they reach the queue, a link of another agent's
 * host is left out here: the journal sends it there, like all foreign links. */
#ifndef ADMISSION_OWNERSHIP_H
#define ADMISSION_OWNERSHIP_H

#include "base/buf.h"
#include "frontier/frontier.h"

/* Whether this agent owns the host. */
struct ownership_asks {
    bool (*owns)(void *ctx, uint64_t host_hash);
    void *ctx;
};

/* Moves the links of own hosts to the front, in their order, and returns how many there are. The
 * fingerprints of the others are appended to `left_out` (fingerprints.h). */
size_t ownership_choose(struct ownership_asks asks, struct candidate *list, size_t count,
                        struct buf *left_out);

#endif
