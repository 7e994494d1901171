/* SPDX-License-Identifier: Apache-2.0 */
/* sent_filter: the links that a shard has sent to other shards or agents lately. A link that stands
 * on every page of a site is sent once, and not once a page.
 *
 * A fixed table of fingerprints: a newer link takes the place of an older one, and a link that was
 * forgotten is sent again, which is harmless. The depth is part of an entry: a link that is found
 * at another depth is sent again. The shard's thread tests and adds; any thread may forget. */
#ifndef DISCOVERY_SENT_FILTER_H
#define DISCOVERY_SENT_FILTER_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SENT_FILTER_ENTRIES = 1 << 16 };

struct sent_filter {
    _Atomic uint64_t entries[SENT_FILTER_ENTRIES];
};

/* Makes the processor load the entry that sent_filter_add needs: the table is larger than its
 * cache. */
static inline void sent_filter_expect(const struct sent_filter *f, uint64_t fingerprint)
{
    __builtin_prefetch(&f->entries[fingerprint % SENT_FILTER_ENTRIES], 1);
}

/* True: it was sent lately at that depth. False: it is added. */
static inline bool sent_filter_add(struct sent_filter *f, uint64_t fingerprint, unsigned depth)
{
    _Atomic uint64_t *entry = &f->entries[fingerprint % SENT_FILTER_ENTRIES];
    uint64_t sent = fingerprint + depth;
    if (atomic_load_explicit(entry, memory_order_relaxed) == sent)
        return true;
    atomic_store_explicit(entry, sent, memory_order_relaxed);
    return false;
}

/* The link is sent again when the shard sees it again, whatever its depth was. */
void sent_filter_forget(struct sent_filter *f, uint64_t fingerprint);

#endif
