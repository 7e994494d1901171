/* SPDX-License-Identifier: Apache-2.0 */
/* sent_filter: the links that a shard has sent to other shards or agents lately. A link that stands
 * on every page of a site is sent once, and not once a page. An agent has one more, of the links
 * that other agents have sent to it: each of them may find the same link, and it is taken once.
 *
 * A fixed table of fingerprints: a newer link takes the place of an older one, and a link that was
 * forgotten is sent again, which is harmless. The depth is part of an entry: a link that is found
 * at another depth is sent again. One thread tests, adds and clears: the shard's, or the agent's of
 * an agent's filter. Any thread may forget.
 *
 * A link that is dropped here is one more page that links to its URL. Where that is counted, the
 * owner is told of 1, 2, 4, 8, ... more pages at a time, so a link on every page costs a few
 * messages; what a link that makes way for another had left to tell is lost. */
#ifndef DISCOVERY_SENT_FILTER_H
#define DISCOVERY_SENT_FILTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SENT_FILTER_ENTRIES = 1 << 16 };

struct sent_filter {
    _Atomic uint64_t entries[SENT_FILTER_ENTRIES];
    uint8_t repeats[SENT_FILTER_ENTRIES]; /* since the entry was added; 255 stays */
};

/* Makes the processor load the entry that sent_filter_add needs: the table is larger than its
 * cache. */
static inline void sent_filter_expect(const struct sent_filter *f, uint64_t fingerprint)
{
    __builtin_prefetch(&f->entries[fingerprint % SENT_FILTER_ENTRIES], 1);
}

/* Whether it was sent lately at that depth. */
static inline bool sent_filter_has(const struct sent_filter *f, uint64_t fingerprint,
                                   unsigned depth)
{
    const _Atomic uint64_t *entry = &f->entries[fingerprint % SENT_FILTER_ENTRIES];
    return atomic_load_explicit(entry, memory_order_relaxed) == fingerprint + depth;
}

/* True: it was sent lately at that depth. False: it is added. */
static inline bool sent_filter_add(struct sent_filter *f, uint64_t fingerprint, unsigned depth)
{
    if (sent_filter_has(f, fingerprint, depth))
        return true;
    atomic_store_explicit(&f->entries[fingerprint % SENT_FILTER_ENTRIES], fingerprint + depth,
                          memory_order_relaxed);
    return false;
}

/* What sent_filter_add said of the link: how many more pages its owner must be told of now; mostly
 * none. */
unsigned sent_filter_count(struct sent_filter *f, uint64_t fingerprint, bool was_sent);

/* The link is sent again when the shard sees it again, whatever its depth was. */
void sent_filter_forget(struct sent_filter *f, uint64_t fingerprint);

/* Forgets all. */
void sent_filter_clear(struct sent_filter *f);

#endif
