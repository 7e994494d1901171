/* SPDX-License-Identifier: Apache-2.0 */
/* address_peers: which addresses other agents ask most, by their own word, and so how many of them
 * ask the same as we do. An agent that has said nothing for a while asks nothing. One thread. */
#ifndef FETCH_ADDRESS_PEERS_H
#define FETCH_ADDRESS_PEERS_H

#include "fetch/address_table.h"

enum { ADDRESS_PEERS_MOST = 16, /* addresses an agent names */ ADDRESS_PEERS_AGENTS = 4096 };

struct address_peers;

MUST_CHECK enum rc address_peers_open(struct address_peers **ret);
void address_peers_close(struct address_peers *p);

/* An agent's last word, good until then. Past so many agents, or without memory, it is not heard.
 */
void address_peers_heard(struct address_peers *p, uint64_t who, const uint64_t *groups,
                         size_t count, uint64_t until_ms);

/* Tells the table how many of them ask each address, until then. */
void address_peers_tell(struct address_peers *p, struct address_table *t, uint64_t now_ms,
                        uint64_t until_ms);

#endif
