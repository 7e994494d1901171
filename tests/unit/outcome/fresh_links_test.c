/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/fresh_links.h"

#include "base/mem.h"
#include "lib/step.h"

static struct step s;
static struct sent_filter sent;

static struct link_finder open_world(const char *settings, unsigned with)
{
    step_world(&s, settings, with);
    memset(&sent, 0, sizeof sent);
    return (struct link_finder){.known = {ledger_frontier(s.ledger->ledger, 0), NULL, &sent},
                                .cluster = &s.cluster.service,
                                .budget = s.budget,
                                .counts = &s.ledger->counts};
}

static struct visit *page(const char *url, const struct found_link *links, size_t count)
{
    struct visit *v = step_visit(&s, url, "L");
    v->judged.links.list = arena_alloc(v->arena, (count + 1) * sizeof *links);
    assert_non_null(v->judged.links.list);
    if (count)
        memcpy(v->judged.links.list, links, count * sizeof *links);
    v->judged.links.count = count;
    return v;
}

static void close_world(struct message *m)
{
    message_end(m);
    step_close(&s);
}

/* Finding -------------------------------------------------------------------------------------- */

static void what_is_known_or_out_of_scope_is_not_new(void **state)
{
    (void)state;
    struct link_finder f = open_world("", 0);
    struct fresh_links fresh;
    struct found_link links[] = {step_link("http://a.test/1", "LL"), /* the page itself */
                                 step_link("http://b.test/1", "LL"),
                                 step_link("http://c.test/1", "LL")};
    links[2].is_wanted = false;
    struct visit *v = page("http://a.test/1", links, 3);
    atomic_store(&s.cluster.service.generation, 5);
    assert_rc(fresh_links_of_visit(&f, v, &fresh), RC_OK);
    assert_int_equal(fresh.new.count, 1);
    assert_str(fresh.new.list[0].host, STR("b.test"));
    assert_str(fresh.from, STR("a.test"));
    assert_int_equal(fresh.generation, 5);
    assert_int_equal(s.ledger->counts.known, 1);
    close_world(&v->head);
}

static void a_page_without_links_asks_for_nothing(void **state)
{
    (void)state;
    struct link_finder f = open_world("", 0);
    struct fresh_links fresh;
    struct visit *v = page("http://a.test/1", NULL, 0);
    mem_fault_at(1);
    assert_rc(fresh_links_of_visit(&f, v, &fresh), RC_OK);
    assert_false(mem_fault_hit());
    mem_fault_at(0);
    assert_int_equal(fresh.new.count, 0);
    close_world(&v->head);
}

static void links_of_other_agents_stand_last_and_are_counted_once(void **state)
{
    (void)state;
    struct link_finder f = open_world("", 0);
    struct fresh_links fresh;
    struct found_link links[] = {step_link("http://b.test/1", "LL"),
                                 step_link("http://c.test/1", "LL")};
    struct visit *v = page("http://a.test/1", links, 2);
    s.cluster.foreign = links[0].host_hash;
    assert_rc(fresh_links_of_visit(&f, v, &fresh), RC_OK);
    assert_int_equal(fresh.new.count, 2);
    assert_int_equal(fresh.new.foreign, 1);
    assert_str(fresh.new.list[1].host, STR("b.test"));
    assert_int_equal(s.cluster.service.foreign, 1);
    assert_int_equal(s.cluster.service.repeated, 0);
    assert_rc(fresh_links_of_visit(&f, v, &fresh), RC_OK);
    assert_int_equal(s.cluster.service.foreign, 1);
    assert_int_equal(s.cluster.service.repeated, 1);
    close_world(&v->head);
}

static void a_page_brings_no_more_than_its_host_may_and_a_list_brings_all(void **state)
{
    (void)state;
    struct link_finder f = open_world("host-url-size=15", 0);
    struct fresh_links fresh;
    const struct step_item items[] = {{"http://d.test/1", "LL"}, {"http://e.test/1", "LL"}};
    struct found_link links[] = {step_link("http://b.test/1", "LL"),
                                 step_link("http://c.test/1", "LL")};
    struct visit *v = page("http://a.test/1", links, 2);
    assert_rc(fresh_links_of_visit(&f, v, &fresh), RC_OK);
    assert_int_equal(fresh.new.count, 1);
    assert_int_equal(v->judged.links.left_out[BRING_URL_BYTES], 1);
    message_end(&v->head);
    struct message *m = step_judged_list(LIST_SEEDS, items, 2);
    assert_rc(fresh_links_of_list(&f, url_list_of(m), &fresh), RC_OK);
    assert_int_equal(fresh.new.count, 2);
    assert_str(fresh.from, STR("")); /* no page: budgets let every seed in */
    close_world(m);
}

/* Handing out ---------------------------------------------------------------------------------- */

/* One link to each of two shards, and one to another agent's host. */
struct three {
    struct candidate list[3];
    unsigned shard_of_first;
    struct fresh_links fresh;
};

static void make_three(struct three *t, struct arena *arena)
{
    static const char *const urls[] = {"http://b.test/", "http://c.test/", "http://d.test/",
                                       "http://e.test/", "http://f.test/", "http://g.test/"};
    unsigned next = 1;
    t->list[0] = step_candidate(urls[0], "L");
    t->shard_of_first = frontier_bucket(t->list[0].host_hash) % 2;
    do
        t->list[1] = step_candidate(urls[next++], "L");
    while (frontier_bucket(t->list[1].host_hash) % 2 == t->shard_of_first);
    t->list[2] = step_candidate("http://foreign.test/", "L");
    t->fresh = (struct fresh_links){.new = {.list = t->list, .count = 3, .foreign = 1},
                                    .generation = 9,
                                    .arena = arena,
                                    .from = STR("a.test"),
                                    .epoch = 3,
                                    .batch = 77};
}

