/* SPDX-License-Identifier: Apache-2.0 */
/* pool port: what a provider at the manager of a pool asks about its members (docs/pools.md).
 *
 * A message that goes to the pool names a lane in its route, which pool_port_route() gives. A message
 * whose lane has no room any more, or whose member died with it, leaves by the connection's `lost`. */
#ifndef FLOW_POOL_PORT_H
#define FLOW_POOL_PORT_H

#include "pool/roll.h"

struct instance;
struct pool_port; /* of one shard */

/* The pool of the wiring, on the shard of `self`; NULL: this process is not the manager of one. From
 * `start` on. */
struct pool_port *part_pool(struct instance *self);

/* The members that are present (pool/roll.h); any thread. */
struct pool_roll *pool_port_roll(struct pool_port *p);

/* The rest is for the shard's thread. */

/* Whether a lane of this shard has room. */
bool pool_port_has_room(struct pool_port *p);

/* The route to a lane of that member which has room, absent: of any member; 0: none has. A suspect was lost before. */
uint64_t pool_port_route(struct pool_port *p, struct str member, bool is_suspect);

/* How long nothing may be asked after the start of a manager that may have had members before. */
uint64_t pool_port_quiet_ms(const struct pool_port *p);

/* `call` runs when a lane that had no room has some, or a member came. One for each shard. */
struct pool_waiter {
    void (*call)(void *ctx);
    void *ctx;
};
void pool_port_wait(struct pool_port *p, struct pool_waiter w);

#endif
