/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/budget.h"

#include "lib/test.h"
#include "scope/domain_table.h"

#include <pthread.h>
#include <stdio.h>

static struct budget_settings usual(void)
{
    struct arena *arena = arena_open(1024, 1 << 20);
    struct budget_settings s = {0};
    assert_rc(options_default(budget_options, &s, arena), RC_OK);
    arena_close(arena);
    return s;
}

static struct budget *opened(const struct budget_settings *s)
{
    struct budget *b = NULL;
    assert_rc(budget_open(s, &b), RC_OK);
    return b;
}

static enum budget_verdict take(struct budget *b, const char *host)
{
    return budget_take(b, str_c(host), 0, 0, 0);
}

/* Pages, bytes, time ----------------------------------------------------------------------------
 */

static void without_limits_all_may_be_taken(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    struct budget *b = opened(&s);
    for (int i = 0; i < 1000; i++) {
        assert_int_equal(budget_take(b, STR("a.test"), UINT64_MAX, UINT64_MAX, UINT64_MAX - 1),
                         BUDGET_OK);
        budget_used(b, STR("a.test"), true, 1 << 30);
    }
    budget_close(b);
    budget_close(NULL);
}

static void pages_are_reserved_and_given_back(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    s.pages = 3;
    struct budget *b = opened(&s);
    for (int i = 0; i < 3; i++)
        assert_int_equal(take(b, "a.test"), BUDGET_OK);
    assert_int_equal(take(b, "b.test"), BUDGET_PAGES);
    assert_int_equal(budget_state(b, 0), BUDGET_PAGES);
    budget_used(b, STR("a.test"), false, 10);
    assert_int_equal(budget_state(b, 0), BUDGET_OK);
    assert_int_equal(take(b, "b.test"), BUDGET_OK);
    assert_int_equal(take(b, "b.test"), BUDGET_PAGES);
    s.pages = 4;
    budget_change(b, &s);
    assert_int_equal(take(b, "b.test"), BUDGET_OK);
    assert_int_equal(take(b, "b.test"), BUDGET_PAGES);
    budget_close(b);
}

static void pages_are_spent_when_they_are_fetched(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    s.pages = 2;
    struct budget *b = opened(&s);
    for (int i = 0; i < 2; i++)
        assert_int_equal(take(b, "a.test"), BUDGET_OK);
    assert_int_equal(take(b, "b.test"), BUDGET_PAGES);
    assert_false(budget_is_spent(b));
    budget_used(b, STR("a.test"), true, 10);
    budget_used(b, STR("a.test"), false, 10);
    assert_false(budget_is_spent(b));
    assert_int_equal(take(b, "b.test"), BUDGET_OK);
    budget_used(b, STR("b.test"), true, 10);
    assert_true(budget_is_spent(b));
    s.pages = 0;
    budget_change(b, &s);
    assert_false(budget_is_spent(b));
    budget_close(b);
}

static void what_is_left_of_the_time_counts_earlier_runs(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    struct budget *b = opened(&s);
    assert_true(budget_left_ms(b, 5) == UINT64_MAX);
    s.time_ms = 1000;
    budget_change(b, &s);
    budget_restore(b, 0, 0, 300);
    assert_int_equal(budget_left_ms(b, 0), 700);
    assert_int_equal(budget_left_ms(b, 699), 1);
    assert_int_equal(budget_left_ms(b, 700), 0);
    assert_int_equal(budget_left_ms(b, 5000), 0);
    budget_close(b);
}

static void bytes_and_time_end_the_crawl(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    s.size_bytes = 100;
    s.time_ms = 1000;
    struct budget *b = opened(&s);
    assert_int_equal(take(b, "a.test"), BUDGET_OK);
    budget_used(b, STR("a.test"), true, 99);
    assert_int_equal(budget_take(b, STR("a.test"), 0, 0, 999), BUDGET_OK);
    assert_int_equal(budget_take(b, STR("a.test"), 0, 0, 1000), BUDGET_TIME);
    assert_int_equal(budget_state(b, 1000), BUDGET_TIME);
    budget_used(b, STR("a.test"), false, 1);
    assert_int_equal(take(b, "a.test"), BUDGET_BYTES);
    assert_int_equal(budget_state(b, 0), BUDGET_BYTES);
    budget_close(b);
}

