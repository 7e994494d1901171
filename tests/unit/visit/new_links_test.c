/* SPDX-License-Identifier: Apache-2.0 */
/* Which links are new, and what a frontier says about what a host may bring. */
#include "visit/new_links.h"

#include "base/hash.h"
#include "base/mem.h"
#include "ledger/host_records.h"
#include "lib/test.h"
#include "roles/counters.h"
#include "visit/frontier_bringing.h"

#define OWN "a.example"
#define OTHER "b.example"

enum { SHARDS = 2 };

/* Shard 0 of one, unless `shards` says two; its frontier knows "/known" of OWN. */
struct world {
    struct arena *arena;
    struct frontier *frontier;
    struct checkout checkout;
    struct sent_filter *sent;
    struct known_links known;
    struct found_links links;
    struct found_link list[16];
    struct new_links fresh;
    struct order_lists bands;
};

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
        .via = 9,
        .port = 81,
        .is_https = true,
        .is_wanted = true,
        .hop = way.n ? way.p[way.n - 1] : 'L',
    };
}

static void open_ordered(struct world *w, enum order_kind order)
{
    struct frontier_settings settings = {.max_hosts = 10, .max_host_queue = 4, .order = order};
    struct found_link l = link_to(OWN, "/known", "L");
    struct candidate c = {.fingerprint = l.fingerprint,
                          .host_hash = l.host_hash,
                          .host = l.host,
                          .path = l.path,
                          .seed_path = STR("")};
    enum admitted became;
    size_t done;
    *w = (struct world){.arena = arena_open(4096, 1 << 20),
                        .frontier = frontier_open(&settings, 0, 1),
                        .sent = mem_zero(1, sizeof *w->sent)};
    assert_true(w->arena && w->frontier && w->sent);
    assert_rc(frontier_admit(w->frontier, &c, 1, 0, &became, &done), RC_OK);
    assert_int_equal(became, ADMITTED_NEW);
    assert_rc(frontier_checkout(w->frontier, 0, 0, &w->checkout), RC_OK);
    w->known = (struct known_links){w->frontier, NULL, w->sent, order, &w->bands};
    w->links.list = w->list;
}

static void open_world(struct world *w)
{
    open_ordered(w, ORDER_BREADTH);
}

static void close_world(struct world *w)
{
    frontier_close(w->frontier);
    arena_close(w->arena);
    mem_free(w->sent);
}

static void add(struct world *w, const char *host, const char *path, const char *seed_path)
{
    w->list[w->links.count++] = link_to(host, path, seed_path);
}

static void find(struct world *w, const bool *ours, struct bringing *b)
{
    assert_rc(new_links_find(&w->known, &w->links, ours, b, w->arena, &w->fresh), RC_OK);
}

static void what_the_frontier_knows_is_not_new(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    add(&w, OWN, "/known", "L");
    add(&w, OWN, "/new", "LL");
    add(&w, OWN, "/unwanted", "L");
    w.list[2].is_wanted = false;
    find(&w, NULL, NULL);
    assert_true(w.fresh.count == 1 && w.fresh.foreign == 0 && w.fresh.known == 1);
    const struct candidate *c = &w.fresh.list[0];
    assert_str(c->host, STR(OWN));
    assert_str(c->path, STR("/new"));
    assert_str(c->seed_path, STR("LL"));
    assert_true(c->via == 9 && c->port == 81 && c->is_https);
    assert_true(c->fingerprint == w.list[1].fingerprint && c->host_hash == w.list[1].host_hash);
    find(&w, NULL, NULL); /* it is this shard's: its frontier says when it is known */
    assert_int_equal(w.fresh.count, 1);
    close_world(&w);
}

static void no_links_are_no_new_links(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    find(&w, NULL, NULL);
    assert_true(w.fresh.count == 0 && !w.fresh.list);
    close_world(&w);
}

static void links_of_other_agents_stand_last_and_are_sent_once(void **state)
{
    (void)state;
    struct world w;
    const bool ours[] = {false, true, false};
    open_world(&w);
    add(&w, OTHER, "/1", "L");
    add(&w, OWN, "/2", "L");
    add(&w, OWN, "/known", "L"); /* the host has moved, and the frontier still knows the URL */
    find(&w, ours, NULL);
    assert_true(w.fresh.count == 2 && w.fresh.foreign == 1);
    assert_str(w.fresh.list[0].path, STR("/2"));
    assert_str(w.fresh.list[1].path, STR("/1"));
    assert_true(w.fresh.known == 1 && w.fresh.known_foreign == 1);
    find(&w, ours, NULL);
    assert_true(w.fresh.count == 1 && w.fresh.known_foreign == 2);
    close_world(&w);
}

