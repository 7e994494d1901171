/* SPDX-License-Identifier: Apache-2.0 */
/* A list for each agent. To count, the addresses of all lists are sorted: some ten thousand
 * numbers at most, once a heartbeat. */
#include "host/address_peers.h"

#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>

struct peer {
    uint64_t agent, until_ms;
    size_t count;
    uint64_t groups[ADDRESS_PEERS_MOST];
};

struct address_peers {
    struct peer *list;
    size_t count, room;
    uint64_t *sorted; /* room for all they name */
};

enum rc address_peers_open(struct address_peers **ret)
{
    struct address_peers *p = mem_zero(1, sizeof *p);
    if (p)
        *ret = p;
    return p ? RC_OK : RC_NOMEM;
}

void address_peers_close(struct address_peers *p)
{
    if (!p)
        return;
    mem_free(p->list);
    mem_free(p->sorted);
    mem_free(p);
}

static bool make_room(struct address_peers *p)
{
    size_t room = p->room ? 2 * p->room : 8;
    if (p->count < p->room)
        return true;
    if (p->count == ADDRESS_PEERS_AGENTS)
        return false;
    struct peer *list = mem_resize(p->list, room * sizeof *list);
    p->list = list ? list : p->list;
    uint64_t *sorted =
        list ? mem_resize(p->sorted, room * ADDRESS_PEERS_MOST * sizeof *sorted) : NULL;
    p->sorted = sorted ? sorted : p->sorted;
    p->room = sorted ? room : p->room;
    return sorted != NULL;
}

static struct peer *peer_of(struct address_peers *p, uint64_t agent)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->list[i].agent == agent)
            return &p->list[i];
    if (!make_room(p))
        return NULL;
    p->list[p->count] = (struct peer){.agent = agent};
    return &p->list[p->count++];
}

void address_peers_heard(struct address_peers *p, uint64_t agent, const uint64_t *groups,
                         size_t count, uint64_t until_ms)
{
    struct peer *x = peer_of(p, agent);
    if (!x)
        return;
    x->until_ms = until_ms;
    x->count = count < ADDRESS_PEERS_MOST ? count : ADDRESS_PEERS_MOST;
    for (size_t i = 0; i < x->count; i++)
        x->groups[i] = groups[i];
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

void address_peers_tell(struct address_peers *p, struct permit_table *t, uint64_t now_ms,
                        uint64_t until_ms)
{
    size_t n = 0;
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->list[i].count && p->list[i].until_ms > now_ms; k++)
            p->sorted[n++] = p->list[i].groups[k];
    if (n)
        qsort(p->sorted, n, sizeof *p->sorted, by_number);
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        while (end < n && p->sorted[end] == p->sorted[i])
            end++;
        permit_table_others(t, p->sorted[i], (uint32_t)(end - i), until_ms);
        i = end;
    }
}