static void a_shard_gets_its_own_links_and_none_of_other_agents(void **state)
{
    (void)state;
    struct arena *arena = arena_open(1000, 1 << 16);
    struct three t;
    make_three(&t, arena);
    for (unsigned i = 0; i < 2; i++) {
        unsigned shard = i ? 1 - t.shard_of_first : t.shard_of_first;
        struct links *l = NULL;
        assert_rc(fresh_links_for_shard(&t.fresh, shard, 0, 2, &l), RC_OK);
        assert_non_null(l);
        assert_int_equal(l->count, 1);
        assert_str(l->list[0].host, t.list[i].host);
        assert_int_equal(l->head.route, shard);
        assert_int_equal(l->generation, 9);
        assert_int_equal(l->epoch, 3);
        assert_int_equal(l->batch, 77);
        assert_str(l->from, STR("a.test"));
        message_end(&l->head);
    }
    arena_close(arena);
}

static void known_urls_to_be_counted_stand_behind_the_new_ones(void **state)
{
    (void)state;
    struct arena *arena = arena_open(1000, 1 << 16);
    struct three t;
    make_three(&t, arena);
    struct candidate again = t.list[0];
    again.pages = 4;
    t.fresh.new.again = &again;
    t.fresh.new.again_count = 1;
    for (unsigned i = 0; i < 2; i++) {
        unsigned shard = i ? 1 - t.shard_of_first : t.shard_of_first;
        struct links *l = NULL;
        t.fresh.new.count = i ? 3 : 1; /* of the first shard nothing is new: one foreign is left */
        t.fresh.new.list = i ? t.list : &t.list[2];
        assert_rc(fresh_links_for_shard(&t.fresh, shard, 1 - shard, 2, &l), RC_OK);
        assert_non_null(l);
        assert_int_equal(l->count, i);
        assert_int_equal(l->repeats, 1 - i);
        if (!i) {
            assert_int_equal(l->list[0].pages, 4);
            assert_true(l->list[0].fingerprint == again.fingerprint);
        }
        message_end(&l->head);
    }
    arena_close(arena);
}

static void the_shard_whose_host_came_back_hears_of_it_without_links(void **state)
{
    (void)state;
    struct fresh_links none = {.from = STR("a.test")};
    struct links *own = NULL, *other = NULL;
    assert_rc(fresh_links_for_shard(&none, 1, 1, 2, &own), RC_OK);
    assert_rc(fresh_links_for_shard(&none, 0, 1, 2, &other), RC_OK);
    assert_non_null(own);
    assert_null(other);
    assert_int_equal(own->count, 0);
    assert_int_equal(own->head.route, 1);
    message_end(&own->head);
}

static void without_memory_no_shard_is_passed_over(void **state)
{
    (void)state;
    struct arena *arena = arena_open(16, 16); /* its first block is full */
    struct three t;
    make_three(&t, arena);
    struct links untouched, *l = &untouched;
    (void)arena_alloc(arena, 16);
    for (unsigned shard = 0; shard < 2; shard++)
        assert_rc(fresh_links_for_shard(&t.fresh, shard, 0, 2, &l), RC_NOMEM);
    assert_ptr_equal(l, &untouched);
    arena_close(arena);
}

static enum rc find_and_pick(void *ctx)
{
    struct link_finder *f = ctx;
    const struct step_item items[] = {{"http://b.test/1", "L"}, {"http://c.test/1", "L"}};
    struct fresh_links fresh;
    struct links *l = NULL;
    memset(&sent, 0, sizeof sent);
    struct url_list *list = url_list_open(LIST_SEEDS);
    if (!list)
        return RC_NOMEM;
    struct found_link links[2] = {step_link(items[0].url, "L"), step_link(items[1].url, "L")};
    list->links = (struct found_links){.list = links, .count = 2};
    enum rc rc = fresh_links_of_list(f, list, &fresh);
    if (rc == RC_OK)
        rc = fresh_links_for_shard(&fresh, 0, 0, 1, &l);
    if (l) {
        assert_int_equal(l->count, 2);
        message_end(&l->head);
    }
    list->may_end = true;
    message_end(&list->head);
    return rc;
}

static void each_allocation_may_fail(void **state)
{
    (void)state;
    struct link_finder f = open_world("", 0);
    test_each_allocation_fails(find_and_pick, &f);
    step_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_known_or_out_of_scope_is_not_new),
        cmocka_unit_test(a_page_without_links_asks_for_nothing),
        cmocka_unit_test(links_of_other_agents_stand_last_and_are_counted_once),
        cmocka_unit_test(a_page_brings_no_more_than_its_host_may_and_a_list_brings_all),
        cmocka_unit_test(a_shard_gets_its_own_links_and_none_of_other_agents),
        cmocka_unit_test(known_urls_to_be_counted_stand_behind_the_new_ones),
        cmocka_unit_test(the_shard_whose_host_came_back_hears_of_it_without_links),
        cmocka_unit_test(without_memory_no_shard_is_passed_over),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests_name("fresh_links", tests, NULL, NULL);
}
