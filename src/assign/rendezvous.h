/* SPDX-License-Identifier: Apache-2.0 */
/* rendezvous: every agent draws a lot for the key; the best one owns it.
 *
 * Agent a's lot is u = mix(hash(key) ^ hash(name)) as a fraction of 2^64, and the owner is the
 * agent with the least -log2(u) / weight: the first to ring of clocks that ring at random, weight
 * times a minute. So shares are proportional to weights without any points, and balance has no
 * error beyond the chance of the keys themselves. A lot depends on the key, the agent and its
 * weight alone, so a join moves keys only to the newcomer, and a death only those of the dead
 * agent; raising a weight only gains keys, lowering it only loses them. Equal lots go to the lesser
 * name.
 *
 * The logarithm is a table and integer arithmetic of our own, since libm differs between machines.
 * A lookup takes time linear in the number of agents: about 7 ns for each. */
#ifndef ASSIGN_RENDEZVOUS_H
#define ASSIGN_RENDEZVOUS_H

#include "assign/kind.h"

enum {
    RENDEZVOUS_LOG_BITS = 10,  /* of the fraction, as index of the table */
    RENDEZVOUS_LOG_SCALE = 40, /* a logarithm of 1 is 2^40 */
};

struct rendezvous_lot {
    uint64_t seed; /* hash64 of the name */
    uint32_t weight;
    uint32_t agent; /* index in the list */
};

struct rendezvous {
    struct rendezvous_lot *lots; /* sorted by name; only of agents with a weight above 0 */
    uint32_t count;
    uint64_t log2_table[(1 << RENDEZVOUS_LOG_BITS) + 1]; /* log2(1 + i / 1024), scaled */
};

/* Fills *ret, which the caller ends with rendezvous_done. RC_EXISTS: two names have the same
 * hash. */
MUST_CHECK enum rc rendezvous_init(struct rendezvous *ret, const struct assign_list *list,
                                   struct assign_conflict *ret_conflict);
void rendezvous_done(struct rendezvous *r);
uint32_t rendezvous_owner(const struct rendezvous *r, uint64_t hash);

/* -log2((u + 1) / 2^64), scaled; off by less than 2e-7, never rising as u rises. */
uint64_t rendezvous_neg_log2(const struct rendezvous *r, uint64_t u);

#endif
