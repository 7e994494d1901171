/* SPDX-License-Identifier: Apache-2.0 */
#include "discovery/depth_key.h"
#include "lib/step.h"

#include <stdio.h>

extern const struct part part_admit;

enum { OUT, AGAIN };

static struct step s;

static void open_admit(const char *settings, unsigned with)
{
    step_world(&s, settings, with);
    assert_rc(step_open(&s, &part_admit), RC_OK);
}

static void give(const char *from, const struct candidate *list, size_t count)
{
    struct links *l = step_links(&s, from, list, count);
    l->generation = atomic_load(&s.cluster.service.generation);
    step_give(&s, 0, &l->head);
}

static uint64_t queued(void)
{
    return frontier_counts(ledger_frontier(s.ledger->ledger, 0)).queued;
}

static void new_links_wait_in_the_queue_of_their_host(void **state)
{
    (void)state;
    open_admit("", 0);
    const struct candidate list[] = {step_candidate("http://a.test/1", "L"),
                                     step_candidate("http://b.test/1", "L")};
    give("x.test", list, 2);
    assert_int_equal(s.out_count[OUT], 1);
    assert_int_equal(s.ledger->counts.admitted, 2);
    assert_int_equal(queued(), 2);
    assert_int_equal(s.ledger->counts.shards[0].queued, 2); /* the gauge knows at once */
    assert_int_equal(s.cluster.begun, 0);
    assert_int_equal(ledger_pending(s.ledger->ledger), 0);
    step_close(&s);
}

static void a_link_that_is_known_is_counted_and_admitted_once(void **state)
{
    (void)state;
    open_admit("", 0);
    const struct candidate list[] = {step_candidate("http://a.test/1", "L")};
    give("x.test", list, 1);
    give("x.test", list, 1);
    assert_int_equal(s.ledger->counts.admitted, 1);
    assert_int_equal(s.ledger->counts.known, 1);
    assert_int_equal(queued(), 1);
    step_close(&s);
}

static void known_urls_are_counted_as_other_shards_say(void **state)
{
    (void)state;
    open_admit("", STEP_PRIORITY);
    const struct candidate list[] = {step_candidate("http://a.test/1", "L"),
                                     step_candidate("http://b.test/1", "L")};
    struct frontier_worth worth;
    give("x.test", list, 1);
    struct candidate again[] = {list[1], list[0], list[0]};
    again[1].pages = 2;
    again[2].pages = 4;
    const struct candidate *all[] = {&again[0], &again[1], &again[2]};
    struct links *new = step_links(&s, "x.test", again, 1); /* these are journalled, no others */
    struct links *l = links_open(all, 3, STR("x.test"), new->epoch, new->batch);
    assert_non_null(l);
    l->count = 1;
    l->repeats = 2;
    message_end(&new->head);
    step_give(&s, 0, &l->head);
    assert_int_equal(queued(), 2);
    struct frontier *f = ledger_frontier(s.ledger->ledger, 0);
    assert_true(frontier_worth(f, list[0].host_hash, list[0].fingerprint, list[0].path, &worth));
    assert_int_equal(worth.back, 6 + (list[0].via != 0));
    step_close(&s);
}

static void a_page_brings_only_so_many_new_hosts(void **state)
{
    (void)state;
    open_admit("page-hosts=1", 0);
    const struct candidate list[] = {step_candidate("http://a.test/1", "L"),
                                     step_candidate("http://b.test/1", "L"),
                                     step_candidate("http://a.test/2", "L")};
    static struct sent_filter sent;
    s.ledger->sent[0] = &sent;
    (void)sent_filter_add(&sent, list[1].fingerprint, 0);
    give("x.test", list, 3);
    assert_int_equal(queued(),
                     1); /* of a.test only /1 is there when /2 is looked at: its host is new */
    assert_int_equal(s.ledger->counts.over_budget, 2);
    assert_false(sent_filter_add(&sent, list[1].fingerprint, 0)); /* it is sent again */
    assert_int_equal(ledger_pending(s.ledger->ledger), 0);
    s.ledger->sent[0] = NULL;
    step_close(&s);
}

static void of_a_path_so_many_queries_are_admitted(void **state)
{
    (void)state;
    open_admit("path-queries=1", 0);
    const struct candidate list[] = {step_candidate("http://a.test/p?1", "L"),
                                     step_candidate("http://a.test/p?2", "L"),
                                     step_candidate("http://a.test/q", "L")};
    give("x.test", list, 3);
    assert_int_equal(s.ledger->counts.admitted, 2);
    assert_int_equal(s.ledger->counts.over_budget, 1);
    step_close(&s);
}

static void a_full_queue_leaves_links_out(void **state)
{
    (void)state;
    open_admit("", 0);
    static char urls[25][40];
    struct candidate list[25];
    step_admit(&s, "http://a.test/first", "L");
    for (unsigned i = 0; i < 25; i++) {
        (void)snprintf(urls[i], sizeof urls[i], "http://a.test/%u", i);
        list[i] = step_candidate(urls[i], "L");
    }
    give("x.test", list, 25); /* twenty may wait for a host */
    assert_int_equal(queued(), 20);
    assert_int_equal(s.ledger->counts.admitted, 19);
    assert_int_equal(s.ledger->counts.over_limit[BRING_QUEUE], 6);
    assert_int_equal(ledger_pending(s.ledger->ledger), 0);
    step_close(&s);
}

