/* SPDX-License-Identifier: Apache-2.0 */
/* view: the cluster as one agent sees it, for people: its members, how much each owns, when each
 * was last heard. It changes nothing, and the agent decides nothing by it. */
#ifndef CLUSTER_PROTOCOL_VIEW_H
#define CLUSTER_PROTOCOL_VIEW_H

#include "cluster/protocol/agent.h"

struct view_member {
    const struct roster_agent *is; /* borrowed from the roster */
    double share;                  /* of all hosts, estimated by a sample; good to half a percent */
    bool is_me, is_heard;
    uint64_t silent_ms;    /* since the agent was heard, or since we began to listen */
    bool is_suspect;       /* living, and silent for the roster's `suspect` */
    uint64_t epoch, pages; /* as the agent said; 0: never heard */
};

/* Writes all incarnations that are not forgotten into ret[most]; returns how many. Valid until the
 * agent's next event or turn. */
size_t agent_view(const struct agent *a, uint64_t now_ms, struct view_member *ret, size_t most);

/* The owner of a host at the epoch we know; NULL: the ring is empty. */
const struct roster_agent *agent_view_owner(const struct agent *a, uint64_t host_hash);

#endif
