/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "warc/payload.h"

#define CHUNKED_HEAD "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
#define PLAIN_HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"

static const struct {
    const char *name, *block, *covered; /* what the payload digest is over */
} rows[] = {
    {"chunks are removed", CHUNKED_HEAD "5\r\nhello\r\n0\r\n\r\n", "hello"},
    {"trailers and surplus are not the entity's", CHUNKED_HEAD "1\r\na\r\n0\r\nT: x\r\n\r\nmore",
     "a"},
    {"a plain body is the entity", PLAIN_HEAD "hello", "hello"},
    {"content coding is kept", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n\x1f\x8b",
     "\x1f\x8b"},
    {"a cut chunk counts as far as it came", CHUNKED_HEAD "5\r\nhel", "hel"},
    {"what says chunked and is not, as stored", CHUNKED_HEAD "<html>", "<html>"},
    {"broken in the middle, as stored", CHUNKED_HEAD "1\r\na\r\nzz\r\n", "1\r\na\r\nzz\r\n"},
    {"no body", PLAIN_HEAD, ""},
    {"no end of the header", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n", ""},
    {"an empty block", "", ""},
};

static void the_digest_is_over_the_entity(void **state)
{
    (void)state;
    struct warc_payload *p = warc_payload_open();
    assert_non_null(p);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str block = str_c(rows[i].block);
        struct digest expected, got;
        assert_rc(digest_of(DIGEST_SHA1, str_c(rows[i].covered), &expected), RC_OK);
        for (size_t cut = 0; cut <= block.n; cut++) {
            struct str pieces[] = {str_first(block, cut), str_from(block, cut)};
            assert_rc(warc_payload_digest(p, pieces, 2, DIGEST_SHA1, &got, NULL), RC_OK);
            if (!digest_eq(&got, &expected))
                fail_msg("%s, cut at %zu", rows[i].name, cut);
        }
    }
    warc_payload_close(p);
}

static void the_facts_are_told(void **state)
{
    (void)state;
    struct warc_payload *p = warc_payload_open();
    struct str block =
        STR("HTTP/1.1 404 X\r\nContent-Type: a/b; c\r\nTransfer-Encoding: chunked\r\n\r\n"
            "2\r\nhi\r\n0\r\n\r\nmore");
    struct warc_payload_facts f;
    struct digest d, stored;
    assert_non_null(p);
    warc_payload_begin(
        p, (struct warc_payload_plan){
               .is_http = true, .digest = true, .kind = DIGEST_SHA256, .stored_too = true});
    warc_payload_add(p, block);
    assert_rc(warc_payload_end(p, &f), RC_OK);
    assert_true(f.head_whole && f.is_chunked);
    assert_int_equal(f.status, 404);
    assert_str(f.mime, STR("a/b"));
    assert_int_equal(f.chunks.end, CHUNKED_DONE);
    assert_int_equal(f.entity_bytes, 2);
    assert_int_equal(f.surplus, 4);
    assert_int_equal(f.stored_bytes, 16);
    assert_rc(digest_of(DIGEST_SHA256, STR("hi"), &d), RC_OK);
    assert_true(digest_eq(&f.entity, &d));
    assert_rc(digest_of(DIGEST_SHA256, str_from(block, block.n - 16), &stored), RC_OK);
    assert_true(digest_eq(&f.stored, &stored));
    warc_payload_close(p);
}

static void a_block_that_is_not_http_is_the_payload(void **state)
{
    (void)state;
    struct warc_payload *p = warc_payload_open();
    struct warc_payload_facts f;
    struct digest d;
    assert_non_null(p);
    warc_payload_begin(p, (struct warc_payload_plan){.digest = true});
    warc_payload_add(p, STR("given up"));
    warc_payload_begin(p, (struct warc_payload_plan){.digest = true});
    warc_payload_add(p, STR(CHUNKED_HEAD));
    assert_rc(warc_payload_end(p, &f), RC_OK);
    assert_rc(digest_of(DIGEST_SHA1, STR(CHUNKED_HEAD), &d), RC_OK);
    assert_true(digest_eq(&f.entity, &d));
    assert_int_equal(f.status, 0);
    warc_payload_close(p);
}

static void a_header_past_its_limit_has_no_body(void **state)
{
    (void)state;
    struct warc_payload *p = warc_payload_open();
    struct buf head = {.max = 1 << 20};
    struct warc_payload_facts f;
    assert_non_null(p);
    buf_add(&head, STR("HTTP/1.1 200 OK\r\nA: "));
    buf_fill(&head, 'x', PAYLOAD_MAX_HEAD);
    buf_add(&head, STR("\r\n\r\nbody"));
    warc_payload_begin(p, (struct warc_payload_plan){.is_http = true, .digest = true});
    warc_payload_add(p, buf_str(&head));
    assert_rc(warc_payload_end(p, &f), RC_OK);
    assert_false(f.head_whole);
    assert_int_equal(f.stored_bytes, 0);
    buf_done(&head);
    warc_payload_close(p);
}

static enum rc digest_chunked(void *ctx)
{
    (void)ctx;
    struct warc_payload *p = warc_payload_open();
    if (!p)
        return RC_NOMEM;
    struct str piece = STR(CHUNKED_HEAD "1\r\na\r\nzz\r\n");
    struct digest d;
    enum rc rc = warc_payload_digest(p, &piece, 1, DIGEST_SHA1, &d, NULL);
    warc_payload_close(p);
    return rc;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation_fails(digest_chunked, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_digest_is_over_the_entity),
        cmocka_unit_test(the_facts_are_told),
        cmocka_unit_test(a_block_that_is_not_http_is_the_payload),
        cmocka_unit_test(a_header_past_its_limit_has_no_body),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
