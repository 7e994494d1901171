/* SPDX-License-Identifier: Apache-2.0 */
/* Rows are never removed; if the client of a row is gone, the policy chooses again when the domain
 * is next asked for. */
#include "assign/domain_table.h"

#include "assign/rendezvous.h"
#include "base/hash.h"
#include "base/int_map.h"
#include "base/mem.h"

#include <assert.h>

#define NO_AGENT UINT32_MAX /* its client is gone, or not chosen yet */

struct row {
    uint32_t agent;
};

struct domain_table {
    struct int_map rows; /* by the hash of a domain */
    uint32_t max_domains;
    const struct domain_policy *policy;
    struct assign_agent *agents; /* for weights and zones; the names are not used */
    uint32_t *held;
    uint32_t agent_count;
    struct rendezvous lots;
    struct rng rng;
    uint64_t chosen, not_kept;
};

/* Takes over the weights and zones of a new list; `held` counts rows by index in the list. */
static enum rc set_agents(struct domain_table *t, const struct assign_list *list,
                          const uint32_t *now_at, struct assign_conflict *ret_conflict)
{
    struct rendezvous lots;
    struct assign_agent *agents = mem_alloc(list->count * sizeof *agents);
    uint32_t *held = mem_zero(list->count, sizeof *held);
    enum rc rc = agents && held ? rendezvous_init(&lots, list, ret_conflict) : RC_NOMEM;
    if (rc) {
        mem_free(agents);
        mem_free(held);
        return rc;
    }
    memcpy(agents, list->agents, list->count * sizeof *agents);
    size_t at = 0;
    uint64_t hash;
    for (struct row *row; (row = int_map_next(&t->rows, &at, &hash));) {
        if (row->agent == NO_AGENT)
            continue;
        row->agent = now_at[row->agent] == ASSIGN_GONE ? NO_AGENT : now_at[row->agent];
        if (row->agent != NO_AGENT)
            held[row->agent]++;
    }
    mem_free(t->agents);
    mem_free(t->held);
    rendezvous_done(&t->lots);
    t->agents = agents;
    t->held = held;
    t->lots = lots;
    t->agent_count = list->count;
    return RC_OK;
}

static void close_table(void *state)
{
    struct domain_table *t = state;
    if (!t)
        return;
    rendezvous_done(&t->lots);
    mem_free(t->agents);
    mem_free(t->held);
    int_map_done(&t->rows);
    mem_free(t);
}

static enum rc open_table(const struct assign_list *list, const struct assign_options *options,
                          struct assign_conflict *ret_conflict, void **ret_state)
{
    struct domain_table *t = mem_zero(1, sizeof *t);
    if (!t)
        return RC_NOMEM;
    t->rows = INT_MAP(sizeof(struct row));
    t->policy = options->policy;
    t->max_domains = options->max_domains;
    rng_init(&t->rng, options->seed);
    enum rc rc = set_agents(t, list, NULL, ret_conflict);
    if (rc)
        close_table(t);
    else
        *ret_state = t;
    return rc;
}

static enum rc change_table(void *state, const struct assign_list *list, const uint32_t *now_at,
                            struct assign_conflict *ret_conflict)
{
    return set_agents(state, list, now_at, ret_conflict);
}

/* The row of a hash, made if there is none; *ret_row is NULL if the table is full. */
static enum rc row_for(struct domain_table *t, uint64_t hash, struct row **ret_row)
{
    *ret_row = int_map_get(&t->rows, hash);
    if (*ret_row || t->rows.count >= t->max_domains)
        return RC_OK;
    *ret_row = int_map_need(&t->rows, hash, NULL);
    if (!*ret_row)
        return RC_NOMEM;
    (*ret_row)->agent = NO_AGENT;
    return RC_OK;
}

static void choose(struct domain_table *t, const struct assign_key *key, struct row *row)
{
    struct domain_view view = {t->agents, t->held, t->agent_count, &t->rng};
    uint32_t agent = t->policy->choose(&view, key);
    assert(agent < t->agent_count && t->agents[agent].weight > 0);
    row->agent = agent;
    t->held[agent]++;
    t->chosen++;
}

static enum rc owner_by_domain(void *state, const struct assign_key *key, uint32_t *ret_agent)
{
    struct domain_table *t = state;
    if (key->domain.n == 0)
        return RC_INVALID;
    uint64_t hash = hash64(key->domain);
    struct row *row;
    enum rc rc = row_for(t, hash, &row);
    if (rc)
        return rc;
    if (!row) {
        t->not_kept++;
        *ret_agent = rendezvous_owner(&t->lots, hash);
        return RC_OK;
    }
    if (row->agent == NO_AGENT)
        choose(t, key, row);
    *ret_agent = row->agent;
    return RC_OK;
}

void domain_table_count(const struct assign *a, struct domain_table_counts *ret)
{
    assert(a->kind == &assign_domain_table);
    const struct domain_table *t = a->state;
    *ret = (struct domain_table_counts){(uint32_t)t->rows.count, t->chosen, t->not_kept, t->held};
}

void domain_table_walk(const struct assign *a,
                       void (*each)(void *ctx, uint64_t domain_hash, uint32_t agent), void *ctx)
{
    assert(a->kind == &assign_domain_table);
    const struct domain_table *t = a->state;
    size_t at = 0;
    uint64_t hash;
    for (const struct row *row; (row = int_map_next(&t->rows, &at, &hash));)
        if (row->agent != NO_AGENT)
            each(ctx, hash, row->agent);
}

enum rc domain_table_put(struct assign *a, uint64_t domain_hash, uint32_t agent)
{
    assert(a->kind == &assign_domain_table);
    struct domain_table *t = a->state;
    if (agent >= t->agent_count)
        return RC_INVALID;
    struct row *row;
    enum rc rc = row_for(t, domain_hash, &row);
    if (rc)
        return rc;
    if (!row)
        return RC_LIMIT;
    if (row->agent != NO_AGENT)
        t->held[row->agent]--;
    row->agent = agent;
    t->held[agent]++;
    return RC_OK;
}

const struct assign_kind assign_domain_table = {
    .name = "domain-table",
    .help = "a policy gives registrable domains to clients, which keep them",
    .by = ASSIGN_BY_DOMAIN,
    .open = open_table,
    .close = close_table,
    .change = change_table,
    .owner = owner_by_domain,
};