static void a_shorter_path_to_what_is_known_is_new(void **state)
{
    (void)state;
    struct world w;
    open_world(&w);
    w.known.depth_index = depth_index_open(100, false);
    uint64_t known = link_to(OWN, "/known", "L").fingerprint;
    (void)depth_index_found(w.known.depth_index, known, 2, STR("LL"));
    add(&w, OWN, "/known", "LL");
    find(&w, NULL, NULL);
    assert_int_equal(w.fresh.count, 0);
    w.list[0].seed_path = STR("L");
    find(&w, NULL, NULL);
    assert_int_equal(w.fresh.count, 1);
    depth_index_close(w.known.depth_index);
    close_world(&w);
}

static void a_link_to_another_agent_is_sent_again_at_another_depth(void **state)
{
    (void)state;
    struct world w;
    const bool ours[] = {false};
    open_world(&w);
    w.known.depth_index = depth_index_open(100, false);
    add(&w, OTHER, "/1", "LL");
    for (unsigned depth = 2; depth > 0; depth--) {
        w.list[0].seed_path = str_first(STR("LL"), depth);
        find(&w, ours, NULL);
        assert_int_equal(w.fresh.count, 1);
        find(&w, ours, NULL);
        assert_int_equal(w.fresh.count, 0);
    }
    depth_index_close(w.known.depth_index);
    close_world(&w);
}

static void what_a_host_may_not_bring_is_counted_and_another_host_may_bring_it(void **state)
{
    (void)state;
    struct world w;
    struct frontier_bringing b;
    struct brought brought = {0};
    const bool ours[] = {false, false};
    open_world(&w);
    add(&w, OTHER, "/1234", "L");
    add(&w, OTHER, "/5678", "L");
    frontier_bringing_init(&b, w.frontier, w.checkout.host, STR(OWN),
                           &(struct bring_limits){.url_bytes = 1}, &brought);
    find(&w, ours, &b.bringing);
    assert_true(w.fresh.count == 1 && w.links.left_out[BRING_URL_BYTES] == 1);
    assert_int_equal(w.links.left_out[BRING_OK], 0);
    find(&w, ours, NULL);
    assert_true(w.fresh.count == 1 && w.fresh.known_foreign == 1);
    assert_str(w.fresh.list[0].path, STR("/5678"));
    close_world(&w);
}

static void each_shard_gets_the_candidates_of_its_hosts(void **state)
{
    (void)state;
    struct candidate list[64];
    const struct candidate *some[64];
    size_t all = 0;
    for (size_t i = 0; i < 64; i++)
        list[i] = (struct candidate){.host_hash = hash64_mix(i + 1)};
    for (unsigned shard = 0; shard < SHARDS; shard++) {
        size_t n = candidates_of_shard(list, 64, shard, SHARDS, some);
        all += n;
        for (size_t i = 0; i < n; i++)
            assert_int_equal(frontier_bucket(some[i]->host_hash) % SHARDS, shard);
    }
    assert_int_equal(all, 64);
}

/* Order ---------------------------------------------------------------------------------------- */

static unsigned back_links(const struct world *w, const char *host, const char *path)
{
    struct found_link l = link_to(host, path, "L");
    struct frontier_worth worth = {0};
    assert_true(frontier_worth(w->frontier, l.host_hash, l.fingerprint, l.path, &worth));
    return worth.back;
}

static void a_known_link_is_one_more_page_that_links(void **state)
{
    (void)state;
    struct world w;
    const bool not_ours[] = {false, false};
    open_ordered(&w, ORDER_PRIORITY);
    add(&w, OWN, "/known", "L");
    find(&w, NULL, NULL); /* of a list: seeds and requeued URLs are no pages that link */
    assert_int_equal(back_links(&w, OWN, "/known"), 0);
    w.links.are_of_page = true;
    for (unsigned i = 1; i < 4; i++) {
        find(&w, NULL, NULL);
        assert_int_equal(back_links(&w, OWN, "/known"), i);
        assert_int_equal(w.fresh.again_count, 0);
    }
    find(&w, not_ours, NULL); /* its host belongs to another agent */
    assert_int_equal(back_links(&w, OWN, "/known"), 3);
    close_world(&w);
}

