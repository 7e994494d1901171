/* SPDX-License-Identifier: Apache-2.0 */
/* host_addresses: which of a host's addresses the next request goes to.
 *
 * A request goes to one address, for which it has a permit (host_permit.h). If that address refuses
 * the connection, the host's next turn tries another one, with a permit of its own:
 *
 *     turn    host_addresses_choose()    those that have not refused lately; the first is asked
 *             no connection, and there are others: host_addresses_refused(), and the URL goes back
 *     turn    host_addresses_choose()    the next one ...
 *             no connection, and there is no other: that is a try that failed (pace.h)
 *
 * What refused is remembered for each port for HOST_REFUSED_MS, so that a host of which one address
 * is dead costs one turn now and then. When all have refused, they are forgotten and the next try
 * begins with the first one. However many addresses the name servers invent, a try is
 * HOST_RECORD_MAX_ADDRESSES turns at most. */
#ifndef HOST_HOST_ADDRESSES_H
#define HOST_HOST_ADDRESSES_H

#include "host/host_record.h"

enum { HOST_REFUSED_MS = 300 * 1000, HOST_RECORD_MAX_REFUSED = 16 };

/* Puts those that have not refused that port lately to the front, in their order, and returns how
 * many they are: all, if there is none or one. The request goes to the first. 1: if that one
 * refuses too, the try has failed. */
uint32_t host_addresses_choose(struct host_record *c, uint16_t port, struct address *list,
                               uint32_t count, uint64_t now_ms);

/* The address has refused a connection, and the host's next turn tries another one. Past
 * HOST_RECORD_MAX_REFUSED the oldest is forgotten; without memory nothing is remembered. */
void host_addresses_refused(struct host_record *c, uint16_t port, const struct address *a,
                            uint64_t now_ms);

/* A request has ended otherwise. */
static inline void host_addresses_settled(struct host_record *c)
{
    c->refused_turns = 0;
}

/* DNS gave these, which hold until `until_ms`. The address that was first before comes first again,
 * if it is among them: a connection to it may be open. The record keeps them
 * (host_record_set_addresses). */
void host_addresses_learn(struct host_record *c, struct address *list, uint32_t count,
                          uint64_t until_ms);

#endif
