/* SPDX-License-Identifier: Apache-2.0 */
#include "frontier/url_queue.h"

#include "base/bytes.h"
#include "base/mem.h"

enum {
    FIRST_CHUNK_BYTES = 128,
    MOST_CHUNK_BYTES = 4096,
};

struct url_chunk {
    struct url_chunk *next;
    uint32_t cap, used, read;
    char bytes[];
};

static size_t chunk_bytes(const struct url_chunk *c)
{
    return sizeof *c + c->cap;
}

static char *put_varint(char *to, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *to++ = (char)(v | 0x80);
    *to++ = (char)v;
    return to;
}

static const char *get_varint(const char *from, uint64_t *ret)
{
    uint64_t v = 0;
    unsigned shift = 0;
    while ((uint8_t)*from >= 0x80) {
        v |= (uint64_t)(*from++ & 0x7f) << shift;
        shift += 7;
    }
    *ret = v | (uint64_t)(uint8_t)*from++ << shift;
    return from;
}

static char *put_entry(char *to, const struct url_entry *e, uint64_t before)
{
    to = put_varint(to, e->sequence - before);
    put_le64(to, e->via);
    to[8] = (char)e->origin;
    to[9] = (char)e->seed_path.n;
    to = put_varint(to + 10, e->path.n);
    if (e->seed_path.n) /* a seed's may be absent */
        memcpy(to, e->seed_path.p, e->seed_path.n);
    to += e->seed_path.n;
    memcpy(to, e->path.p, e->path.n);
    return to + e->path.n;
}

static size_t varint_bytes(uint64_t v)
{
    size_t n = 1;
    for (; v >= 0x80; v >>= 7)
        n++;
    return n;
}

static size_t entry_bytes(const struct url_entry *e, uint64_t before)
{
    return varint_bytes(e->sequence - before) + 8 + 2 + varint_bytes(e->path.n) + e->seed_path.n +
           e->path.n;
}

static const char *get_entry(const char *from, uint64_t before, struct url_entry *ret)
{
    uint64_t above, length;
    from = get_varint(from, &above);
    ret->sequence = before + above;
    ret->via = get_le64(from);
    ret->origin = (uint8_t)from[8];
    size_t seed_path = (uint8_t)from[9];
    from = get_varint(from + 10, &length);
    ret->seed_path = str_make(from, seed_path);
    from += seed_path;
    ret->path = str_make(from, length);
    return from + length;
}

void url_queue_done(struct url_queue *q, uint64_t *bytes)
{
    while (q->first) {
        struct url_chunk *c = q->first;
        q->first = c->next;
        *bytes -= chunk_bytes(c);
        mem_free(c);
    }
    *q = (struct url_queue){0};
}

/* Twice as large as the last, so that long queues have few. */
static enum rc add_chunk(struct url_queue *q, size_t entry_bytes, uint64_t *bytes)
{
    size_t cap = q->last ? (size_t)q->last->cap * 2 : FIRST_CHUNK_BYTES - sizeof *q->last;
    if (cap > MOST_CHUNK_BYTES - sizeof *q->last)
        cap = MOST_CHUNK_BYTES - sizeof *q->last;
    if (cap < entry_bytes)
        cap = entry_bytes;
    struct url_chunk *c = mem_alloc(sizeof *c + cap);
    if (!c)
        return RC_NOMEM;
    *c = (struct url_chunk){.cap = (uint32_t)cap};
    if (q->last)
        q->last->next = c;
    else
        q->first = c;
    q->last = c;
    *bytes += chunk_bytes(c);
    q->bytes += chunk_bytes(c);
    return RC_OK;
}

enum rc url_queue_push(struct url_queue *q, const struct url_entry *e, uint64_t *bytes)
{
    uint64_t before = q->count ? q->last_sequence : 0;
    size_t need = entry_bytes(e, before);
    if (!q->last || q->last->cap - q->last->used < need) {
        enum rc rc = add_chunk(q, need, bytes);
        if (rc)
            return rc;
    }
    if (!q->count)
        q->before_head = 0;
    char *at = q->last->bytes + q->last->used;
    q->last->used += (uint32_t)(put_entry(at, e, before) - at);
    q->last_sequence = e->sequence;
    q->count++;
    return RC_OK;
}

bool url_queue_head(const struct url_queue *q, struct url_entry *ret)
{
    if (!q->count)
        return false;
    (void)get_entry(q->first->bytes + q->first->read, q->before_head, ret);
    return true;
}

/* Passes over the first entry, gone or not. */
static void drop_first(struct url_queue *q, uint64_t *bytes)
{
    struct url_entry head;
    struct url_chunk *c = q->first;
    c->read = (uint32_t)(get_entry(c->bytes + c->read, q->before_head, &head) - c->bytes);
    q->before_head = head.sequence;
    if (c->read < c->used)
        return;
    q->first = c->next;
    if (!q->first)
        q->last = NULL;
    *bytes -= chunk_bytes(c);
    q->bytes -= chunk_bytes(c);
    mem_free(c);
}

/* The first entry is never one that is gone. */
static void drop_gone(struct url_queue *q, uint64_t *bytes)
{
    struct url_entry e;
    while (q->first) {
        (void)get_entry(q->first->bytes + q->first->read, q->before_head, &e);
        if (e.origin != URL_GONE)
            return;
        drop_first(q, bytes);
    }
}

void url_queue_pop(struct url_queue *q, uint64_t *bytes)
{
    if (!q->count)
        return;
    drop_first(q, bytes);
    drop_gone(q, bytes);
    q->count--;
}

void url_queue_take_out(struct url_queue *q, const struct url_walk *w, uint64_t *bytes)
{
    w->chunk->bytes[w->origin_at] = (char)URL_GONE;
    drop_gone(q, bytes);
    q->count--;
}

struct url_walk url_queue_walk(const struct url_queue *q)
{
    return (struct url_walk){
        .chunk = q->first, .at = q->first ? q->first->read : 0, .before = q->before_head};
}

static bool walk_one(struct url_walk *w, struct url_entry *ret)
{
    if (w->chunk && w->at == w->chunk->used) {
        w->chunk = w->chunk->next;
        w->at = 0;
    }
    if (!w->chunk)
        return false;
    uint64_t above;
    const char *start = w->chunk->bytes + w->at;
    w->origin_at = (uint32_t)(get_varint(start, &above) + 8 - w->chunk->bytes);
    w->at = (uint32_t)(get_entry(start, w->before, ret) - w->chunk->bytes);
    w->before = ret->sequence;
    return true;
}

bool url_walk_next(struct url_walk *w, struct url_entry *ret)
{
    bool found;
    do
        found = walk_one(w, ret);
    while (found && ret->origin == URL_GONE);
    return found;
}
