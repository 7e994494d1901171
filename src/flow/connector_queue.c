/* SPDX-License-Identifier: Apache-2.0 */
/* A queue between shards: one ring for each shard it leads to, shared by all senders, and in each
 * sender a list for each ring of what did not fit.
 *
 * Order: once something waits for a ring, everything later waits behind it. Room: a sender that is
 * refused sets `refused` in the channel before it tries once more; the receiver looks at it after
 * taking and wakes the senders. Each side writes before it reads, so one of them notices. */
#include "flow/connector.h"

#include "base/mem.h"
#include "base/queue.h"
#include "flow/shard.h"

struct channel {
    struct mpsc *ring;
    size_t length;
    struct node *to;
    unsigned inlet;
    _Atomic bool refused;
    struct shard *senders;
    unsigned sender_count;
};

struct channel *channel_open(struct node *to, unsigned inlet, size_t length, struct shard *senders,
                             unsigned sender_count)
{
    struct channel *ch = mem_zero(1, sizeof *ch);
    struct mpsc *ring = ch ? mpsc_open(length) : NULL;
    if (!ring) {
        mem_free(ch);
        return NULL;
    }
    ch->ring = ring;
    ch->length = length;
    ch->to = to;
    ch->inlet = inlet;
    ch->senders = senders;
    ch->sender_count = sender_count;
    return ch;
}

void channel_empty(struct channel *ch)
{
    struct message *m;
    while ((m = mpsc_pop(ch->ring)))
        message_end(m);
}

void channel_close(struct channel *ch)
{
    if (!ch)
        return;
    channel_empty(ch);
    mpsc_close(ch->ring);
    mem_free(ch);
}

bool channel_take(struct channel *ch)
{
    struct message *m = mpsc_pop(ch->ring);
    if (!m)
        return false;
    node_handle(ch->to, ch->inlet, m);
    return true;
}

void channel_taken(struct channel *ch)
{
    atomic_thread_fence(memory_order_seq_cst);
    if (!atomic_load_explicit(&ch->refused, memory_order_relaxed) ||
        !atomic_exchange(&ch->refused, false))
        return;
    for (unsigned i = 0; i < ch->sender_count; i++)
        if (&ch->senders[i] != ch->to->shard)
            loop_wake(&ch->senders[i].loop);
}

size_t channel_count(const struct channel *ch)
{
    /* The two ends are read one after the other, so a third thread may see more than the ring
     * holds. */
    size_t count = mpsc_count(ch->ring);
    return count < ch->length ? count : ch->length;
}

const struct node *channel_node(const struct channel *ch)
{
    return ch->to;
}

static bool channel_put(struct channel *ch, const struct connector *from, struct message *m)
{
    if (mpsc_push(ch->ring, m) != RC_OK) {
        atomic_store(&ch->refused, true);
        atomic_thread_fence(memory_order_seq_cst);
        if (mpsc_push(ch->ring, m) != RC_OK)
            return false;
    }
    if (ch->to->shard != from->from->shard)
        loop_wake(&ch->to->shard->loop);
    return true;
}

struct list {
    struct message *first, **end;
};

struct queue {
    struct connector connector;
    struct channel *const *channels;
    unsigned count;
    struct list lists[]; /* by channel: what did not fit */
};

static void waiting_add(struct queue *q, size_t more)
{
    size_t now = atomic_load_explicit(&q->connector.waiting, memory_order_relaxed);
    atomic_store_explicit(&q->connector.waiting, now + more, memory_order_relaxed);
}

static void queue_send(struct connector *c, struct message *m)
{
    struct queue *q = (struct queue *)(void *)c;
    unsigned at = q->count == 1 ? 0 : (unsigned)(m->route % q->count);
    struct list *list = &q->lists[at];
    if (!list->first && channel_put(q->channels[at], c, m))
        return;
    m->next = NULL;
    *list->end = m;
    list->end = &m->next;
    waiting_add(q, 1);
}

static bool list_flush(struct queue *q, struct list *list, struct channel *ch)
{
    bool moved = false;
    while (list->first) {
        struct message *m = list->first;
        struct message *next = m->next; /* once it is in the ring it is no longer ours */
        if (!channel_put(ch, &q->connector, m))
            break;
        list->first = next;
        waiting_add(q, (size_t)-1);
        moved = true;
    }
    if (!list->first)
        list->end = &list->first;
    return moved;
}

static bool queue_flush(struct connector *c)
{
    struct queue *q = (struct queue *)(void *)c;
    bool moved = false;
    for (unsigned i = 0; i < q->count; i++)
        if (q->lists[i].first)
            moved |= list_flush(q, &q->lists[i], q->channels[i]);
    return moved;
}

static void queue_empty(struct connector *c)
{
    struct queue *q = (struct queue *)(void *)c;
    for (unsigned i = 0; i < q->count; i++) {
        while (q->lists[i].first) {
            struct message *m = q->lists[i].first;
            q->lists[i].first = m->next;
            message_end(m);
        }
        q->lists[i].end = &q->lists[i].first;
    }
    atomic_store_explicit(&q->connector.waiting, 0, memory_order_relaxed);
}

static void queue_close(struct connector *c)
{
    queue_empty(c);
    mem_free(c);
}

static const struct connector_kind queue_kind = {"queue", queue_send, queue_flush, queue_empty,
                                                 queue_close};

struct connector *connector_queue_open(struct node *from, struct channel *const *channels,
                                       unsigned count, bool spills)
{
    struct queue *q = mem_zero(1, sizeof *q + count * sizeof q->lists[0]);
    if (!q)
        return NULL;
    q->connector.kind = &queue_kind;
    q->connector.from = from;
    q->connector.spills = spills;
    q->channels = channels;
    q->count = count;
    for (unsigned i = 0; i < count; i++)
        q->lists[i].end = &q->lists[i].first;
    return &q->connector;
}
