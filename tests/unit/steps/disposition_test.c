/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/step.h"

#include "base/hash.h"
#include "host/host_tries.h"
extern const struct part part_disposition;

enum { LINKS, AGAIN };

#define SECOND 1000

static struct step s;

static void open_disposition(const char *settings, unsigned with)
{
    step_world(&s, settings, with);
    assert_rc(step_open(&s, &part_disposition), RC_OK);
}

/* A page that was asked for: robots.txt is known, the budget is charged, the permits are taken. */
static struct visit *asked(struct step *w, const char *url, const char *seed_path)
{
    struct visit *v = step_visit(w, url, seed_path);
    step_set_rules(v, "", 1);
    v->route.permit.host_hash = v->route.permit.address_group = host_hash(v->turn.checkout.host);
    assert_int_equal(
        permit_table_ask(w->addresses->addresses, v->route.permit.address_group, w->clock.now), 0);
    assert_int_equal(permit_table_ask(w->addresses->hosts, v->route.permit.host_hash, w->clock.now),
                     0);
    v->route.permit.is_held = true;
    v->route.is_charged = budget_take(w->budget, v->turn.checkout.host_name, 0, 0, 0) == BUDGET_OK;
    v->turn.host_claim = 1;
    return v;
}

static struct visit *page(struct step *w, const char *url, const char *seed_path, uint16_t status)
{
    struct visit *v = asked(w, url, seed_path);
    (void)step_set_answer(w, v, status, "Content-Type: text/html\r\nETag: \"e\"\r\n", "<p>hi");
    v->parsed.is_page = status == 200;
    return v;
}

/* A page that ended without an answer. */
static struct visit *silent(const char *url, enum http_outcome outcome)
{
    struct visit *v = asked(&s, url, "L");
    v->state = VISIT_ENDED;
    v->answer.end = (struct pace_end){.http = outcome};
    v->why = "reset";
    return v;
}

static void give(struct visit *v)
{
    unsigned given = s.given;
    step_give(&s, 0, &v->head);
    assert_int_equal(s.given, given + 1);
    assert_string_equal(s.why, "");
    assert_int_equal(s.ended, s.given); /* it is the last step */
}

static struct frontier_counts counts(void)
{
    return frontier_counts(ledger_frontier(s.ledger->ledger, 0));
}

static uint64_t due_ms(void)
{
    return frontier_due_ms(ledger_frontier(s.ledger->ledger, 0));
}

static bool says(const char *file, const char *text)
{
    return strstr(step_file(&s, file), text) != NULL;
}

/* Results -------------------------------------------------------------------------------------- */

static void a_page_that_is_done_leaves_its_queue_and_its_host_waits(void **state)
{
    (void)state;
    open_disposition("delay=2s ip-conns=1 ip-delay=0s", 0);
    give(page(&s, "http://a.test/1", "", 200));
    assert_int_equal(counts().out, 0);
    assert_int_equal(counts().queued, 0);
    assert_int_equal(s.ledger->counts.fetched, 1);
    assert_int_equal(s.ledger->counts.by_class[2], 1);
    assert_int_equal(s.ledger->counts.pages, 1);
    assert_int_equal(step_record(&s, "a.test")->pages, 1);
    assert_int_equal(ledger_totals(s.ledger->ledger).pages, 1);
    assert_int_equal(s.cluster.given_back, 1);
    assert_int_equal(permit_table_ask(s.addresses->addresses, hash64(STR("a.test")), s.clock.now),
                     0);
    struct links *l = step_links_at(&s, LINKS, 0); /* schedule is told that a host came back */
    assert_int_equal(l->count, 0);
    assert_true(says("logs/crawl.log", " 200 "));
    assert_true(says("pages/pages.jsonl", "http://a.test/1"));
    step_admit(&s, "http://a.test/2", "L");
    assert_int_equal(due_ms(), s.clock.now + 2001); /* a whole delay, whatever the clock rounds */
    step_close(&s);
}

static void a_page_behind_a_link_is_no_seed(void **state)
{
    (void)state;
    open_disposition("", 0);
    give(page(&s, "http://a.test/1", "L", 200));
    assert_true(says("pages/extraPages.jsonl", "http://a.test/1"));
    assert_false(says("pages/pages.jsonl", "http://a.test/1"));
    step_close(&s);
}

static void statuses_are_counted_by_their_class(void **state)
{
    (void)state;
    static const struct {
        uint16_t status;
        unsigned class;
    } rows[] = {{404, 4}, {301, 3}, {501, 5}, {999, 0}};
    for (unsigned i = 0; i < 4; i++) {
        open_disposition("", 0);
        give(page(&s, "http://a.test/1", "L", rows[i].status));
        assert_int_equal(s.ledger->counts.by_class[rows[i].class], 1);
        assert_int_equal(s.ledger->counts.pages, 0);
        step_close(&s);
    }
}

