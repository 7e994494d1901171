/* SPDX-License-Identifier: Apache-2.0 */
/* depth_recall: fills the depth index with the paths of earlier runs, and finds the shorter paths
 * that those runs had no time to use.
 *
 * The history has the path by which the links of each page were judged, and a note on every shorter
 * path that was found later (discovery/depth_key.h). Queues have the path by which a URL waits. The
 * journal has the links of the last moments before a crash; the index may never have seen them. The
 * host's record has its sitemaps, which were judged by some path. Every URL with a shorter path
 * than the one it was judged by is found again, as if a page had just linked to it. */
#ifndef LEDGER_DEPTH_RECALL_H
#define LEDGER_DEPTH_RECALL_H

#include "discovery/depth_index.h"
#include "ledger/ledger.h"

enum { DEPTHS_HEARD_BYTES = 64 << 20 }; /* links of the last moments past it are left out */

/* A list of URLs to be found again. put appends one to `out`. next takes the first off the front of
 * `rest`, borrowed; false: there is none. */
struct found_again {
    struct str url, seed_path;
    uint64_t via;
};
void found_again_put(struct buf *out, const struct found_again *f);
bool found_again_next(struct str *rest, struct found_again *ret);

/* Fills the index of each shard, before the crawl runs. `heard`: links of the journal (struct
 * ledger_hears). RC_NOMEM, RC_IO. */
MUST_CHECK enum rc depth_recall(struct ledger *l, struct depth_index *const *depth_index,
                                unsigned shards, struct str heard, struct buf *ret_again);

#endif
