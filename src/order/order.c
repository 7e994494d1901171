/* SPDX-License-Identifier: Apache-2.0 */
#include "order/order.h"

const char *order_name(enum order_kind kind)
{
    static const char *const names[ORDER_KINDS_] = {"breadth", "priority", "topic"};
    return names[kind];
}

const char *order_queue_text(unsigned queue)
{
    static const char *const texts[ORDER_QUEUES] = {
        "the first of three lists", "the second of three lists", "the third of three lists",
        "the list of revisits"};
    return texts[queue];
}
