/* SPDX-License-Identifier: Apache-2.0 */
/* roster log: a log for tests, written as sentences.
 *
 *     struct roster_log l;
 *     roster_log_open(&l);
 *     roster_log_say(&l, "found; ant join; ant settled; bee join weight=32; +3000; bee renew");
 *
 * A sentence is the writer, the entry, the agent it names, and fields (inc= e= lease= boot= weight=
 * n= start). Omitted fields get the values that an honest agent would write: the next epoch, its
 * own incarnation, the lease that the roster has. "+ms" advances the time; "ant,bee go 60" lets ant
 * and bee renew every 5 s for 60 s. `why` belongs to the last entry. All entries are kept, so that
 * they can be read again. */
#ifndef CLUSTER_ROSTER_ROSTER_LOG_H
#define CLUSTER_ROSTER_ROSTER_LOG_H

#include "cluster/roster/roster.h"

struct roster_log {
    struct roster *roster;
    uint64_t stamp_ms;
    const char *why;
    enum rc rc;
    struct buf kept; /* as in a restore */
    uint32_t points, probes;
};

void roster_log_open(struct roster_log *l);
void roster_log_close(struct roster_log *l);
void roster_log_say(struct roster_log *l, const char *script);

/* Appends any bytes as that writer. */
void roster_log_take(struct roster_log *l, struct str writer, struct str bytes);

extern const struct roster_timings roster_log_timings; /* the protocol's defaults */

#endif