static void what_must_be_asked_again_stays_at_the_head_of_its_queue(void **state)
{
    (void)state;
    open_disposition("backoff=5s", 0);
    give(page(&s, "http://a.test/1", "L", 503));
    assert_int_equal(counts().queued, 1);
    assert_int_equal(s.ledger->counts.retried, 1);
    assert_int_equal(s.ledger->counts.fetched, 0);
    assert_true(due_ms() >= s.clock.now + 5 * SECOND);
    assert_int_equal(step_record(&s, "a.test")->tries, 1);
    assert_int_equal(step_record(&s, "a.test")->failures, 1);
    assert_string_equal(step_file(&s, "logs/crawl.log"), "");
    step_close(&s);
}

static void the_last_try_is_the_result(void **state)
{
    (void)state;
    open_disposition("tries=2", 0);
    struct visit *v = page(&s, "http://a.test/1", "L", 503);
    v->turn.record->tries = 1;
    give(v);
    assert_int_equal(counts().queued, 0);
    assert_int_equal(s.ledger->counts.by_class[5], 1);
    assert_int_equal(step_record(&s, "a.test")->tries, 0);
    assert_true(says("logs/crawl.log", " 503 "));
    step_close(&s);
}

static void an_answer_that_came_only_in_part_is_counted(void **state)
{
    (void)state;
    open_disposition("", 0);
    struct visit *v = page(&s, "http://a.test/1", "L", 200);
    struct http_answer cut = *v->answer.http;
    cut.outcome = v->answer.end.http = HTTP_TRUNCATED;
    cut.cut = HTTP_CUT_TIME;
    v->answer.http = &cut;
    give(v);
    assert_int_equal(s.ledger->counts.truncated, 1);
    step_close(&s);
}

static void a_host_that_never_answers_is_given_up(void **state)
{
    (void)state;
    open_disposition("tries=1 host-failures=1", 0);
    struct visit *v = silent("http://a.test/1", HTTP_NO_CONNECT);
    give(v);
    assert_int_equal(s.ledger->counts.failed, 1);
    assert_int_equal(step_record(&s, "a.test")->dead_code, FETCH_NO_CONNECT);
    assert_true(says("logs/crawl.log", " -2 "));
    step_close(&s);
}

static void what_was_refused_costs_its_host_no_wait(void **state)
{
    (void)state;
    static const struct {
        int code;
        unsigned robots;
    } rows[] = {{FETCH_ROBOTS, 1}, {FETCH_NO_ROBOTS, 1}, {FETCH_QUOTA, 0}};
    for (unsigned i = 0; i < 3; i++) {
        open_disposition("", 0);
        struct visit *v = step_visit(&s, "http://a.test/1", "L");
        visit_refuse(v, rows[i].code, "for a reason");
        give(v);
        assert_int_equal(s.ledger->counts.refused, 1);
        assert_int_equal(s.ledger->counts.robots, rows[i].robots);
        assert_true(says("reports/skippedPages.jsonl", "for a reason"));
        step_admit(&s, "http://a.test/2", "L");
        struct visit *next = step_checkout(&s);
        assert_non_null(next);
        message_end(&next->head);
        step_close(&s);
    }
}

static void a_visit_whose_address_was_busy_goes_back_without_a_word(void **state)
{
    (void)state;
    open_disposition("pages=1", 0);
    struct visit *v = asked(&s, "http://a.test/1", "L");
    v->state = VISIT_LATER;
    v->route.due_ms = s.clock.now + 300;
    give(v);
    assert_int_equal(counts().queued, 1);
    assert_int_equal(due_ms(), s.clock.now + 300);
    assert_string_equal(step_file(&s, "logs/crawl.log"), "");
    assert_int_equal(budget_take(s.budget, STR("b.test"), 0, 0, 0), BUDGET_OK); /* given back */
    assert_int_equal(s.out_count[LINKS], 1);
    step_close(&s);
}

static void an_address_that_refused_is_remembered_and_costs_no_try(void **state)
{
    (void)state;
    open_disposition("", 0);
    struct visit *v = asked(&s, "http://a.test/1", "L");
    struct address other;
    assert_rc(address_read(STR("93.184.216.1"), &v->route.addresses[0]), RC_OK);
    assert_rc(address_read(STR("93.184.216.2"), &other), RC_OK);
    v->route.addresses[1] = other;
    v->route.address_count = 2;
    v->answer.end.http = HTTP_NO_CONNECT;
    v->state = VISIT_LATER;
    v->route.due_ms = s.clock.now + 300;
    give(v);
    struct host_record *c = step_record(&s, "a.test");
    assert_true(c->refused_count == 1 && c->refused[0].port == 80 && c->refused_turns == 1);
    assert_true(c->tries == 0 && c->failures == 0);
    assert_int_equal(due_ms(), s.clock.now + 300);
    assert_string_equal(step_file(&s, "logs/crawl.log"), "");
    step_close(&s);
}

