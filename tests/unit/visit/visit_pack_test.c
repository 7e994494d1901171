/* SPDX-License-Identifier: Apache-2.0 */
/* C4: every type of message that can go to another place comes there as it left, and junk does not.
 */
#include "catalog/catalog.h"
#include "html/page.h"
#include "lines/line.h"
#include "visit/links.h"
#include "visit/visit_host.h"

#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>

#define HREF "http://example.org:8080/a?b=c"

static struct http_answer answer_of(void)
{
    return (struct http_answer){
        .outcome = HTTP_TRUNCATED,
        .cut = HTTP_CUT_TIME,
        .why = "too slow",
        .status = 200,
        .head = STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nETag: \"x\"\r\n\r\n"),
        .body = STR("<p>one <a href=two>two</a>\0 three"),
        .is_chunked = true,
        .tls_unverified = true,
        .peer = {.bytes = {127, 0, 0, 9}},
        .timing = {1, 2, 3, 4},
        .bytes_in = 77,
    };
}

/* A page behind compare: everything that a place can find out is set. */
static struct visit *visit_full(const struct http_answer *answer)
{
    static const struct page_tag tags[] = {{STR("p"), PAGE_TAG_START}, {STR("a"), PAGE_TAG_END}};
    struct visit *v = visit_open(VISIT_PAGE, NULL);
    assert_non_null(v);
    v->turn.checkout = (struct checkout){.host_name = STR("example.org"),
                                         .path = STR("/a?b=c"),
                                         .seed_path = STR("LL"),
                                         .sequence = 5,
                                         .via = 6,
                                         .port = 8080,
                                         .class = 1};
    assert_rc(visit_name(v, VISIT_PAGE), RC_OK);
    v->turn.has_history = true;
    v->turn.history =
        (struct history_entry){.has_digest = true, .captured_ms = -9, .etag = STR("\"old\"")};
    v->turn.history.digest.kind = DIGEST_SHA1;
    v->turn.history.digest.bytes[3] = 200;
    v->turn.is_compared = true;
    v->turn.standing = (struct host_standing){true, true, 1, 2, 3, 5000, HOST_HTTP_TRIAL};
    v->route.address_count = 1;
    v->route.addresses[0] = answer->peer;
    v->state = VISIT_ENDED;
    v->answer.request = STR("GET / HTTP/1.1\r\n\r\n");
    v->answer.date_ms = 1700000000123;
    v->answer.uncounted_bytes = 77;
    v->answer.http = answer;
    visit_read_heads(v);
    v->answer.end = (struct pace_end){.http = HTTP_TRUNCATED,
                                      .status = 200,
                                      .has_retry_after = true,
                                      .http_version = {HTTP_TRUNCATED, HTTP_OFFER_MADE, true, true},
                                      .asks_other_version = true};
    v->answer.has_verdict = true;
    v->answer.verdict = (struct pace_verdict){PACE_DONE, -3, 1000, 0, 2};
    v->answer.mime = STR("text/html");
    v->parsed.media = MEDIA_HTML;
    v->parsed.text = str_from(answer->body, 3);
    v->parsed.visible = STR("one two three");
    v->parsed.tags = tags;
    v->parsed.tag_count = 2;
    v->parsed.title = STR("");
    v->parsed.charset = "utf-8";
    assert_true(visit_refer(v, STR("two"), 'L', STR("a/@href")));
    assert_true(visit_refer(v, STR("four"), 'E', STR_NONE));
    v->parsed.references[0].anchor = STR("two");
    v->parsed.references[1].is_unwanted = true;
    v->parsed.references[0].worth = 1000;
    v->judged.unwanted_count = 1;
    v->parsed.robots_bits = PAGE_NOFOLLOW;
    v->parsed.is_page = true;
    v->parsed.note = "cut";
    v->judged.score = 0.25;
    v->judged.codes = STR("codes");
    v->judged.what_changed = HISTORY_TEXT;
    return v;
}

