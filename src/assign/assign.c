/* SPDX-License-Identifier: Apache-2.0 */
#include "assign/kind.h"

#include "assign/domain_table.h"
#include "base/hash.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

const struct assign_kind *const assign_kinds[] = {
    &assign_ring, &assign_rendezvous, &assign_address, &assign_modulo, &assign_domain_table, NULL,
};

const struct assign_kind *assign_kind_find(struct str name)
{
    for (const struct assign_kind *const *k = assign_kinds; *k; k++)
        if (str_eq(str_c((*k)->name), name))
            return *k;
    return NULL;
}

const char *assign_kind_name(const struct assign_kind *kind)
{
    return kind->name;
}

const char *assign_kind_help(const struct assign_kind *kind)
{
    return kind->help;
}

enum assign_by assign_kind_by(const struct assign_kind *kind)
{
    return kind->by;
}

static enum rc check_agents(const struct assign_agent *agents, uint32_t count)
{
    uint64_t weights = 0;
    if (count > ASSIGN_MAX_AGENTS)
        return RC_LIMIT;
    for (uint32_t i = 0; i < count; i++) {
        const struct assign_agent *a = &agents[i];
        if (a->name.n == 0 || a->name.n > ASSIGN_MAX_NAME_BYTES || a->weight > ASSIGN_MAX_WEIGHT)
            return RC_INVALID;
        weights += a->weight;
    }
    return weights > 0 ? RC_OK : RC_INVALID;
}

struct named {
    struct str name;
    uint32_t at;
};

static int compare_names(const void *a, const void *b)
{
    return str_cmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static enum rc sort_names(const struct assign_agent *agents, uint32_t count, uint32_t *by_name,
                          struct assign_conflict *ret_conflict)
{
    struct named *sorted = mem_alloc(count * sizeof *sorted);
    if (!sorted)
        return RC_NOMEM;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = (struct named){agents[i].name, i};
    qsort(sorted, count, sizeof *sorted, compare_names);
    enum rc rc = RC_OK;
    for (uint32_t i = 0; i < count; i++) {
        struct str name = sorted[i].name;
        by_name[i] = sorted[i].at;
        if (i > 0 && rc == RC_OK && str_eq(name, sorted[i - 1].name)) {
            *ret_conflict = (struct assign_conflict){name, name, hash64(name)};
            rc = RC_EXISTS;
        }
    }
    mem_free(sorted);
    return rc;
}

/* Copies the list and its names into one piece of memory. */
static struct assign_agent *agents_copy(const struct assign_agent *agents, uint32_t count)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += agents[i].name.n;
    struct assign_agent *copy = mem_alloc(count * sizeof *copy + bytes);
    if (!copy)
        return NULL;
    char *to = (char *)(copy + count);
    for (uint32_t i = 0; i < count; i++) {
        copy[i] = agents[i];
        memcpy(to, agents[i].name.p, agents[i].name.n);
        copy[i].name.p = to;
        to += agents[i].name.n;
    }
    return copy;
}

static struct assign_options complete(const struct assign_options *options)
{
    struct assign_options o = options ? *options : (struct assign_options){0};
    if (!o.points)
        o.points = ASSIGN_POINTS;
    if (!o.probes)
        o.probes = ASSIGN_PROBES;
    if (!o.policy)
        o.policy = &domain_policy_least_loaded;
    if (!o.max_domains)
        o.max_domains = DOMAIN_TABLE_MAX_DOMAINS;
    return o;
}

/* The index of each agent of the former list in the new one. */
static uint32_t *indexes_now(const struct assign *a, const struct assign_list *list)
{
    uint32_t *now_at = mem_alloc(a->agent_count * sizeof *now_at);
    for (uint32_t i = 0; now_at && i < a->agent_count; i++) {
        uint32_t low = 0, high = list->count;
        while (low < high) {
            uint32_t mid = (low + high) / 2;
            if (str_cmp(list->agents[list->by_name[mid]].name, a->agents[i].name) < 0)
                low = mid + 1;
            else
                high = mid;
        }
        bool found =
            low < list->count && str_eq(list->agents[list->by_name[low]].name, a->agents[i].name);
        now_at[i] = found ? list->by_name[low] : ASSIGN_GONE;
    }
    return now_at;
}

static enum rc change_state(struct assign *a, const struct assign_list *list,
                            struct assign_conflict *conflict)
{
    uint32_t *now_at = indexes_now(a, list);
    if (!now_at)
        return RC_NOMEM;
    enum rc rc = a->kind->change(a->state, list, now_at, conflict);
    mem_free(now_at);
    return rc;
}

static enum rc reopen_state(struct assign *a, const struct assign_options *options,
                            const struct assign_list *list, struct assign_conflict *conflict)
{
    void *state;
    enum rc rc = a->kind->open(list, options, conflict, &state);
    if (rc)
        return rc;
    a->kind->close(a->state);
    a->state = state;
    return RC_OK;
}

enum rc assign_change(struct assign *a, const struct assign_options *options,
                      const struct assign_agent *agents, uint32_t agent_count, uint64_t epoch,
                      struct assign_conflict *ret_conflict)
{
    struct assign_conflict ignored;
    struct assign_conflict *conflict = ret_conflict ? ret_conflict : &ignored;
    struct assign_options full = complete(options);
    enum rc rc = check_agents(agents, agent_count);
    if (rc)
        return rc;
    struct assign_agent *copy = agents_copy(agents, agent_count);
    uint32_t *by_name = mem_alloc(agent_count * sizeof *by_name);
    rc = copy && by_name ? sort_names(agents, agent_count, by_name, conflict) : RC_NOMEM;
    struct assign_list list = {agents, by_name, agent_count};
    if (rc == RC_OK && a->state && a->kind->change)
        rc = change_state(a, &list, conflict);
    else if (rc == RC_OK)
        rc = reopen_state(a, &full, &list, conflict);
    if (rc == RC_OK) {
        struct assign_agent *former = a->agents;
        a->agents = copy;
        a->agent_count = agent_count;
        a->epoch = epoch;
        copy = former;
    }
    mem_free(copy);
    mem_free(by_name);
    return rc;
}

enum rc assign_open(const struct assign_kind *kind, const struct assign_options *options,
                    const struct assign_agent *agents, uint32_t agent_count, uint64_t epoch,
                    struct assign_conflict *ret_conflict, struct assign **ret_assign)
{
    struct assign *a = mem_zero(1, sizeof *a);
    if (!a)
        return RC_NOMEM;
    a->kind = kind;
    enum rc rc = assign_change(a, options, agents, agent_count, epoch, ret_conflict);
    if (rc)
        assign_close(a);
    else
        *ret_assign = a;
    return rc;
}

void assign_close(struct assign *a)
{
    if (!a)
        return;
    a->kind->close(a->state);
    mem_free(a->agents);
    mem_free(a);
}

enum rc assign_owner(const struct assign *a, const struct assign_key *key, uint32_t *ret_agent)
{
    return a->kind->owner(a->state, key, ret_agent);
}
