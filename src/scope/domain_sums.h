/* SPDX-License-Identifier: Apache-2.0 */
/* domain sums: what several agents have used of each registrable domain, so that its limits hold
 * for all of them together.
 *
 * Each tells what it has used, ever, a few domains at a time: those that changed first, then all in
 * turn, because what is told may be lost. What is heard of one agent takes the place of what was
 * heard of it before. Domains are known by the hash of their name. All threads; bounded: a domain
 * that finds no room is not shared. */
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

/* So much was used here of that domain, ever. */
void domain_sums_ours(struct domain_sums *s, const struct domain_sum *d);

/* The next to be told; how many. */
size_t domain_sums_tell(struct domain_sums *s, struct domain_sum *ret, size_t most);

/* Another agent says so of itself. */
void domain_sums_heard(struct domain_sums *s, uint64_t who, const struct domain_sum *d);

/* What all others have used of ret->domain; zeros: nothing that we have heard of. */
void domain_sums_others(struct domain_sums *s, struct domain_sum *ret);

#endif
