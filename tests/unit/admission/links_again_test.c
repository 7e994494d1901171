/* SPDX-License-Identifier: Apache-2.0 */
#include "admission/links_again.h"

#include "base/mem.h"
#include "discovery/seed_path.h"
#include "small_frontier.h"
#include "url/normalise.h"

static struct step w;
static struct links_again a;
static struct url_list *list;
static enum rc why;

static void open_world(void)
{
    step_world(&w, "", STEP_HISTORY);
    a = (struct links_again){.ledger = w.ledger->ledger,
                             .frontier = ledger_frontier(w.ledger->ledger, 0),
                             .cluster = &w.cluster.service};
}

static enum links_again_found find(const char *url, const char *seed_path, bool is_origin)
{
    struct candidate c = step_candidate(url, seed_path);
    list = NULL;
    why = RC_OK;
    enum links_again_found found = links_again_find(&a, &c, is_origin, &list, &why);
    assert_int_equal(found == LINKS_AGAIN_HERE, list != NULL);
    assert_int_equal(found == LINKS_AGAIN_LOST, why != RC_OK);
    return found;
}

/* What the history says of a page. */
static void record(const char *url, struct history_entry h)
{
    struct ledger_outcome o = {.fingerprint = step_candidate(url, "").fingerprint, .history = &h};
    unsigned epoch;
    h.url = str_c(url);
    assert_rc(ledger_record_outcome(w.ledger->ledger, 0, &o, &epoch), RC_OK);
    step_make_durable(&w);
}

/* Pages ---------------------------------------------------------------------------------------- */

static void links_of_a_page_come_from_the_archive(void **state)
{
    (void)state;
    open_world();
    step_archive_page(&w, "http://a.test/1?x", "http://b.test/2");
    assert_int_equal(find("http://a.test/1?x", "L", false), LINKS_AGAIN_LATER);
    step_make_durable(&w);
    assert_int_equal(find("http://a.test/1?x", "L", false), LINKS_AGAIN_HERE);
    assert_int_equal(list->origin, LIST_REJUDGED);
    assert_int_equal(list->count, 1);
    assert_str(list->items[0].url, STR("http://b.test/2"));
    assert_int_equal(list->items[0].hop, HOP_LINK);
    assert_str(list->page.host_name, STR("a.test"));
    assert_str(list->page.seed_path, STR("L")); /* not the history's */
    assert_str(url_href(&list->page.url), STR("http://a.test/1?x"));
    assert_int_equal(list->page.fingerprint, step_candidate("http://a.test/1?x", "").fingerprint);
    assert_true(list->page.has_history);
    assert_int_equal(list->page.history.code, 200);
    assert_false(list->page.is_origin);
    message_end(&list->head);
    step_close(&w);
}

static void a_page_whose_links_were_not_kept_is_lost(void **state)
{
    (void)state;
    open_world();
    record("http://a.test/1", (struct history_entry){.code = 200, .fetches = 1});
    assert_int_equal(find("http://a.test/1", "L", false), LINKS_AGAIN_LOST);
    assert_rc(why, RC_NOT_FOUND);
    assert_int_equal(w.cluster.forwarded, 0);
    step_close(&w);
}

static void the_agent_that_has_the_page_is_told(void **state)
{
    (void)state;
    static const struct {
        enum rc forward, why;
        enum links_again_found found;
    } rows[] = {{RC_OK, RC_OK, LINKS_AGAIN_FORWARDED},
                {RC_NOT_FOUND, RC_OK, LINKS_AGAIN_LATER},
                {RC_IO, RC_IO, LINKS_AGAIN_LOST}};
    open_world();
    record("http://a.test/1", (struct history_entry){.file = STR("@other")});
    for (unsigned i = 0; i < 3; i++) {
        w.cluster.forward = rows[i].forward;
        assert_int_equal(find("http://a.test/1", "L", false), rows[i].found);
        assert_rc(why, rows[i].why);
        assert_int_equal(w.cluster.forwarded, i + 1);
    }
    step_close(&w);
}

/* Origins -------------------------------------------------------------------------------------- */

static const char two_sitemaps[] = "Sitemap: http://a.test/s.xml\nSitemap: http://a.test/t.xml\n";

static void the_links_of_an_origin_are_its_sitemaps(void **state)
{
    (void)state;
    open_world();
    step_admit(&w, "http://a.test/1", "L");
    small_frontier_set_rules(ledger_frontier(w.ledger->ledger, 0), "a.test", two_sitemaps, true);
    assert_int_equal(find("http://a.test/robots.txt", "L", true), LINKS_AGAIN_HERE);
    assert_int_equal(list->count, 2);
    assert_str(list->items[1].url, STR("http://a.test/t.xml"));
    assert_int_equal(list->items[1].hop, HOP_PREREQUISITE);
    assert_true(list->page.is_origin);
    assert_false(list->page.has_history);
    message_end(&list->head);
    step_close(&w);
}

static void an_origin_without_sitemaps_is_lost(void **state)
{
    (void)state;
    open_world();
    assert_int_equal(find("http://a.test/robots.txt", "L", true), LINKS_AGAIN_LOST);
    step_admit(&w, "http://a.test/1", "L");
    small_frontier_set_rules(ledger_frontier(w.ledger->ledger, 0), "a.test", two_sitemaps, false);
    assert_int_equal(find("http://a.test/robots.txt", "L", true), LINKS_AGAIN_LOST);
    assert_rc(why, RC_NOT_FOUND);
    step_close(&w);
}

static void an_origin_of_a_swapped_host_is_waited_for(void **state)
{
    (void)state;
    struct small_frontier f;
    open_world();
    small_frontier_open(
        &f, &(struct frontier_settings){.max_hosts = 100, .max_host_queue = 9, .memory_bytes = 1});
    small_frontier_admit(&f, "http://a.test/1");
    small_frontier_swap(&f);
    a.frontier = f.frontier;
    assert_int_equal(find("http://a.test/robots.txt", "L", true), LINKS_AGAIN_LATER);
    small_frontier_close(&f);
    step_close(&w);
}

/* Memory --------------------------------------------------------------------------------------- */

static void without_memory_a_page_is_lost(void **state)
{
    (void)state;
    bool is_hit = true;
    unsigned lost = 0;
    open_world();
    step_admit(&w, "http://a.test/1", "L");
    small_frontier_set_rules(ledger_frontier(w.ledger->ledger, 0), "a.test", two_sitemaps, true);
    struct candidate c = step_candidate("http://a.test/robots.txt", "L");
    for (uint64_t nth = 1; is_hit; nth++) {
        mem_fault_at(nth);
        enum links_again_found found = links_again_find(&a, &c, true, &list, &why);
        is_hit = mem_fault_hit();
        mem_fault_at(0);
        assert_true(found == LINKS_AGAIN_HERE || (is_hit && found == LINKS_AGAIN_LOST));
        lost += found == LINKS_AGAIN_LOST;
        if (found == LINKS_AGAIN_HERE)
            message_end(&list->head);
    }
    assert_true(lost > 0);
    step_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_of_a_page_come_from_the_archive),
        cmocka_unit_test(a_page_whose_links_were_not_kept_is_lost),
        cmocka_unit_test(the_agent_that_has_the_page_is_told),
        cmocka_unit_test(the_links_of_an_origin_are_its_sitemaps),
        cmocka_unit_test(an_origin_without_sitemaps_is_lost),
        cmocka_unit_test(an_origin_of_a_swapped_host_is_waited_for),
        cmocka_unit_test(without_memory_a_page_is_lost),
    };
    return cmocka_run_group_tests_name("links_again", tests, NULL, NULL);
}
