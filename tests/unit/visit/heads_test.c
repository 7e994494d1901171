/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/visit.h"

#include "lib/test.h"

static struct http_answer answer;

static struct visit *visit_with(struct str fields)
{
    static char room[1000];
    struct buf head = buf_on(room, sizeof room);
    struct visit *v = visit_open(VISIT_PAGE, NULL);
    assert_non_null(v);
    buf_add(&head, STR("HTTP/1.1 200 OK\r\n"));
    buf_add(&head, fields);
    buf_add(&head, STR("\r\n"));
    assert_rc(buf_rc(&head), RC_OK);
    answer = (struct http_answer){.status = 200, .head = buf_str(&head)};
    v->answer.http = &answer;
    visit_read_heads(v);
    return v;
}

static void each_name_that_the_crawl_needs_is_found(void **state)
{
    (void)state;
    struct visit *v = visit_with(
        STR("Server: x\r\ncontent-type: text/html\r\nContent-Encoding: gzip\r\nLOCATION: /a\r\n"
            "Refresh: 0;url=/b\r\nRetry-After: 7\r\nETag: \"e\"\r\nLast-Modified: then\r\n"
            "X-Robots-Tag: noindex\r\n"));
    const struct visit_heads *h = &v->answer.heads;
    assert_str(h->type, STR("text/html"));
    assert_str(h->encoding, STR("gzip"));
    assert_str(h->location, STR("/a"));
    assert_str(h->refresh, STR("0;url=/b"));
    assert_str(h->retry_after, STR("7"));
    assert_str(h->etag, STR("\"e\""));
    assert_str(h->last_modified, STR("then"));
    assert_str(h->x_robots, STR("noindex"));
    message_end(&v->head);
}

static void what_is_not_there_is_absent(void **state)
{
    (void)state;
    struct visit *v = visit_with(STR("Content-Types: text/html\r\nX-Location: /a\r\n"));
    assert_null(v->answer.heads.type.p);
    assert_null(v->answer.heads.location.p);
    message_end(&v->head);
}

static void the_first_field_of_a_name_counts(void **state)
{
    (void)state;
    struct visit *v = visit_with(STR("Location: /first\r\nlocation: /second\r\n"));
    assert_str(v->answer.heads.location, STR("/first"));
    message_end(&v->head);
}

static void an_empty_value_is_there(void **state)
{
    (void)state;
    struct visit *v = visit_with(STR("Content-Type:\r\nContent-Type: text/css\r\n"));
    assert_non_null(v->answer.heads.type.p);
    assert_str(v->answer.heads.type, STR(""));
    message_end(&v->head);
}

static void a_folded_value_is_joined_and_outlasts_the_next(void **state)
{
    (void)state;
    struct visit *v = visit_with(STR("Location: /a\r\n  b\r\nContent-Type: text/\r\n html\r\n"));
    assert_str(v->answer.heads.location, STR("/a b"));
    assert_str(v->answer.heads.type, STR("text/ html"));
    message_end(&v->head);
}

static void what_an_earlier_answer_said_is_forgotten(void **state)
{
    (void)state;
    struct visit *v = visit_with(STR("ETag: \"e\"\r\n"));
    answer.head = STR("HTTP/1.1 200 OK\r\n\r\n");
    visit_read_heads(v);
    assert_null(v->answer.heads.etag.p);
    message_end(&v->head);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_name_that_the_crawl_needs_is_found),
        cmocka_unit_test(what_is_not_there_is_absent),
        cmocka_unit_test(the_first_field_of_a_name_counts),
        cmocka_unit_test(an_empty_value_is_there),
        cmocka_unit_test(a_folded_value_is_joined_and_outlasts_the_next),
        cmocka_unit_test(what_an_earlier_answer_said_is_forgotten),
    };
    return cmocka_run_group_tests_name("heads", tests, NULL, NULL);
}
