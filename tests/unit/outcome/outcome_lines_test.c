/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/outcome_lines.h"

#include "lib/step.h"

enum { WALL_MS = 1700000000 };

static struct step s;
static struct outcome_lines lines;
static struct ledger_outcome o;

static void open_world(bool has_graph)
{
    step_world(&s, "", 0);
    outcome_lines_init(&lines, s.ledger, 3, has_graph);
    o = (struct ledger_outcome){0};
}

static void close_world(struct message *m)
{
    message_end(m);
    outcome_lines_done(&lines);
    step_close(&s);
}

static struct visit *page(uint16_t status)
{
    struct visit *v = step_visit(&s, "http://a.test/1", "L");
    (void)step_set_answer(&s, v, status, "Content-Type: text/html\r\n", "<p>hi");
    v->parsed.is_page = status == 200;
    return v;
}

static struct ending ended(bool is_final, enum host_return how, int code)
{
    return (struct ending){.host = {.is_final = is_final, .how = how, .verdict = {.code = code}}};
}

/* The lines for that file, one behind the other. */
static const char *text_of(enum ledger_file file)
{
    static char room[4000];
    struct buf text = buf_on(room, sizeof room);
    for (size_t i = 0; i < o.line_count; i++)
        if (o.lines[i].file == file)
            buf_add(&text, o.lines[i].text);
    return buf_c(&text);
}

static bool says(enum ledger_file file, const char *text)
{
    return strstr(text_of(file), text) != NULL;
}

static void take(struct visit *v, struct ending e, const struct new_links *new)
{
    assert_rc(outcome_lines_of_visit(&lines, v, &e, new, WALL_MS), RC_OK);
    assert_rc(outcome_lines_take(&lines, &o), RC_OK);
}

static struct new_links one_new(struct candidate *c)
{
    *c = step_candidate("http://b.test/", "LL");
    return (struct new_links){.list = c, .count = 1};
}

static void a_result_goes_to_the_log_and_to_the_list_of_pages(void **state)
{
    (void)state;
    open_world(true);
    struct visit *v = page(200);
    take(v, ended(true, HOST_RETURN_DONE, 200), &(struct new_links){0});
    assert_true(says(LEDGER_CRAWL_LOG, " 200 "));
    assert_true(says(LEDGER_CRAWL_LOG, "#003")); /* the shard */
    assert_true(says(LEDGER_EXTRA_PAGES, "http://a.test/1"));
    assert_string_equal(text_of(LEDGER_PAGES), "");
    close_world(&v->head);
}

static void a_try_that_will_be_repeated_leaves_no_line(void **state)
{
    (void)state;
    open_world(true);
    struct visit *v = page(503);
    take(v, ended(false, HOST_RETURN_AGAIN, 503), &(struct new_links){0});
    assert_int_equal(o.line_count, 0);
    assert_int_equal(o.names.n, 0);
    assert_null(v->stored.via.p); /* no line needs it */
    close_world(&v->head);
}

static void the_page_that_led_to_a_url_is_looked_up_once(void **state)
{
    (void)state;
    static const struct {
        bool has_graph;
        const char *before, *after;
    } rows[] = {{true, NULL, "http://from.test/"},
                {true, "http://known.test/", "http://known.test/"},
                {false, NULL, NULL}};
    for (unsigned i = 0; i < 3; i++) {
        open_world(rows[i].has_graph);
        struct visit *v = page(200);
        v->turn.checkout.via = 7;
        page_names_put(s.ledger->names, 7, STR("http://from.test/"));
        if (rows[i].before)
            v->stored.via = str_c(rows[i].before);
        take(v, ended(true, HOST_RETURN_DONE, 200), &(struct new_links){0});
        if (rows[i].after) {
            assert_str(v->stored.via, str_c(rows[i].after));
            assert_true(says(LEDGER_CRAWL_LOG, rows[i].after));
        } else {
            assert_null(v->stored.via.p);
        }
        close_world(&v->head);
    }
}

static void the_graph_has_nodes_and_arcs_unless_it_is_left_out(void **state)
{
    (void)state;
    struct candidate c;
    struct new_links new = one_new(&c);
    for (int has_graph = 0; has_graph < 2; has_graph++) {
        open_world(has_graph);
        struct visit *v = page(200);
        struct found_link link = step_link("http://b.test/", "LL");
        link.is_seed = true;
        v->judged.links = (struct found_links){.list = &link, .count = 1};
        take(v, ended(true, HOST_RETURN_DONE, 200), &new);
        assert_int_equal(o.names.n > 0, has_graph);
        assert_int_equal(text_of(LEDGER_ARCS)[0] != 0, has_graph);
        assert_true(says(LEDGER_SEEDS, "http://b.test/ http://a.test/1")); /* in any case */
        close_world(&v->head);
    }
}