/* The engine ----------------------------------------------------------------------------------- */

static void as_asked_over_tls(struct visit *v)
{
    v->answer.ask = (struct http_ask){.is_https = true, .host = STR("a.test"), .port = 443};
}

static void the_engine_hears_when_the_host_is_asked_again(void **state)
{
    (void)state;
    open_disposition("delay=2s", 0);
    struct visit *v = page(&s, "https://a.test/1", "", 200);
    step_admit(&s, "https://a.test/2", "L");
    as_asked_over_tls(v);
    give(v);
    assert_int_equal(s.http.expected, 1);
    assert_int_equal(s.http.expected_ms, s.clock.now + 2001);
    assert_true(s.http.is_certain);
    assert_string_equal(s.http.expected_host, "a.test");
    step_close(&s);
}

static void the_engine_hears_that_no_url_waits(void **state)
{
    (void)state;
    open_disposition("delay=2s", 0);
    struct visit *v = page(&s, "https://a.test/1", "", 200);
    as_asked_over_tls(v);
    give(v);
    assert_int_equal(s.http.expected, 1);
    assert_int_equal(s.http.expected_ms, s.clock.now + 2001);
    assert_false(s.http.is_certain);
    step_close(&s);
}

static void of_what_was_not_asked_the_engine_hears_nothing(void **state)
{
    (void)state;
    open_disposition("delay=2s", 0);
    give(page(&s, "https://a.test/1", "", 200));
    assert_int_equal(s.http.expected, 0);
    step_close(&s);
}

/* Origins -------------------------------------------------------------------------------------- */

static void of_a_host_with_several_origins_one_fails_alone(void **state)
{
    (void)state;
    open_disposition("backoff=5s delay=1s", 0);
    struct visit *v = silent("http://a.test/1", HTTP_TIMEOUT);
    step_admit(&s, "http://a.test:81/2", "L");
    give(v);
    struct host_record *r = step_record(&s, "a.test");
    const struct host_origin *o = host_origin_of(r, false, 0, false);
    assert_non_null(o);
    assert_int_equal(host_tries_of_trial(r, o), 1);
    assert_true(o->trial != 0);
    assert_true(o->next_ms >= s.clock.now + 5 * SECOND);
    assert_int_equal(r->failures, 0);
    assert_int_equal(due_ms(), s.clock.now + 1 * SECOND + 1); /* the others go on */
    step_advance(&s, 2 * SECOND);
    struct visit *next = step_checkout(&s);
    assert_str(next->turn.checkout.path, STR("/2")); /* it went to the end of the queue */
    step_set_rules(next, "", 1);
    (void)step_set_answer(&s, next, 200, "", "");
    give(next);
    step_close(&s);
}

static void an_origin_that_answers_is_well_again(void **state)
{
    (void)state;
    open_disposition("", 0);
    struct visit *v = page(&s, "http://a.test/1", "L", 200);
    host_origin_of(v->turn.record, false, 0, true)->failures = 3;
    give(v);
    const struct host_origin *o = host_origin_of(step_record(&s, "a.test"), false, 0, false);
    assert_true(!o || o->failures == 0);
    step_close(&s);
}

/* robots.txt ----------------------------------------------------------------------------------- */

static void behind_its_robots_txt_the_page_is_still_to_be_asked_for(void **state)
{
    (void)state;
    open_disposition("", 0);
    struct visit *v = asked(&s, "http://a.test/1", "L");
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    (void)step_set_answer(&s, v, 200, "", "");
    v->parsed.robots_changed = true;
    give(v);
    assert_int_equal(counts().queued, 1);
    assert_int_equal(s.ledger->counts.fetched, 0);
    assert_true(says("logs/crawl.log", "http://a.test/robots.txt"));
    step_close(&s);
}

static void a_robots_txt_that_cannot_be_had_is_the_end_of_its_page(void **state)
{
    (void)state;
    open_disposition("tries=1 host-failures=100", 0);
    struct visit *v = step_visit(&s, "http://a.test/1", "L");
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    (void)step_set_answer(&s, v, 503, "", "");
    give(v);
    assert_int_equal(counts().queued, 0);
    assert_true(says("logs/crawl.log", " -61 "));
    assert_true(says("logs/crawl.log", "http://a.test/1"));
    step_close(&s);
}

static void where_a_robots_txt_redirects_from_is_logged(void **state)
{
    (void)state;
    open_disposition("", 0);
    struct visit *v = asked(&s, "http://a.test/1", "L");
    v->route.permit.is_held = false;
    assert_rc(visit_name(v, VISIT_ROBOTS_REDIRECT), RC_OK);
    (void)step_set_answer(&s, v, 301, "", "");
    give(v);
    assert_true(says("logs/crawl.log", " 301 "));
    assert_int_equal(s.cluster.given_back, 0); /* its visit is still under way */
    assert_int_equal(counts().out, 1);
    step_close(&s);
}