static void same_visit(const struct visit *v, const struct http_answer *a)
{
    assert_int_equal(v->kind, VISIT_PAGE);
    assert_str(url_href(&v->turn.url), STR(HREF));
    assert_int_equal(v->state, VISIT_ENDED);
    assert_non_null(v->answer.http);
    assert_ptr_not_equal(v->answer.http, a);
    assert_str(v->answer.http->body, a->body);
    assert_str(v->answer.http->head, a->head);
    assert_string_equal(v->answer.http->why, a->why);
    assert_memory_equal(&v->answer.http->timing, &a->timing, sizeof a->timing);
    assert_int_equal(v->answer.http->cut, a->cut);
    assert_true(v->answer.http->is_chunked && v->answer.http->tls_unverified &&
                !v->answer.http->is_h2);
    assert_true(address_eq(&v->answer.http->peer, &a->peer));
    assert_str(v->answer.heads.etag, STR("\"x\""));
    assert_str(v->parsed.text, str_from(a->body, 3));
    assert_ptr_equal(v->parsed.text.p, v->answer.http->body.p + 3); /* it went once */
    assert_int_equal(v->parsed.tag_count, 2);
    assert_str(v->parsed.tags[1].name, STR("a"));
    assert_int_equal(v->parsed.reference_count, 2);
    assert_str(v->parsed.references[0].anchor, STR("two"));
    assert_null(v->parsed.references[1].context.p);
    assert_true(v->parsed.references[1].is_unwanted && !v->parsed.references[1].worth);
    assert_true(v->parsed.references[0].worth == 1000 && !v->parsed.references[0].is_unwanted);
    assert_non_null(v->parsed.title.p);
    assert_null(v->parsed.base.p);
    assert_int_equal(v->answer.verdict.code, -3);
    const struct host_http_end *version = &v->answer.end.http_version;
    assert_true(version->outcome == HTTP_TRUNCATED && version->offer == HTTP_OFFER_MADE);
    assert_true(version->is_h2 && version->is_refusal && v->answer.end.asks_other_version);
    assert_int_equal(v->answer.date_ms, 1700000000123);
    assert_true(v->judged.score > 0.24 && v->judged.score < 0.26);
    assert_str(v->judged.codes, STR("codes"));
}

static void a_visit_arrives_as_it_left(void **state)
{
    (void)state;
    struct http_answer a = answer_of();
    struct visit *v = visit_full(&a);
    struct buf bytes = {.max = 1 << 20};
    struct message *copy = NULL;
    assert_rc(visit_type.pack(&v->head, &bytes), RC_OK);
    assert_rc(visit_type.unpack(buf_str(&bytes), &copy), RC_OK);
    const struct visit *got = visit_of(copy);
    same_visit(got, &a);
    assert_str(got->turn.checkout.host_name, STR("example.org"));
    assert_int_equal(got->turn.checkout.port, 8080);
    assert_int_equal(got->turn.fingerprint, v->turn.fingerprint);
    assert_true(got->turn.has_history && got->turn.history.has_digest &&
                digest_eq(&got->turn.history.digest, &v->turn.history.digest));
    assert_memory_equal(&got->turn.standing.tries, &v->turn.standing.tries, sizeof(uint32_t));
    assert_int_equal(got->turn.standing.http, HOST_HTTP_TRIAL);
    assert_int_equal(visit_http(got), HOST_HTTP_TRIAL); /* it has no record */
    assert_int_equal(got->route.address_count, 1);
    message_end(copy);
    message_end(&v->head);
    buf_done(&bytes);
}

static void a_visit_that_stayed_is_filled_when_its_copy_comes_back(void **state)
{
    (void)state;
    struct http_answer a = answer_of();
    struct visit *far = visit_full(&a), *home = visit_full(&a);
    struct host_record *record = (void *)&a; /* nobody looks into it: a pack would */
    struct buf bytes = {.max = 1 << 20};
    struct message *m = &home->head;
    home->turn.host_claim = 99;
    visit_type.stay(m);
    assert_null(home->answer.http);
    home->turn.record = record;
    assert_rc(visit_type.pack(&far->head, &bytes), RC_OK);
    assert_rc(visit_type.unpack(buf_str(&bytes), &m), RC_OK);
    assert_ptr_equal(m, &home->head);
    same_visit(home, &a);
    assert_int_equal(home->turn.host_claim, 99); /* what is of the ledger stayed */
    assert_ptr_equal(home->turn.record, record);
    home->turn.record = NULL;
    message_end(&far->head);
    message_end(m);
    buf_done(&bytes);
}

