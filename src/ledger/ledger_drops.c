/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/ledger_internal.h"

#include "base/mem.h"

#include <stdlib.h>

enum rc drops_add(struct drops *d, uint64_t said_at, const struct batch *b)
{
    struct str rest = b->drops;
    uint64_t fingerprint;
    while (batch_next_drop(&rest, &fingerprint)) {
        struct drop *list = mem_grow(d->list, d->count, &d->room, sizeof *list);
        if (!list)
            return RC_NOMEM;
        d->list = list;
        d->list[d->count++] = (struct drop){b->drop_batch, fingerprint, said_at};
    }
    return RC_OK;
}

static int compare(const void *one, const void *other)
{
    const struct drop *a = one, *b = other;
    if (a->batch != b->batch)
        return a->batch < b->batch ? -1 : 1;
    return a->fingerprint == b->fingerprint ? 0 : a->fingerprint < b->fingerprint ? -1 : 1;
}

void drops_sort(struct drops *d, bool (*is_void)(const void *ctx, uint64_t position),
                const void *ctx)
{
    size_t kept = 0;
    for (size_t i = 0; i < d->count; i++)
        if (!is_void(ctx, d->list[i].said_at))
            d->list[kept++] = d->list[i];
    d->count = kept;
    if (kept)
        qsort(d->list, kept, sizeof *d->list, compare);
}

bool drops_has(const struct drops *d, uint64_t batch, uint64_t fingerprint)
{
    struct drop key = {.batch = batch, .fingerprint = fingerprint};
    return d->count && bsearch(&key, d->list, d->count, sizeof key, compare);
}

void drops_done(struct drops *d)
{
    mem_free(d->list);
    *d = (struct drops){0};
}