/* Links ---------------------------------------------------------------------------------------- */

static void give_with_links(const char *url, const struct found_link *links, size_t count)
{
    struct visit *v = page(&s, url, "L", 200);
    v->judged.links.list = arena_alloc(v->arena, count * sizeof *links);
    memcpy(v->judged.links.list, links, count * sizeof *links);
    v->judged.links.count = count;
    give(v);
}

static void new_links_go_to_their_shard_and_into_the_graph(void **state)
{
    (void)state;
    open_disposition("", 0);
    struct found_link links[] = {step_link("http://b.test/1", "LL"),
                                 step_link("http://c.test/1", "LL"),
                                 step_link("http://d.test/1", "LL")};
    links[2].is_wanted = false; /* out of scope */
    give_with_links("http://a.test/1", links, 3);
    struct links *l = step_links_at(&s, LINKS, 0);
    assert_int_equal(l->count, 2);
    assert_str(l->from, STR("a.test"));
    assert_str(l->list[1].host, STR("c.test"));
    assert_true(l->batch > 0); /* they were journalled before they were sent */
    assert_int_equal(l->batch, ledger_outcome_at(s.ledger->ledger, 0));
    assert_true(says("links/links.nodes", "http://b.test/1"));
    assert_true(step_file(&s, "links/links.arcs")[0]);
    assert_int_equal(ledger_pending(s.ledger->ledger) > 0, true); /* admit has to take them */
    step_close(&s);
}

static void without_a_graph_no_lines_of_it_are_written(void **state)
{
    (void)state;
    open_disposition("archive-only=yes", 0);
    struct found_link links[] = {step_link("http://b.test/1", "LL")};
    give_with_links("http://a.test/1", links, 1);
    assert_string_equal(step_file(&s, "links/links.nodes"), "");
    assert_int_equal(step_links_at(&s, LINKS, 0)->count, 1);
    step_close(&s);
}

static void a_link_that_is_known_is_not_sent(void **state)
{
    (void)state;
    open_disposition("", 0);
    step_admit(&s, "http://a.test/known", "L");
    struct visit *out = step_checkout(&s); /* so that the page is the next */
    struct found_link links[] = {step_link("http://a.test/known", "LL")};
    give_with_links("http://b.test/1", links, 1);
    assert_int_equal(step_links_at(&s, LINKS, 0)->count, 0);
    assert_int_equal(s.ledger->counts.known, 1);
    message_end(&out->head);
    step_close(&s);
}

static void links_of_another_agent_are_journalled_and_sent_once(void **state)
{
    (void)state;
    open_disposition("", 0);
    struct found_link links[] = {step_link("http://b.test/1", "LL"),
                                 step_link("http://mine.test/1", "LL")};
    s.cluster.foreign = links[0].host_hash;
    give_with_links("http://a.test/1", links, 2);
    assert_int_equal(step_links_at(&s, LINKS, 0)->count, 1);
    assert_int_equal(s.cluster.service.foreign, 1);
    assert_int_equal(ledger_pending(s.ledger->ledger), 1); /* the other one is sent by the agent */
    assert_true(ledger_for_others(s.ledger->ledger) > 0);
    give_with_links("http://c.test/1", links, 1);
    assert_int_equal(s.cluster.service.foreign, 1);
    assert_int_equal(s.cluster.service.repeated, 1);
    step_close(&s);
}

static void each_shard_gets_its_own_links(void **state)
{
    (void)state;
    static const char *const urls[] = {"http://b.test/1", "http://c.test/1", "http://d.test/1",
                                       "http://e.test/1", "http://f.test/1", "http://g.test/1"};
    static const char *const own[] = {"http://a.test/", "http://k.test/", "http://l.test/",
                                      "http://m.test/"};
    open_disposition("", STEP_TWO_SHARDS);
    struct found_link links[6];
    size_t at[2] = {0, 0};
    unsigned mine = 0;
    for (unsigned i = 0; i < 6; i++) {
        links[i] = step_link(urls[i], "LL");
        at[frontier_bucket(links[i].host_hash) % 2]++;
    }
    while (frontier_bucket(step_candidate(own[mine], "").host_hash) % 2)
        mine++;
    give_with_links(own[mine], links, 6);
    assert_true(at[0] && at[1]);
    assert_int_equal(s.out_count[LINKS], 2);
    for (unsigned i = 0; i < 2; i++) {
        struct links *l = step_links_at(&s, LINKS, i);
        assert_int_equal(l->count, at[l->head.route]);
    }
    step_close(&s);
}

