/* SPDX-License-Identifier: Apache-2.0 */
#include "assign/domain_table.h"

static uint32_t choose_random(const struct domain_view *view, const struct assign_key *key)
{
    (void)key;
    uint64_t weights = 0;
    for (uint32_t i = 0; i < view->count; i++)
        weights += view->agents[i].weight;
    uint64_t at = rng_below(view->rng, weights);
    uint32_t i = 0;
    while (at >= view->agents[i].weight)
        at -= view->agents[i++].weight;
    return i;
}

/* Of two agents with the same load for their weight, the first in the list. UINT32_MAX: no agent of
 * that zone has a weight (zone 0: any). */
static uint32_t least_loaded_in(const struct domain_view *view, uint32_t zone)
{
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < view->count; i++) {
        const struct assign_agent *a = &view->agents[i];
        if (a->weight == 0 || (zone && a->zone != zone))
            continue;
        if (best == UINT32_MAX || ((uint64_t)view->held[i] + 1) * view->agents[best].weight <
                                      ((uint64_t)view->held[best] + 1) * a->weight)
            best = i;
    }
    return best;
}

static uint32_t choose_least_loaded(const struct domain_view *view, const struct assign_key *key)
{
    (void)key;
    return least_loaded_in(view, 0);
}

static uint32_t choose_geography(const struct domain_view *view, const struct assign_key *key)
{
    uint32_t near = key->zone ? least_loaded_in(view, key->zone) : UINT32_MAX;
    return near != UINT32_MAX ? near : least_loaded_in(view, 0);
}

const struct domain_policy domain_policy_random = {
    "random", "a random client, weighted by capacity", choose_random};
const struct domain_policy domain_policy_least_loaded = {
    "least-loaded", "the client with the fewest domains for its capacity", choose_least_loaded};
const struct domain_policy domain_policy_geography = {
    "geography", "the least loaded client of the domain's zone, else of all", choose_geography};

const struct domain_policy *domain_policy_find(struct str name)
{
    static const struct domain_policy *const all[] = {
        &domain_policy_random, &domain_policy_least_loaded, &domain_policy_geography, NULL};
    for (const struct domain_policy *const *p = all; *p; p++)
        if (str_eq(str_c((*p)->name), name))
            return *p;
    return NULL;
}
