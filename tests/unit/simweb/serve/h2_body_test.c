/* SPDX-License-Identifier: Apache-2.0 */
/* However a reply is cut into steps and whatever room there is, its head and body are the same. */
#include "lib/test.h"

#include "base/rng.h"
#include "serve/h2_body.h"

enum { MAX_BYTES = 1024 * 1024, ROUNDS = 2000 };

struct row {
    const char *name;
    struct str reply;
    struct str head; /* absent: it has none */
    struct str body;
    bool is_cut;
};

#define OK "HTTP/1.1 200 OK\r\n"
#define CHUNKED OK "Transfer-Encoding: chunked\r\n\r\n"

static const struct row rows[] = {
    {"a length", STR(OK "Content-Length: 5\r\n\r\nhello"), STR(OK "Content-Length: 5\r\n\r\n"),
     STR("hello"), false},
    {"a length of nothing", STR(OK "content-length:0\r\n\r\n"), STR(OK "content-length:0\r\n\r\n"),
     STR(""), false},
    {"more than its length", STR(OK "Content-Length: 5\r\n\r\nhello you"),
     STR(OK "Content-Length: 5\r\n\r\n"), STR("hello"), false},
    {"less than its length", STR(OK "Content-Length: 50\r\n\r\nhello"),
     STR(OK "Content-Length: 50\r\n\r\n"), STR("hello"), true},
    {"until the end", STR(OK "\r\nhello"), STR(OK "\r\n"), STR("hello"), false},
    {"interim heads before it",
     STR("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 100 C\r\n\r\n" OK "\r\nhello"),
     STR(OK "\r\n"), STR("hello"), false},
    {"chunks", STR(CHUNKED "5\r\nhello\r\n0B;x=y\r\n, everybody\r\n0\r\nA: b\r\n\r\nmore"),
     STR(CHUNKED), STR("hello, everybody"), false},
    {"a chunk without an end", STR(CHUNKED "5\r\nhello\r\n5\r\nhe"), STR(CHUNKED), STR("hellohe"),
     true},
    {"no last chunk", STR(CHUNKED "5\r\nhello\r\n"), STR(CHUNKED), STR("hello"), true},
    {"a size that is none", STR(CHUNKED "5\r\nhello\r\nzz\r\nhello\r\n0\r\n\r\n"), STR(CHUNKED),
     STR("hello"), true},
    {"a size past all bounds", STR(CHUNKED "fffffffffffffffff\r\nhello"), STR(CHUNKED), STR(""),
     true},
    {"more data than its size", STR(CHUNKED "3\r\nhello\r\n0\r\n\r\n"), STR(CHUNKED), STR("hel"),
     true},
    {"a length that is none", STR(OK "Content-Length: many\r\n\r\nhello"), STR_NONE, STR(""), true},
    {"no head", STR("hello"), STR_NONE, STR(""), true},
    {"half a head", STR(OK "Content-Le"), STR_NONE, STR(""), true},
    {"nothing", STR(""), STR_NONE, STR(""), true},
};

/* The reply in steps of chance: sends, drips, waits between them. */
static void cut(struct rng *rng, struct str all, struct reply *r)
{
    while (all.n > 0 && r->step_count + 2 < REPLY_MAX_STEPS) {
        struct str piece = str_first(all, 1 + rng_below(rng, all.n));
        all = str_from(all, piece.n);
        if (rng_below(rng, 3) == 0)
            reply_wait(r, rng_below(rng, 3));
        if (rng_below(rng, 3) == 0)
            reply_drip(r, piece, 1 + rng_below(rng, 4), rng_below(rng, 3));
        else
            reply_send(r, piece);
    }
    reply_send(r, all);
}

static enum rc read_head(struct h2_body *b, uint64_t *now_ms, struct str *ret)
{
    enum rc rc;
    while ((rc = h2_body_head(b, *now_ms, ret)) == RC_AGAIN) {
        assert_true(b->due_ms > *now_ms);
        *now_ms = b->due_ms;
    }
    return rc;
}

static enum rc read_body(struct rng *rng, struct h2_body *b, uint64_t *now_ms, struct buf *body)
{
    char room[16];
    size_t n;
    enum rc rc = RC_OK;
    while (rc == RC_OK || rc == RC_AGAIN) {
        rc = h2_body_read(b, *now_ms, room, 1 + rng_below(rng, sizeof room), &n);
        if (rc == RC_OK) {
            assert_true(n > 0);
            buf_add(body, str_make(room, n));
        }
        if (rc == RC_AGAIN) {
            assert_true(b->due_ms > *now_ms);
            *now_ms = b->due_ms;
        }
    }
    return rc;
}

static void check(struct rng *rng, const struct row *row)
{
    struct reply r;
    struct h2_body b;
    struct buf body;
    struct str head;
    uint64_t now_ms = 1000;
    reply_init(&r);
    buf_init(&body, MAX_BYTES);
    cut(rng, row->reply, &r);
    h2_body_init(&b, &r, MAX_BYTES);
    enum rc rc = read_head(&b, &now_ms, &head);
    if (!row->head.p && rc != RC_INVALID)
        fail_msg("%s: a head was found", row->name);
    if (row->head.p) {
        assert_rc(rc, RC_OK);
        assert_str(head, row->head);
        rc = read_body(rng, &b, &now_ms, &body);
        assert_str(buf_str(&body), row->body);
        if (rc != (row->is_cut ? RC_INVALID : RC_CLOSED))
            fail_msg("%s: %s", row->name, rc_text(rc));
    }
    h2_body_done(&b);
    buf_done(&body);
    reply_done(&r);
}

static void steps_and_room_make_no_difference(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, test_seed(7));
    for (int i = 0; i < ROUNDS; i++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            check(&rng, &rows[k]);
}

static void headers_are_taken_one_by_one(void **state)
{
    (void)state;
    struct str head =
        STR("A: 1\r\nno header\r\n: none\r\nX Y: no\r\nB:\r\n folded: no\r\nC:a:b \r\n\r\n");
    struct str name, value;
    assert_true(head_next(&head, &name, &value));
    assert_str(name, STR("A"));
    assert_str(value, STR("1"));
    assert_true(head_next(&head, &name, &value));
    assert_str(name, STR("B"));
    assert_str(value, STR(""));
    assert_true(head_next(&head, &name, &value));
    assert_str(name, STR("C"));
    assert_str(value, STR("a:b"));
    assert_false(head_next(&head, &name, &value));
}

static void a_head_has_a_limit(void **state)
{
    (void)state;
    struct reply r;
    struct h2_body b;
    struct str head;
    reply_init(&r);
    reply_send(&r, STR(OK));
    reply_repeat(&r, STR("X: y\r\n"), 0);
    h2_body_init(&b, &r, MAX_BYTES);
    assert_rc(h2_body_head(&b, 0, &head), RC_LIMIT);
    h2_body_done(&b);
    reply_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_and_room_make_no_difference),
        cmocka_unit_test(headers_are_taken_one_by_one),
        cmocka_unit_test(a_head_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
