/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/ask.h"

#include "lib/step.h"

#define DATE "Sun, 06 Nov 1994 08:49:37 GMT"
#define DATE_MS INT64_C(784111777000)

static struct visit *open_visit(enum visit_kind kind)
{
    struct visit *v = visit_open(kind, NULL);
    assert_non_null(v);
    v->turn.checkout.seed_path = STR("L");
    return v;
}

static void a_page_that_was_captured_is_asked_for_with_conditions(void **state)
{
    (void)state;
    static const struct {
        bool has_history, has_digest;
        const char *etag, *modified;
        int64_t captured_ms;
        bool asks_etag, asks_date;
    } rows[] = {
        {true, true, "\"e\"", DATE, DATE_MS + 1000, true, true},
        {true, true, NULL, DATE, DATE_MS, false, true},
        {true, true, "\"e\"", DATE, DATE_MS - 1, true, false}, /* behind the capture */
        {true, true, "\"e\"", "yesterday", DATE_MS, true, false},
        {true, true, NULL, NULL, DATE_MS, false, false},
        {true, false, "\"e\"", DATE, DATE_MS, false, false}, /* there is nothing to compare with */
        {false, true, "\"e\"", DATE, DATE_MS, false, false},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct visit *v = open_visit(VISIT_PAGE);
        v->turn.has_history = rows[i].has_history;
        v->turn.history = (struct history_entry){
            .has_digest = rows[i].has_digest,
            .captured_ms = rows[i].captured_ms,
            .etag = rows[i].etag ? str_c(rows[i].etag) : STR_NONE,
            .last_modified = rows[i].modified ? str_c(rows[i].modified) : STR_NONE};
        struct request_condition c = ask_condition(v);
        assert_int_equal(c.etag.p != NULL, rows[i].asks_etag);
        assert_int_equal(c.last_modified.p != NULL, rows[i].asks_date);
        message_end(&v->head);
    }
}

static void of_a_robots_txt_so_much_is_taken_as_is_read(void **state)
{
    (void)state;
    struct visit *v = open_visit(VISIT_ROBOTS);
    assert_int_equal(ask_body_bytes(v, 10), ROBOTS_BODY_MAX + 1);
    v->kind = VISIT_PAGE;
    assert_int_equal(ask_body_bytes(v, 10), 10);
    message_end(&v->head);
}

static void other_types_are_left_where_they_are(void **state)
{
    (void)state;
    static const struct {
        uint16_t status;
        const char *head, *seed_path;
        bool wants;
    } rows[] = {{200, "Content-Type: text/html; charset=x\r\n\r\n", "L", true},
                {200, "Content-Type: image/png\r\n\r\n", "L", false},
                {404, "Content-Type: image/png\r\n\r\n", "L", false},
                {299, "Content-Type: image/png\r\n\r\n", "L", false},
                {300, "Content-Type: image/png\r\n\r\n", "L", true}, /* leads elsewhere */
                {399, "Content-Type: image/png\r\n\r\n", "L", true},
                {400, "Content-Type: image/png\r\n\r\n", "L", false},
                {200, "Content-Type: image/png\r\n\r\n", "LP", true}, /* a sitemap */
                {200, "\r\n", "L", false}};
    struct str text = STR("text/html");
    struct buf why = {.max = 100};
    struct type_set *types;
    assert_rc(type_set_open(&text, 1, &types, &why), RC_OK);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct visit *v = open_visit(VISIT_PAGE);
        v->turn.checkout.seed_path = str_c(rows[i].seed_path);
        assert_int_equal(ask_wants(v, types, rows[i].status, str_c(rows[i].head)), rows[i].wants);
        assert_int_equal(v->answer.has_other_type, !rows[i].wants);
        message_end(&v->head);
    }
    type_set_close(types);
    buf_done(&why);
}