/* The same behind make-urls and pack-answer. */
static struct visit *visit_packed(const struct http_answer *answer, struct packed_body_tools *tools)
{
    struct visit *v = visit_full(answer);
    v->parsed.has_urls = true;
    v->packed =
        (struct visit_packed){.is_set = true, .has_body = true, .body_bytes = answer->body.n};
    assert_rc(packed_body_make(tools, answer->head, answer->body, 1 << 20, &v->packed.body), RC_OK);
    return v;
}

static void a_packed_answer_goes_without_its_body_and_texts(void **state)
{
    (void)state;
    struct http_answer a = answer_of();
    struct packed_body_tools *tools = packed_body_tools_open();
    struct visit *v = visit_packed(&a, tools), *home = visit_full(&a);
    struct buf bytes = {.max = 1 << 20};
    struct message *m = &home->head;
    visit_type.stay(m);
    assert_rc(visit_type.pack(&v->head, &bytes), RC_OK);
    assert_null(memmem(bytes.p, bytes.n, a.body.p, a.body.n));
    assert_null(memmem(bytes.p, bytes.n, "one two three", 13));
    assert_rc(visit_type.unpack(buf_str(&bytes), &m), RC_OK);
    assert_rc(visit_type.check(m, a.body.n), RC_OK);
    assert_rc(visit_type.check(m, a.body.n - 1), RC_INVALID);
    assert_true(home->packed.is_set && home->packed.has_body);
    assert_int_equal(visit_body_bytes(home), a.body.n);
    assert_int_equal(home->answer.http->body.n, 0);
    assert_str(home->answer.http->head, a.head);
    assert_true(digest_eq(&home->packed.body.digest, &v->packed.body.digest));
    assert_true(home->parsed.has_urls);
    assert_null(home->parsed.text.p);
    assert_null(home->parsed.tags);
    visit_type.lost(m, true);
    assert_false(home->packed.is_set || home->parsed.has_urls);
    assert_int_equal(home->state, VISIT_LOST);
    message_end(m);
    message_end(&v->head);
    buf_done(&bytes);
    packed_body_tools_close(tools);
}

/* Each byte of what a member sends changed: it is refused when it is read or when it is looked into, or
 * the record that would be written is of the same body. */
static void a_changed_body_is_never_taken(void **state)
{
    (void)state;
    struct http_answer a = answer_of();
    struct packed_body_tools *tools = packed_body_tools_open();
    struct visit *v = visit_packed(&a, tools);
    struct buf bytes = {.max = 1 << 20};
    size_t refused = 0;
    assert_rc(visit_type.pack(&v->head, &bytes), RC_OK);
    for (size_t i = 0; i < bytes.n; i++) {
        struct message *m = NULL;
        char was = bytes.p[i];
        bytes.p[i] = (char)(was ^ 0x11);
        enum rc rc = visit_type.unpack(buf_str(&bytes), &m);
        rc = rc ? rc : visit_type.check(m, 1 << 20);
        assert_true(rc == RC_OK || rc == RC_INVALID);
        refused += rc == RC_INVALID;
        if (rc == RC_OK && visit_of(m)->packed.has_body) {
            assert_true(digest_eq(&visit_of(m)->packed.body.digest, &v->packed.body.digest));
            assert_int_equal(visit_of(m)->packed.body.deflated.crc, v->packed.body.deflated.crc);
        }
        if (m)
            message_end(m);
        bytes.p[i] = was;
    }
    assert_true(refused > v->packed.body.deflated.stream.n);
    message_end(&v->head);
    buf_done(&bytes);
    packed_body_tools_close(tools);
}

