/* SPDX-License-Identifier: Apache-2.0 */
/* Whole answers out of the bytes of a connection: interim heads, limits, ends, leftovers; and the
 * replies of curl's own tests, which must mean the same however they are cut. */
#include "net/reply.h"

#include "base/mem.h"
#include "base/rng.h"
#include "lib/test.h"

#include <openssl/evp.h>

static const struct reply_limits usual = {
    .head_bytes = 300 << 10,
    .line_bytes = 100 << 10,
    .header_count = 5000,
    .interim_most = 20,
    .body_bytes = 1 << 20,
};

#define OK "HTTP/1.1 200 OK\r\n"
#define L5 OK "Content-Length: 5\r\n\r\n"
#define CH OK "Transfer-Encoding: chunked\r\n\r\n"

struct row {
    const char *name;
    struct str bytes;
    enum reply_state state; /* after the bytes and a clean end */
    struct str body;
    bool keeps;
    const char *why;
};

static const struct row rows[] = {
    {"a length", STR(L5 "hello"), REPLY_WHOLE, STR("hello"), true, NULL},
    {"F17: bytes behind it", STR(L5 "helloHTTP/1.1 200 OK\r\n\r\n"), REPLY_WHOLE, STR("hello"),
     false, NULL},
    {"F16: cut short", STR(L5 "hel"), REPLY_BROKEN, STR("hel"), false, "closed within the body"},
    {"F16: nothing of it", STR(L5), REPLY_BROKEN, STR(""), false, "closed within the body"},
    {"until the close", STR(OK "\r\nhello"), REPLY_WHOLE, STR("hello"), false, NULL},
    {"an empty body until the close", STR(OK "\r\n"), REPLY_WHOLE, STR(""), false, NULL},
    {"chunks are kept", STR(CH "1\r\na\r\n0\r\n\r\n"), REPLY_WHOLE, STR("1\r\na\r\n0\r\n\r\n"),
     true, NULL},
    {"nothing behind the last chunk is", STR(CH "0\r\n\r\nmore"), REPLY_WHOLE, STR("0\r\n\r\n"),
     false, NULL},
    {"F20: only what is sound", STR(CH "1\r\na\r\nfx\r\nbbb"), REPLY_BROKEN, STR("1\r\na\r\n"),
     false, "something behind a chunk's size"},
    {"F21: no last chunk", STR(CH "1\r\na\r\n"), REPLY_BROKEN, STR("1\r\na\r\n"), false,
     "closed within the body"},
    {"F22: plain, though it says chunked", STR(CH "deaf <b>"), REPLY_WHOLE, STR("deaf <b>"), false,
     NULL},
    {"F23: NUL in a trailer", STR(CH "0\r\nA: \0\r\n\r\n"), REPLY_REFUSED, STR(""), false,
     "NUL in a trailer"},
    {"F31: interim answers",
     STR("HTTP/1.1 100 C\r\n\r\nHTTP/1.1 103 H\r\nLink: x\r\n\r\n" L5 "hello"), REPLY_WHOLE,
     STR("hello"), true, NULL},
    {"F31: an interim answer and nothing", STR("HTTP/1.1 100 C\r\n\r\n"), REPLY_CLOSED, STR(""),
     false, "closed within the head"},
    {"F31: an unasked switch", STR("HTTP/1.1 101 S\r\nUpgrade: x\r\n\r\n" L5 "hello"),
     REPLY_REFUSED, STR(""), false, "a switch of protocols (101) that was not requested"},
    {"F32: 204 has no body", STR("HTTP/1.1 204 N\r\n\r\n" L5 "hello"), REPLY_WHOLE, STR(""), false,
     NULL},
    {"F32: 204 alone", STR("HTTP/1.1 204 N\r\n\r\n"), REPLY_WHOLE, STR(""), true, NULL},
    {"F29: no head", STR("<html><body>"), REPLY_REFUSED, STR(""), false, "no HTTP/1 status line"},
    {"F29: a body like a head", STR("Location: /x\r\n\r\n"), REPLY_REFUSED, STR(""), false,
     "no HTTP/1 status line"},
    {"F30: another protocol", STR("SSH-2.0-x"), REPLY_REFUSED, STR(""), false,
     "no HTTP/1 status line"},
    {"an empty line first", STR("\r\n" L5 "hello"), REPLY_REFUSED, STR(""), false,
     "no HTTP/1 status line"},
    {"nothing", STR(""), REPLY_CLOSED, STR(""), false, "closed before the head"},
    {"F06: half a head", STR("HTTP/1.1 200 OK\r\nConte"), REPLY_CLOSED, STR(""), false,
     "closed within the head"},
    {"F14: two lengths", STR(OK "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"),
     REPLY_REFUSED, STR(""), false, "two different Content-Length"},
    {"F10: a status line is judged before the head is whole", STR("HTTP/1.1 2x0 OK\r\n"),
     REPLY_REFUSED, STR(""), false, "the status is no number of three digits"},
};

