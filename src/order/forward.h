/* SPDX-License-Identifier: Apache-2.0 */
/* forward: how many links a page may have that nothing has fetched yet.
 *
 * What pages of the same directory had, and pages of the same host; where little is known of a
 * directory its host counts, and where little is known of a host, all pages. A table of fixed size:
 * a host or directory that was not seen for long makes way for another. */
#ifndef ORDER_FORWARD_H
#define ORDER_FORWARD_H

#include "base/str.h"

#include <stdint.h>

enum { ORDER_FORWARD_MEANS = 8192 };

struct order_mean {
    uint32_t tag;
    uint32_t mean;  /* in 256ths of a link */
    uint32_t pages; /* that count; 0 = none */
};

struct order_forward {
    struct order_mean all;
    struct order_mean means[ORDER_FORWARD_MEANS];
}; /* zeroed, nothing is known */

/* A page with that path (and query) had so many links. */
void order_forward_learn(struct order_forward *f, uint64_t host_hash, struct str path,
                         uint32_t links);

/* What a page with that path may have. */
uint32_t order_forward_expect(const struct order_forward *f, uint64_t host_hash, struct str path);

#endif
