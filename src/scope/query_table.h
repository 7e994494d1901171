/* SPDX-License-Identifier: Apache-2.0 */
/* query_table: how many queries each path of each host has had, in a table of limited size.
 *
 *   set    [ path: 3 | path: 1000 | path: 1 | … ]     8 rows; the hash of a path names its set
 *
 * A path that finds its set full replaces the path with the fewest queries, which is forgotten. A
 * forgotten path that comes back begins at 0, so it is let through for longer, never shorter. A
 * path that is really a trap outgrows its neighbours and stays. Paths are known by 64 bits of a
 * hash with a secret seed. The table begins small: while it may still grow, a full set makes its
 * part of the table twice as large. */
#ifndef SCOPE_QUERY_TABLE_H
#define SCOPE_QUERY_TABLE_H

#include "base/str.h"

struct query_table;

/* At most 8 << set_bits paths of 16 bytes. NULL without memory. */
struct query_table *query_table_open(unsigned set_bits, uint64_t seed);
void query_table_close(struct query_table *t);

/* Counts one more query, unless there are `most` already: then false. Any thread. */
bool query_table_count(struct query_table *t, uint64_t host_hash, struct str path, uint64_t most);

#endif
