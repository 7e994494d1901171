/* SPDX-License-Identifier: Apache-2.0 */
#include "discovery/sent_filter.h"

unsigned sent_filter_count(struct sent_filter *f, uint64_t fingerprint, bool was_sent)
{
    uint8_t *repeats = &f->repeats[fingerprint % SENT_FILTER_ENTRIES];
    if (!was_sent)
        *repeats = 0;
    if (!was_sent || *repeats == UINT8_MAX)
        return 0;
    unsigned next = ++*repeats + 1u; /* told so far: a power of two, less one */
    return (next & (next - 1)) == 0 ? next / 2 : 0;
}

void sent_filter_forget(struct sent_filter *f, uint64_t fingerprint)
{
    _Atomic uint64_t *entry = &f->entries[fingerprint % SENT_FILTER_ENTRIES];
    uint64_t depth = atomic_load_explicit(entry, memory_order_relaxed) - fingerprint;
    if (depth <= UINT8_MAX)
        atomic_store_explicit(entry, 0, memory_order_relaxed);
}

void sent_filter_clear(struct sent_filter *f)
{
    for (size_t i = 0; i < SENT_FILTER_ENTRIES; i++)
        atomic_store_explicit(&f->entries[i], 0, memory_order_relaxed);
}