/* Reads `bytes` as they grow by `step` (0: at random) and end cleanly. */
static struct reply read_all(struct str bytes, const struct reply_limits *limits, size_t step,
                             struct rng *rng, size_t *ret_all)
{
    struct reply r;
    size_t n = 0;
    reply_init(&r, limits, false);
    while (n < bytes.n && r.state == REPLY_MORE) {
        size_t more = step ? step : (size_t)rng_below(rng, 20);
        n = more < bytes.n - n ? n + more : bytes.n;
        (void)reply_read(&r, str_first(bytes, n));
    }
    (void)reply_end(&r, true);
    *ret_all = n;
    return r;
}

static struct str body_of(const struct reply *r, struct str bytes)
{
    return r->in_body && r->state != REPLY_REFUSED
               ? str_first(str_from(bytes, r->head_at + r->head_n), r->body_n)
               : STR("");
}

static void answers_are_read_as_the_table_says(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, test_seed(9));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        print_message("# %s\n", row->name);
        for (size_t round = 0; round < 20; round++) {
            size_t all;
            struct reply r =
                read_all(row->bytes, &usual, round == 0 ? SIZE_MAX : round == 1, &rng, &all);
            assert_int_equal(r.state, row->state);
            assert_str(body_of(&r, row->bytes), row->body);
            assert_str(str_c(r.why), str_c(row->why));
            /* What is left over is closed even if it comes later. */
            assert_int_equal(reply_keeps(&r, row->bytes.n), row->keeps);
        }
    }
}

static void the_last_head_is_given_as_it_came(void **state)
{
    (void)state;
    struct str bytes =
        STR("HTTP/1.1 100 C\r\n\r\nHTTP/1.1 200 OK\nodd line\nContent-Length: 1\n\nx");
    size_t all;
    struct reply r = read_all(bytes, &usual, 1, NULL, &all);
    assert_str(str_first(str_from(bytes, r.head_at), r.head_n),
               STR("HTTP/1.1 200 OK\nodd line\nContent-Length: 1\n\n"));
}

static void an_end_that_is_not_clean_cuts_a_body_without_length(void **state)
{
    (void)state;
    struct reply r;
    reply_init(&r, &usual, false);
    assert_int_equal(reply_read(&r, STR(OK "\r\nhello")), REPLY_MORE);
    assert_int_equal(reply_end(&r, false), REPLY_BROKEN);
    assert_int_equal(r.body_n, 5);
}

static void a_body_has_its_limit_to_the_byte(void **state)
{
    (void)state;
    struct reply_limits l = usual;
    size_t all;
    l.body_bytes = 5;
    assert_int_equal(read_all(STR(L5 "hello"), &l, SIZE_MAX, NULL, &all).state, REPLY_WHOLE);
    assert_int_equal(read_all(STR(OK "\r\nhello"), &l, 1, NULL, &all).state, REPLY_WHOLE);
    for (size_t step = 1; step < 60; step++) {
        struct reply r = read_all(STR(OK "\r\nhello!"), &l, step, NULL, &all);
        assert_int_equal(r.state, REPLY_TOO_LONG);
        assert_int_equal(r.body_n, 5);
        assert_false(reply_keeps(&r, all));
    }
    l.body_bytes = 0;
    assert_int_equal(read_all(STR(L5 "hello"), &l, 1, NULL, &all).state, REPLY_TOO_LONG);
}

struct limit_row {
    const char *name;
    struct reply_limits limits;
    const char *why; /* NULL: read */
};

/* Against "HTTP/1.1 100 C\r\n\r\n" twice and a head of three fields: 18 + 18 + 17 + 3 * 6 + 2. */
static const struct limit_row limit_rows[] = {
    {"all just within", {73, 17, 3, 2, 0}, NULL},
    {"heads together too long by one", {72, 17, 3, 2, 0}, "the head is too long"},
    {"a line too long by one", {73, 16, 3, 2, 0}, "a header line is too long"},
    {"too many lines", {73, 17, 2, 2, 0}, "too many header lines"},
    {"too many interim answers", {73, 17, 3, 1, 0}, "too many interim answers"},
};

