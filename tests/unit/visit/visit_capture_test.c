/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/visit_capture.h"

#include "lib/step.h"

static struct step s;

static struct visit *page(uint16_t status)
{
    struct visit *v = step_visit(&s, "http://a.test/1", "LL");
    struct http_answer *a = step_set_answer(&s, v, status, "X: y\r\n", "hello");
    a->peer = (struct address){.bytes = {127, 0, 0, 9}};
    a->timing.total_us = 12999;
    v->stored.via = STR("http://a.test/");
    v->parsed.identified = STR("text/plain");
    return v;
}

static void close_world(struct visit *v)
{
    message_end(&v->head);
    step_close(&s);
}

static void what_was_asked_and_answered_is_captured(void **state)
{
    (void)state;
    step_world(&s, "", 0);
    struct visit *v = page(200);
    struct capture c = visit_capture(v, NULL);
    assert_str(c.target_uri, STR("http://a.test/1"));
    assert_str(c.ip_address, STR("127.0.0.9"));
    assert_str(c.request, v->answer.request);
    assert_str(c.head, v->answer.http->head);
    assert_str(c.body, STR("hello"));
    assert_str(c.identified_type, STR("text/plain"));
    assert_int_equal(c.date_ms, v->answer.date_ms);
    assert_false(c.is_http2);
    assert_null(c.facts);
    assert_null(c.not_modified);
    assert_null(c.not_modified_digest);
    close_world(v);
}

static void each_cut_has_its_word(void **state)
{
    (void)state;
    static const struct {
        enum http_cut is;
        enum warc_cut says;
    } rows[] = {{HTTP_CUT_NONE, WARC_CUT_NONE},
                {HTTP_CUT_LENGTH, WARC_CUT_LENGTH},
                {HTTP_CUT_TIME, WARC_CUT_TIME},
                {HTTP_CUT_DISCONNECT, WARC_CUT_DISCONNECT}};
    step_world(&s, "", 0);
    struct visit *v = page(200);
    struct http_answer a = *v->answer.http;
    v->answer.http = &a;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        a.cut = rows[i].is;
        assert_int_equal(visit_capture(v, NULL).cut, rows[i].says);
    }
    close_world(v);
}

static void the_facts_of_the_fetch_have_its_links(void **state)
{
    (void)state;
    step_world(&s, "", 0);
    struct visit *v = page(200);
    struct warc_fetch_facts facts;
    struct found_link links[] = {
        {.href = STR("http://a.test/2"), .hop = HOP_LINK, .context = STR("a/@href")},
        {.href = STR("http://a.test/3"), .hop = HOP_EMBED},
    };
    v->judged.links.list = links;
    v->judged.links.count = 2;
    struct capture c = visit_capture(v, &facts);
    assert_ptr_equal(c.facts, &facts);
    assert_str(facts.via, STR("http://a.test/"));
    assert_str(facts.hops_from_seed, STR("LL"));
    assert_int_equal(facts.fetch_time_ms, 12);
    assert_int_equal(facts.outlink_count, 2);
    assert_str(facts.outlinks[0].uri, STR("http://a.test/2"));
    assert_str(facts.outlinks[0].context, STR("a/@href"));
    assert_int_equal(facts.outlinks[1].hop, HOP_EMBED);
    v->judged.links.count = 0;
    (void)visit_capture(v, &facts);
    assert_int_equal(facts.outlink_count, 0);
    close_world(v);
}

static void a_304_confirms_the_capture_that_the_history_names(void **state)
{
    (void)state;
    step_world(&s, "", 0);
    struct visit *v = page(304);
    struct digest_ref ref;
    assert_false(visit_earlier_capture(v, &ref));
    v->turn.has_history = true;
    v->turn.history =
        (struct history_entry){.url = STR("http://a.test/1"), .captured_ms = 77, .record_id = {5}};
    assert_false(visit_earlier_capture(v, &ref)); /* an entry without a payload */
    assert_null(visit_capture(v, NULL).not_modified);
    v->turn.history.has_digest = true;
    assert_true(visit_earlier_capture(v, &ref));
    assert_true(digest_ref_has_id(&ref) && ref.date_ms == 77);
    struct capture c = visit_capture(v, NULL);
    assert_non_null(c.not_modified);
    assert_int_equal(c.not_modified->id.bytes[0], 5);
    assert_int_equal(c.not_modified->date_ms, 77);
    assert_str(c.not_modified->uri, STR("http://a.test/1"));
    assert_ptr_equal(c.not_modified_digest, &v->turn.history.digest);
    v->answer.end.status = 200; /* another answer confirms nothing */
    assert_null(visit_capture(v, NULL).not_modified);
    close_world(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_asked_and_answered_is_captured),
        cmocka_unit_test(each_cut_has_its_word),
        cmocka_unit_test(the_facts_of_the_fetch_have_its_links),
        cmocka_unit_test(a_304_confirms_the_capture_that_the_history_names),
    };
    return cmocka_run_group_tests_name("visit_capture", tests, NULL, NULL);
}
