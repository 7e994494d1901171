/* SPDX-License-Identifier: Apache-2.0 */
/* domain table: assigns registrable domains to clients, by a policy, once and for all.
 *
 * When a domain is asked for the first time, the policy chooses a client. From then on the answer
 * stays, also when the list of clients changes (assign_change), until that client is gone: then the
 * policy chooses again. The table belongs to a marshaler: one process uses it, and the others ask
 * that process.
 *
 * It remembers 64-bit hashes of domains, at most `max_domains` (16 bytes each, tables are at most
 * 3/4 full). Past that bound a new domain is not remembered and goes by rendezvous, which gives the
 * same answer as long as the clients stay the same. */
#ifndef ASSIGN_DOMAIN_TABLE_H
#define ASSIGN_DOMAIN_TABLE_H

#include "assign/assign.h"
#include "base/rng.h"

enum { DOMAIN_TABLE_MAX_DOMAINS = 1000000 };

/* What a policy may use. */
struct domain_view {
    const struct assign_agent *agents; /* at least one weight is above 0 */
    const uint32_t *held;              /* how many domains each agent has now */
    uint32_t count;
    struct rng *rng; /* seeded by the option */
};

/* A policy returns an index below view->count, of an agent whose weight is above 0. */
struct domain_policy {
    const char *name;
    const char *help;
    uint32_t (*choose)(const struct domain_view *view, const struct assign_key *key);
};

extern const struct domain_policy domain_policy_random;       /* weighted by capacity */
extern const struct domain_policy domain_policy_least_loaded; /* fewest domains for its weight */
extern const struct domain_policy domain_policy_geography;    /* same zone first, then as above */

/* By name: random, least-loaded, geography; or NULL. */
const struct domain_policy *domain_policy_find(struct str name);

struct domain_table_counts {
    uint32_t remembered;  /* domains in the table */
    uint64_t chosen;      /* how often the policy chose */
    uint64_t not_kept;    /* answers by rendezvous because the table was full */
    const uint32_t *held; /* domains of each agent, borrowed until the next call */
};

/* For an assignment of kind "domain-table" only. */
void domain_table_count(const struct assign *a, struct domain_table_counts *ret);

/* To keep the table over a restart: walk it, and put each row into a new one. A row is the hash64
 * of a domain and an index in a->agents. `each` may not ask or change `a`. */
void domain_table_walk(const struct assign *a,
                       void (*each)(void *ctx, uint64_t domain_hash, uint32_t agent), void *ctx);
MUST_CHECK enum rc domain_table_put(struct assign *a, uint64_t domain_hash, uint32_t agent);

#endif
