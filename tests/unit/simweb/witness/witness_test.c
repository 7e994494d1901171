/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "witness/account.h"

#include "base/mem.h"

#define MS UINT64_C(1000)

static const struct fault bad = {.id = "F06", .does = "resets"};

static struct witness_request plain(const char *host, const char *url, uint32_t address)
{
    return (struct witness_request){
        .host = str_c(host), .url = str_c(url), .address = address, .connection = 1};
}

static struct witness_request faulty(const char *path)
{
    return (struct witness_request){.host = STR("x.f06.test"),
                                    .url = STR("http://x.f06.test/"),
                                    .address = 0x7f006406,
                                    .connection = 9,
                                    .nth_on_conn = 3,
                                    .facts = FACT_COOKIE | FACT_HTTPS,
                                    .fault = &bad,
                                    .label = STR("x"),
                                    .path = str_c(path)};
}

static const struct tally *host(const struct witness *w, const char *name)
{
    const struct tally *t = tallies_find_host(&w->hosts, str_c(name));
    assert_non_null(t);
    return t;
}

static void ask(struct witness *w, struct witness_request r, uint64_t start_us, uint64_t end_us)
{
    uint64_t ticket = witness_start(w, &r, start_us);
    assert_true(ticket > 0);
    witness_end(w, ticket, end_us, 200, 1000, SIGHT_WHOLE, 0);
}

static void connections_are_counted_by_their_first_request(void **state)
{
    (void)state;
    struct witness *w = witness_open(false);
    for (uint32_t i = 0; i < 6; i++) {
        struct witness_request r = plain(i < 4 ? "a.test" : "b.test", "http://a.test/1", 1);
        r.nth_on_conn = i % 3; /* two for a.test, of which the second goes on for b.test */
        r.is_resumed = i >= 3;
        ask(w, r, 10 + i, 11 + i);
    }
    assert_int_equal(host(w, "a.test")->connections, 2);
    assert_int_equal(host(w, "a.test")->resumed, 1);
    assert_int_equal(host(w, "b.test")->connections, 0);
    assert_int_equal(tallies_at(&w->addresses, 0)->connections, 2);
    witness_close(w);
}

static void a_url_is_counted_each_time(void **state)
{
    (void)state;
    struct witness *w = witness_open(true);
    for (int i = 0; i < 3; i++)
        ask(w, plain("a.test", "http://a.test/1", 1), 10, 20);
    ask(w, plain("a.test", "http://a.test/2", 1), 30, 40);
    assert_int_equal(witness_url_count(w, STR("http://a.test/1")), 3);
    assert_int_equal(witness_url_count(w, STR("http://a.test/2")), 1);
    assert_int_equal(witness_url_count(w, STR("http://a.test/3")), 0);
    assert_int_equal(witness_host_count(w, STR("a.test")), 4);
    assert_int_equal(witness_host_count(w, STR("b.test")), 0);
    assert_int_equal(w->pages.distinct, 2);
    assert_int_equal(w->pages.fetched_again, 1);
    assert_int_equal(w->pages.repeats, 2);
    assert_int_equal(w->again.count, 1);
    assert_str(w->again.urls[0], STR("http://a.test/1"));
    witness_close(w);
}

static void robots_txt_is_counted_apart_but_politeness_holds(void **state)
{
    (void)state;
    struct witness *w = witness_open(false);
    struct witness_request r = plain("a.test", "http://a.test/robots.txt", 1);
    r.is_robots = true;
    ask(w, r, 0, 10 * MS);
    ask(w, r, 12 * MS, 13 * MS);
    assert_int_equal(w->robots.requests, 2);
    assert_int_equal(w->robots.fetched_again, 1);
    assert_int_equal(w->pages.requests, 0);
    assert_int_equal(w->pages.distinct, 0);
    assert_int_equal(w->again.count, 0);
    assert_int_equal(host(w, "a.test")->least_end_gap_us, 2 * MS);
    assert_int_equal(witness_url_count(w, STR("http://a.test/robots.txt")), 2);
    witness_close(w);
}