static void hosts_and_domains_have_shares(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    s.host_pages = 5;
    s.host_bytes = 50;
    s.domain_pages = 2;
    s.domain_bytes = 100;
    s.pages = 6;
    struct budget *b = opened(&s);
    assert_int_equal(budget_take(b, STR("a.one.test"), 5, 0, 0), BUDGET_HOST);
    assert_int_equal(budget_take(b, STR("a.one.test"), 0, 50, 0), BUDGET_HOST);
    assert_int_equal(budget_take(b, STR("a.one.test"), 4, 49, 0), BUDGET_OK);
    assert_int_equal(take(b, "b.one.test"), BUDGET_OK);
    assert_int_equal(take(b, "c.one.test"), BUDGET_DOMAIN);
    budget_used(b, STR("a.one.test"), false, 0);
    assert_int_equal(take(b, "c.one.test"), BUDGET_OK);
    assert_int_equal(take(b, "two.test"), BUDGET_OK);
    budget_used(b, STR("two.test"), true, 100);
    assert_int_equal(take(b, "www.two.test"), BUDGET_DOMAIN);
    /* What was refused has taken no page of the crawl. */
    assert_int_equal(take(b, "192.0.2.1"), BUDGET_OK);
    assert_int_equal(take(b, "192.0.2.2"), BUDGET_OK);
    assert_int_equal(take(b, "192.0.2.1"), BUDGET_OK);
    assert_int_equal(take(b, "three.test"), BUDGET_PAGES);
    budget_close(b);
}

static void a_resumed_crawl_goes_on_counting(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    s.pages = 10;
    s.time_ms = 1000;
    s.domain_pages = 4;
    s.domain_hosts = 2;
    struct budget *b = opened(&s);
    budget_restore(b, 9, 100, 600);
    budget_restore_domain(b, STR("a.one.test"), 2, 50, true);
    budget_restore_domain(b, STR("b.one.test"), 2, 50, true);
    assert_int_equal(budget_state(b, 399), BUDGET_OK);
    assert_int_equal(budget_state(b, 400), BUDGET_TIME);
    assert_int_equal(take(b, "one.test"), BUDGET_DOMAIN);
    assert_false(budget_new_host(b, STR("c.one.test"), STR("a.one.test"), 0));
    assert_int_equal(take(b, "two.test"), BUDGET_OK);
    assert_int_equal(take(b, "two.test"), BUDGET_PAGES);
    budget_close(b);
}

/* Hosts -----------------------------------------------------------------------------------------
 */

static unsigned farm(struct budget *b, const char *domain, const char *from, unsigned tries)
{
    unsigned admitted = 0;
    for (unsigned i = 0; i < tries; i++) {
        char host[64];
        (void)snprintf(host, sizeof host, "x%u.%s", i, domain);
        admitted += budget_new_host(b, str_c(host), str_c(from), 0);
    }
    return admitted;
}

static void a_farm_of_hosts_has_an_end(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    struct budget *b = opened(&s);
    assert_int_equal(farm(b, "f47.test", "a1.f47.test", 5000), 1000);
    assert_int_equal(farm(b, "f69.test", "a1.f69.test", 500), 500);
    /* One link from elsewhere, however often it is made, allows as many again: F47 is judged at
     * 2,200. */
    assert_true(budget_new_host(b, STR("a1.f47.test"), STR("zoo.test"), 0));
    assert_int_equal(farm(b, "f47.test", "a1.f47.test", 5000), 999);
    assert_int_equal(farm(b, "f47.test", "www.zoo.test", 5000), 0);
    assert_true(budget_new_host(b, STR("seed.f47.test"), STR(""), 0));
    budget_close(b);
}

