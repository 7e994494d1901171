/* SPDX-License-Identifier: Apache-2.0 */
/* link_index: which pages link to a URL, kept on disk while the crawl runs.
 *
 * The truth are the crawl's own files links/links.arcs and links/links.nodes, which the journal
 * keeps right. The index says of their first bytes what they have, sorted:
 *
 *     links/links.arcs   |---------- runs of pairs ----------|--- read when asked ---|
 *                        0                             covered                     end
 *     links/index/LIST, links-00000007, names-00000008, ...
 *
 * So nothing is ever lost between the index and the crawl: what no run has yet, a reader finds in
 * the rest of the text. A run is made of text that is durable and that no recovery cuts off
 * (`durable`, see ledger_line_bytes); it counts when LIST names it, and LIST is replaced whole.
 * Runs of a level are merged when there are `fan_in` of them, so each pair is written a few times
 * in all. A page that was fetched twice has its links twice in the text and once in the index. */
#ifndef LINKINDEX_LINK_INDEX_H
#define LINKINDEX_LINK_INDEX_H

#include "linkindex/index_list.h"

#include <stdatomic.h>

enum { LINK_INDEX_CHUNK = 16 << 20, LINK_INDEX_FAN_IN = 16 };

struct link_index_settings {
    size_t chunk_bytes;        /* of text, that make a run; 0: LINK_INDEX_CHUNK */
    unsigned fan_in;           /* 0: LINK_INDEX_FAN_IN */
    const _Atomic bool *stops; /* NULL: never; else RC_AGAIN soon after it is set */
};

struct link_index {
    struct disk *disk;
    struct link_index_settings settings;
    struct index_list list;
    enum rc broken; /* LIST could not be written: what it says is not known */
};

/* `d` is the crawl's directory; its folder links/ is there. Makes the index if there is none, and
 * removes files that LIST does not name. One at a time has a directory open. RC_CORRUPT: a part of
 * the index is damaged, or not of these links; RC_VERSION; `why` says what, and what to do. */
MUST_CHECK enum rc link_index_open(struct link_index *x, struct disk *d,
                                   const struct link_index_settings *s, struct buf *why);
void link_index_close(struct link_index *x);

/* Makes one run of the first `durable` bytes of the texts, or merges some, if it is time for that;
 * else *ret_did is false. Takes up to 64 MB of memory meanwhile. On failure the index is as it was,
 * or, if LIST could not be written, every later call fails, too.
 * RC_AGAIN: it was told to stop. RC_CORRUPT: a run is damaged. */
MUST_CHECK enum rc link_index_grow(struct link_index *x, const uint64_t durable[PAIR_KINDS],
                                   bool *ret_did);

/* Reads every run. RC_CORRUPT with `why`; RC_NOT_FOUND: there is no index. */
MUST_CHECK enum rc link_index_check(struct disk *d, struct buf *why);

/* Removes the index, and makes it again of the texts, up to their last whole line. No crawl runs
 * there. */
MUST_CHECK enum rc link_index_rebuild(struct disk *d, const struct link_index_settings *s);

#endif
