/* SPDX-License-Identifier: Apache-2.0 */
#include "control/status_json.h"

#include "control/answer_json.h"

#include <assert.h>
#include <string.h>

uint64_t status_counter(const json_t *status, enum counter_id id)
{
    assert(crawl_counters[id].by != COUNTED_BY_REASONS);
    return json_u64(status, crawl_counters[id].name);
}

json_t *status_reasons(const json_t *status, enum counter_id id)
{
    assert(crawl_counters[id].by == COUNTED_BY_REASONS);
    return json_object_get(status, crawl_counters[id].name);
}

/* Adding up ------------------------------------------------------------------------------------ */

static void add_number(json_t *to, const char *key, uint64_t value)
{
    uint64_t old = json_u64(to, key);
    uint64_t sum = old > INT64_MAX - value ? INT64_MAX : old + value;
    (void)json_object_set_new(to, key, json_integer((json_int_t)sum));
}

/* Adds every whole number of an object to those of to[key]. */
static void add_object(json_t *to, const char *key, json_t *from)
{
    json_t *sums = json_object_get(to, key), *value;
    const char *name;
    if (!json_is_object(from))
        return;
    if (!sums) {
        sums = json_object();
        (void)json_object_set_new(to, key, sums);
    }
    json_object_foreach(from, name, value) if (json_is_integer(value))
        add_number(sums, name, json_u64(from, name));
}

static void add_counters(json_t *to, const json_t *status, enum counter_id from,
                         enum counter_id end)
{
    for (enum counter_id id = from; id < end; id++) {
        if (crawl_counters[id].by == COUNTED_BY_REASONS)
            add_object(to, crawl_counters[id].name, status_reasons(status, id));
        else
            add_number(to, crawl_counters[id].name, status_counter(status, id));
    }
}

/* One word if all have the same. */
static void add_word(json_t *to, const json_t *status, const char *key)
{
    const char *old = json_text(to, key), *word = json_text(status, key);
    if (!*old)
        (void)json_object_set_new(to, key, json_string(word));
    else if (strcmp(old, word) != 0)
        (void)json_object_set_new(to, key, json_string("not all alike"));
}

static void add_times(json_t *to, const json_t *status)
{
    double rate = json_number_value(json_object_get(to, "rate"));
    uint64_t longest = json_u64(to, "elapsed_ms"), elapsed_ms = json_u64(status, "elapsed_ms");
    rate += json_number_value(json_object_get(status, "rate"));
    longest = elapsed_ms > longest ? elapsed_ms : longest;
    (void)json_object_set_new(to, "rate", json_real(rate));
    (void)json_object_set_new(to, "elapsed_ms", json_integer((json_int_t)longest));
}

json_t *status_sum(const json_t *rows)
{
    json_t *sum = json_object(), *row;
    size_t i;
    (void)json_object_set_new(sum, "ok", json_true());
    json_array_foreach(rows, i, row)
    {
        const json_t *status = json_object_get(row, "answer");
        if (!json_is_object(status) || json_object_get(status, "error"))
            continue;
        add_word(sum, status, "state");
        add_word(sum, status, "order");
        add_times(sum, status);
        add_counters(sum, status, 0, COUNTER_HOSTS);
        add_object(sum, "sink", json_object_get(status, "sink"));
        add_counters(sum, status, COUNTER_HOSTS, COUNTERS_);
    }
    return sum;
}