static void a_domain_that_many_link_to_is_no_farm(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    struct budget *b = opened(&s);
    assert_int_equal(farm(b, "big.test", "big.test", 5000), 1000);
    for (unsigned i = 0; i < DOMAIN_LINKERS; i++) {
        char from[32];
        (void)snprintf(from, sizeof from, "www.d%u.test", i);
        assert_true(budget_new_host(b, STR("x.big.test"), str_c(from), 0));
    }
    assert_int_equal(farm(b, "big.test", "big.test", 50000), 50000);
    budget_close(b);
}

static void sites_of_a_hosting_company_are_domains_of_their_own(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    s.domain_hosts = 1;
    struct budget *b = opened(&s);
    assert_int_equal(farm(b, "github.io", "x1.github.io", 100), 100);
    assert_int_equal(farm(b, "co.uk", "x1.co.uk", 100), 100);
    assert_true(budget_new_host(b, STR("192.0.2.1"), STR("192.0.2.9"), 0));
    assert_true(budget_new_host(b, STR("192.0.2.2"), STR("192.0.2.9"), 0));
    budget_close(b);
}

static void a_farm_has_few_pages(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    s.domain_hosts = 10;
    s.farm_pages = 20;
    struct budget *b = opened(&s);
    assert_int_equal(farm(b, "f69.test", "f69.test", 10), 10);
    for (int i = 0; i < 30; i++)
        assert_int_equal(take(b, "x1.f69.test"), BUDGET_OK);
    assert_int_equal(farm(b, "f69.test", "f69.test", 1), 0);
    assert_int_equal(take(b, "x1.f69.test"), BUDGET_DOMAIN);
    assert_int_equal(take(b, "other.test"), BUDGET_OK);
    /* It may have more hosts again: it is no farm any more. */
    s.domain_hosts = 11;
    budget_change(b, &s);
    assert_int_equal(take(b, "x1.f69.test"), BUDGET_OK);
    budget_close(b);
}

static void one_page_brings_so_many_hosts(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    struct budget *b = opened(&s);
    assert_true(budget_new_host(b, STR("a.test"), STR("b.test"), 199));
    assert_false(budget_new_host(b, STR("c.test"), STR("b.test"), 200));
    assert_true(budget_new_host(b, STR("c.test"), STR(""), 200));
    s.page_hosts = 0;
    budget_change(b, &s);
    assert_true(budget_new_host(b, STR("d.test"), STR("b.test"), 200));
    budget_close(b);
}

/* Queries ---------------------------------------------------------------------------------------
 */

static unsigned turn_pages(struct budget *b, uint64_t host, const char *path, unsigned tries)
{
    unsigned admitted = 0;
    for (unsigned i = 0; i < tries; i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "%s?month=%u", path, i);
        admitted += budget_query(b, host, str_c(text));
    }
    return admitted;
}

static void a_calendar_has_a_last_month(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    struct budget *b = opened(&s);
    assert_in_range(turn_pages(b, 1, "/cal", 5000), 1000, 2000);
    assert_in_range(turn_pages(b, 2, "/cal", 5000), 1000, 2000);
    assert_in_range(turn_pages(b, 1, "/find", 5000), 1000, 2000);
    for (int i = 0; i < 5000; i++)
        assert_true(budget_query(b, 1, STR("/cal")));
    s.path_queries = 0;
    budget_change(b, &s);
    assert_int_equal(turn_pages(b, 1, "/cal", 5000), 5000);
    budget_close(b);
}

/* Many at once ----------------------------------------------------------------------------------
 */

struct taker {
    struct budget *b;
    uint64_t taken;
};

static void *take_all(void *ctx)
{
    struct taker *t = ctx;
    for (unsigned i = 0; i < 5000; i++) {
        char host[32];
        (void)snprintf(host, sizeof host, "h.d%u.test", i % 7);
        if (budget_take(t->b, str_c(host), 0, 0, 0))
            continue;
        bool is_kept = i % 3 != 0;
        t->taken += is_kept;
        budget_used(t->b, str_c(host), is_kept, 10);
        (void)budget_new_host(t->b, str_c(host), STR("x.test"), 0);
        (void)budget_query(t->b, i % 5, STR("/a?b"));
    }
    return NULL;
}

