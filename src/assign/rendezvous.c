/* SPDX-License-Identifier: Apache-2.0 */
#include "assign/rendezvous.h"

#include "base/hash.h"
#include "base/mem.h"

/* log2(m / 2^31) of m from 2^31 to 2^32 - 1, digit by digit: squaring doubles the logarithm, and
 * a square of 2 or more is one binary digit of it. */
static uint64_t log2_digits(uint64_t m)
{
    uint64_t result = 0;
    for (int bit = RENDEZVOUS_LOG_SCALE - 1; bit >= 0; bit--) {
        m = m * m >> 31;
        if (m >> 32) {
            m >>= 1;
            result |= UINT64_C(1) << bit;
        }
    }
    return result;
}

static void fill_table(struct rendezvous *r)
{
    enum { STEPS = 1 << RENDEZVOUS_LOG_BITS };
    for (uint64_t i = 0; i < STEPS; i++)
        r->log2_table[i] = log2_digits((STEPS + i) << (31 - RENDEZVOUS_LOG_BITS));
    r->log2_table[STEPS] = UINT64_C(1) << RENDEZVOUS_LOG_SCALE;
}

uint64_t rendezvous_neg_log2(const struct rendezvous *r, uint64_t u)
{
    u |= 1; /* 0 has no logarithm; one bit in 2^64 gives no agent an advantage */
    int zeros = __builtin_clzll(u);
    uint64_t fraction = zeros < 63 ? u << (zeros + 1) : 0;
    uint64_t row = fraction >> (64 - RENDEZVOUS_LOG_BITS);
    uint64_t within = fraction << RENDEZVOUS_LOG_BITS >> 32;
    uint64_t from = r->log2_table[row], to = r->log2_table[row + 1];
    uint64_t log = from + ((to - from) * within >> 32);
    return ((uint64_t)(zeros + 1) << RENDEZVOUS_LOG_SCALE) - log;
}

static enum rc find_equal(const struct rendezvous *r, const struct assign_list *list,
                          struct assign_conflict *ret_conflict)
{
    for (uint32_t i = 0; i < r->count; i++)
        for (uint32_t j = i + 1; j < r->count; j++)
            if (r->lots[i].seed == r->lots[j].seed) {
                *ret_conflict =
                    (struct assign_conflict){list->agents[r->lots[i].agent].name,
                                             list->agents[r->lots[j].agent].name, r->lots[i].seed};
                return RC_EXISTS;
            }
    return RC_OK;
}

enum rc rendezvous_init(struct rendezvous *ret, const struct assign_list *list,
                        struct assign_conflict *ret_conflict)
{
    struct rendezvous_lot *lots = mem_alloc(list->count * sizeof *lots);
    if (!lots)
        return RC_NOMEM;
    ret->lots = lots;
    ret->count = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t at = list->by_name[i];
        const struct assign_agent *a = &list->agents[at];
        if (a->weight)
            lots[ret->count++] = (struct rendezvous_lot){hash64(a->name), a->weight, at};
    }
    fill_table(ret);
    enum rc rc = find_equal(ret, list, ret_conflict);
    if (rc)
        rendezvous_done(ret);
    return rc;
}

void rendezvous_done(struct rendezvous *r)
{
    mem_free(r->lots);
    r->lots = NULL;
    r->count = 0;
}

/* Compares a / wa < b / wb as a * wb < b * wa: a logarithm is below 2^47, a weight at most 2^12. */
uint32_t rendezvous_owner(const struct rendezvous *r, uint64_t hash)
{
    const struct rendezvous_lot *best = &r->lots[0];
    uint64_t least = rendezvous_neg_log2(r, hash64_mix(hash ^ best->seed));
    for (uint32_t i = 1; i < r->count; i++) {
        const struct rendezvous_lot *lot = &r->lots[i];
        uint64_t wait = rendezvous_neg_log2(r, hash64_mix(hash ^ lot->seed));
        if (wait * best->weight < least * lot->weight) {
            best = lot;
            least = wait;
        }
    }
    return best->agent;
}

static enum rc open_rendezvous(const struct assign_list *list, const struct assign_options *options,
                               struct assign_conflict *ret_conflict, void **ret_state)
{
    (void)options;
    struct rendezvous *r = mem_alloc(sizeof *r);
    if (!r)
        return RC_NOMEM;
    enum rc rc = rendezvous_init(r, list, ret_conflict);
    if (rc)
        mem_free(r);
    else
        *ret_state = r;
    return rc;
}

static void close_rendezvous(void *state)
{
    if (!state)
        return;
    rendezvous_done(state);
    mem_free(state);
}

static enum rc owner_by_host(void *state, const struct assign_key *key, uint32_t *ret_agent)
{
    *ret_agent = rendezvous_owner(state, key->host.p ? hash64(key->host) : key->host_hash);
    return RC_OK;
}

const struct assign_kind assign_rendezvous = {
    .name = "rendezvous",
    .help = "every agent draws a lot for the host name, weighted by capacity; the best one owns it",
    .by = ASSIGN_BY_HOST,
    .open = open_rendezvous,
    .close = close_rendezvous,
    .owner = owner_by_host,
};