static void a_forged_body_is_refused_and_the_visit_goes_back(void **state)
{
    (void)state;
    struct http_answer a = answer_of();
    struct packed_body_tools *tools = packed_body_tools_open();
    for (int i = 0; i < 4; i++) {
        struct visit *v = visit_packed(&a, tools), *home = visit_full(&a);
        struct packed_body *b = &v->packed.body;
        struct buf bytes = {.max = 1 << 20}, longer = {.max = 1 << 20};
        struct message *m = &home->head;
        buf_add(&longer, b->deflated.stream); /* and a member of its own behind it */
        buf_add(&longer, STR("\0\0\0\0\0\0\0\0\x1f\x8b\x08"));
        if (i == 0)
            b->deflated.stream = buf_str(&longer);
        else if (i == 1)
            b->deflated.crc++;
        else if (i == 2)
            b->digest.bytes[7]++;
        else
            v->packed.body_bytes = UINT64_C(1) << 40;
        visit_type.stay(m);
        assert_rc(visit_type.pack(&v->head, &bytes), RC_OK);
        assert_rc(visit_type.unpack(buf_str(&bytes), &m), RC_OK);
        assert_rc(visit_type.check(m, 1 << 20), RC_INVALID);
        visit_type.lost(m, true);
        assert_int_equal(home->state, VISIT_LOST);
        assert_str(url_href(&home->turn.url), STR(HREF));
        message_end(m);
        message_end(&v->head);
        buf_done(&bytes);
        buf_done(&longer);
    }
    packed_body_tools_close(tools);
}

static void a_reference_of_no_known_kind_is_refused(void **state)
{
    (void)state;
    struct http_answer a = answer_of();
    struct visit *v = visit_full(&a);
    struct buf bytes = {.max = 1 << 20};
    struct message *m = NULL;
    v->parsed.references[1].hop = '\n';
    assert_rc(visit_type.pack(&v->head, &bytes), RC_OK);
    assert_rc(visit_type.unpack(buf_str(&bytes), &m), RC_INVALID);
    message_end(&v->head);
    buf_done(&bytes);
}

static enum rc home_again(struct visit *v)
{
    struct http_answer a = answer_of();
    struct buf bytes = {.max = 8 << 20};
    struct visit *home = visit_full(&a);
    struct message *m = &home->head;
    assert_rc(visit_type.pack(&v->head, &bytes), RC_OK);
    enum rc rc = visit_type.unpack(buf_str(&bytes), &m);
    message_end(&home->head);
    message_end(&v->head);
    buf_done(&bytes);
    return rc;
}

/* What is journalled, logged or added to a moment has limits, and lines have one end. */
static void what_a_member_says_has_limits(void **state)
{
    (void)state;
    static char text[(1 << 20) + 1];
    memset(text, 'x', sizeof text);
    const struct str large = str_make(text, sizeof text);
    const struct {
        int64_t date_ms;
        struct str mime, title, codes;
        bool redirects_twice;
        enum rc rc;
    } rows[] = {
        {1, STR("text/html"), STR("a"), STR("b"), false, RC_OK},
        {0, STR_NONE, STR_NONE, STR_NONE, false, RC_OK},
        {-1, STR("text/html"), STR("a"), STR("b"), false, RC_INVALID},
        {INT64_MIN, STR("text/html"), STR("a"), STR("b"), false, RC_INVALID},
        {INT64_MAX, STR("text/html"), STR("a"), STR("b"), false, RC_INVALID},
        {1, STR("text/html\n200 http://b.example/"), STR("a"), STR("b"), false, RC_INVALID},
        {1, STR("text/html x"), STR("a"), STR("b"), false, RC_INVALID},
        {1, large, STR("a"), STR("b"), false, RC_INVALID},
        {1, STR("text/html"), large, STR("b"), false, RC_INVALID},
        {1, STR("text/html"), STR("a"), large, false, RC_INVALID},
        {1, STR("text/html"), STR("a"), STR("b"), true, RC_INVALID},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct http_answer a = answer_of();
        struct visit *v = visit_full(&a);
        v->answer.date_ms = rows[i].date_ms;
        v->answer.mime = rows[i].mime;
        v->parsed.title = rows[i].title;
        v->judged.codes = rows[i].codes;
        for (size_t k = 0; k < 2 && rows[i].redirects_twice; k++)
            v->parsed.references[k].hop = HOP_REDIRECT;
        assert_rc(home_again(v), rows[i].rc);
    }
}

