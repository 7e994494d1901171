/* SPDX-License-Identifier: Apache-2.0 */
/* permit_table: how many requests to an address, or to a host, are open, for all shards of a process.
 *
 *     when = permit_table_ask(t, group, now_ms);       0: go; else the moment to come back
 *     ... one request ...
 *     permit_table_done(t, group, now_ms);
 *
 * host_permit.h has two: of address groups (net/address.h) and of hosts, by their hash. At most
 * `conns` requests are open to one of them at once, begun at least
 * `delay_ms` apart. permit_table_ask is one atomic step: the request may begin, or the table
 * names the moment to ask again. These moments are `delay_ms` apart, so a thousand hosts on one
 * address do not all wake at once, and each finds room. The table is striped and bounded: it
 * forgets entries without open requests whose moment has passed.
 *
 * In a cluster each agent says which addresses it asks most (permit_table_busiest), and learns
 * how many other agents ask them too (permit_table_others). The delay is multiplied by their
 * number, so that all agents together ask about as often as one would. */
#ifndef HOST_PERMIT_TABLE_H
#define HOST_PERMIT_TABLE_H

#include "base/rc.h"

#include <stddef.h>
#include <stdint.h>

struct permit_table;

/* `conns` of 0 counts as 1. */
MUST_CHECK enum rc permit_table_open(uint64_t conns, uint64_t delay_ms, struct permit_table **ret);
void permit_table_close(struct permit_table *t);
void permit_table_change(struct permit_table *t, uint64_t conns, uint64_t delay_ms);

/* 0: a permit is taken, and permit_table_done must return it. Otherwise the moment, later than
 * now, to ask again; in a second if there is no memory for a new entry. Any thread. */
uint64_t permit_table_ask(struct permit_table *t, uint64_t group, uint64_t now_ms);
void permit_table_done(struct permit_table *t, uint64_t group, uint64_t now_ms);

/* Writes the groups for which most requests have begun lately, at least two since the last call, at
 * most `most`, and returns their number. Each call halves the counts. Any thread. */
size_t permit_table_busiest(struct permit_table *t, uint64_t *ret, size_t most);

/* Sets how many other agents ask the group, until `until_ms`. Does nothing for a group that this
 * process does not ask. Any thread. */
void permit_table_others(struct permit_table *t, uint64_t group, uint32_t others,
                         uint64_t until_ms);

#endif
