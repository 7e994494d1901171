/* SPDX-License-Identifier: Apache-2.0 */
/* lend: gives the turn of a host to a request that is none of its URLs.
 *
 * The robots.txt of another host may redirect to this host. That request must have the host for
 * itself, as its own URLs do. A host that is lent is OUT: nothing of it is checked out, its bucket
 * stays in memory and no agent takes it over until it comes back. No URL of it is out, so its whole
 * queue counts as queued. */
#ifndef FRONTIER_LEND_H
#define FRONTIER_LEND_H

#include "frontier/frontier.h"

/* The host of that name, made if it is not known. RC_AGAIN: its bucket is swapped out and is loaded
 * soon, or is about to leave. RC_LIMIT: there are too many hosts. RC_NOMEM. */
MUST_CHECK enum rc frontier_host_need(struct frontier *f, uint64_t host_hash, struct str name,
                                      uint64_t now_ms, struct host **ret);

bool host_is_out(const struct host *h);
uint64_t host_due_ms(const struct host *h); /* nothing of it is asked before */

/* Lends a host that is not out, whatever its moment; its bucket is not leaving. */
void frontier_lend(struct frontier *f, struct host *h);
/* It comes back, and may be asked from `due_ms`, or its own moment if that is later. */
void frontier_take_back(struct frontier *f, struct host *h, uint64_t due_ms);

#endif