static void two_hosts_of_one_address_overlap_there_alone(void **state)
{
    (void)state;
    struct witness *w = witness_open(false);
    struct witness_request a = plain("a.test", "http://a.test/", 1);
    struct witness_request b = plain("b.test", "http://b.test/", 1);
    uint64_t first = witness_start(w, &a, 0);
    uint64_t second = witness_start(w, &b, 1 * MS);
    assert_true(first != second);
    assert_int_equal(w->open.count, 2);
    witness_end(w, first, 2 * MS, 200, 0, SIGHT_WHOLE, 0);
    witness_end(w, second, 3 * MS, 200, 0, SIGHT_WHOLE, 0);
    assert_int_equal(host(w, "a.test")->most_open, 1);
    assert_int_equal(host(w, "b.test")->overlaps, 0);
    const struct tally *address = tallies_at(&w->addresses, 0);
    assert_int_equal(address->most_open, 2);
    assert_int_equal(address->overlaps, 1);
    assert_int_equal(address->open, 0);
    assert_int_equal(w->open.count, 0);
    witness_close(w);
}

static void a_back_off_is_the_hosts_alone(void **state)
{
    (void)state;
    struct witness *w = witness_open(false);
    struct witness_request a = plain("a.test", "http://a.test/", 1);
    witness_end(w, witness_start(w, &a, 0), 300 * MS, 429, 0, SIGHT_WHOLE, 1000);
    ask(w, plain("b.test", "http://b.test/", 1), 305 * MS, 306 * MS);
    ask(w, plain("a.test", "http://a.test/", 1), 400 * MS, 401 * MS);
    assert_int_equal(host(w, "a.test")->during_backoff, 1);
    assert_int_equal(host(w, "a.test")->worst_early_us, (600 - BACKOFF_SLACK_MS) * MS);
    ask(w, plain("a.test", "http://a.test/", 1), (1000 - BACKOFF_SLACK_MS) * MS, 1001 * MS);
    assert_int_equal(host(w, "a.test")->during_backoff, 1);
    assert_int_equal(host(w, "b.test")->during_backoff, 0);
    assert_int_equal(tallies_at(&w->addresses, 0)->during_backoff, 0);
    witness_close(w);
}

static void a_back_off_counts_from_the_start_and_never_overflows(void **state)
{
    (void)state;
    assert_int_equal(backoff_until_us(5, 0), 0);
    assert_int_equal(backoff_until_us(5, BACKOFF_SLACK_MS), 0);
    assert_int_equal(backoff_until_us(5, BACKOFF_SLACK_MS + 3), 3005);
    assert_true(backoff_until_us(5, UINT64_MAX) == UINT64_MAX);
}

static void forbidden_requests_are_counted_and_named(void **state)
{
    (void)state;
    struct witness *w = witness_open(false);
    struct witness_request r = plain("a.test", "http://a.test/private/1", 1);
    r.is_forbidden = true;
    for (int i = 0; i < 3; i++)
        ask(w, r, 0, 1);
    assert_int_equal(w->forbidden, 3);
    assert_int_equal(host(w, "a.test")->forbidden, 3);
    assert_int_equal(w->not_allowed.count, 1);
    assert_str(w->not_allowed.urls[0], STR("http://a.test/private/1"));
    witness_close(w);
}

