/* SPDX-License-Identifier: Apache-2.0 */
/* rebuild: a new state/ beside the archives and lines of a crawl whose state/ was put aside.
 *
 *   done     the captures of the archive, and the lines of crawl.log
 *   queued   the URLs of links/links.nodes and of the seeds that are not done; links/links.arcs and
 *            crawl.log give the seed path of each */
#ifndef REPAIR_REBUILD_H
#define REPAIR_REBUILD_H

#include "ledger/ledger.h"
#include "repair/repair.h"

/* Settings with which repair opens a ledger: one shard, no threads. The strings are borrowed. */
struct ledger_settings rebuild_settings(const struct repair_settings *s, const char *history,
                                        const char *written);

/* Everything is durable on RC_OK; files of lines stay as they are. Damage in archives is told in
 * `out`; `why` says what failed. */
MUST_CHECK enum rc rebuild_state(struct disk *d, const struct ledger_settings *s,
                                 struct repair_counts *counts, struct buf *out, struct buf *why);

#endif
