/* SPDX-License-Identifier: Apache-2.0 */
/* host: what a bucket keeps of one host name.
 *
 * `first` is its class 0; the others are allocated when a URL of such a class comes, which in a
 * breadth-first crawl is never. While a host waits, first.node is in the wake heap; while it is
 * ready, the node of each class that has a URL is in one of that class's two ready heaps. */
#ifndef FRONTIER_HOST_H
#define FRONTIER_HOST_H

#include "base/heap.h"
#include "frontier/frontier.h"
#include "frontier/url_queue.h"

enum host_state { HOST_IDLE, HOST_WAITING, HOST_READY, HOST_OUT };
enum { HOST_LENT = FRONTIER_CLASSES }; /* checkout_class of a host that is out without a URL */

struct host_class {
    struct heap_node node;
    struct url_queue queue;
    struct host *host;
};

struct origin {    /* where its URLs point besides the name */
    uint16_t port; /* 0 = the scheme's own */
    bool is_https;
};

struct host {
    struct host_class first;
    struct host_class *more; /* classes 1 …, or NULL */
    uint64_t host_hash;
    uint64_t due_ms;
    void *extra;
    void (*free_extra)(void *extra);
    struct origin *origins; /* NULL while there is one: `origin` */
    struct origin origin;
    uint8_t origin_count;
    uint8_t state; /* enum host_state */
    uint8_t checkout_class;
    uint8_t name_bytes;
    uint8_t preferred; /* while it is ready: a bit for each class, which heap its node is in */
    uint16_t passes;   /* of its classes (order/wheel.h); 0 without lists */
    uint32_t queued;   /* in all classes, what is out included */
    uint32_t extra_bytes;
    char name[];
};

/* NULL without memory. *bytes counts what it takes, as with its queues. */
struct host *host_open(uint64_t host_hash, struct str name, uint64_t *bytes);
void host_close(struct host *h, uint64_t *bytes);

/* The class, made if absent; NULL without memory. host_class_of never makes one, and may be NULL.
 */
struct host_class *host_class_need(struct host *h, unsigned class, uint64_t *bytes);
struct host_class *host_class_of(struct host *h, unsigned class);

/* The number of an origin, added if new; RC_LIMIT past FRONTIER_MAX_ORIGINS, RC_NOMEM. */
MUST_CHECK enum rc host_origin_number(struct host *h, struct origin o, uint8_t *ret,
                                      uint64_t *bytes);
struct origin host_origin_at(const struct host *h, uint8_t number);

#endif
