/* SPDX-License-Identifier: Apache-2.0 */
/* host_permit: the right to open one request now. The third moment of a checkout (host_turn.h).
 *
 * The frontier checks out one URL of a host at a time, which keeps two pages of a host apart. It
 * does not see two other cases: hosts that share an address, and a robots.txt that redirects to
 * another host. So a request takes two permits, of its address and of its host, from tables
 * (permit_table.h) that all shards share, and returns both when it has ended. Of the host that a
 * redirect leads to only the permit counts, not its Crawl-delay or back-off: that host's record
 * belongs to another shard or agent. */
#ifndef HOST_HOST_PERMIT_H
#define HOST_HOST_PERMIT_H

#include "host/permit_table.h"

#include <stdbool.h>

/* Both, or none. */
struct host_permit {
    uint64_t address_group; /* net/address.h */
    uint64_t host_hash;     /* of the host in the URL that is asked for */
    bool is_held;
};

/* 0: both are held. Otherwise none is held, and the result is the moment to ask again. */
uint64_t host_permit_take(struct host_permit *p, struct permit_table *addresses,
                          struct permit_table *hosts, uint64_t now_ms);

/* Returns what is held, if anything is. */
void host_permit_return(struct host_permit *p, struct permit_table *addresses,
                        struct permit_table *hosts, uint64_t now_ms);

#endif