static void what_a_host_may_not_bring_is_left_out_and_told_once(void **state)
{
    (void)state;
    open_disposition("host-url-size=15", 0);
    struct found_link links[] = {step_link("http://b.test/1", "LL"),
                                 step_link("http://c.test/1", "LL")};
    give_with_links("http://a.test/1", links, 2);
    assert_int_equal(step_links_at(&s, LINKS, 0)->count, 1);
    assert_int_equal(s.ledger->counts.over_limit[BRING_URL_BYTES], 1);
    assert_true(step_has_logged(&s, "host.limit_reached"));
    step_close(&s);
}

static void where_a_seed_redirects_to_is_told_to_all_agents(void **state)
{
    (void)state;
    open_disposition("", 0);
    struct found_link links[] = {step_link("http://b.test/", "R")};
    links[0].is_seed = true;
    give_with_links("http://a.test/", links, 1);
    assert_int_equal(s.cluster.joined, 1);
    assert_true(says("state/seeds", "http://b.test/ http://a.test/"));
    step_close(&s);
}

static void a_shorter_way_found_meanwhile_sends_the_page_to_rejudge(void **state)
{
    (void)state;
    open_disposition("", STEP_DEPTHS);
    struct found_link links[] = {step_link("http://b.test/1", "LL")};
    struct visit *v = page(&s, "http://a.test/1", "LLL", 200);
    v->judged.links.list = links;
    v->judged.links.count = 1;
    (void)depth_index_found(s.depth_index[0], v->turn.fingerprint, 3, STR("LLL"));
    (void)depth_index_found(s.depth_index[0], v->turn.fingerprint, 1, STR("L"));
    give(v);
    assert_str(step_links_at(&s, AGAIN, 0)->list[0].seed_path, STR("L"));
    assert_int_equal(s.cluster.begun, 1);
    step_close(&s);
}

static struct history_entry entry_of(struct arena *arena, uint64_t fingerprint)
{
    struct history_entry h;
    assert_rc(ledger_turn(s.ledger->ledger, 0), RC_OK);
    assert_rc(ledger_sync(s.ledger->ledger), RC_OK);
    assert_rc(history_get(ledger_history(s.ledger->ledger), fingerprint, arena, &h), RC_OK);
    return h;
}

/* Lists ---------------------------------------------------------------------------------------- */

static void give_list(struct message *m)
{
    s.cluster.begun++; /* the step that made the list said so */
    url_list_of(m)->work = (struct url_list_waiter){cluster_work_ended, &s.cluster.service};
    step_give(&s, STEP_LISTS, m);
    assert_string_equal(s.why, "");
    assert_int_equal(s.ended, s.given);
    assert_int_equal(s.cluster.begun, 0);
}

static void seeds_are_journalled_and_sent(void **state)
{
    (void)state;
    open_disposition("", 0);
    const struct step_item items[] = {{"http://a.test/", ""}, {"http://b.test/", ""}};
    struct message *m = step_judged_list(LIST_SEEDS, items, 2);
    step_set_seed(m, 0);
    give_list(m);
    struct links *l = step_links_at(&s, LINKS, 0);
    assert_int_equal(l->count, 2);
    assert_str(l->from, STR("")); /* no page: budgets let every seed in */
    assert_true(says("state/seeds", "http://a.test/\n"));
    assert_false(says("state/seeds", "http://b.test/"));
    assert_int_equal(s.cluster.given_back, 0);
    step_close(&s);
}

static void what_is_asked_for_again_is_no_part_of_the_graph(void **state)
{
    (void)state;
    open_disposition("", 0);
    const struct step_item items[] = {{"http://a.test/1", "L"}};
    give_list(step_judged_list(LIST_REQUEUED, items, 1));
    assert_int_equal(step_links_at(&s, LINKS, 0)->count, 1);
    assert_string_equal(step_file(&s, "links/links.nodes"), "");
    step_close(&s);
}

static void a_list_of_what_is_known_sends_nothing_but_word(void **state)
{
    (void)state;
    open_disposition("", 0);
    step_admit(&s, "http://a.test/1", "L");
    const struct step_item items[] = {{"http://a.test/1", "L"}};
    give_list(step_judged_list(LIST_REQUEUED, items, 1));
    assert_int_equal(step_links_at(&s, LINKS, 0)->count, 0);
    step_close(&s);
}

static void a_page_that_was_judged_again_is_remembered_at_its_shorter_way(void **state)
{
    (void)state;
    open_disposition("", STEP_HISTORY);
    struct arena *arena = arena_open(1000, 1 << 16);
    const struct step_item items[] = {{"http://b.test/1", "LL"}};
    struct message *m = step_judged_list(LIST_REJUDGED, items, 1);
    struct history_entry h = {
        .url = STR("http://a.test/1"), .seed_path = STR("LLL"), .code = 200, .fetches = 1};
    step_set_page(m, "http://a.test/1", "L", &h);
    give_list(m);
    assert_str(entry_of(arena, step_candidate("http://a.test/1", "").fingerprint).seed_path,
               STR("L"));
    arena_close(arena);
    step_close(&s);
}

