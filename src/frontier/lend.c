/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/lend.h"

#include "frontier/frontier_internal.h"

#include <assert.h>

enum rc frontier_host_need(struct frontier *f, uint64_t host_hash, struct str name, uint64_t now_ms,
                           struct host **ret)
{
    if (!name.n || name.n > FRONTIER_MAX_HOST_BYTES)
        return RC_LIMIT;
    if (frontier_is_swapped(f, host_hash)) {
        frontier_want(f, host_hash);
        return RC_AGAIN;
    }
    struct bucket *b = frontier_bucket_need(f, frontier_bucket(host_hash), now_ms);
    if (!b)
        return RC_NOMEM;
    if (b->is_leaving)
        return RC_AGAIN;
    enum admitted why;
    uint64_t before = f->counts.bytes;
    *ret = frontier_host_make(f, b, host_hash, name, &why);
    b->bytes += f->counts.bytes - before;
    return *ret ? RC_OK : why == ADMITTED_HOSTS_FULL ? RC_LIMIT : RC_NOMEM;
}

bool host_is_out(const struct host *h)
{
    return h->state == HOST_OUT;
}

uint64_t host_due_ms(const struct host *h)
{
    return h->due_ms;
}

void frontier_lend(struct frontier *f, struct host *h)
{
    struct bucket *b = frontier_bucket_of(f, h);
    assert(h->state != HOST_OUT && !b->is_leaving);
    frontier_take_up(f, h);
    h->state = HOST_OUT;
    h->checkout_class = HOST_LENT;
    f->counts.out++;
    b->out++;
}

void frontier_take_back(struct frontier *f, struct host *h, uint64_t due_ms)
{
    struct bucket *b = frontier_bucket_of(f, h);
    assert(h->state == HOST_OUT && h->checkout_class == HOST_LENT);
    f->counts.out--;
    b->out--;
    f->swap.has_left |= b->is_leaving && !b->out;
    if (due_ms > h->due_ms)
        h->due_ms = due_ms;
    frontier_put_down(f, h, 0);
}
