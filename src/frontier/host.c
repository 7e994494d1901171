/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/host.h"

#include "base/mem.h"

enum { MORE_CLASSES = FRONTIER_CLASSES - 1, FIRST_ORIGINS = 4 };

struct host *host_open(uint64_t host_hash, struct str name, uint64_t *bytes)
{
    struct host *h = mem_zero(1, sizeof *h + name.n);
    if (!h)
        return NULL;
    h->host_hash = host_hash;
    h->name_bytes = (uint8_t)name.n;
    memcpy(h->name, name.p, name.n);
    h->first.host = h;
    *bytes += sizeof *h + name.n;
    return h;
}

static size_t origins_bytes(const struct host *h)
{
    size_t cap = FIRST_ORIGINS;
    while (cap < h->origin_count)
        cap *= 2;
    return h->origins ? cap * sizeof *h->origins : 0;
}

void host_close(struct host *h, uint64_t *bytes)
{
    url_queue_done(&h->first.queue, bytes);
    for (unsigned i = 0; h->more && i < MORE_CLASSES; i++)
        url_queue_done(&h->more[i].queue, bytes);
    if (h->more)
        *bytes -= MORE_CLASSES * sizeof *h->more;
    mem_free(h->more);
    *bytes -= origins_bytes(h) + sizeof *h + h->name_bytes;
    mem_free(h->origins);
    if (h->extra && h->free_extra)
        h->free_extra(h->extra);
    mem_free(h);
}

struct host_class *host_class_of(struct host *h, unsigned class)
{
    if (class == 0)
        return &h->first;
    return h->more ? &h->more[class - 1] : NULL;
}

struct host_class *host_class_need(struct host *h, unsigned class, uint64_t *bytes)
{
    if (class && !h->more) {
        h->more = mem_zero(MORE_CLASSES, sizeof *h->more);
        if (!h->more)
            return NULL;
        for (unsigned i = 0; i < MORE_CLASSES; i++)
            h->more[i].host = h;
        *bytes += MORE_CLASSES * sizeof *h->more;
    }
    return host_class_of(h, class);
}

struct origin host_origin_at(const struct host *h, uint8_t number)
{
    return h->origins ? h->origins[number] : h->origin;
}

static bool origin_eq(struct origin a, struct origin b)
{
    return a.port == b.port && a.is_https == b.is_https;
}

/* Room for one more than there are; the table doubles. */
static enum rc origins_grow(struct host *h, uint64_t *bytes)
{
    size_t had = origins_bytes(h), cap = FIRST_ORIGINS;
    while (cap <= h->origin_count)
        cap *= 2;
    if (had == cap * sizeof *h->origins)
        return RC_OK;
    struct origin *bigger = mem_resize(h->origins, cap * sizeof *bigger);
    if (!bigger)
        return RC_NOMEM;
    if (!h->origins)
        bigger[0] = h->origin;
    h->origins = bigger;
    *bytes += cap * sizeof *bigger - had;
    return RC_OK;
}

enum rc host_origin_number(struct host *h, struct origin o, uint8_t *ret, uint64_t *bytes)
{
    for (uint8_t i = 0; i < h->origin_count; i++)
        if (origin_eq(host_origin_at(h, i), o)) {
            *ret = i;
            return RC_OK;
        }
    if (h->origin_count == FRONTIER_MAX_ORIGINS)
        return RC_LIMIT;
    if (h->origin_count == 0) {
        h->origin = o;
    } else {
        enum rc rc = origins_grow(h, bytes);
        if (rc)
            return rc;
        h->origins[h->origin_count] = o;
    }
    *ret = h->origin_count++;
    return RC_OK;
}

void *host_extra(const struct host *h)
{
    return h->extra;
}

void host_set_extra(struct host *h, void *extra, void (*free_extra)(void *extra))
{
    h->extra = extra;
    h->free_extra = free_extra;
}

struct str host_name(const struct host *h)
{
    return str_make(h->name, h->name_bytes);
}

uint64_t host_hash(const struct host *h)
{
    return h->host_hash;
}

unsigned host_origins(const struct host *h)
{
    return h->origin_count;
}

uint64_t host_queue_bytes(const struct host *h)
{
    uint64_t bytes = h->first.queue.bytes;
    for (unsigned i = 0; h->more && i < MORE_CLASSES; i++)
        bytes += h->more[i].queue.bytes;
    return bytes;
}

uint32_t host_queued(const struct host *h)
{
    return h->queued;
}
