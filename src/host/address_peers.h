/* SPDX-License-Identifier: Apache-2.0 */
/* address_peers: which addresses the other agents of a cluster ask most, as each of them says, and
 * so how many of them ask the same addresses as this one. An agent that has said nothing for a
 * while counts as asking nothing. One thread. */
#ifndef HOST_ADDRESS_PEERS_H
#define HOST_ADDRESS_PEERS_H

#include "host/permit_table.h"

enum { ADDRESS_PEERS_MOST = 16, /* addresses an agent names */ ADDRESS_PEERS_AGENTS = 4096 };

struct address_peers;

MUST_CHECK enum rc address_peers_open(struct address_peers **ret);
void address_peers_close(struct address_peers *p);

/* What an agent said last, good until then. Past ADDRESS_PEERS_AGENTS, or without memory, it is not
 * noted. */
void address_peers_heard(struct address_peers *p, uint64_t who, const uint64_t *groups,
                         size_t count, uint64_t until_ms);

/* Tells the table how many agents ask each address, until then. */
void address_peers_tell(struct address_peers *p, struct permit_table *t, uint64_t now_ms,
                        uint64_t until_ms);

#endif