static void an_answer_is_kept_with_its_heads(void **state)
{
    (void)state;
    struct visit *v = open_visit(VISIT_PAGE);
    v->answer.uncounted_bytes = 100; /* of an earlier hop */
    const struct http_answer *a =
        step_answer(503, "Content-Type: Text/HTML; charset=x\r\nRetry-After: 120\r\n", "hi");
    ask_answered(v, a);
    assert_int_equal(v->state, VISIT_ENDED);
    assert_ptr_equal(v->answer.http, a);
    assert_str(v->answer.mime, STR("Text/HTML"));
    assert_str(v->answer.heads.retry_after, STR("120"));
    assert_int_equal(v->answer.uncounted_bytes, 100 + a->bytes_in);
    assert_int_equal(ask_end(v, a, 0).retry_after_ms, 120000);
    message_end(&v->head);
}

static void an_answer_without_a_head_is_none(void **state)
{
    (void)state;
    struct visit *v = open_visit(VISIT_PAGE);
    struct http_answer a = {.outcome = HTTP_CLOSED, .why = "reset", .bytes_in = 3};
    ask_answered(v, &a);
    assert_null(v->answer.http);
    assert_null(v->answer.mime.p);
    assert_string_equal(v->why, "reset");
    assert_int_equal(ask_end(v, &a, 0).http, HTTP_CLOSED);
    message_end(&v->head);
}

static void a_304_counts_if_it_was_asked_for(void **state)
{
    (void)state;
    struct visit *v = open_visit(VISIT_PAGE);
    const struct http_answer *a = step_answer(304, "", "");
    ask_answered(v, a);
    assert_true(ask_end(v, a, 0).is_unasked_304);
    v->turn.has_history = true;
    v->turn.history = (struct history_entry){.has_digest = true, .etag = STR("\"e\"")};
    assert_false(ask_end(v, a, 0).is_unasked_304);
    v->turn.history = (struct history_entry){
        .has_digest = true, .last_modified = STR(DATE), .captured_ms = DATE_MS};
    assert_false(ask_end(v, a, 0).is_unasked_304);
    message_end(&v->head);
}

/* Another host than the one that is checked out has another record. */
static void http_2_is_offered_to_the_host_that_wants_it(void **state)
{
    (void)state;
    struct step s;
    step_world(&s, "", 0);
    struct visit *v = step_visit(&s, "https://a.test/1", "L");
    struct http_answer a = *step_answer(505, "", "");
    a.offer = HTTP_OFFER_POSSIBLE;
    ask_answered(v, &a);
    assert_false(ask_offers_h2(v));
    assert_true(ask_end(v, &a, 0).http_version.is_refusal);
    v->turn.record->http = HOST_HTTP_2;
    assert_true(ask_offers_h2(v));
    assert_rc(visit_name(v, VISIT_ROBOTS), RC_OK);
    v->turn.robots_redirects = 1;
    assert_true(ask_offers_h2(v)); /* to the same host */
    assert_true(ask_end(v, &a, 0).http_version.is_refusal);
    v->turn.checkout.host_name = STR("b.test");
    assert_false(ask_offers_h2(v));
    assert_false(ask_end(v, &a, 0).http_version.is_refusal);
    assert_int_equal(ask_end(v, &a, 0).http_version.offer, HTTP_OFFER_NONE);
    v->turn.checkout.host_name = STR("a.test");
    message_end(&v->head);
    step_close(&s);
}

static void trouble_of_our_own_is_no_fault_of_the_host(void **state)
{
    (void)state;
    struct visit *v = open_visit(VISIT_PAGE);
    ask_failed(v);
    assert_int_equal(v->state, VISIT_ENDED);
    assert_int_equal(v->answer.end.http, HTTP_FAILED);
    assert_int_equal(v->answer.end.dns, DNS_FOUND);
    assert_string_equal(v->why, "no memory");
    message_end(&v->head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_page_that_was_captured_is_asked_for_with_conditions),
        cmocka_unit_test(of_a_robots_txt_so_much_is_taken_as_is_read),
        cmocka_unit_test(other_types_are_left_where_they_are),
        cmocka_unit_test(an_answer_is_kept_with_its_heads),
        cmocka_unit_test(an_answer_without_a_head_is_none),
        cmocka_unit_test(a_304_counts_if_it_was_asked_for),
        cmocka_unit_test(http_2_is_offered_to_the_host_that_wants_it),
        cmocka_unit_test(trouble_of_our_own_is_no_fault_of_the_host),
    };
    return cmocka_run_group_tests_name("ask", tests, NULL, NULL);
}
