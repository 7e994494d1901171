/* SPDX-License-Identifier: Apache-2.0 */
#include "base/queue.h"

#include "base/mem.h"

#include <assert.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

enum { CACHE_LINE = 64 };

/* Positions only grow; the cell of the ring is position % length. Each end keeps a copy of the
 * other's position and looks again only when the copy says full or empty, so that a busy queue does
 * not bounce two cache lines for every item. */
struct spsc {
    alignas(CACHE_LINE) _Atomic size_t head; /* popped so far */
    size_t tail_seen;
    size_t head_at;                          /* head % length, without the division */
    alignas(CACHE_LINE) _Atomic size_t tail; /* pushed so far */
    size_t head_seen;
    size_t tail_at;
    alignas(CACHE_LINE) size_t length;
    void *ring[];
};

struct spsc *spsc_open(size_t length)
{
    assert(length > 0);
    struct spsc *q = mem_aligned(CACHE_LINE, sizeof *q + length * sizeof q->ring[0]);
    if (!q)
        return NULL;
    *q = (struct spsc){.length = length};
    return q;
}

void spsc_close(struct spsc *q)
{
    mem_free(q);
}

static size_t next_cell(size_t at, size_t length)
{
    return at + 1 == length ? 0 : at + 1;
}

enum rc spsc_push(struct spsc *q, void *item)
{
    assert(item);
    size_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
    if (tail - q->head_seen == q->length) {
        q->head_seen = atomic_load_explicit(&q->head, memory_order_acquire);
        if (tail - q->head_seen == q->length)
            return RC_AGAIN;
    }
    q->ring[q->tail_at] = item;
    q->tail_at = next_cell(q->tail_at, q->length);
    atomic_store_explicit(&q->tail, tail + 1, memory_order_release);
    return RC_OK;
}

void *spsc_pop(struct spsc *q)
{
    size_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
    if (head == q->tail_seen) {
        q->tail_seen = atomic_load_explicit(&q->tail, memory_order_acquire);
        if (head == q->tail_seen)
            return NULL;
    }
    void *item = q->ring[q->head_at];
    q->head_at = next_cell(q->head_at, q->length);
    atomic_store_explicit(&q->head, head + 1, memory_order_release);
    return item;
}

size_t spsc_count(const struct spsc *q)
{
    size_t head = atomic_load_explicit(&q->head, memory_order_acquire);
    return atomic_load_explicit(&q->tail, memory_order_acquire) - head;
}

/* Each cell carries the position whose turn it is: the pusher that claims pos may write it while
 * `turn == pos`, and the popper may read it while `turn == pos + 1`; reading hands the cell to
 * `pos + length`. */
struct cell {
    _Atomic size_t turn;
    void *item;
};

struct mpsc {
    alignas(CACHE_LINE) _Atomic size_t head;
    alignas(CACHE_LINE) _Atomic size_t tail;
    alignas(CACHE_LINE) size_t length;
    struct cell ring[];
};

/* With a single cell, "written" and "free for the next round" would be the same number: `pos + 1`
 * and `pos + length` coincide. So at least two cells exist, and `length` counts separately. */
static size_t cell_count(const struct mpsc *q)
{
    return q->length < 2 ? 2 : q->length;
}

struct mpsc *mpsc_open(size_t length)
{
    assert(length > 0);
    size_t count = length < 2 ? 2 : length;
    struct mpsc *q = mem_aligned(CACHE_LINE, sizeof *q + count * sizeof q->ring[0]);
    if (!q)
        return NULL;
    *q = (struct mpsc){.length = length};
    for (size_t i = 0; i < count; i++)
        q->ring[i] = (struct cell){.turn = i};
    return q;
}

void mpsc_close(struct mpsc *q)
{
    mem_free(q);
}

enum rc mpsc_push(struct mpsc *q, void *item)
{
    assert(item);
    size_t tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
    for (;;) {
        if (tail - atomic_load_explicit(&q->head, memory_order_acquire) >= q->length) {
            size_t now = atomic_load_explicit(&q->tail, memory_order_relaxed);
            if (now == tail)
                return RC_AGAIN;
            tail = now;
            continue;
        }
        struct cell *cell = &q->ring[tail % cell_count(q)];
        if (atomic_load_explicit(&cell->turn, memory_order_acquire) == tail &&
            atomic_compare_exchange_weak_explicit(&q->tail, &tail, tail + 1, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            cell->item = item;
            atomic_store_explicit(&cell->turn, tail + 1, memory_order_release);
            return RC_OK;
        }
        tail = atomic_load_explicit(&q->tail, memory_order_relaxed);
    }
}

void *mpsc_pop(struct mpsc *q)
{
    size_t head = atomic_load_explicit(&q->head, memory_order_relaxed);
    struct cell *cell = &q->ring[head % cell_count(q)];
    if (atomic_load_explicit(&cell->turn, memory_order_acquire) != head + 1)
        return NULL;
    void *item = cell->item;
    atomic_store_explicit(&cell->turn, head + cell_count(q), memory_order_release);
    atomic_store_explicit(&q->head, head + 1, memory_order_release);
    return item;
}

size_t mpsc_count(const struct mpsc *q)
{
    size_t head = atomic_load_explicit(&q->head, memory_order_acquire);
    return atomic_load_explicit(&q->tail, memory_order_acquire) - head;
}
