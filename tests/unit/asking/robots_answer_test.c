/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/robots_answer.h"

#include "base/hash.h"
#include "base/mem.h"
#include "discovery/depth_key.h"
#include "lib/step.h"
#include "visit/visit_host.h"

static struct step s;
static struct decoder *decoder;
static struct buf text;

/* The visit of a robots.txt that was answered. */
static struct visit *answered(uint16_t status, const char *head, const char *body, unsigned with)
{
    step_world(&s, "", with);
    assert_rc(decoder_open(&decoder), RC_OK);
    buf_init(&text, HOST_ROBOTS_BODY_BYTES);
    struct visit *v = step_visit(&s, "http://a.test/1", "LL");
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    (void)step_set_answer(&s, v, status, head, body);
    return v;
}

static void close_world(struct visit *v)
{
    message_end(&v->head);
    decoder_close(decoder);
    buf_done(&text);
    step_close(&s);
}

static void an_answer_that_broke_off_is_none(void **state)
{
    (void)state;
    static const struct {
        enum http_outcome outcome;
        bool is_there;
        enum robots_status_meaning meaning;
    } rows[] = {{HTTP_WHOLE, true, ROBOTS_USE_BODY},
                {HTTP_TRUNCATED, true, ROBOTS_RETRY},
                {HTTP_TIMEOUT, true, ROBOTS_RETRY},
                {HTTP_WHOLE, false, ROBOTS_RETRY}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct visit *v = answered(200, "", "", 0);
        struct host_request request = visit_request(v);
        v->answer.end.http = rows[i].outcome;
        if (!rows[i].is_there)
            v->answer.http = NULL;
        assert_int_equal(robots_answer_meaning(v, &request), rows[i].meaning);
        close_world(v);
    }
}

static void the_rules_of_the_user_agent_are_read(void **state)
{
    (void)state;
    struct visit *v =
        answered(200, "Content-Encoding: identity\r\n",
                 "User-agent: *\nDisallow: /\n\nUser-agent: tester\nDisallow: /x\n", 0);
    const struct robots *rules;
    assert_rc(robots_answer_rules(v, STR("tester/1.0"), decoder, &text, &rules), RC_OK);
    assert_true(robots_check(rules, STR("/1")).allowed);
    assert_false(robots_check(rules, STR("/x")).allowed);
    robots_free(rules);
    close_world(v);
}

/* Our own limit cuts a robots.txt, too: its first half holds. */
static void one_that_is_too_long_is_used(void **state)
{
    (void)state;
    struct visit *v = answered(200, "", "", 0);
    struct host_request request = visit_request(v);
    struct http_answer a = *v->answer.http;
    a.cut = HTTP_CUT_LENGTH;
    v->answer.http = &a;
    v->answer.end.http = HTTP_TRUNCATED;
    assert_int_equal(robots_answer_meaning(v, &request), ROBOTS_USE_BODY);
    v->answer.end.status = 404; /* there is none, whatever came of the body */
    a.cut = HTTP_CUT_DISCONNECT;
    assert_int_equal(robots_answer_meaning(v, &request), ROBOTS_ALLOW);
    close_world(v);
}

static void a_broken_coding_has_no_rules(void **state)
{
    (void)state;
    struct visit *v = answered(200, "Content-Encoding: gzip\r\n", "\x1f\x8b\x08 and no more", 0);
    const struct robots *rules = NULL;
    assert_rc(robots_answer_rules(v, STR("tester"), decoder, &text, &rules), RC_INVALID);
    assert_null(rules);
    close_world(v);
}

static void without_memory_there_are_no_rules(void **state)
{
    (void)state;
    struct visit *v = answered(200, "", "User-agent: *\nDisallow: /\n", 0);
    const struct robots *rules = NULL;
    mem_fault_at(1);
    assert_rc(robots_answer_rules(v, STR("tester"), decoder, &text, &rules), RC_NOMEM);
    mem_fault_at(0);
    assert_null(rules);
    close_world(v);
}

static struct robots *rules_with_sitemaps(void)
{
    struct robots *rules;
    assert_rc(robots_parse(STR("Sitemap: http://a.test/1.xml\nSitemap: http://a.test/2.xml\n"),
                           STR("tester"), &rules),
              RC_OK);
    return rules;
}

static void sitemaps_become_references(void **state)
{
    (void)state;
    struct visit *v = answered(200, "", "", 0);
    struct robots *rules = rules_with_sitemaps();
    robots_answer_sitemaps(v, rules, NULL);
    robots_free(rules); /* the references are copies */
    assert_int_equal(v->parsed.reference_count, 2);
    assert_str(v->parsed.references[0].raw, STR("http://a.test/1.xml"));
    assert_str(v->parsed.references[1].raw, STR("http://a.test/2.xml"));
    assert_int_equal(v->parsed.references[1].hop, HOP_PREREQUISITE);
    assert_str(v->parsed.references[1].context, STR("robots.txt/Sitemap"));
    assert_true(v->turn.record->is_listed);
    assert_null(v->turn.origin_path.p);
    close_world(v);
}

static void a_file_without_sitemaps_lists_nothing(void **state)
{
    (void)state;
    struct visit *v = answered(200, "", "", 0);
    robots_answer_sitemaps(v, robots_allow_all(), NULL);
    assert_int_equal(v->parsed.reference_count, 0);
    assert_false(v->turn.record->is_listed);
    close_world(v);
}

static void a_sitemap_is_as_far_away_as_the_nearest_url_of_its_origin(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        bool is_shorter;
    } rows[] = {{"L", true}, {"LL", false}, {"LLL", false}};
    for (unsigned i = 0; i < 3; i++) {
        struct visit *v = answered(200, "", "", STEP_DEPTHS); /* at the end of LL */
        uint64_t origin = depth_index_origin_key(hash64(STR("a.test")), false, 0);
        struct robots *rules = rules_with_sitemaps();
        struct str path = str_c(rows[i].path), left;
        depth_index_waits(s.depth_index[0], origin);
        (void)depth_index_found(s.depth_index[0], origin, seed_path_depth(path), path);
        robots_answer_sitemaps(v, rules, s.depth_index[0]);
        assert_int_equal(v->turn.origin_path.p != NULL, rows[i].is_shorter);
        if (rows[i].is_shorter)
            assert_str(v->turn.origin_path, path);
        assert_false(depth_index_take(s.depth_index[0], origin, &left));
        robots_free(rules);
        close_world(v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_that_broke_off_is_none),
        cmocka_unit_test(the_rules_of_the_user_agent_are_read),
        cmocka_unit_test(one_that_is_too_long_is_used),
        cmocka_unit_test(a_broken_coding_has_no_rules),
        cmocka_unit_test(without_memory_there_are_no_rules),
        cmocka_unit_test(sitemaps_become_references),
        cmocka_unit_test(a_file_without_sitemaps_lists_nothing),
        cmocka_unit_test(a_sitemap_is_as_far_away_as_the_nearest_url_of_its_origin),
    };
    return cmocka_run_group_tests_name("robots_answer", tests, NULL, NULL);
}
