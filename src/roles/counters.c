/* SPDX-License-Identifier: Apache-2.0 */
#include "roles/counters.h"

#include <assert.h>

#define AT_CRAWL(field) offsetof(struct crawl_counts, field)
#define AT_NOW(field) offsetof(struct crawl_counts, field)
#define AT_REASONS(field) offsetof(struct crawl_counts, field)
#define AT_SHARDS(field) offsetof(struct crawl_shard_counts, field)
#define AT_LEDGER(field) offsetof(struct ledger_totals, field)

const struct counter crawl_counters[COUNTERS_] = {
#define X(id, name, by, field, help) {name, help, COUNTED_BY_##by, AT_##by(field)},
    CRAWL_COUNTERS(X)
#undef X
};

static uint64_t load(const void *from, size_t at)
{
    const _Atomic uint64_t *counter = (const void *)((const char *)from + at);
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static uint64_t sum_of_shards(const struct crawl_counts *c, size_t at)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < CRAWL_MAX_SHARDS; i++)
        sum += load(&c->shards[i], at);
    return sum;
}

uint64_t counter_value(enum counter_id id, const struct crawl_counts *c,
                       const struct ledger_totals *t)
{
    const struct counter *row = &crawl_counters[id];
    assert(row->by != COUNTED_BY_REASONS);
    if (row->by == COUNTED_BY_SHARDS)
        return sum_of_shards(c, row->at);
    if (row->by != COUNTED_BY_LEDGER)
        return load(c, row->at);
    return *(const uint64_t *)(const void *)((const char *)t + row->at);
}

/* The first of each verdict is no reason: it says that all is well. */
bool counter_reason(enum counter_id id, const struct crawl_counts *c, size_t i,
                    const char **ret_name, uint64_t *ret_count)
{
    assert(crawl_counters[id].by == COUNTED_BY_REASONS);
    bool is_scope = id == COUNTER_REJECTED;
    size_t verdict = i + 1, count = is_scope ? SCOPE_VERDICTS_ : BRING_VERDICTS_;
    if (verdict >= count)
        return false;
    *ret_name = is_scope ? scope_verdict_text((enum scope_verdict)verdict)
                         : bring_verdict_key((enum bring_verdict)verdict);
    *ret_count = load(c, crawl_counters[id].at + verdict * sizeof(uint64_t));
    return true;
}

void count_admitted(struct crawl_counts *c, const enum admitted *became, size_t count)
{
    uint64_t fresh = 0, later = 0, full = 0;
    for (size_t i = 0; i < count; i++) {
        fresh += became[i] == ADMITTED_NEW;
        later += became[i] == ADMITTED_LATER;
        full += became[i] == ADMITTED_HOST_FULL;
    }
    count_add(&c->admitted, fresh);
    count_add(&c->known, count - fresh - later - full);
    count_over_limit(c, BRING_QUEUE, full);
}