/* The history ---------------------------------------------------------------------------------- */

static struct visit *kept_page(const char *url, const char *payload)
{
    struct visit *v = page(&s, url, "L", 200);
    struct capture_writer *w = capture_writer_open();
    v->stored.capture = (struct capture){.target_uri = url_href(&v->turn.url),
                                         .date_ms = v->answer.date_ms,
                                         .head = v->answer.http->head,
                                         .body = str_c(payload)};
    assert_rc(capture_write(w, ledger_warc(s.ledger->ledger, 0), NULL, &v->stored.capture,
                            &v->stored.location),
              RC_OK);
    v->stored.is_kept = true;
    capture_writer_close(w);
    return v;
}

static void what_became_of_a_page_is_in_the_history(void **state)
{
    (void)state;
    open_disposition("", STEP_HISTORY | STEP_DEPTHS);
    struct arena *arena = arena_open(1000, 1 << 16);
    struct visit *v = kept_page("http://a.test/1", "a payload");
    uint64_t fingerprint = v->turn.fingerprint;
    v->judged.codes = STR("codes");
    give(v);
    struct history_entry h = entry_of(arena, fingerprint);
    assert_int_equal(h.code, 200);
    assert_int_equal(h.fetches, 1);
    assert_true(h.has_digest);
    assert_str(h.etag, STR("\"e\""));
    assert_str(h.codes, STR("codes"));
    assert_true(h.file.n > 0);
    assert_str(h.mime, STR("text/html"));
    assert_true(says("indexes/parts/index.cdxj", "http://a.test/1"));
    arena_close(arena);
    step_close(&s);
}

static void a_payload_that_changed_is_counted_with_what_changed(void **state)
{
    (void)state;
    open_disposition("", STEP_HISTORY);
    struct arena *arena = arena_open(1000, 1 << 16);
    struct visit *v = kept_page("http://a.test/1", "a new payload");
    uint64_t fingerprint = v->turn.fingerprint;
    v->turn.has_history = true;
    v->turn.history = (struct history_entry){.has_digest = true, .fetches = 3, .changes = 1};
    v->judged.what_changed = HISTORY_TEXT | HISTORY_STRUCTURE;
    give(v);
    assert_int_equal(s.ledger->counts.changed, 1);
    assert_int_equal(s.ledger->counts.changed_text, 1);
    assert_int_equal(s.ledger->counts.changed_structure, 1);
    assert_int_equal(s.ledger->counts.changed_markup, 0);
    struct history_entry h = entry_of(arena, fingerprint);
    assert_int_equal(h.fetches, 4);
    assert_int_equal(h.changes, 2);
    assert_int_equal(h.what_changed, HISTORY_TEXT | HISTORY_STRUCTURE);
    assert_true(says("logs/crawl.log", "changed"));
    arena_close(arena);
    step_close(&s);
}

static void a_304_confirms_what_was_known(void **state)
{
    (void)state;
    open_disposition("", STEP_HISTORY);
    struct arena *arena = arena_open(1000, 1 << 16);
    struct visit *v = page(&s, "http://a.test/1", "L", 304);
    uint64_t fingerprint = v->turn.fingerprint;
    v->turn.has_history = true;
    v->turn.history = (struct history_entry){.has_digest = true,
                                             .captured_ms = 4711,
                                             .fetches = 1,
                                             .etag = STR("\"old\""),
                                             .mime = STR("text/plain"),
                                             .codes = STR("old codes")};
    give(v);
    assert_int_equal(s.ledger->counts.unchanged, 1);
    struct history_entry h = entry_of(arena, fingerprint);
    assert_int_equal(h.captured_ms, 4711);
    assert_str(h.mime, STR("text/plain"));
    assert_str(h.etag, STR("\"old\""));
    assert_str(h.codes, STR("old codes"));
    arena_close(arena);
    step_close(&s);
}

static void pages_that_fit_the_topic_are_counted(void **state)
{
    (void)state;
    open_disposition("", 0);
    struct visit *fits = page(&s, "http://a.test/1", "L", 200);
    fits->judged.score = 0.7;
    give(fits);
    struct visit *not = page(&s, "http://b.test/1", "L", 200);
    not ->judged.score = 0.01;
    not ->judged.is_unkept = true;
    give(not );
    assert_int_equal(s.ledger->counts.relevant, 1);
    assert_int_equal(s.ledger->counts.irrelevant, 1);
    assert_true(says("logs/crawl.log", "0.700"));
    step_close(&s);
}

static void a_dropped_page_is_logged_with_its_reason_and_is_no_page(void **state)
{
    (void)state;
    open_disposition("", 0);
    struct visit *v = page(&s, "http://a.test/1", "L", 200);
    visit_drop(v, STR("it is spam"));
    give(v);
    assert_true(says("logs/crawl.log", "spam"));
    assert_false(says("pages/extraPages.jsonl", "http://a.test/1"));
    step_close(&s);
}

