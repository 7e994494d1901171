/* SPDX-License-Identifier: Apache-2.0 */
/* address_peers: counts how many other agents of a cluster ask the addresses that this agent asks.
 * Each agent reports the addresses that it asks most. An agent that has reported nothing for a
 * while counts as asking nothing. One thread. */
#ifndef HOST_ADDRESS_PEERS_H
#define HOST_ADDRESS_PEERS_H

#include "host/permit_table.h"

enum { ADDRESS_PEERS_MOST = 16, /* addresses an agent names */ ADDRESS_PEERS_AGENTS = 4096 };

struct address_peers;

MUST_CHECK enum rc address_peers_open(struct address_peers **ret);
void address_peers_close(struct address_peers *p);

/* Replaces the report of an agent; it counts until `until_ms`. A report past ADDRESS_PEERS_AGENTS,
 * or without memory, is dropped. */
void address_peers_heard(struct address_peers *p, uint64_t agent, const uint64_t *groups,
                         size_t count, uint64_t until_ms);

/* Tells the table how many other agents ask each address; that holds until `until_ms`. */
void address_peers_tell(struct address_peers *p, struct permit_table *t, uint64_t now_ms,
                        uint64_t until_ms);

#endif
