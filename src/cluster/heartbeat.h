/* SPDX-License-Identifier: Apache-2.0 */
/* heartbeat: what every agent says of itself about once a second, to all. May be lost, doubled and
 * late: `beat` grows within a boot, so an older one is known as such. As bytes: versioned, little
 * endian, of one length. */
#ifndef CLUSTER_HEARTBEAT_H
#define CLUSTER_HEARTBEAT_H

#include "base/buf.h"

struct heartbeat {
    uint64_t inc, boot, beat;
    uint64_t epoch;
    uint64_t roster; /* how much of the log it has read */
    bool gates_open; /* all hand-overs to it at that epoch are complete, and durable */
    bool has_floor;
    uint64_t generation, floor; /* its stream is durable here up to that sequence */
    uint64_t round;             /* of finding out whether the crawl is finished; see finish.h */
    uint32_t quiet;             /* for how many successive rounds it has been idle */
    uint64_t admitted;
    uint64_t pages; /* counters for people */
};

void heartbeat_write(const struct heartbeat *h, struct buf *out);
/* RC_CORRUPT, RC_VERSION. */
MUST_CHECK enum rc heartbeat_read(struct str bytes, struct heartbeat *ret);

#endif