static void a_request_to_a_fault_is_kept_with_all_that_was_seen(void **state)
{
    (void)state;
    struct witness *w = witness_open(false);
    uint32_t count;
    assert_null(witness_sights(w, &bad, &count));
    assert_int_equal(count, 0);
    struct witness_request r = faulty("/reset?a=1");
    uint64_t ticket = witness_start(w, &r, 7);
    const struct sight *s = witness_sights(w, &bad, &count);
    assert_int_equal(count, 1);
    assert_int_equal(s->end, SIGHT_OPEN);
    assert_int_equal(s->end_us, 0);
    witness_end(w, ticket, 9, 503, 1234, SIGHT_CLIENT_LEFT, 60);
    s = witness_sights(w, &bad, &count);
    assert_ptr_equal(s->fault, &bad);
    assert_str(s->host, STR("x.f06.test"));
    assert_str(s->label, STR("x"));
    assert_str(s->path, STR("/reset?a=1"));
    assert_int_equal(s->address, 0x7f006406);
    assert_int_equal(s->connection, 9);
    assert_int_equal(s->nth_on_conn, 3);
    assert_int_equal(s->start_us, 7);
    assert_int_equal(s->end_us, 9);
    assert_int_equal(s->bytes, 1234);
    assert_int_equal(s->status, 503);
    assert_int_equal(s->end, SIGHT_CLIENT_LEFT);
    assert_int_equal(s->facts, FACT_COOKIE | FACT_HTTPS);
    assert_int_equal(s->backoff_ms, 60);
    witness_close(w);
}

static void sights_keep_their_order_while_the_list_moves(void **state)
{
    (void)state;
    struct witness *w = witness_open(false);
    uint64_t tickets[1000];
    struct witness_request r = faulty("/");
    for (uint32_t i = 0; i < 1000; i++)
        tickets[i] = witness_start(w, &r, i + 1);
    for (uint32_t i = 1000; i-- > 0;)
        witness_end(w, tickets[i], 2000 + i, (uint16_t)i, 0, SIGHT_WHOLE, 0);
    uint32_t count;
    const struct sight *s = witness_sights(w, &bad, &count);
    assert_int_equal(count, 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(s[i].start_us, i + 1);
        assert_int_equal(s[i].status, i);
        assert_int_equal(s[i].end_us, 2000 + i);
    }
    witness_close(w);
}

static void past_the_maximum_sights_are_counted_not_kept(void **state)
{
    (void)state;
    static struct sights all;
    sights_init(&all, 2);
    struct sight s = {.fault = &bad, .path = STR("/")};
    for (int i = 0; i < 5; i++)
        assert_int_equal(sights_add(&all, &s).list, i < 2);
    assert_int_equal(sights_of(&all, &bad)->count, 2);
    assert_int_equal(sights_of(&all, &bad)->dropped, 3);
    sights_done(&all);
    assert_null(sights_of(&all, &bad));
}

static void a_ticket_ends_once_and_a_strange_one_nothing(void **state)
{
    (void)state;
    struct witness *w = witness_open(false);
    struct witness_request a = plain("a.test", "http://a.test/", 1);
    uint64_t first = witness_start(w, &a, 0);
    witness_end(w, first, 5, 200, 0, SIGHT_WHOLE, 0);
    uint64_t second = witness_start(w, &a, 10);
    assert_true(first != second);
    witness_end(w, first, 11, 200, 0, SIGHT_WHOLE, 1000);
    witness_end(w, 0, 11, 200, 0, SIGHT_WHOLE, 1000);
    witness_end(w, UINT64_MAX, 11, 200, 0, SIGHT_WHOLE, 1000);
    assert_int_equal(host(w, "a.test")->open, 1);
    assert_int_equal(host(w, "a.test")->backoff_until_us, 0);
    witness_end(w, second, 12, 200, 0, SIGHT_WHOLE, 0);
    assert_int_equal(host(w, "a.test")->open, 0);
    witness_close(w);
}

static void a_reset_forgets_everything_and_open_requests_too(void **state)
{
    (void)state;
    struct witness *w = witness_open(true);
    struct witness_request a = plain("a.test", "http://a.test/", 1);
    struct witness_request f = faulty("/");
    ask(w, a, 0, 1);
    ask(w, a, 2, 3);
    uint64_t open = witness_start(w, &f, 4);
    witness_dns(w, STR("a.test"), 1, 0);
    witness_reset(w);
    uint32_t count;
    assert_int_equal(w->requests, 0);
    assert_int_equal(witness_url_count(w, a.url), 0);
    assert_int_equal(witness_host_count(w, a.host), 0);
    assert_int_equal(w->open.count, 0);
    assert_int_equal(w->asked.queries, 0);
    assert_null(witness_sights(w, &bad, &count));
    uint64_t ticket = witness_start(w, &a, 10);
    assert_true(ticket != open);
    witness_end(w, open, 11, 200, 0, SIGHT_WHOLE, 0);
    assert_int_equal(host(w, "a.test")->open, 1);
    assert_int_equal(w->pages.distinct, 1);
    assert_true(w->keep_urls);
    assert_int_equal(w->url_texts.count, 1);
    witness_close(w);
}