static struct visit *robots(bool is_kept)
{
    struct visit *v = page(503);
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    v->stored.is_kept = is_kept;
    v->stored.capture = (struct capture){.target_uri = url_href(&v->turn.url)};
    v->stored.location = (struct warc_location){.bytes = 9, .file = "x.warc.gz"};
    v->stored.location.digest.kind = DIGEST_SHA1;
    return v;
}

static void a_robots_txt_that_ends_its_page_has_lines_of_both(void **state)
{
    (void)state;
    open_world(true);
    struct visit *v = robots(true);
    take(v, ended(true, HOST_RETURN_DONE, FETCH_NO_ROBOTS), &(struct new_links){0});
    assert_true(says(LEDGER_CRAWL_LOG, " 503 "));
    assert_true(says(LEDGER_CRAWL_LOG, "http://a.test/robots.txt"));
    assert_true(says(LEDGER_CRAWL_LOG, " -61 "));
    assert_true(says(LEDGER_CRAWL_LOG, "http://a.test/1"));
    assert_true(says(LEDGER_CDXJ, "http://a.test/robots.txt"));
    assert_false(says(LEDGER_CDXJ, "http://a.test/1"));
    assert_int_equal(v->kind, VISIT_PAGE);
    close_world(&v->head);
}

static void a_robots_txt_that_never_came_has_no_line_of_its_own(void **state)
{
    (void)state;
    open_world(true);
    struct visit *v = robots(false);
    take(v, ended(true, HOST_RETURN_DONE, FETCH_NO_ROBOTS), &(struct new_links){0});
    assert_false(says(LEDGER_CRAWL_LOG, "robots.txt "));
    assert_true(says(LEDGER_CRAWL_LOG, " -61 "));
    close_world(&v->head);
}

static void a_robots_txt_that_redirects_has_its_result(void **state)
{
    (void)state;
    open_world(true);
    struct visit *v = page(301);
    assert_rc(visit_name(v, VISIT_ROBOTS_REDIRECT), RC_OK);
    outcome_lines_of_redirect(&lines, v, WALL_MS);
    assert_rc(outcome_lines_take(&lines, &o), RC_OK);
    assert_int_equal(o.line_count, 1);
    assert_true(says(LEDGER_CRAWL_LOG, " 301 "));
    close_world(&v->head);
}

static void a_list_has_nodes_unless_its_urls_are_asked_for_again(void **state)
{
    (void)state;
    static const struct {
        enum url_list_origin origin;
        bool has_nodes;
    } rows[] = {{LIST_SEEDS, true}, {LIST_REJUDGED, true}, {LIST_REQUEUED, false}};
    const struct step_item items[] = {{"http://b.test/", ""}, {"http://c.test/", ""}};
    struct candidate c;
    struct new_links new = one_new(&c);
    for (unsigned i = 0; i < 3; i++) {
        open_world(false); /* a list's nodes do not depend on it */
        struct message *m = step_judged_list(rows[i].origin, items, 2);
        step_set_seed(m, 0);
        outcome_lines_of_list(&lines, url_list_of(m), &new);
        assert_rc(outcome_lines_take(&lines, &o), RC_OK);
        assert_int_equal(o.names.n > 0, rows[i].has_nodes);
        assert_string_equal(text_of(LEDGER_SEEDS), "http://b.test/\n");
        close_world(m);
    }
}

static void each_outcome_begins_anew(void **state)
{
    (void)state;
    open_world(true);
    struct visit *v = page(200);
    struct candidate c;
    struct new_links new = one_new(&c);
    take(v, ended(true, HOST_RETURN_DONE, 200), &new);
    take(v, ended(false, HOST_RETURN_AGAIN, 503), &(struct new_links){0});
    assert_int_equal(o.line_count, 0);
    assert_int_equal(o.names.n, 0);
    close_world(&v->head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_goes_to_the_log_and_to_the_list_of_pages),
        cmocka_unit_test(a_try_that_will_be_repeated_leaves_no_line),
        cmocka_unit_test(the_page_that_led_to_a_url_is_looked_up_once),
        cmocka_unit_test(the_graph_has_nodes_and_arcs_unless_it_is_left_out),
        cmocka_unit_test(a_robots_txt_that_ends_its_page_has_lines_of_both),
        cmocka_unit_test(a_robots_txt_that_never_came_has_no_line_of_its_own),
        cmocka_unit_test(a_robots_txt_that_redirects_has_its_result),
        cmocka_unit_test(a_list_has_nodes_unless_its_urls_are_asked_for_again),
        cmocka_unit_test(each_outcome_begins_anew),
    };
    return cmocka_run_group_tests_name("outcome_lines", tests, NULL, NULL);
}