static void a_host_that_moved_to_another_agent_is_left_out(void **state)
{
    (void)state;
    open_admit("", 0);
    const struct candidate list[] = {step_candidate("http://a.test/1", "L"),
                                     step_candidate("http://b.test/1", "L")};
    s.cluster.foreign = list[0].host_hash;
    struct links *l = step_links(&s, "x.test", list, 2);
    atomic_fetch_add(&s.cluster.service.generation, 1);
    step_give(&s, 0, &l->head);
    assert_int_equal(queued(), 1);
    struct links *told = step_links(&s, "x.test", list, 1);
    told->is_told = true; /* another agent gave it to us: it stays */
    step_give(&s, 0, &told->head);
    assert_int_equal(queued(), 2);
    step_close(&s);
}

/* Depths --------------------------------------------------------------------------------------- */

static void a_shorter_way_to_a_page_that_is_done_goes_to_rejudge(void **state)
{
    (void)state;
    open_admit("", STEP_DEPTHS);
    const struct candidate far[] = {step_candidate("http://a.test/1", "LLL")};
    const struct candidate near[] = {step_candidate("http://a.test/1", "L")};
    struct str path;
    give("x.test", far, 1);
    assert_false(depth_index_done(s.depth_index[0], far[0].fingerprint, 3, &path));
    give("x.test", near, 1);
    struct links *l = step_links_at(&s, AGAIN, 0);
    assert_int_equal(l->count, 1);
    assert_str(l->list[0].path, STR("/1"));
    assert_str(l->list[0].seed_path, STR("L"));
    assert_int_equal(s.cluster.begun, 1); /* disposition ends it */
    give("x.test", far, 1);
    assert_int_equal(s.out_count[AGAIN], 1); /* a longer one does not */
    step_close(&s);
}

static void a_shorter_way_to_a_page_that_waits_is_remembered(void **state)
{
    (void)state;
    open_admit("", STEP_DEPTHS);
    const struct candidate far[] = {step_candidate("http://a.test/1", "LLL")};
    const struct candidate near[] = {step_candidate("http://a.test/1", "L")};
    struct str path;
    give("x.test", far, 1);
    give("x.test", near, 1);
    assert_int_equal(s.out_count[AGAIN], 0);
    assert_true(depth_index_done(s.depth_index[0], far[0].fingerprint, 3, &path));
    assert_str(path, STR("L"));
    step_close(&s);
}

static void a_shorter_way_to_an_origin_is_one_to_its_sitemaps(void **state)
{
    (void)state;
    open_admit("", STEP_DEPTHS);
    const struct candidate far[] = {step_candidate("http://a.test/1", "LLL")};
    const struct candidate near[] = {step_candidate("http://a.test/2", "L")};
    struct robots *rules = NULL;
    struct str path;
    give("x.test", far, 1);
    struct host_record *r = step_record(&s, "a.test");
    assert_rc(robots_parse(STR("Sitemap: http://a.test/s.xml\n"), STR("orbweaver"), &rules), RC_OK);
    assert_rc(host_record_set_robots(r, false, 0, rules, false, 1), RC_OK);
    r->is_listed = true;
    assert_true(depth_index_take(s.depth_index[0],
                                 depth_index_origin_key(far[0].host_hash, false, 0), &path));
    give("x.test", near, 1);
    struct links *l = step_links_at(&s, AGAIN, 0);
    assert_str(l->list[0].path, STR("/robots.txt"));
    assert_true(l->is_origins);
    step_close(&s);
}

/* Memory --------------------------------------------------------------------------------------- */

static struct links *given;

static void prepare(struct step *w)
{
    const struct candidate list[] = {step_candidate("http://a.test/p?1", "L"),
                                     step_candidate("http://a.test/p?2", "L"),
                                     step_candidate("http://b.test/1", "L")};
    given = step_links(w, "x.test", list, 3);
}

static void run(struct step *w)
{
    step_give(w, 0, &given->head);
    assert_int_equal(w->out_count[OUT], 1);
    assert_int_equal(w->cluster.begun, 0);
    uint64_t waiting = frontier_counts(ledger_frontier(w->ledger->ledger, 0)).queued;
    if (!w->failed) /* a domain without memory is over budget, which is counted */
        assert_int_equal(waiting + w->ledger->counts.over_budget, 3);
}

static void whatever_allocation_fails_links_are_admitted_or_the_crawl_says_so(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){.part = &part_admit,
                                                    .settings = "path-queries=1",
                                                    .with = STEP_DEPTHS,
                                                    .prepare = prepare,
                                                    .run = run});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_links_wait_in_the_queue_of_their_host),
        cmocka_unit_test(a_link_that_is_known_is_counted_and_admitted_once),
        cmocka_unit_test(known_urls_are_counted_as_other_shards_say),
        cmocka_unit_test(a_page_brings_only_so_many_new_hosts),
        cmocka_unit_test(of_a_path_so_many_queries_are_admitted),
        cmocka_unit_test(a_full_queue_leaves_links_out),
        cmocka_unit_test(a_host_that_moved_to_another_agent_is_left_out),
        cmocka_unit_test(a_shorter_way_to_a_page_that_is_done_goes_to_rejudge),
        cmocka_unit_test(a_shorter_way_to_a_page_that_waits_is_remembered),
        cmocka_unit_test(a_shorter_way_to_an_origin_is_one_to_its_sitemaps),
        cmocka_unit_test(whatever_allocation_fails_links_are_admitted_or_the_crawl_says_so),
    };
    return cmocka_run_group_tests_name("admit", tests, NULL, NULL);
}
