/* SPDX-License-Identifier: Apache-2.0 */
/* The table of counters: it names each field once, and programs read the names. */
#include "roles/counters.h"

#include "base/mem.h"
#include "lib/test.h"

/* As they were when the table was made: a program that reads `status` knows them. */
static const char *const names[] = {
    "fetched",
    "pages",
    "failed",
    "refused",
    "refused_by_robots",
    "retried",
    "bytes",
    "links",
    "admitted",
    "known_links",
    "over_budget",
    "over_limit",
    "rejected",
    "revisits",
    "truncated",
    "changed",
    "unchanged",
    "changed_structure",
    "changed_text",
    "changed_markup",
    "unkept",
    "relevant",
    "irrelevant",
    "off_topic",
    "open",
    "hosts",
    "hosts_waiting",
    "hosts_ready",
    "known",
    "queued",
    "out",
    "frontier_bytes",
    "buckets_swapped",
    "links_unsorted",
    "archive_bytes",
    "journal_bytes",
    "total_pages",
    "total_bytes",
};

static void names_and_their_order_stay(void **state)
{
    (void)state;
    assert_int_equal(sizeof names / sizeof *names, COUNTERS_);
    for (size_t i = 0; i < COUNTERS_; i++) {
        assert_string_equal(crawl_counters[i].name, names[i]);
        assert_true(crawl_counters[i].help[0] != 0);
    }
    assert_string_equal(crawl_counters[COUNTER_QUEUED].name, "queued");
}

static struct crawl_counts *counts_open(void)
{
    struct crawl_counts *c = mem_zero(1, sizeof *c);
    assert_non_null(c);
    return c;
}

/* How often a field of the crawl, or of a shard, is counted in a row. */
static unsigned rows_at(bool is_shard, size_t at)
{
    unsigned rows = 0;
    for (size_t i = 0; i < COUNTERS_; i++) {
        const struct counter *c = &crawl_counters[i];
        size_t words = i == COUNTER_REJECTED     ? SCOPE_VERDICTS_
                       : i == COUNTER_OVER_LIMIT ? BRING_VERDICTS_
                                                 : 1;
        if (c->by != COUNTED_BY_LEDGER && (c->by == COUNTED_BY_SHARDS) == is_shard)
            rows += at >= c->at && at < c->at + words * sizeof(uint64_t);
    }
    return rows;
}

/* A counter without a row appears in no status and no report. */
static void each_field_has_one_row(void **state)
{
    (void)state;
    const size_t by_class = offsetof(struct crawl_counts, by_class);
    for (size_t at = 0; at < offsetof(struct crawl_counts, shards); at += sizeof(uint64_t)) {
        bool is_inner = at >= by_class && at < by_class + 6 * sizeof(uint64_t);
        if (rows_at(false, at) != !is_inner)
            fail_msg("the crawl's word %zu is in %u rows", at / 8, rows_at(false, at));
    }
    for (size_t at = 0; at < sizeof(struct crawl_shard_counts); at += sizeof(uint64_t)) {
        bool is_inner = at == offsetof(struct crawl_shard_counts, work) ||
                        at == offsetof(struct crawl_shard_counts, due_ms);
        if (rows_at(true, at) != !is_inner)
            fail_msg("a shard's word %zu is in %u rows", at / 8, rows_at(true, at));
    }
}

static void values_come_from_their_fields(void **state)
{
    (void)state;
    struct crawl_counts *c = counts_open();
    struct ledger_totals t = {.pages = 11, .bytes = 12, .archive_bytes = 13, .journal_bytes = 14};
    atomic_store(&c->fetched, 1);
    atomic_store(&c->robots, 2);
    atomic_store(&c->known, 3);
    atomic_store(&c->open, 4);
    atomic_store(&c->shards[0].known, 100);
    atomic_store(&c->shards[CRAWL_MAX_SHARDS - 1].known, 1000);
    atomic_store(&c->shards[3].queued, 7);
    atomic_store(&c->shards[4].memory_bytes, 8);
    assert_int_equal(counter_value(COUNTER_FETCHED, c, &t), 1);
    assert_int_equal(counter_value(COUNTER_REFUSED_BY_ROBOTS, c, &t), 2);
    assert_int_equal(counter_value(COUNTER_KNOWN_LINKS, c, &t), 3);
    assert_int_equal(counter_value(COUNTER_OPEN, c, &t), 4);
    assert_int_equal(counter_value(COUNTER_KNOWN, c, &t), 1100);
    assert_int_equal(counter_value(COUNTER_QUEUED, c, &t), 7);
    assert_int_equal(counter_value(COUNTER_FRONTIER_BYTES, c, &t), 8);
    assert_int_equal(counter_value(COUNTER_TOTAL_PAGES, c, &t), 11);
    assert_int_equal(counter_value(COUNTER_TOTAL_BYTES, c, &t), 12);
    assert_int_equal(counter_value(COUNTER_ARCHIVE_BYTES, c, &t), 13);
    assert_int_equal(counter_value(COUNTER_JOURNAL_BYTES, c, &t), 14);
    mem_free(c);
}

static void reasons_have_names_and_counts(void **state)
{
    (void)state;
    struct crawl_counts *c = counts_open();
    const char *name;
    uint64_t count;
    for (size_t i = 0; i < SCOPE_VERDICTS_; i++)
        atomic_store(&c->rejected[i], i + 1);
    for (size_t i = 0; i < BRING_VERDICTS_; i++)
        atomic_store(&c->over_limit[i], i + 50);
    for (size_t i = SCOPE_IN + 1; i < SCOPE_VERDICTS_; i++) {
        assert_true(counter_reason(COUNTER_REJECTED, c, i - 1, &name, &count));
        assert_int_equal(count, i + 1);
        assert_string_equal(name, scope_verdict_text((enum scope_verdict)i));
    }
    assert_false(counter_reason(COUNTER_REJECTED, c, SCOPE_VERDICTS_ - 1, &name, &count));
    for (size_t i = BRING_OK + 1; i < BRING_VERDICTS_; i++) {
        assert_true(counter_reason(COUNTER_OVER_LIMIT, c, i - 1, &name, &count));
        assert_int_equal(count, i + 50);
        assert_string_equal(name, bring_verdict_key((enum bring_verdict)i));
    }
    assert_false(counter_reason(COUNTER_OVER_LIMIT, c, BRING_VERDICTS_ - 1, &name, &count));
    mem_free(c);
}

static void links_are_counted_by_what_became_of_them(void **state)
{
    (void)state;
    static const enum admitted became[] = {ADMITTED_NEW,       ADMITTED_NEW,   ADMITTED_KNOWN,
                                           ADMITTED_HOST_FULL, ADMITTED_LATER, ADMITTED_LATER};
    struct crawl_counts *c = counts_open();
    count_admitted(c, became, 6);
    assert_int_equal(c->admitted, 2);
    assert_int_equal(c->known, 1);
    assert_int_equal(c->over_budget, 1);
    assert_int_equal(c->over_limit[BRING_QUEUE], 1);
    mem_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_their_order_stay),
        cmocka_unit_test(each_field_has_one_row),
        cmocka_unit_test(values_come_from_their_fields),
        cmocka_unit_test(reasons_have_names_and_counts),
        cmocka_unit_test(links_are_counted_by_what_became_of_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
