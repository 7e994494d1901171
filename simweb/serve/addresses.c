/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/addresses.h"

#include "world/place.h"

#include "base/mem.h"

#include <stdlib.h>

static enum rc add(struct addresses *a, struct address one)
{
    if (a->count == ADDRESSES_MAX)
        return RC_LIMIT;
    if (!a->list || a->count == a->cap) {
        uint32_t cap = a->cap ? a->cap * 2 : 64;
        struct address *list = mem_resize(a->list, cap * sizeof *list);
        if (!list)
            return RC_NOMEM;
        a->list = list;
        a->cap = cap;
    }
    a->list[a->count++] = one;
    return RC_OK;
}

static int by_ip(const void *a, const void *b)
{
    const struct address *x = a, *y = b;
    return x->ip < y->ip ? -1 : x->ip > y->ip;
}

static void merge(struct addresses *a)
{
    uint32_t kept = 0;
    qsort(a->list, a->count, sizeof *a->list, by_ip);
    for (uint32_t i = 0; i < a->count; i++) {
        if (kept && a->list[kept - 1].ip == a->list[i].ip)
            a->list[kept - 1].is_https |= a->list[i].is_https;
        else
            a->list[kept++] = a->list[i];
    }
    a->count = kept;
}

/* Which of the ordinary addresses need https: those where one of the hosts speaks it. */
static void mark_https(const struct world *w, struct address *list, uint32_t count)
{
    const struct world_settings *s = world_settings(w);
    uint32_t left = s->https > 0 ? count : 0;
    for (uint32_t host = 0; host < s->hosts && left; host++) {
        struct address *a = &list[host_address(w, host) - list[0].ip];
        if (a->is_https || !host_is_https(w, host))
            continue;
        a->is_https = true;
        left--;
    }
}

/* One behind the other from 127.1.0.0, or all hosts on the trap's. */
static enum rc add_ordinary(const struct world *w, struct addresses *a)
{
    uint32_t first = host_address(w, 0), begun = a->count;
    enum rc rc = RC_OK;
    if (first == ADDRESS_TRAP)
        return RC_OK;
    for (uint32_t i = 0; i < world_addresses(w) && rc == RC_OK; i++)
        rc = add(a, (struct address){.ip = first + i});
    if (rc == RC_OK)
        mark_https(w, a->list + begun, a->count - begun);
    return rc;
}

static enum rc add_fault(const struct fault *f, struct addresses *a)
{
    enum rc rc = add(a, (struct address){.ip = fault_address(f, STR("")), .is_https = true});
    for (const struct fault_host *h = f->hosts; h && h->label && rc == RC_OK; h++) {
        uint32_t ip = mood_address(h->mood, fault_address(f, str_c(h->label)));
        if (ip != ADDRESS_REFUSING && ip != ADDRESS_SILENT)
            rc = add(a, (struct address){.ip = ip, .is_https = true});
    }
    return rc;
}

static enum rc add_faults(const struct world *w, struct addresses *a)
{
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    enum rc rc = add(a, (struct address){.ip = ADDRESS_OF_ZOO, .is_https = true});
    if (rc == RC_OK)
        rc = add(a, (struct address){.ip = ADDRESS_OF_MANY, .is_https = true});
    if (rc == RC_OK)
        rc = add(a, (struct address){.ip = ADDRESS_SILENT, .is_https = true, .is_silent = true});
    for (uint32_t i = 0; i < count && rc == RC_OK; i++)
        if (fault_enabled(w, all[i]))
            rc = add_fault(all[i], a);
    return rc;
}

enum rc addresses_of(const struct world *w, struct addresses *ret)
{
    const struct world_settings *s = world_settings(w);
    enum rc rc = add(ret, (struct address){.ip = ADDRESS_TRAP, .is_https = true});
    if (rc == RC_OK)
        rc = add_ordinary(w, ret);
    if (rc == RC_OK && (s->faults.count || s->sprinkle.count))
        rc = add_faults(w, ret);
    if (rc == RC_OK)
        merge(ret);
    return rc;
}

void addresses_done(struct addresses *a)
{
    mem_free(a->list);
    *a = (struct addresses){0};
}
