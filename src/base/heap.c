/* SPDX-License-Identifier: Apache-2.0 */
#include "base/heap.h"

#include "base/mem.h"

#include <assert.h>
#include <stdbool.h>

enum { CHILDREN = 4, FIRST_NODES = 16 };

void heap_init(struct heap *h, size_t max_nodes)
{
    *h = (struct heap){.max = max_nodes};
}

void heap_done(struct heap *h)
{
    mem_free(h->nodes);
    *h = (struct heap){.max = h->max};
}

static bool before(const struct heap_node *a, const struct heap_node *b)
{
    return a->key != b->key ? a->key < b->key : a->order < b->order;
}

static void put_node(struct heap *h, struct heap_node *node, size_t at)
{
    h->nodes[at] = node;
    node->at = at + 1;
}

static void rise(struct heap *h, struct heap_node *node, size_t at)
{
    while (at) {
        size_t parent = (at - 1) / CHILDREN;
        if (!before(node, h->nodes[parent]))
            break;
        put_node(h, h->nodes[parent], at);
        at = parent;
    }
    put_node(h, node, at);
}

static size_t least_child(const struct heap *h, size_t at)
{
    size_t first = at * CHILDREN + 1;
    size_t end = first + CHILDREN < h->count ? first + CHILDREN : h->count;
    size_t least = first;
    for (size_t i = first + 1; i < end; i++)
        if (before(h->nodes[i], h->nodes[least]))
            least = i;
    return least;
}

static void sink(struct heap *h, struct heap_node *node, size_t at)
{
    while (at * CHILDREN + 1 < h->count) {
        size_t child = least_child(h, at);
        if (!before(h->nodes[child], node))
            break;
        put_node(h, h->nodes[child], at);
        at = child;
    }
    put_node(h, node, at);
}

static void sift(struct heap *h, struct heap_node *node, size_t at)
{
    if (at && before(node, h->nodes[(at - 1) / CHILDREN]))
        rise(h, node, at);
    else
        sink(h, node, at);
}

enum rc heap_reserve(struct heap *h, size_t nodes)
{
    size_t cap = h->cap ? h->cap : FIRST_NODES;
    if (nodes > h->max)
        return RC_LIMIT;
    if (nodes <= h->cap)
        return RC_OK;
    while (cap < nodes)
        cap *= 2;
    struct heap_node **bigger = mem_resize(h->nodes, cap * sizeof(void *));
    if (!bigger)
        return RC_NOMEM;
    h->nodes = bigger;
    h->cap = cap;
    return RC_OK;
}

enum rc heap_add(struct heap *h, struct heap_node *node)
{
    assert(node->at == 0);
    enum rc rc = heap_reserve(h, h->count + 1);
    if (rc)
        return rc;
    h->count++;
    rise(h, node, h->count - 1);
    return RC_OK;
}

struct heap_node *heap_first(const struct heap *h)
{
    return h->count ? h->nodes[0] : NULL;
}

void heap_remove(struct heap *h, struct heap_node *node)
{
    if (node->at == 0)
        return;
    size_t at = node->at - 1;
    struct heap_node *last = h->nodes[--h->count];
    node->at = 0;
    if (last != node)
        sift(h, last, at);
}

void heap_move(struct heap *h, struct heap_node *node, uint64_t key)
{
    assert(node->at);
    node->key = key;
    sift(h, node, node->at - 1);
}