static void other_shards_are_told_of_links_that_the_filter_drops(void **state)
{
    (void)state;
    struct world w;
    const unsigned told[] = {0, 1, 0, 2, 0, 0, 0, 4};
    open_ordered(&w, ORDER_PRIORITY);
    frontier_close(w.frontier);
    struct frontier_settings settings = {.max_hosts = 10, .max_host_queue = 4};
    struct found_link l = link_to(OTHER, "/1", "L");
    unsigned shard = frontier_bucket(l.host_hash) % SHARDS;
    w.known.frontier = w.frontier = frontier_open(&settings, 1 - shard, SHARDS);
    add(&w, OTHER, "/1", "L");
    w.links.are_of_page = true;
    for (unsigned i = 0; i < 8; i++) {
        find(&w, NULL, NULL);
        assert_int_equal(w.fresh.count, i == 0);
        assert_int_equal(w.fresh.again_count, told[i] != 0);
        if (told[i]) {
            assert_int_equal(w.fresh.again[0].pages, told[i]);
            assert_true(w.fresh.again[0].fingerprint == l.fingerprint);
            assert_true(w.fresh.again[0].host_hash == l.host_hash);
        }
    }
    w.known.order = ORDER_BREADTH;
    for (unsigned i = 0; i < 20; i++) {
        find(&w, NULL, NULL);
        assert_int_equal(w.fresh.again_count, 0);
    }
    close_world(&w);
}

static void of_a_topic_a_link_gets_its_list_where_it_is_found(void **state)
{
    (void)state;
    static const struct {
        const char *path, *seed_path;
        uint16_t worth;
        uint8_t class;
    } rows[] = {{"/good", "L", 900, 0}, {"/middle", "L", 500, 1},  {"/bad", "L", 0, 2},
                {"/listed", "X", 0, 2}, {"/redirect", "LR", 0, 0}, {"/image", "LE", 0, 1},
                {"/sitemap", "P", 0, 0}};
    struct world w;
    open_ordered(&w, ORDER_TOPIC);
    w.links.are_of_page = true;
    for (unsigned i = 0; i < 200; i++)
        (void)order_lists_band(&w.bands, i % 10 == 0  ? 900
                                         : i % 10 < 4 ? 700
                                         : i % 10 < 7 ? 300
                                                      : 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        add(&w, OWN, rows[i].path, rows[i].seed_path);
        w.list[i].worth = rows[i].worth;
    }
    find(&w, NULL, NULL);
    assert_int_equal(w.fresh.count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < w.fresh.count; i++)
        if (w.fresh.list[i].class != rows[i].class)
            fail_msg("%s: %u", rows[i].path, w.fresh.list[i].class);
    close_world(&w);
}

static void revisits_have_a_list_of_their_own_unless_the_crawl_is_breadth_first(void **state)
{
    (void)state;
    for (unsigned order = 0; order < ORDER_KINDS_; order++) {
        struct world w;
        open_ordered(&w, (enum order_kind)order);
        w.links.are_revisits = true;
        add(&w, OWN, "/again", "L");
        w.list[0].forward = 8;
        find(&w, NULL, NULL);
        assert_int_equal(w.fresh.list[0].class, order == ORDER_BREADTH ? 0 : ORDER_REVISITS);
        assert_int_equal(w.fresh.list[0].forward, 8);
        close_world(&w);
    }
}

/* The visit of a host's URL, as judge-links and disposition see it ----------------------------- */

static struct visit *visit_of_world(struct world *w, enum visit_kind kind)
{
    struct visit *v = visit_open(kind, NULL);
    assert_non_null(v);
    v->turn.checkout = w->checkout;
    v->turn.record = host_record_of(w->checkout.host);
    return v;
}

