/* SPDX-License-Identifier: Apache-2.0 */
/* listing: the order of a crawl at work in a frontier (order/order.h). Breadth needs none.
 *
 *   admitted    forward links expected, back links 1  ─► pvalue ─► the queue of a list
 *   at a head   back links counted since then         ─► pvalue ─► taken, or to the end of the
 *                                                                  queue of a worse list
 *
 * A list is a class of the frontier. With ORDER_PRIORITY the frontier chooses it; a value only
 * falls with time, so it is enough to look again when the URL has become the head of its queue, and
 * each URL moves twice at most. With ORDER_TOPIC a link comes with its list. */
#ifndef FRONTIER_LISTING_H
#define FRONTIER_LISTING_H

#include "frontier/host.h"
#include "order/forward.h"
#include "order/lists.h"
#include "order/wheel.h"

_Static_assert((int)FRONTIER_CLASSES == (int)ORDER_QUEUES, "each list has a class");

struct listing {
    enum order_kind kind;
    uint64_t half;
    struct order_wheel wheel;
    struct order_lists lists;     /* the next two are of ORDER_PRIORITY */
    struct order_forward forward; /* of the pages of this shard's hosts */
};

/* NULL without memory. */
struct listing *listing_open(enum order_kind kind, uint64_t half);
void listing_close(struct listing *l);

/* Whether back links are counted. */
static inline bool listing_counts(const struct listing *l)
{
    return l && l->kind == ORDER_PRIORITY;
}

/* The class in which a link that is new begins. */
unsigned listing_class(const struct frontier *f, const struct candidate *c);

/* Classes in which a host that becomes ready is offered, a bit each. */
unsigned listing_offered(const struct listing *l, struct host *h);

/* The class that has this turn. */
unsigned listing_turn(struct frontier *f);

/* The host was taken in that class. */
void listing_taken(struct host *h, unsigned class);

/* Whether the head of that class is worth less now: it has gone to the end of a worse list, and the
 * host, which is in no heap, must be put down again. `c` is of a host that is taken up. */
bool listing_lowered(struct frontier *f, struct host_class *c, unsigned class);

/* Whether it would be; changes nothing. *ret_to is the better of the lists it may be of. */
bool listing_is_low(const struct frontier *f, const struct host_class *c, unsigned class,
                    unsigned *ret_to);

#endif
