/* SPDX-License-Identifier: Apache-2.0 */
/* view: the cluster as one agent sees it, for people: who is in it, how much each owns, when each
 * was last heard. Looks only; the agent decides nothing by it. */
#ifndef CLUSTER_VIEW_H
#define CLUSTER_VIEW_H

#include "cluster/agent.h"

struct view_member {
    const struct roster_agent *is; /* borrowed from the roster */
    double share;                  /* of all hosts, by a sample of them: good to half a percent */
    bool is_me, is_heard;
    uint64_t silent_ms;    /* since it was heard, or since we began to listen */
    bool is_suspect;       /* living, and silent for the roster's `suspect` */
    uint64_t epoch, pages; /* as it said; 0: never heard */
};

/* All incarnations that are not forgotten, into ret[most]; how many. Good while the agent rests. */
size_t agent_view(const struct agent *a, uint64_t now_ms, struct view_member *ret, size_t most);

/* The owner of a host at the epoch we know; NULL: nobody is in the ring. */
const struct roster_agent *agent_view_owner(const struct agent *a, uint64_t position);

#endif
