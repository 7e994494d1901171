/* SPDX-License-Identifier: Apache-2.0 */
#include "order/forward.h"

#include "base/hash.h"

enum { PART = 256, MOST_PAGES = 16, MOST_LINKS = 100000 };

/* Up to the last slash before the query. */
static struct str directory_of(struct str path)
{
    size_t end = 0;
    for (size_t i = 0; i < path.n && path.p[i] != '?'; i++)
        if (path.p[i] == '/')
            end = i + 1;
    return str_first(path, end);
}

static uint64_t directory_key(uint64_t host_hash, struct str path)
{
    return host_hash ^ hash64(directory_of(path));
}

static const struct order_mean *mean_at(const struct order_forward *f, uint64_t key)
{
    return &f->means[key % ORDER_FORWARD_MEANS];
}

/* The newest pages count as much as 16 do, so that the mean follows what a host becomes. */
static void learn(struct order_mean *m, uint64_t key, uint32_t links)
{
    uint32_t tag = (uint32_t)(key >> 32);
    if (m->tag != tag)
        *m = (struct order_mean){.tag = tag};
    m->pages += m->pages < MOST_PAGES;
    int64_t change = ((int64_t)links * PART - m->mean) / m->pages;
    m->mean = (uint32_t)(m->mean + change);
}

void order_forward_learn(struct order_forward *f, uint64_t host_hash, struct str path,
                         uint32_t links)
{
    uint64_t key = directory_key(host_hash, path);
    links = links < MOST_LINKS ? links : MOST_LINKS;
    learn(&f->all, 0, links);
    learn(&f->means[host_hash % ORDER_FORWARD_MEANS], host_hash, links);
    learn(&f->means[key % ORDER_FORWARD_MEANS], key, links);
}

/* The mean of a narrower group; what the wider one says counts as one page of it. */
static uint32_t narrow(const struct order_mean *m, uint64_t key, uint32_t wider)
{
    if (m->tag != (uint32_t)(key >> 32))
        return wider;
    return (uint32_t)(((uint64_t)m->mean * m->pages + wider) / (m->pages + 1));
}

uint32_t order_forward_expect(const struct order_forward *f, uint64_t host_hash, struct str path)
{
    uint64_t key = directory_key(host_hash, path);
    uint32_t of_host = narrow(mean_at(f, host_hash), host_hash, f->all.mean);
    uint32_t of_directory = narrow(mean_at(f, key), key, of_host);
    return (of_directory + PART / 2) / PART;
}
