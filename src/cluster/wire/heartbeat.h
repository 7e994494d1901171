/* SPDX-License-Identifier: Apache-2.0 */
/* heartbeat: what every agent tells all others about itself, about once a second. A heartbeat may
 * be lost, doubled or late; `number` grows within a boot, so an older one is recognised. As bytes:
 * versioned, little endian, bounded.
 *
 * The budgets of the whole crawl depend on its sums: what this agent has used, its sum for all
 * agents, and what it has used of some registrable domains, a few at a time. Senders forget the
 * batches that its receipts confirm. Politeness per address across agents depends on its
 * addresses: those that the agent asks most. */
#ifndef CLUSTER_WIRE_HEARTBEAT_H
#define CLUSTER_WIRE_HEARTBEAT_H

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

/* The agent has all batches of that session up to `through`, and those above it whose bit is set:
 * bit i stands for `through` + 1 + i. The session's number tells its sender. */
struct heartbeat_receipt {
    uint64_t session, through, above;
};

struct heartbeat {
    uint64_t inc, boot, number;
    uint64_t epoch;
    uint64_t roster; /* entries of the log that it has read */
    bool gates_open; /* all handovers to it at that epoch are complete, and durable */
    bool has_acked_through;
    /* it knows that the whole crawl is finished, and waits for the others to know */
    bool is_finished;
    bool is_home; /* it has heard is_finished from all */
    /* Its stream is durable with it up to that sequence: a hint, since copies of a stream may
     * differ. */
    uint64_t generation, acked_through;
    uint64_t finish_round; /* of cluster/protocol/finish.c */
    uint32_t quiet;        /* successive rounds in which it has been idle */
    uint64_t admitted;
    uint64_t sent;         /* batches put into other agents' streams in this boot: a hint to poll */
    uint64_t pages, bytes; /* used by this agent, ever */
    uint64_t all_pages, all_bytes; /* used by all agents that ever were, as far as it has heard */
    bool is_over;                  /* by its sums, a limit of the whole crawl is reached */
};

/* Apart from the heartbeat, since agents do not keep them: those of a thousand peers would take a
 * megabyte. */
struct heartbeat_lists {
    uint8_t domain_count, address_count, receipt_count;
    struct heartbeat_domain domains[HEARTBEAT_MAX_DOMAINS];
    uint64_t addresses[HEARTBEAT_MAX_ADDRESSES]; /* groups of addresses (net/address.h) */
    struct heartbeat_receipt receipts[HEARTBEAT_MAX_RECEIPTS];
};

void heartbeat_write(const struct heartbeat *h, const struct heartbeat_lists *l, struct buf *out);
/* RC_CORRUPT, RC_VERSION. */
MUST_CHECK enum rc heartbeat_read(struct str bytes, struct heartbeat *ret,
                                  struct heartbeat_lists *ret_lists);

#endif
