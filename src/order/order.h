/* SPDX-License-Identifier: Apache-2.0 */
/* order: which URL is asked for before another, where politeness leaves a choice.
 *
 *   breadth    in the order in which URLs were found
 *   priority   by the links of a page (pvalue.h), in three lists that are served 4:2:1
 *   topic      by the score of the crawl's keywords, in three lists, the best nearly always first
 *
 * This folder decides and does nothing else: values in, a decision out. lists.h says which list a
 * value belongs to, wheel.h which list has its turn, forward.h how many links a page that nothing
 * has fetched yet may have. The frontier keeps a queue of each host for each list
 * (frontier/listing.h). docs/order.md tells why it is so, and what is approximate. */
#ifndef ORDER_ORDER_H
#define ORDER_ORDER_H

enum order_kind { ORDER_BREADTH, ORDER_PRIORITY, ORDER_TOPIC, ORDER_KINDS_ };

#define ORDER_CHOICES "breadth|priority|topic" /* of an option: the same order */

enum {
    ORDER_LISTS = 3,    /* 0 is the best */
    ORDER_REVISITS = 3, /* beside them: what a recrawl asks for again */
    ORDER_QUEUES = 4,   /* all of these */
};

/* "priority" */
const char *order_name(enum order_kind kind);

/* "the first of three lists", "the list of revisits" */
const char *order_queue_text(unsigned queue);

#endif
