/* SPDX-License-Identifier: Apache-2.0 */
/* Which of the URLs that a page names its host may bring. */
#include "scope/bringing.h"

#include "base/hash.h"
#include "lib/test.h"

#define OWN "a.example"
#define OTHER "b.example"

/* A frontier that knows the URL "/known" of OWN, and has room for `room` more. */
struct frontier_stub {
    uint64_t room;
    unsigned asked; /* how often `knows` was asked */
    uint64_t bytes; /* of the last question about the queue */
};

static bool knows(void *ctx, uint64_t host_hash, uint64_t fingerprint)
{
    struct frontier_stub *f = ctx;
    f->asked++;
    return host_hash == hash64(STR(OWN)) && fingerprint == (hash64(STR("/known")) | 1);
}

static bool queue_is_full(void *ctx, uint64_t more, uint64_t more_bytes)
{
    struct frontier_stub *f = ctx;
    f->bytes = more_bytes;
    return more >= f->room;
}

static struct bringing bringing(struct frontier_stub *f, struct brought *host,
                                const struct bring_limits *limits)
{
    return (struct bringing){
        .limits = *limits, .asks = {f, knows, queue_is_full}, .host_name = STR(OWN), .host = host};
}

static struct found_link link_to(const char *host, const char *path, const char *seed_path)
{
    struct str way = str_c(seed_path);
    return (struct found_link){
        .href = str_c(path),
        .host = str_c(host),
        .path = str_c(path),
        .seed_path = way,
        .host_hash = hash64(str_c(host)),
        .fingerprint = hash64(str_c(path)) | 1,
        .hop = way.p[way.n - 1],
    };
}

static enum bring_verdict list(struct bringing *b, const char *host, const char *path,
                               const char *seed_path)
{
    struct found_link l = link_to(host, path, seed_path);
    return bringing_listed(b, &l);
}

static enum bring_verdict bring(struct bringing *b, const char *host, const char *path)
{
    struct found_link l = link_to(host, path, "L");
    return bringing_new(b, &l);
}

static void what_is_known_costs_a_host_nothing(void **state)
{
    (void)state;
    struct frontier_stub f = {0};
    struct brought host = {0};
    struct bringing b = bringing(&f, &host, &(struct bring_limits){.sitemap_urls = 1});
    b.is_sitemap = true;
    for (int i = 0; i < 3; i++)
        assert_int_equal(list(&b, OWN, "/known", "PX"), BRING_OK);
    assert_int_equal(list(&b, OWN, "/1", "PX"), BRING_OK);
    assert_int_equal(list(&b, OWN, "/2", "PX"), BRING_SITEMAP_URLS);
    assert_int_equal(list(&b, OWN, "/known", "PX"), BRING_OK);
    assert_int_equal(host.sitemap_urls, 1);
}

static void links_of_a_page_are_no_listing_and_the_frontier_is_not_asked(void **state)
{
    (void)state;
    struct frontier_stub f = {0};
    struct brought host = {0};
    struct bringing b = bringing(&f, &host, &(struct bring_limits){1, 1, 1, 1});
    for (int i = 0; i < 3; i++) {
        assert_int_equal(list(&b, OWN, "/1", "L"), BRING_OK);
        assert_int_equal(list(&b, OWN, "/2", "LE"), BRING_OK);
        assert_int_equal(list(&b, OWN, "/3", "LR"), BRING_OK);
    }
    assert_int_equal(f.asked, 0);
}

static void an_index_is_charged_for_its_sitemaps_and_a_page_not_for_its_feed(void **state)
{
    (void)state;
    struct frontier_stub f = {0};
    struct brought host = {0};
    struct bringing b = bringing(&f, &host, &(struct bring_limits){.sitemaps = 1});
    for (int i = 0; i < 3; i++)
        assert_int_equal(list(&b, OWN, "/feed", "LP"), BRING_OK);
    assert_int_equal(host.sitemaps, 0);
    b.is_sitemap = true; /* an index that was found as a page */
    assert_int_equal(list(&b, OTHER, "/1.xml", "LP"), BRING_OK);
    assert_int_equal(list(&b, OTHER, "/2.xml", "LP"), BRING_SITEMAPS);
    assert_int_equal(host.sitemaps, 1);
    b.is_sitemap = false; /* the seed path says that it is the second listing */
    assert_int_equal(list(&b, OWN, "/3.xml", "PP"), BRING_SITEMAPS);
}