static void the_frontier_answers_for_a_visit_and_its_host_is_charged(void **state)
{
    (void)state;
    struct world w;
    struct frontier_bringing b;
    open_world(&w);
    struct visit *v = visit_of_world(&w, VISIT_PAGE);
    v->parsed.media = MEDIA_SITEMAP;
    visit_bringing_init(&b, w.frontier, &(struct bring_limits){.sitemap_urls = 1}, v);
    assert_true(b.bringing.is_sitemap && !b.bringing.is_robots);
    struct found_link known = link_to(OWN, "/known", "PX"), one = link_to(OWN, "/1", "PX");
    struct found_link far = link_to(OTHER, "/known", "PX");
    for (int i = 0; i < 3; i++)
        assert_int_equal(bringing_listed(&b.bringing, &known), BRING_OK);
    assert_int_equal(bringing_listed(&b.bringing, &one), BRING_OK);
    assert_int_equal(bringing_listed(&b.bringing, &far), BRING_SITEMAP_URLS);
    assert_int_equal(host_record_if(w.checkout.host)->brought.sitemap_urls, 1);
    message_end(&v->head);
    close_world(&w);
}

static void a_queue_is_full_with_what_the_page_has_brought_so_far(void **state)
{
    (void)state;
    struct world w;
    struct frontier_bringing b;
    open_world(&w);
    struct visit *v = visit_of_world(&w, VISIT_PAGE);
    visit_bringing_init(&b, w.frontier, &(struct bring_limits){0}, v);
    struct found_link own = link_to(OWN, "/", "L");
    for (int i = 0; i < 3; i++) /* one is out, so three have room */
        assert_int_equal(bringing_new(&b.bringing, &own), BRING_OK);
    assert_int_equal(bringing_new(&b.bringing, &own), BRING_QUEUE);
    message_end(&v->head);
    close_world(&w);
}

static void a_robots_txt_has_an_allowance_for_sitemaps_of_other_hosts(void **state)
{
    (void)state;
    struct world w;
    struct frontier_bringing b;
    open_world(&w);
    struct visit *v = visit_of_world(&w, VISIT_ROBOTS);
    visit_bringing_init(&b, w.frontier, &(struct bring_limits){.sitemaps = 1}, v);
    assert_true(b.bringing.is_robots);
    struct found_link far = link_to(OTHER, "/1.xml", "P"), own = link_to(OWN, "/1.xml", "P");
    assert_int_equal(bringing_listed(&b.bringing, &far), BRING_OK);
    assert_int_equal(bringing_listed(&b.bringing, &far), BRING_SITEMAPS);
    assert_int_equal(bringing_listed(&b.bringing, &own), BRING_OK);
    assert_int_equal(v->turn.record->brought.sitemaps, 1);
    message_end(&v->head);
    close_world(&w);
}

static void what_is_left_out_counts_as_over_budget_too(void **state)
{
    (void)state;
    static struct crawl_counts counts;
    for (unsigned i = 1; i <= 2; i++) {
        count_over_limit(&counts, BRING_NESTED, 10);
        assert_int_equal(counts.over_limit[BRING_NESTED], 10 * i);
        assert_int_equal(counts.over_budget, 10 * i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_frontier_knows_is_not_new),
        cmocka_unit_test(no_links_are_no_new_links),
        cmocka_unit_test(links_of_other_agents_stand_last_and_are_sent_once),
        cmocka_unit_test(a_shorter_path_to_what_is_known_is_new),
        cmocka_unit_test(a_link_to_another_agent_is_sent_again_at_another_depth),
        cmocka_unit_test(what_a_host_may_not_bring_is_counted_and_another_host_may_bring_it),
        cmocka_unit_test(each_shard_gets_the_candidates_of_its_hosts),
        cmocka_unit_test(a_known_link_is_one_more_page_that_links),
        cmocka_unit_test(other_shards_are_told_of_links_that_the_filter_drops),
        cmocka_unit_test(of_a_topic_a_link_gets_its_list_where_it_is_found),
        cmocka_unit_test(revisits_have_a_list_of_their_own_unless_the_crawl_is_breadth_first),
        cmocka_unit_test(the_frontier_answers_for_a_visit_and_its_host_is_charged),
        cmocka_unit_test(a_queue_is_full_with_what_the_page_has_brought_so_far),
        cmocka_unit_test(a_robots_txt_has_an_allowance_for_sitemaps_of_other_hosts),
        cmocka_unit_test(what_is_left_out_counts_as_over_budget_too),
    };
    return cmocka_run_group_tests_name("new_links", tests, NULL, NULL);
}
