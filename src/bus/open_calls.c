/* SPDX-License-Identifier: Apache-2.0 */
#include "bus/open_calls.h"

#include "base/event.h"
#include "base/mem.h"

#include <assert.h>

/* A key is the slot in its low 16 bits, and above them how often the slot has been used. */
enum { SLOT_BITS = 16 };

struct slot {
    struct heap_node due; /* in the heap while the call is open */
    struct open_call call;
    uint64_t used;
    uint32_t next_free;
};

struct open_calls {
    struct heap by_due;
    struct slot *slots;
    uint32_t max, first_free; /* `max`: no slot is free */
};

struct open_calls *open_calls_open(uint32_t max)
{
    assert(max > 0 && max <= 1U << SLOT_BITS);
    struct open_calls *c = mem_zero(1, sizeof *c);
    if (!c)
        return NULL;
    c->max = max;
    heap_init(&c->by_due, max);
    c->slots = mem_zero(max, sizeof *c->slots);
    if (!c->slots || heap_reserve(&c->by_due, max) != RC_OK) {
        open_calls_close(c);
        return NULL;
    }
    for (uint32_t i = 0; i < max; i++)
        c->slots[i].next_free = i + 1;
    return c;
}

void open_calls_close(struct open_calls *c)
{
    if (!c)
        return;
    heap_done(&c->by_due);
    mem_free(c->slots);
    mem_free(c);
}

enum rc open_calls_begin(struct open_calls *c, const struct open_call *call, uint64_t due_ms,
                         uint64_t *ret_key)
{
    if (c->first_free == c->max)
        return RC_AGAIN;
    uint32_t at = c->first_free;
    struct slot *s = &c->slots[at];
    s->due.key = due_ms;
    enum rc rc = heap_add(&c->by_due, &s->due);
    if (rc)
        return rc;
    c->first_free = s->next_free;
    s->call = *call;
    s->used++;
    *ret_key = s->used << SLOT_BITS | at;
    return RC_OK;
}

static void take_call(struct open_calls *c, struct slot *s, struct open_call *ret)
{
    *ret = s->call;
    heap_remove(&c->by_due, &s->due);
    s->next_free = c->first_free;
    c->first_free = (uint32_t)(s - c->slots);
}

bool open_calls_end(struct open_calls *c, uint64_t key, struct open_call *ret)
{
    uint64_t at = key & ((1U << SLOT_BITS) - 1);
    if (at >= c->max)
        return false;
    struct slot *s = &c->slots[at];
    if (s->due.at == 0 || s->used != key >> SLOT_BITS)
        return false;
    take_call(c, s, ret);
    return true;
}

bool open_calls_due(struct open_calls *c, uint64_t now_ms, struct open_call *ret)
{
    struct heap_node *first = heap_first(&c->by_due);
    if (!first || first->key > now_ms)
        return false;
    take_call(c, EVENT_OF(first, struct slot, due), ret);
    return true;
}

bool open_calls_older(struct open_calls *c, uint64_t link, struct open_call *ret)
{
    for (size_t i = 0; i < c->by_due.count; i++) {
        struct slot *s = EVENT_OF(c->by_due.nodes[i], struct slot, due);
        if (s->call.link < link) {
            take_call(c, s, ret);
            return true;
        }
    }
    return false;
}

uint64_t open_calls_next_ms(const struct open_calls *c)
{
    struct heap_node *first = heap_first(&c->by_due);
    return first ? first->key : OPEN_CALLS_NEVER;
}

uint32_t open_calls_count(const struct open_calls *c)
{
    return (uint32_t)c->by_due.count;
}
