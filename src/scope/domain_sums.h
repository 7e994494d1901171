/* SPDX-License-Identifier: Apache-2.0 */
/* domain_sums: what several agents have used of each registrable domain, so that its limits hold
 * for all of them together.
 *
 * Each agent tells its totals, a few domains at a time: first the domains that changed, then all in
 * turn, because a message may be lost. A new sum of an agent replaces its earlier one. Domains are
 * known by the hash of their name. Any thread. The tables are bounded: a domain that finds no room
 * is not shared. */
#ifndef SCOPE_DOMAIN_SUMS_H
#define SCOPE_DOMAIN_SUMS_H

#include <stddef.h>
#include <stdint.h>

enum { DOMAIN_SUMS_MAX = 1 << 17 }; /* rows of each table: 32 bytes */

struct domain_sum {
    uint64_t domain;
    uint64_t pages, bytes;
};

struct domain_sums;

/* NULL without memory. */
struct domain_sums *domain_sums_open(void);
void domain_sums_close(struct domain_sums *s);

/* Sets what this agent has used of a domain in all. */
void domain_sums_ours(struct domain_sums *s, const struct domain_sum *d);

/* Writes the sums to tell next, at most `most`, and returns their number. */
size_t domain_sums_tell(struct domain_sums *s, struct domain_sum *ret, size_t most);

/* Sets what agent `agent` says that it has used of a domain in all. */
void domain_sums_heard(struct domain_sums *s, uint64_t agent, const struct domain_sum *d);

/* What all other agents have used of ret->domain; zeros: none has told anything. */
void domain_sums_others(struct domain_sums *s, struct domain_sum *ret);

#endif
