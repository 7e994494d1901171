/* SPDX-License-Identifier: Apache-2.0 */
/* connector: the way from an outlet to an inlet, seen from one shard's end.
 *
 * Sending takes the message; it never refuses and never waits. A connector that cannot pass it on
 * now keeps it in a list of its own, in order, and `flush` tries again on a later turn. `waiting`
 * is the length of that list. Unless the connector spills, sources and queues in front of it are
 * not asked for more while something waits (shard.h), so the list stays as short as one message's
 * consequences; one that spills lets the crawl go on, and its list is bounded by the credits.
 *
 * Kinds: nowhere (an optional outlet left open: messages end), direct (a call on the same shard),
 * queue (a bounded ring to a shard). A connection to another place ends in a part of the framework
 * at each side (remote.h), and is a direct one up to there. */
#ifndef FLOW_CONNECTOR_H
#define FLOW_CONNECTOR_H

#include "flow/message.h"

#include <stdatomic.h>
#include <stdbool.h>

struct node;
struct shard;
struct connector;

struct connector_kind {
    const char *name;
    void (*send)(struct connector *c, struct message *m);
    bool (*flush)(struct connector *c); /* true if something moved */
    void (*empty)(struct connector *c); /* ends what waits; all threads are gone */
    void (*close)(struct connector *c); /* frees it, empty by now */
};

struct connector {
    const struct connector_kind *kind;
    bool spills;
    _Atomic size_t waiting; /* written by its shard only */
    struct node *from;      /* the shard's own end */
};

struct connector *connector_nowhere_open(struct node *from);
struct connector *connector_direct_open(struct node *from, struct node *to, unsigned inlet);

/* channel: the receiving end of a queue, one for each connection and shard that it leads to. Its
 * shard takes from it; any shard's connector puts into it. */
struct channel;

struct channel *channel_open(struct node *to, unsigned inlet, size_t length, struct shard *senders,
                             unsigned sender_count);
void channel_empty(struct channel *ch); /* ends what is inside; all threads are gone */
void channel_close(struct channel *ch);

/* Hands at most one message to its node. False if there was none. */
bool channel_take(struct channel *ch);

/* After a run of channel_take(): tells senders that were refused that there is room. */
void channel_taken(struct channel *ch);

size_t channel_count(const struct channel *ch);
const struct node *channel_node(const struct channel *ch); /* where it leads */

/* A sender to one of `channels`: by the message's route, or always to channels[0] when there is
 * one. The array is borrowed. */
struct connector *connector_queue_open(struct node *from, struct channel *const *channels,
                                       unsigned count, bool spills);

#endif
