/* SPDX-License-Identifier: Apache-2.0 */
/* wheel: which list has its turn.
 *
 *     priority   0 1 0 2 0 1 0                  lists 4:2:1
 *     topic      0 0 0 1 0 0 0 0 2 0 0 0 0 1 0 0    13:2:1
 *
 * Behind each round revisits have one turn, if one of them can be asked for. A turn of a list of
 * which no host is ready is taken by the best list that has one.
 *
 * That alone lets a URL starve. A host stands in every list in which it has a URL; one whose delay
 * is a multiple of a round may become ready always at a turn of list 0, and its URLs of list 2 are
 * never taken. So each host counts how often each of its lists was passed over. A list that was
 * passed over 7 times (topic: 15) is the only one in which the host is offered, until it is taken.
 * The head of any list is so taken within 7 + 3 turns of its host. */
#ifndef ORDER_WHEEL_H
#define ORDER_WHEEL_H

#include "order/order.h"

#include <stdbool.h>
#include <stdint.h>

struct order_wheel {
    uint8_t at;
}; /* zeroed, at its beginning */

/* The queue that has this turn: a list, or ORDER_REVISITS. `kind` is not ORDER_BREADTH. */
unsigned order_wheel_turn(struct order_wheel *w, enum order_kind kind, bool has_revisits);

/* How often each queue of a host was passed over: 4 bits each, up to 15. */
typedef uint16_t order_passes;

/* The host was taken in `served`; `waiting` has a bit for each queue in which it has URLs. */
void order_passed(order_passes *p, unsigned served, unsigned waiting);

/* The queues in which a host is offered, a bit each: all of `waiting`, or the one it owes. */
unsigned order_offered(order_passes p, unsigned waiting, enum order_kind kind);

#endif