static void a_code_is_one_that_the_log_has_room_for(void **state)
{
    (void)state;
    static const int codes[] = {-9998, 99999, INT32_MIN, INT32_MAX, -100000};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        struct http_answer a = answer_of();
        struct visit *v = visit_full(&a);
        v->code = codes[i];
        assert_rc(home_again(v), i < 2 ? RC_OK : RC_INVALID);
    }
}

static void no_member_makes_a_host_wait_for_years(void **state)
{
    (void)state;
    struct http_answer a = answer_of();
    struct visit *v = visit_full(&a), *home = visit_full(&a);
    struct message *m = &home->head;
    struct buf bytes = {.max = 1 << 20};
    v->route.later_ms = v->answer.verdict.wait_ms = v->answer.end.retry_after_ms = UINT64_MAX;
    assert_rc(visit_type.pack(&v->head, &bytes), RC_OK);
    assert_rc(visit_type.unpack(buf_str(&bytes), &m), RC_OK);
    assert_true(home->route.later_ms == PACE_MOST_WAIT_MS);
    assert_true(home->answer.verdict.wait_ms == PACE_MOST_WAIT_MS);
    assert_true(home->answer.end.retry_after_ms == PACE_MOST_WAIT_MS);
    message_end(&home->head);
    message_end(&v->head);
    buf_done(&bytes);
}

static void robots_redirects_and_what_is_kept_or_judged_already_cannot_leave(void **state)
{
    (void)state;
    struct buf bytes = {.max = 1 << 20};
    for (int i = 0; i < 3; i++) {
        struct visit *v = visit_open(i == 0 ? VISIT_ROBOTS_REDIRECT : VISIT_PAGE, NULL);
        v->stored.is_kept = i == 1;
        v->judged.links.count = i == 2;
        assert_rc(visit_type.pack(&v->head, &bytes), RC_UNSUPPORTED);
        message_end(&v->head);
    }
    buf_done(&bytes);
}

static void links_arrive_as_they_left(void **state)
{
    (void)state;
    struct candidate one = {.fingerprint = 1,
                            .host_hash = 2,
                            .host = STR("a.example"),
                            .path = STR("/x"),
                            .via = 3,
                            .port = 81,
                            .is_https = true,
                            .class = 2,
                            .seed_path = STR("LE")};
    const struct candidate *const list[] = {&one, &one};
    struct links *l = links_open(list, 2, STR("b.example"), 4, 5);
    struct buf bytes = {.max = 1 << 20};
    struct message *m = NULL;
    assert_rc(links_type.pack(&l->head, &bytes), RC_OK);
    assert_rc(links_type.unpack(buf_str(&bytes), &m), RC_OK);
    const struct links *got = links_of(m);
    assert_int_equal(got->count, 2);
    assert_int_equal(got->batch, 5);
    assert_str(got->from, STR("b.example"));
    assert_str(got->list[1].host, one.host);
    assert_str(got->list[1].seed_path, one.seed_path);
    assert_true(got->list[1].is_https && got->list[1].port == 81 && got->list[1].class == 2);
    assert_false(got->is_origins);
    message_end(m);
    message_end(&l->head);
    buf_done(&bytes);
}

/* As before it had a name of its own: a copy at another place reads fingerprint 0. */
static void an_origin_goes_as_a_link_without_a_fingerprint(void **state)
{
    (void)state;
    struct candidate one = {.fingerprint = 1,
                            .host = STR("a.example"),
                            .path = STR("/robots.txt"),
                            .seed_path = STR("")};
    const struct candidate *const list[] = {&one};
    struct links *l = links_open(list, 1, STR(""), 0, 0);
    struct buf bytes = {.max = 1 << 20};
    struct message *m = NULL;
    assert_false(l->is_origins);
    l->is_origins = true;
    assert_rc(links_type.pack(&l->head, &bytes), RC_OK);
    size_t at = 4 + 8 + 8 + 1 + 4 + 4; /* epoch, batch, generation, told, from, count */
    assert_str(str_first(str_from(buf_str(&bytes), at), 8), STR("\0\0\0\0\0\0\0\0"));
    assert_rc(links_type.unpack(buf_str(&bytes), &m), RC_OK);
    assert_true(links_of(m)->is_origins);
    message_end(m);
    message_end(&l->head);
    buf_done(&bytes);
}