static void dns_queries_are_counted_by_name_type_and_answer(void **state)
{
    (void)state;
    struct witness *w = witness_open(false);
    for (int i = 0; i < 100; i++)
        witness_dns(w, STR("a.test"), 1, 0);
    witness_dns(w, STR("a.test"), 28, 0);
    witness_dns(w, STR("nx.test"), 1, 3);
    witness_dns(w, STR("nx.test"), 1, 3);
    witness_dns(w, STR("odd.test"), 255, 4000);
    const struct asked *a = &w->asked;
    assert_int_equal(a->queries, 104);
    assert_int_equal(a->a, 102);
    assert_int_equal(a->aaaa, 1);
    assert_int_equal(a->other, 1);
    assert_int_equal(a->rcodes[0], 101);
    assert_int_equal(a->rcodes[3], 2);
    assert_int_equal(a->rcodes[15], 1);
    assert_int_equal(a->count, 4);
    assert_int_equal(a->rows[0].count, 100);
    assert_str(a->rows[2].name, STR("nx.test"));
    assert_int_equal(a->rows[2].count, 2);
    witness_close(w);
}

/* Whatever fails, what can be counted is, and nothing is counted twice. */
static enum rc live_through(void *ctx)
{
    (void)ctx;
    struct witness *w = witness_open(true);
    if (!w)
        return RC_NOMEM;
    struct witness_request a = plain("a.test", "http://a.test/", 1);
    struct witness_request f = faulty("/");
    uint64_t tickets[200];
    for (int i = 0; i < 200; i++)
        tickets[i] = witness_start(w, i % 2 ? &a : &f, (uint64_t)i);
    uint64_t given = 0;
    for (int i = 0; i < 200; i++) {
        given += tickets[i] > 0;
        witness_end(w, tickets[i], 1000, 200, 0, SIGHT_WHOLE, 0);
    }
    witness_dns(w, STR("a.test"), 1, 0);
    assert_int_equal(w->requests, 200);
    assert_int_equal(given + w->missed, 200);
    assert_int_equal(w->open.count, 0);
    uint32_t sights;
    witness_sights(w, &bad, &sights);
    const struct sights_list *l = sights_of(&w->sights, &bad);
    uint64_t lost = w->missed + w->urls_missed + w->asked.missed + (l ? l->dropped : 0);
    witness_reset(w);
    witness_close(w);
    return lost ? RC_NOMEM : RC_OK;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(live_through, NULL);
    witness_close(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_are_counted_by_their_first_request),
        cmocka_unit_test(a_url_is_counted_each_time),
        cmocka_unit_test(robots_txt_is_counted_apart_but_politeness_holds),
        cmocka_unit_test(two_hosts_of_one_address_overlap_there_alone),
        cmocka_unit_test(a_back_off_is_the_hosts_alone),
        cmocka_unit_test(a_back_off_counts_from_the_start_and_never_overflows),
        cmocka_unit_test(forbidden_requests_are_counted_and_named),
        cmocka_unit_test(a_request_to_a_fault_is_kept_with_all_that_was_seen),
        cmocka_unit_test(sights_keep_their_order_while_the_list_moves),
        cmocka_unit_test(past_the_maximum_sights_are_counted_not_kept),
        cmocka_unit_test(a_ticket_ends_once_and_a_strange_one_nothing),
        cmocka_unit_test(a_reset_forgets_everything_and_open_requests_too),
        cmocka_unit_test(dns_queries_are_counted_by_name_type_and_answer),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