static void heads_have_their_limits_however_they_are_cut(void **state)
{
    (void)state;
    struct str bytes = STR("HTTP/1.1 100 C\r\n\r\nHTTP/1.1 100 C\r\n\r\nHTTP/1.1 204 OK\r\n"
                           "A: b\r\nC: d\r\nE: f\r\n\r\n");
    assert_int_equal(bytes.n, 73);
    for (size_t i = 0; i < sizeof limit_rows / sizeof *limit_rows; i++) {
        print_message("# %s\n", limit_rows[i].name);
        for (size_t step = 1; step <= bytes.n; step++) {
            size_t all;
            struct reply r = read_all(bytes, &limit_rows[i].limits, step, NULL, &all);
            assert_str(str_c(r.why), str_c(limit_rows[i].why));
        }
    }
}

static void a_line_without_end_is_refused_at_its_limit(void **state)
{
    (void)state;
    struct buf b;
    size_t all;
    buf_init(&b, 1 << 20);
    buf_add(&b, STR(OK "X: "));
    buf_fill(&b, 'x', 200 << 10);
    struct reply r = read_all(buf_str(&b), &usual, 1000, NULL, &all);
    assert_int_equal(r.state, REPLY_REFUSED);
    assert_str(str_c(r.why), STR("a header line is too long"));
    assert_true(all <= (102 << 10));
    buf_done(&b);
}

/* The reply of one line of http_replies.jsonl. */
static bool reply_of_line(struct str line, struct buf *out)
{
    struct str key = STR("\"reply_b64\": \"");
    size_t at = str_find_str(line, key);
    struct str coded = str_from(line, at + key.n);
    coded.n = str_find(coded, '"');
    buf_clear(out);
    char *to = buf_reserve(out, coded.n + 4);
    if (at == line.n || !to)
        return false;
    int n = EVP_DecodeBlock((unsigned char *)to, (const unsigned char *)coded.p, (int)coded.n);
    size_t padding = str_ends(coded, STR("==")) ? 2 : str_ends(coded, STR("="));
    out->n = n < 0 ? 0 : (size_t)n - padding;
    return n >= 0;
}

static bool is_same(const struct reply *a, const struct reply *b)
{
    return a->state == b->state && a->head_at == b->head_at && a->head_n == b->head_n &&
           a->body_n == b->body_n && (a->at == b->at || a->state == REPLY_REFUSED) &&
           a->why == b->why && a->head.status == b->head.status &&
           a->framing.kind == b->framing.kind;
}

static void replies_of_the_field_mean_the_same_however_they_are_cut(void **state)
{
    (void)state;
    const char *path = test_conformance("faults/http_replies.jsonl");
    struct buf file, bytes;
    if (!path || !test_slurp(path, &file)) {
        skip();
        return;
    }
    buf_init(&bytes, 1 << 24);
    struct rng rng;
    rng_init(&rng, test_seed(659));
    struct score score = {.set = "faults/http_replies.jsonl"};
    size_t states[REPLY_REFUSED + 1] = {0}, all;
    struct str rest = buf_str(&file);
    while (rest.p && rest.n) {
        struct str line = str_take_until(&rest, '\n');
        bool ok = reply_of_line(line, &bytes);
        struct reply whole = read_all(buf_str(&bytes), &usual, SIZE_MAX, NULL, &all);
        for (size_t step = 0; ok && step < 8; step++) {
            struct reply cut = read_all(buf_str(&bytes), &usual, step, &rng, &all);
            ok = is_same(&whole, &cut);
        }
        states[whole.state]++;
        score_row(&score, ok, STR_FMT, STR_ARG(str_first(line, 60)));
    }
    print_message("# whole %zu, too long %zu, broken %zu, closed %zu, refused %zu\n",
                  states[REPLY_WHOLE], states[REPLY_TOO_LONG], states[REPLY_BROKEN],
                  states[REPLY_CLOSED], states[REPLY_REFUSED]);
    score_end(&score, 659);
    buf_done(&bytes);
    buf_done(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_read_as_the_table_says),
        cmocka_unit_test(the_last_head_is_given_as_it_came),
        cmocka_unit_test(an_end_that_is_not_clean_cuts_a_body_without_length),
        cmocka_unit_test(a_body_has_its_limit_to_the_byte),
        cmocka_unit_test(heads_have_their_limits_however_they_are_cut),
        cmocka_unit_test(a_line_without_end_is_refused_at_its_limit),
        cmocka_unit_test(replies_of_the_field_mean_the_same_however_they_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