static void a_line_arrives_as_it_left(void **state)
{
    (void)state;
    struct line *line = line_open(STR("a \0 b"));
    struct buf bytes = {.max = 1 << 10};
    struct message *m = NULL;
    assert_rc(line_type.pack(&line->head, &bytes), RC_OK);
    assert_rc(line_type.unpack(buf_str(&bytes), &m), RC_OK);
    assert_str(line_of(m)->text, STR("a \0 b"));
    assert_int_equal(m->route, line->head.route);
    assert_rc(line_type.unpack(STR("other"), &m), RC_OK);
    assert_str(line_of(m)->text, STR("other"));
    message_end(m);
    message_end(&line->head);
    buf_done(&bytes);
}

/* Each byte changed, and each end cut off: refused, or understood as something; never worse. */
static void junk_is_refused(void **state)
{
    (void)state;
    struct http_answer a = answer_of();
    struct visit *v = visit_full(&a);
    struct buf bytes = {.max = 1 << 20};
    struct message *m = NULL;
    assert_rc(visit_type.pack(&v->head, &bytes), RC_OK);
    for (size_t n = 0; n < bytes.n; n++)
        assert_rc(visit_type.unpack(str_first(buf_str(&bytes), n), &m), RC_INVALID);
    size_t refused = 0;
    for (size_t i = 0; i < bytes.n; i++) {
        char was = bytes.p[i];
        bytes.p[i] = (char)(was ^ 0x91);
        enum rc rc = visit_type.unpack(buf_str(&bytes), &m);
        assert_true(rc == RC_OK || rc == RC_INVALID);
        refused += rc == RC_INVALID;
        if (m)
            message_end(m);
        m = NULL;
        bytes.p[i] = was;
    }
    assert_true(refused > 100);
    buf_byte(&bytes, 0);
    assert_rc(visit_type.unpack(buf_str(&bytes), &m), RC_INVALID);
    assert_rc(links_type.unpack(STR("no links"), &m), RC_INVALID);
    message_end(&v->head);
    buf_done(&bytes);
}

static enum rc there_and_back(void *ctx)
{
    struct message *m = NULL;
    enum rc rc = visit_type.unpack(*(struct str *)ctx, &m);
    if (m)
        message_end(m);
    return rc;
}

static void memory_may_be_short(void **state)
{
    (void)state;
    struct http_answer a = answer_of();
    struct visit *v = visit_full(&a);
    struct buf bytes = {.max = 1 << 20};
    assert_rc(visit_type.pack(&v->head, &bytes), RC_OK);
    message_end(&v->head);
    struct str all = buf_str(&bytes);
    test_each_allocation_fails(there_and_back, &all);
    buf_done(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_visit_arrives_as_it_left),
        cmocka_unit_test(a_visit_that_stayed_is_filled_when_its_copy_comes_back),
        cmocka_unit_test(robots_redirects_and_what_is_kept_or_judged_already_cannot_leave),
        cmocka_unit_test(a_packed_answer_goes_without_its_body_and_texts),
        cmocka_unit_test(a_changed_body_is_never_taken),
        cmocka_unit_test(a_forged_body_is_refused_and_the_visit_goes_back),
        cmocka_unit_test(a_reference_of_no_known_kind_is_refused),
        cmocka_unit_test(what_a_member_says_has_limits),
        cmocka_unit_test(a_code_is_one_that_the_log_has_room_for),
        cmocka_unit_test(no_member_makes_a_host_wait_for_years),
        cmocka_unit_test(links_arrive_as_they_left),
        cmocka_unit_test(an_origin_goes_as_a_link_without_a_fingerprint),
        cmocka_unit_test(a_line_arrives_as_it_left),
        cmocka_unit_test(junk_is_refused),
        cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
