/* SPDX-License-Identifier: Apache-2.0 */
/* shard: one core's share of the flow: a loop, and the instances that live on it.
 *
 * A turn: what the loop has; messages that wait in connectors; messages from other shards; then
 * sources are asked. A message runs from a source or a channel by direct calls until something
 * keeps it, ends it or sends it away. Sources and channels are held back while a connector behind
 * them that does not spill has something waiting: so pressure reaches the source through any
 * number of queues and no thread ever blocks. `check` has made sure that every cycle has a
 * connector that spills, so nothing can wait for itself. */
#ifndef FLOW_SHARD_H
#define FLOW_SHARD_H

#include "base/loop.h"
#include "flow/node.h"

enum { SHARD_BURST = 64 }; /* messages taken from one queue before the next has its turn */

struct shard {
    struct flow *flow;
    unsigned number;
    struct loop loop;
    bool loop_open;
    struct node **nodes; /* providers and components that live here, in the order of opening */
    unsigned node_count;
    struct connector **connectors;
    unsigned connector_count;
    struct channel **channels; /* that lead here */
    unsigned channel_count;
    bool drain_told;
};

/* One turn; true if anything happened. */
bool shard_turn(struct shard *s);

/* The first and the last calls on the shard's thread. */
void shard_start(struct shard *s);
void shard_stop(struct shard *s);

/* The life of a shard with a thread of its own: start, turns until the flow stops, stop. */
void shard_live(struct shard *s);

#endif