static void totals_are_exact_with_many_threads(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    struct budget_settings s = usual();
    s.pages = 6000;
    s.domain_pages = 1000; /* of 7 domains: it is the crawl's that ends it */
    struct budget *b = opened(&s);
    pthread_t threads[THREADS];
    struct taker takers[THREADS];
    uint64_t taken = 0;
    for (int i = 0; i < THREADS; i++) {
        takers[i] = (struct taker){.b = b};
        assert_int_equal(pthread_create(&threads[i], NULL, take_all, &takers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        taken += takers[i].taken;
    }
    assert_int_equal(taken, 6000);
    assert_int_equal(budget_state(b, 0), BUDGET_PAGES);
    budget_close(b);
}

static enum rc spend(void *ctx)
{
    struct budget *b = NULL;
    enum rc rc = budget_open(ctx, &b);
    for (unsigned i = 0; i < 100 && b; i++) {
        char host[32];
        (void)snprintf(host, sizeof host, "d%u.test", i);
        if (budget_take(b, str_c(host), 0, 0, 0) == BUDGET_OK)
            budget_used(b, str_c(host), true, 1);
        if (!budget_new_host(b, str_c(host), STR("x.test"), 0))
            rc = RC_NOMEM;
    }
    if (b && budget_state(b, 0) != BUDGET_PAGES)
        rc = RC_CORRUPT;
    budget_close(b);
    return rc;
}

static void without_memory_the_crawls_limits_hold(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    s.pages = 100;
    test_each_allocation_fails(spend, &s);
}

static void limits_are_of_all_agents_together(void **state)
{
    (void)state;
    struct budget *b = opened(&(struct budget_settings){.pages = 10, .size_bytes = 1000});
    budget_others(b, &(struct budget_sum){9, 900, true}); /* nobody shares: it says nothing */
    assert_int_equal(budget_state(b, 0), BUDGET_OK);
    assert_rc(budget_share_with_others(b), RC_OK);
    budget_others(b, &(struct budget_sum){9, 900, false});
    assert_int_equal(budget_take(b, STR("a.example"), 0, 0, 0), BUDGET_OK);
    assert_int_equal(budget_take(b, STR("a.example"), 0, 0, 0), BUDGET_PAGES);
    assert_false(budget_is_spent(b) || budget_sum(b, 0).is_over); /* it may come to nothing */
    budget_used(b, STR("a.example"), true, 50);
    assert_true(budget_is_spent(b) && budget_sum(b, 0).is_over);
    assert_int_equal(budget_sum(b, 0).pages, 1);
    assert_int_equal(budget_sum(b, 0).bytes, 50);
    budget_others(b, &(struct budget_sum){0, 950, false});
    assert_int_equal(budget_state(b, 0), BUDGET_BYTES);
    budget_others(b, &(struct budget_sum){0, 0, true});
    assert_int_equal(budget_state(b, 0), BUDGET_ELSEWHERE);
    assert_false(budget_sum(b, 0).is_over); /* another's word is not handed on as ours */
    budget_close(b);
}

static void a_domain_has_one_share_for_all_agents(void **state)
{
    (void)state;
    struct budget *b = opened(&(struct budget_settings){.domain_pages = 3});
    struct domain_sum told[2];
    assert_rc(budget_share_with_others(b), RC_OK);
    assert_int_equal(budget_take(b, STR("www.example.org"), 0, 0, 0), BUDGET_OK);
    budget_used(b, STR("www.example.org"), true, 100);
    assert_int_equal(budget_tell_domains(b, told, 2), 1);
    assert_true(told[0].pages == 1 && told[0].bytes == 100);
    told[0].pages = 2; /* another has taken two of it */
    budget_heard_domain(b, 1, &told[0]);
    assert_int_equal(budget_take(b, STR("blog.example.org"), 0, 0, 0), BUDGET_DOMAIN);
    assert_int_equal(budget_take(b, STR("www.example.net"), 0, 0, 0), BUDGET_OK);
    budget_close(b);
}

static void every_verdict_has_a_text(void **state)
{
    (void)state;
    for (int v = 0; v < BUDGET_VERDICTS_; v++)
        assert_non_null(budget_verdict_text((enum budget_verdict)v));
    assert_string_equal(budget_verdict_text(BUDGET_VERDICTS_), "unknown");
}

/* Limits that are reached ---------------------------------------------------------------------- */

static void each_limit_that_is_reached_is_told_and_can_be_lifted(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    s.pages = 2, s.size_bytes = 100, s.time_ms = 1000;
    struct budget *b = opened(&s);
    assert_int_equal(budget_reached(b, 999), 0);
    assert_int_equal(take(b, "a.test"), BUDGET_OK);
    assert_int_equal(take(b, "a.test"), BUDGET_OK);
    assert_int_equal(budget_reached(b, 0), 0); /* reserved pages may come to nothing */
    budget_used(b, STR("a.test"), true, 50);
    budget_used(b, STR("a.test"), true, 50);
    assert_int_equal(budget_reached(b, 0), 1u << BUDGET_PAGES | 1u << BUDGET_BYTES);
    assert_int_equal(budget_reached(b, 1000),
                     1u << BUDGET_PAGES | 1u << BUDGET_BYTES | 1u << BUDGET_TIME);
    budget_lift(b, BUDGET_PAGES);
    assert_int_equal(budget_state(b, 0), BUDGET_BYTES);
    budget_lift(b, BUDGET_BYTES);
    assert_int_equal(budget_state(b, 0), BUDGET_OK);
    assert_int_equal(budget_state(b, 1000), BUDGET_TIME);
    budget_lift(b, BUDGET_TIME);
    assert_int_equal(budget_state(b, 1000), BUDGET_OK);
    assert_int_equal(budget_reached(b, 1000), 0);
    assert_int_equal(take(b, "a.test"), BUDGET_OK);
    budget_close(b);
}

static void what_another_agent_ended_is_told_by_the_sums_or_was_its_time(void **state)
{
    (void)state;
    struct budget_settings s = usual();
    s.pages = 60, s.time_ms = 1000;
    struct budget *b = opened(&s);
    assert_rc(budget_share_with_others(b), RC_OK);
    budget_restore(b, 20, 0, 0);
    budget_others(b, &(struct budget_sum){.pages = 40, .is_over = true});
    assert_int_equal(budget_reached(b, 990), 1u << BUDGET_PAGES);
    budget_others(b, &(struct budget_sum){.pages = 39, .is_over = true});
    assert_int_equal(budget_reached(b, 990), 1u << BUDGET_TIME);
    budget_others(b, &(struct budget_sum){.pages = 39}); /* it has gone */
    assert_int_equal(budget_reached(b, 990), 1u << BUDGET_TIME);
    budget_close(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_limits_all_may_be_taken),
        cmocka_unit_test(pages_are_reserved_and_given_back),
        cmocka_unit_test(pages_are_spent_when_they_are_fetched),
        cmocka_unit_test(what_is_left_of_the_time_counts_earlier_runs),
        cmocka_unit_test(bytes_and_time_end_the_crawl),
        cmocka_unit_test(hosts_and_domains_have_shares),
        cmocka_unit_test(a_resumed_crawl_goes_on_counting),
        cmocka_unit_test(a_farm_of_hosts_has_an_end),
        cmocka_unit_test(a_domain_that_many_link_to_is_no_farm),
        cmocka_unit_test(sites_of_a_hosting_company_are_domains_of_their_own),
        cmocka_unit_test(a_farm_has_few_pages),
        cmocka_unit_test(one_page_brings_so_many_hosts),
        cmocka_unit_test(a_calendar_has_a_last_month),
        cmocka_unit_test(totals_are_exact_with_many_threads),
        cmocka_unit_test(without_memory_the_crawls_limits_hold),
        cmocka_unit_test(limits_are_of_all_agents_together),
        cmocka_unit_test(a_domain_has_one_share_for_all_agents),
        cmocka_unit_test(each_limit_that_is_reached_is_told_and_can_be_lifted),
        cmocka_unit_test(what_another_agent_ended_is_told_by_the_sums_or_was_its_time),
        cmocka_unit_test(every_verdict_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
