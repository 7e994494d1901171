/* SPDX-License-Identifier: Apache-2.0 */
/* depths_recall: what earlier runs knew of depths, and what they had no time to do.
 *
 * The history has the way by which the links of each page were judged, and a note (depths_note) on
 * every shorter way that was found later. Queues have the way by which a URL waits. Links of the
 * last moments before a crash are in the journal: they may never have been looked at. And the
 * host's card has its sitemaps, which were judged by one way or another. Whatever is nearer than it
 * was judged is to be found again: as if a page had just linked to it. */
#ifndef COMPONENTS_DEPTHS_RECALL_H
#define COMPONENTS_DEPTHS_RECALL_H

#include "components/depths.h"
#include "crawl/ledger.h"

enum { DEPTHS_HEARD_BYTES = 64 << 20 }; /* past it links of the last moments are left out */

/* One more URL to be found, in `out`; and the first of them, taken off the front, borrowed. False:
 * there is none. */
struct found_again {
    struct str url, hops;
    uint64_t via;
};
void found_again_put(struct buf *out, const struct found_again *f);
bool found_again_next(struct str *rest, struct found_again *ret);

/* Fills the tables. `heard`: links of the journal (struct ledger_hears). Nobody crawls yet.
 * RC_NOMEM, RC_IO. */
MUST_CHECK enum rc depths_recall(struct ledger *l, struct depths *const *depths, unsigned shards,
                                 struct str heard, struct buf *ret_again);

#endif