static void a_robots_txt_may_name_sitemaps_of_other_hosts_each_day(void **state)
{
    (void)state;
    struct frontier_stub f = {0};
    struct brought host = {0};
    struct bring_limits limits = {.sitemaps = 2};
    for (int day = 0; day < 3; day++) {
        struct bringing b = bringing(&f, &host, &limits);
        b.is_robots = true;
        assert_int_equal(list(&b, OTHER, "/1.xml", "P"), BRING_OK);
        assert_int_equal(list(&b, OTHER, "/2.xml", "P"), BRING_OK);
        assert_int_equal(list(&b, OTHER, "/3.xml", "P"), BRING_SITEMAPS);
    }
    assert_int_equal(host.sitemaps, 0);
    struct bringing b = bringing(&f, &host, &limits);
    b.is_robots = true;
    assert_int_equal(list(&b, OWN, "/1.xml", "P"), BRING_OK);
    assert_int_equal(list(&b, OWN, "/2.xml", "P"), BRING_OK);
    assert_int_equal(list(&b, OWN, "/3.xml", "P"), BRING_SITEMAPS);
    assert_int_equal(host.sitemaps, 2);
}

static void a_host_that_is_not_known_has_an_allowance_for_one_page(void **state)
{
    (void)state;
    struct frontier_stub f = {0};
    struct bringing b =
        bringing(&f, NULL, &(struct bring_limits){.sitemap_urls = 1, .url_bytes = 1});
    assert_int_equal(list(&b, OWN, "/1", "PX"), BRING_OK);
    assert_int_equal(list(&b, OWN, "/2", "PX"), BRING_SITEMAP_URLS);
    for (int i = 0; i < 3; i++) /* nothing durable can be charged */
        assert_int_equal(bring(&b, OWN, "/long/path"), BRING_OK);
}

static void a_full_queue_and_used_up_bytes_end_what_pages_bring(void **state)
{
    (void)state;
    struct frontier_stub f = {.room = 3};
    struct brought host = {0};
    struct bringing b = bringing(&f, &host, &(struct bring_limits){.url_bytes = 9});
    for (int i = 0; i < 3; i++)
        assert_int_equal(bring(&b, OWN, "/"), BRING_OK);
    assert_int_equal(bring(&b, OWN, "/"), BRING_QUEUE);
    assert_int_equal(f.bytes, 3 * (1 + 1 + 24)); /* path, seed path, and what a queue adds */
    assert_int_equal(bring(&b, OTHER, "/other"), BRING_OK); /* 3 + 6 bytes */
    assert_int_equal(bring(&b, OTHER, "/other"), BRING_URL_BYTES);
    assert_int_equal(host.url_bytes, 9);
    assert_int_equal(b.own, 3);
}

static void a_limit_is_told_once_a_host(void **state)
{
    (void)state;
    uint8_t told = 0, other = 0;
    assert_true(bringing_is_first(&told, BRING_NESTED));
    assert_false(bringing_is_first(&told, BRING_NESTED));
    assert_true(bringing_is_first(&told, BRING_QUEUE));
    assert_false(bringing_is_first(&told, BRING_NESTED));
    assert_int_equal(told, 1u << BRING_NESTED | 1u << BRING_QUEUE);
    assert_true(bringing_is_first(&other, BRING_NESTED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_costs_a_host_nothing),
        cmocka_unit_test(links_of_a_page_are_no_listing_and_the_frontier_is_not_asked),
        cmocka_unit_test(an_index_is_charged_for_its_sitemaps_and_a_page_not_for_its_feed),
        cmocka_unit_test(a_robots_txt_may_name_sitemaps_of_other_hosts_each_day),
        cmocka_unit_test(a_host_that_is_not_known_has_an_allowance_for_one_page),
        cmocka_unit_test(a_full_queue_and_used_up_bytes_end_what_pages_bring),
        cmocka_unit_test(a_limit_is_told_once_a_host),
    };
    return cmocka_run_group_tests_name("bringing", tests, NULL, NULL);
}
