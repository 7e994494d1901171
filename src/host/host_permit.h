/* SPDX-License-Identifier: Apache-2.0 */
/* host_permit: the right to open one request now. The third moment of a checkout (host_turn.h).
 *
 * The frontier checks out one URL of a host at a time, and lends a host to one guest (host_guest.h),
 * which keeps two requests to a host apart. It does not see that hosts share an address. So a
 * request takes two permits, of its address and of its host, from tables (permit_table.h) that all
 * shards share, and returns both when it has ended. That of the host is a second lock on the door:
 * whatever part of the crawl asks a host, it has one request. */
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
