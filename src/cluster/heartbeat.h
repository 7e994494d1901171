/* SPDX-License-Identifier: Apache-2.0 */
/* heartbeat: what every agent says of itself about once a second, to all. May be lost, doubled and
 * late: `beat` grows within a boot, so an older one is known as such. As bytes: versioned, little
 * endian, bounded.
 *
 * Budgets of the whole crawl rest on the sums in it: what this agent has used, what it believes
 * that all have, and of some registrable domains, a few at a time, what it has used of them.
 * Senders forget what its receipts say that it has. Politeness per address across agents rests on
 * the addresses in it: those it asks most. */
#ifndef CLUSTER_HEARTBEAT_H
#define CLUSTER_HEARTBEAT_H

#include "base/buf.h"
#include "base/rc.h"

enum {
    HEARTBEAT_MAX_DOMAINS = 32,
    HEARTBEAT_MAX_ADDRESSES = 16,
    HEARTBEAT_MAX_RECEIPTS = 64,
    HEARTBEAT_MAX_BYTES = 2800
};

struct heartbeat_domain {
    uint64_t domain; /* hash64 of its name */
    uint64_t pages, bytes;
};

/* Of that session of somebody's (its own number tells whose) it has all batches up to this one, and
 * above it those of the bits: bit i is `through` + 1 + i. */
struct heartbeat_receipt {
    uint64_t session, through, above;
};

struct heartbeat {
    uint64_t inc, boot, beat;
    uint64_t epoch;
    uint64_t roster; /* how much of the log it has read */
    bool gates_open; /* all hand-overs to it at that epoch are complete, and durable */
    bool has_floor;
    bool is_finished; /* it knows that the whole crawl is, and waits for the others to know */
    bool is_home;     /* it has heard that from everybody */
    /* Its stream is durable here up to that sequence: a hint, for copies of it may differ. */
    uint64_t generation, floor;
    uint64_t round; /* of finding out whether the crawl is finished; see finish.h */
    uint32_t quiet; /* for how many successive rounds it has been idle */
    uint64_t admitted;
    uint64_t sent;         /* batches put into others' streams, in this boot: a hint to look */
    uint64_t pages, bytes; /* used here, ever */
    uint64_t all_pages, all_bytes; /* by all agents there ever were, as far as it has heard */
    bool is_over;                  /* a limit of the whole crawl is reached, by its sums */
};

/* Apart, for nobody keeps them: of a thousand peers they would be a megabyte. */
struct heartbeat_lists {
    uint8_t domain_count, address_count, receipt_count;
    struct heartbeat_domain domains[HEARTBEAT_MAX_DOMAINS];
    uint64_t addresses[HEARTBEAT_MAX_ADDRESSES]; /* their groups (net/address.h) */
    struct heartbeat_receipt receipts[HEARTBEAT_MAX_RECEIPTS];
};

void heartbeat_write(const struct heartbeat *h, const struct heartbeat_lists *l, struct buf *out);
/* RC_CORRUPT, RC_VERSION. */
MUST_CHECK enum rc heartbeat_read(struct str bytes, struct heartbeat *ret,
                                  struct heartbeat_lists *ret_lists);

#endif
