/* SPDX-License-Identifier: Apache-2.0 */
#include "discovery/sent_filter.h"

void sent_filter_forget(struct sent_filter *f, uint64_t fingerprint)
{
    _Atomic uint64_t *entry = &f->entries[fingerprint % SENT_FILTER_ENTRIES];
    uint64_t depth = atomic_load_explicit(entry, memory_order_relaxed) - fingerprint;
    if (depth <= UINT8_MAX)
        atomic_store_explicit(entry, 0, memory_order_relaxed);
}
