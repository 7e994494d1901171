/* SPDX-License-Identifier: Apache-2.0 */
#include "admission/room.h"

#include "admission/fingerprints.h"
#include "frontier/swap.h"

/* The links of one page, as far as they were looked at. */
struct page {
    struct str from;
    unsigned new_hosts;
    struct { /* links in a row to one host that have room in its queue */
        uint64_t host_hash, count, bytes;
    } row;
    size_t full;
};

static void forget_sent(const struct room *r, uint64_t fingerprint)
{
    for (unsigned i = 0; i < r->shards; i++)
        if (r->sent[i])
            sent_filter_forget(r->sent[i], fingerprint);
    if (r->told)
        sent_filter_forget(r->told, fingerprint);
}

/* Whether the host's queue has room for one more URL, behind the URLs of this page that come before
 * it. */
static bool queue_has_room(const struct room *r, struct page *p, const struct host *h,
                           const struct candidate *c)
{
    if (p->row.host_hash != c->host_hash) {
        p->row.host_hash = c->host_hash;
        p->row.count = p->row.bytes = 0;
    }
    if (frontier_host_is_full(r->frontier, h, p->row.count, p->row.bytes)) {
        p->full++;
        return false;
    }
    p->row.count++;
    p->row.bytes += c->path.n + c->seed_path.n;
    return true;
}

static bool may_be_new(const struct room *r, struct page *p, const struct candidate *c)
{
    bool may = budget_new_host(r->budget, c->host, p->from, p->new_hosts);
    p->new_hosts += may;
    return may;
}

static bool has_room(const struct room *r, struct page *p, struct candidate *c)
{
    if (frontier_is_swapped(r->frontier, c->host_hash)) {
        c->from = p->from;
        return true;
    }
    if (frontier_knows(r->frontier, c->host_hash, c->fingerprint))
        return true;
    const struct host *h = frontier_host(r->frontier, c->host_hash, c->host);
    if (!(h ? queue_has_room(r, p, h, c) : may_be_new(r, p, c))) {
        forget_sent(r, c->fingerprint);
        return false;
    }
    return budget_query(r->budget, c->host_hash, c->path);
}

struct room_chosen room_choose(const struct room *r, struct candidate *list, size_t count,
                               struct str from, struct buf *left_out)
{
    struct page p = {.from = from};
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (has_room(r, &p, &list[i]))
            list[kept++] = list[i];
        else
            fingerprints_add(left_out, list[i].fingerprint);
    }
    return (struct room_chosen){.kept = kept, .full = p.full};
}