/* The turn and memory -------------------------------------------------------------------------- */

static void a_turn_gives_everything_to_the_kernel(void **state)
{
    (void)state;
    open_disposition("", 0);
    give(page(&s, "http://a.test/1", "L", 200));
    part_disposition.turn(&s.part.self);
    assert_int_equal(s.failed, RC_OK);
    step_close(&s);
}

static struct visit *given;

static void prepare(struct step *w)
{
    given = page(w, "http://a.test/1", "L", 200);
    given->judged.links.list = arena_alloc(given->arena, 2 * sizeof *given->judged.links.list);
    given->judged.links.list[0] = step_link("http://b.test/1", "LL");
    given->judged.links.list[1] = step_link("http://c.test/1", "LL");
    given->judged.links.count = 2;
}

static void run(struct step *w)
{
    step_give(w, 0, &given->head);
    assert_int_equal(w->ended, 1);
    assert_int_equal(w->cluster.given_back, 1);
    if (!w->failed)
        assert_int_equal(step_links_at(w, LINKS, 0)->count, 2);
}

static void whatever_allocation_fails_the_outcome_is_kept_or_the_crawl_says_so(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){.part = &part_disposition,
                                                    .settings = "",
                                                    .with = STEP_DEPTHS,
                                                    .prepare = prepare,
                                                    .run = run});
}

static struct message *list;

static void prepare_list(struct step *w)
{
    static const struct step_item items[] = {{"http://a.test/", ""}, {"http://b.test/", ""}};
    list = step_judged_list(LIST_SEEDS, items, 2);
    step_set_seed(list, 0);
    url_list_of(list)->work = (struct url_list_waiter){cluster_work_ended, &w->cluster.service};
    w->cluster.begun = 1;
}

static void run_list(struct step *w)
{
    step_give(w, STEP_LISTS, list);
    assert_int_equal(w->ended, 1);
    assert_true(w->failed || w->cluster.begun == 0);
    if (!w->failed)
        assert_int_equal(step_links_at(w, LINKS, 0)->count, 2);
}

static void whatever_allocation_fails_a_list_is_kept_or_the_crawl_says_so(void **state)
{
    (void)state;
    step_each_allocation_fails(&(struct step_sweep){
        .part = &part_disposition, .settings = "", .prepare = prepare_list, .run = run_list});
}

/* A pool ------------------------------------------------------------------------------------------ */

/* A page whose member was lost while it had it. */
static struct visit *lost(const char *url, bool is_blamed)
{
    struct visit *v = asked(&s, url, "");
    visit_lost(&v->head, is_blamed);
    return v;
}

static void open_with_members(void)
{
    step_world(&s, "delay=2s", 0);
    step_with_members(&s);
    assert_rc(step_open(&s, &part_disposition), RC_OK);
}

static void a_lost_visit_goes_back_to_its_queue_and_its_host_waits_for_the_delay(void **state)
{
    (void)state;
    open_with_members();
    for (unsigned is_blamed = 0; is_blamed < 2; is_blamed++) {
        give(lost(is_blamed ? "http://a.test/1" : "http://b.test/1", is_blamed));
        assert_int_equal(counts().queued, 1 + is_blamed);
        assert_true(due_ms() >= s.clock.now + 2 * SECOND);
    }
    assert_int_equal(s.members.orphaned, 1); /* the other was not to blame */
    assert_int_equal(s.members.settled, 0);
    assert_string_equal(step_file(&s, "logs/crawl.log"), "");
    step_close(&s);
}

static void a_url_with_which_three_members_were_lost_is_given_up(void **state)
{
    (void)state;
    open_with_members();
    s.members.orphaned = 2;
    give(lost("http://a.test/1", true));
    assert_int_equal(counts().queued, 0);
    assert_true(says("logs/crawl.log", " -7002 "));
    assert_int_equal(s.members.settled, 1);
    step_close(&s);
}

static void a_visit_put_off_at_a_member_waits_from_its_return_on(void **state)
{
    (void)state;
    open_with_members();
    struct visit *v = asked(&s, "http://a.test/1", "");
    v->state = VISIT_LATER;
    v->route.due_ms = 1; /* of another machine's clock */
    v->route.later_ms = 5 * SECOND;
    give(v);
    assert_int_equal(counts().queued, 1);
    assert_int_equal(due_ms(), s.clock.now + 5 * SECOND);
    step_close(&s);
}

static void a_visit_put_off_at_a_member_waits_for_the_delay_at_least(void **state)
{
    (void)state;
    open_with_members();
    struct visit *v = asked(&s, "http://a.test/1", "");
    v->state = VISIT_LATER;
    v->route.later_ms = 1;
    give(v);
    assert_int_equal(due_ms(), s.clock.now + 2 * SECOND);
    step_close(&s);
}

