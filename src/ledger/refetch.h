/* SPDX-License-Identifier: Apache-2.0 */
/* refetch: captures of archive files that are lost, asked for again (--refetch-lost) by a crawl
 * that is alone. In a cluster agent/lost.c does it. */
#ifndef LEDGER_REFETCH_H
#define LEDGER_REFETCH_H

#include "ledger/ledger.h"
#include "url/url.h"

/* The seed path by which a page was found, from the history; "L" if that has none. In `arena`. */
struct str refetch_seed_path(struct ledger *l, uint64_t fingerprint, struct arena *arena);

/* Call it before the crawl begins. Forgets the payloads that are lost. Unless `only_forgets`, asks
 * for their URLs again, once: the list of lost files says that this was done. *ret: how many
 * captures are lost, and were not asked for before. RC_NOMEM, RC_IO, ... */
MUST_CHECK enum rc refetch_lost(struct ledger *l, unsigned shards, const struct url_idn *idn,
                                bool only_forgets, uint64_t *ret);

#endif
