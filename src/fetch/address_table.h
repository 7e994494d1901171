/* SPDX-License-Identifier: Apache-2.0 */
/* address_table: politeness per address, for all shards of a process.
 *
 *     when = address_table_ask(t, group, now_ms);       0: go; else the moment to come back
 *     ... one request ...
 *     address_table_done(t, group, now_ms);
 *
 * At most `conns` requests are open to an address group (net/address.h) at once, begun at least
 * `delay_ms` apart. Asking is one atomic step: it goes, or it says when to come back, and those who
 * come back in turn find room: the moments it gives out are `delay_ms` apart, so a thousand hosts
 * on one address do not all wake at once. Striped, bounded: entries without open requests whose
 * moment has passed are forgotten first.
 *
 * Where several agents are one crawl each says which addresses it asks most
 * (address_table_busiest), and is told how many others ask them too (address_table_others): the
 * delay is multiplied, so that all together ask about as often as one would. */
#ifndef FETCH_ADDRESS_TABLE_H
#define FETCH_ADDRESS_TABLE_H

#include "base/rc.h"

#include <stddef.h>
#include <stdint.h>

struct address_table;

/* `conns` of 0 counts as 1. */
MUST_CHECK enum rc address_table_open(uint64_t conns, uint64_t delay_ms,
                                      struct address_table **ret);
void address_table_close(struct address_table *t);
void address_table_change(struct address_table *t, uint64_t conns, uint64_t delay_ms);

/* 0: it is taken, and must be given back by address_table_done. Otherwise the moment, later than
 * now, to ask again. Without memory for a new entry it says "in a second". Any thread. */
uint64_t address_table_ask(struct address_table *t, uint64_t group, uint64_t now_ms);
void address_table_done(struct address_table *t, uint64_t group, uint64_t now_ms);

/* The groups for which most requests have begun lately, at least two since the last call, at most
 * `most`; how many. What was counted is halved by it. Any thread. */
size_t address_table_busiest(struct address_table *t, uint64_t *ret, size_t most);

/* So many others ask that group, until then; nothing if it is not being asked here. Any thread. */
void address_table_others(struct address_table *t, uint64_t group, uint32_t others,
                          uint64_t until_ms);

#endif