/* Neither to ask again without end, nor to leave the host alone, nor to ask it at once. */
static void the_verdict_of_a_member_does_not_count(void **state)
{
    (void)state;
    static const struct pace_verdict verdicts[] = {
        {.next = PACE_AGAIN},
        {.next = PACE_DEAD, .code = FETCH_RETRIES, .wait_ms = 1},
        {.next = PACE_DONE, .code = -9998, .wait_ms = PACE_MOST_WAIT_MS},
    };
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++) {
        open_with_members();
        struct visit *v = page(&s, "http://a.test/1", "", 200);
        v->answer.has_verdict = true;
        v->answer.verdict = verdicts[i];
        give(v);
        assert_int_equal(counts().queued, 0);
        assert_true(says("logs/crawl.log", " 200 "));
        step_close(&s);
    }
}

static void a_result_forgets_that_members_were_lost(void **state)
{
    (void)state;
    open_with_members();
    give(page(&s, "http://a.test/1", "", 200));
    assert_int_equal(s.members.settled, 1);
    step_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_that_is_done_leaves_its_queue_and_its_host_waits),
        cmocka_unit_test(a_page_behind_a_link_is_no_seed),
        cmocka_unit_test(statuses_are_counted_by_their_class),
        cmocka_unit_test(what_must_be_asked_again_stays_at_the_head_of_its_queue),
        cmocka_unit_test(the_last_try_is_the_result),
        cmocka_unit_test(an_answer_that_came_only_in_part_is_counted),
        cmocka_unit_test(a_host_that_never_answers_is_given_up),
        cmocka_unit_test(what_was_refused_costs_its_host_no_wait),
        cmocka_unit_test(a_visit_whose_address_was_busy_goes_back_without_a_word),
        cmocka_unit_test(an_address_that_refused_is_remembered_and_costs_no_try),
        cmocka_unit_test(the_engine_hears_when_the_host_is_asked_again),
        cmocka_unit_test(the_engine_hears_that_no_url_waits),
        cmocka_unit_test(of_what_was_not_asked_the_engine_hears_nothing),
        cmocka_unit_test(of_a_host_with_several_origins_one_fails_alone),
        cmocka_unit_test(an_origin_that_answers_is_well_again),
        cmocka_unit_test(behind_its_robots_txt_the_page_is_still_to_be_asked_for),
        cmocka_unit_test(a_robots_txt_that_cannot_be_had_is_the_end_of_its_page),
        cmocka_unit_test(where_a_robots_txt_redirects_from_is_logged),
        cmocka_unit_test(new_links_go_to_their_shard_and_into_the_graph),
        cmocka_unit_test(without_a_graph_no_lines_of_it_are_written),
        cmocka_unit_test(a_link_that_is_known_is_not_sent),
        cmocka_unit_test(links_of_another_agent_are_journalled_and_sent_once),
        cmocka_unit_test(each_shard_gets_its_own_links),
        cmocka_unit_test(what_a_host_may_not_bring_is_left_out_and_told_once),
        cmocka_unit_test(where_a_seed_redirects_to_is_told_to_all_agents),
        cmocka_unit_test(a_shorter_way_found_meanwhile_sends_the_page_to_rejudge),
        cmocka_unit_test(seeds_are_journalled_and_sent),
        cmocka_unit_test(what_is_asked_for_again_is_no_part_of_the_graph),
        cmocka_unit_test(a_list_of_what_is_known_sends_nothing_but_word),
        cmocka_unit_test(a_page_that_was_judged_again_is_remembered_at_its_shorter_way),
        cmocka_unit_test(what_became_of_a_page_is_in_the_history),
        cmocka_unit_test(a_payload_that_changed_is_counted_with_what_changed),
        cmocka_unit_test(a_304_confirms_what_was_known),
        cmocka_unit_test(pages_that_fit_the_topic_are_counted),
        cmocka_unit_test(a_dropped_page_is_logged_with_its_reason_and_is_no_page),
        cmocka_unit_test(a_turn_gives_everything_to_the_kernel),
        cmocka_unit_test(whatever_allocation_fails_the_outcome_is_kept_or_the_crawl_says_so),
        cmocka_unit_test(whatever_allocation_fails_a_list_is_kept_or_the_crawl_says_so),
        cmocka_unit_test(a_lost_visit_goes_back_to_its_queue_and_its_host_waits_for_the_delay),
        cmocka_unit_test(a_url_with_which_three_members_were_lost_is_given_up),
        cmocka_unit_test(a_visit_put_off_at_a_member_waits_from_its_return_on),
        cmocka_unit_test(a_result_forgets_that_members_were_lost),
        cmocka_unit_test(a_visit_put_off_at_a_member_waits_for_the_delay_at_least),
        cmocka_unit_test(the_verdict_of_a_member_does_not_count),
    };
    return cmocka_run_group_tests_name("disposition", tests, NULL, NULL);
}
