/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_http.h"
#include "lib/test.h"

#include "base/rng.h"

/* Refusals ------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    struct http_answer answer;
    const char *head;
    bool is_refusal;
} ends[] = {
    {"the alert no_application_protocol", {HTTP_NO_TLS, .no_protocol = true}, "", true},
    {"another failure of TLS", {HTTP_NO_TLS}, "", false},
    {"505", {HTTP_WHOLE, .status = 505}, "HTTP/1.1 505 No\r\n\r\n", true},
    {"505 whose body is not wanted",
     {HTTP_UNWANTED, .status = 505},
     "HTTP/1.1 505 No\r\n\r\n",
     true},
    {"505 that is cut", {HTTP_TRUNCATED, .status = 505}, "HTTP/1.1 505 No\r\n\r\n", true},
    {"426 for h2",
     {HTTP_WHOLE, .status = 426},
     "HTTP/1.1 426 No\r\nUpgrade: h2\r\nConnection: Upgrade\r\n\r\n",
     true},
    {"426 for h2c among others",
     {HTTP_WHOLE, .status = 426},
     "HTTP/1.1 426 No\r\nUpgrade: TLS/1.3, H2C\r\n\r\n",
     true},
    {"426 for h2 in a second field",
     {HTTP_WHOLE, .status = 426},
     "HTTP/1.1 426 No\r\nUpgrade: websocket\r\nupgrade: h2\r\n\r\n",
     true},
    {"426 for HTTP/2.0",
     {HTTP_WHOLE, .status = 426},
     "HTTP/1.1 426 No\r\nUpgrade: HTTP/2.0\r\n\r\n",
     true},
    {"426 that names nothing", {HTTP_WHOLE, .status = 426}, "HTTP/1.1 426 No\r\n\r\n", true},
    {"426 with an empty Upgrade",
     {HTTP_WHOLE, .status = 426},
     "HTTP/1.1 426 No\r\nUpgrade: ,\r\n\r\n",
     true},
    {"426 for another protocol",
     {HTTP_WHOLE, .status = 426},
     "HTTP/1.1 426 No\r\nUpgrade: websocket\r\n\r\n",
     false},
    {"426 for another version",
     {HTTP_WHOLE, .status = 426},
     "HTTP/1.1 426 No\r\nUpgrade: HTTP/3.0\r\n\r\n",
     false},
    {"200 that could be upgraded",
     {HTTP_WHOLE, .status = 200},
     "HTTP/1.1 200 OK\r\nUpgrade: h2\r\n\r\n",
     false},
    {"400", {HTTP_WHOLE, .status = 400}, "HTTP/1.1 400 No\r\n\r\n", false},
    {"403", {HTTP_WHOLE, .status = 403}, "HTTP/1.1 403 No\r\n\r\n", false},
    {"421", {HTTP_WHOLE, .status = 421}, "HTTP/1.1 421 No\r\n\r\n", false},
    {"503", {HTTP_WHOLE, .status = 503}, "HTTP/1.1 503 No\r\n\r\n", false},
    {"closed without an answer", {HTTP_CLOSED}, "", false},
    {"no answer in time", {HTTP_TIMEOUT}, "", false},
    {"no HTTP", {HTTP_NOT_HTTP}, "", false},
    {"no connection", {HTTP_NO_CONNECT}, "", false},
};

static void only_what_says_so_is_a_refusal(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct http_answer a = ends[i].answer;
        a.head = str_c(ends[i].head);
        a.offer = HTTP_OFFER_POSSIBLE;
        if (host_http_is_refusal(&a) != ends[i].is_refusal)
            fail_msg("%s", ends[i].name);
        struct host_http_end end = host_http_end(&a);
        assert_int_equal(end.is_refusal, ends[i].is_refusal);
        assert_true(end.outcome == a.outcome && end.offer == HTTP_OFFER_POSSIBLE && !end.is_h2);
    }
}

/* A folded value is joined; one that is too long for that names something unknown. */
static void an_upgrade_that_cannot_be_read_is_none_to_http_2(void **state)
{
    (void)state;
    char head[1024];
    struct buf text = buf_on(head, sizeof head);
    buf_add(&text, STR("HTTP/1.1 426 No\r\nUpgrade: h2,\r\n "));
    struct http_answer a = {.outcome = HTTP_WHOLE, .status = 426, .head = buf_str(&text)};
    struct buf shorter = buf_on(head + 512, 512);
    buf_add(&shorter, buf_str(&text));
    buf_add(&shorter, STR("x\r\n\r\n"));
    a.head = buf_str(&shorter);
    assert_true(host_http_is_refusal(&a));
    buf_fill(&text, 'x', 300);
    buf_add(&text, STR("\r\n\r\n"));
    a.head = buf_str(&text);
    assert_false(host_http_is_refusal(&a));
}

/* States --------------------------------------------------------------------------------------- */

#define ANY HOST_HTTP_STATES_

static const struct {
    const char *name;
    enum host_http before;
    struct host_http_end end;
    enum host_http next;
    bool asks_again;
} rows[] = {
    {"an answer", HOST_HTTP_1_1, {HTTP_WHOLE, HTTP_OFFER_POSSIBLE, false, false}, ANY, false},
    {"a failure", HOST_HTTP_1_1, {HTTP_CLOSED, HTTP_OFFER_POSSIBLE, false, false}, ANY, false},
    {"a refusal",
     HOST_HTTP_1_1,
     {HTTP_WHOLE, HTTP_OFFER_POSSIBLE, false, true},
     HOST_HTTP_TRIAL,
     true},
    {"a refusal in TLS",
     HOST_HTTP_1_1,
     {HTTP_NO_TLS, HTTP_OFFER_POSSIBLE, false, true},
     HOST_HTTP_TRIAL,
     true},
    {"a refusal where HTTP/2 is out of the question: --http 1.1, or no TLS",
     HOST_HTTP_1_1,
     {HTTP_WHOLE, HTTP_OFFER_NONE, false, true},
     ANY,
     false},
    {"a refusal with --http 2",
     HOST_HTTP_1_1,
     {HTTP_WHOLE, HTTP_OFFER_MADE, false, true},
     ANY,
     false},
    {"HTTP/2 with --http 2", HOST_HTTP_1_1, {HTTP_WHOLE, HTTP_OFFER_MADE, true, false}, ANY, false},
    {"HTTP/2 answers",
     HOST_HTTP_TRIAL,
     {HTTP_WHOLE, HTTP_OFFER_MADE, true, false},
     HOST_HTTP_2,
     false},
    {"HTTP/2 answers in part",
     HOST_HTTP_TRIAL,
     {HTTP_TRUNCATED, HTTP_OFFER_MADE, true, false},
     HOST_HTTP_2,
     false},
    {"HTTP/2 answers with 505, too",
     HOST_HTTP_TRIAL,
     {HTTP_WHOLE, HTTP_OFFER_MADE, true, true},
     HOST_HTTP_1_1_ONLY,
     false},
    {"HTTP/2 is not spoken",
     HOST_HTTP_TRIAL,
     {HTTP_WHOLE, HTTP_OFFER_MADE, false, true},
     HOST_HTTP_1_1_ONLY,
     false},
    {"neither is spoken",
     HOST_HTTP_TRIAL,
     {HTTP_NO_TLS, HTTP_OFFER_MADE, false, true},
     HOST_HTTP_1_1_ONLY,
     false},
    {"another origin answers over HTTP/1.1",
     HOST_HTTP_TRIAL,
     {HTTP_WHOLE, HTTP_OFFER_MADE, false, false},
     ANY,
     false},
    {"F5: HTTP/2 is closed",
     HOST_HTTP_TRIAL,
     {HTTP_CLOSED, HTTP_OFFER_MADE, false, false},
     ANY,
     false},
    {"F5: HTTP/2 does not answer in time",
     HOST_HTTP_TRIAL,
     {HTTP_TIMEOUT, HTTP_OFFER_MADE, false, false},
     ANY,
     false},
    {"F5: TLS fails with HTTP/2",
     HOST_HTTP_TRIAL,
     {HTTP_NO_TLS, HTTP_OFFER_MADE, false, false},
     ANY,
     false},
    {"what comes is no HTTP",
     HOST_HTTP_TRIAL,
     {HTTP_NOT_HTTP, HTTP_OFFER_MADE, false, false},
     HOST_HTTP_1_1_ONLY,
     true},
    {"no connection: nothing is known of HTTP/2",
     HOST_HTTP_TRIAL,
     {HTTP_NO_CONNECT, HTTP_OFFER_MADE, false, false},
     ANY,
     false},
    {"no memory", HOST_HTTP_TRIAL, {HTTP_FAILED, HTTP_OFFER_MADE, false, false}, ANY, false},
    {"HTTP/2 broke its rules, and HTTP/1.1 was asked within the request",
     HOST_HTTP_TRIAL,
     {HTTP_WHOLE, HTTP_OFFER_NONE, false, true},
     ANY,
     false},
    {"a known host fails", HOST_HTTP_2, {HTTP_CLOSED, HTTP_OFFER_MADE, false, false}, ANY, false},
    {"a known host is asked with --http 1.1",
     HOST_HTTP_2,
     {HTTP_WHOLE, HTTP_OFFER_NONE, false, true},
     ANY,
     false},
    {"a known host learns HTTP/1.1",
     HOST_HTTP_2,
     {HTTP_WHOLE, HTTP_OFFER_MADE, false, false},
     ANY,
     false},
    {"a host without HTTP/2 refuses again",
     HOST_HTTP_1_1_ONLY,
     {HTTP_WHOLE, HTTP_OFFER_POSSIBLE, false, true},
     ANY,
     false},
};

static void states_follow_the_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        enum host_http next = rows[i].next == ANY ? rows[i].before : rows[i].next;
        if (host_http_next(rows[i].before, &rows[i].end) != next ||
            host_http_asks_again(rows[i].before, &rows[i].end) != rows[i].asks_again)
            fail_msg("%s", rows[i].name);
    }
    assert_false(host_http_offers_h2(HOST_HTTP_1_1) || host_http_offers_h2(HOST_HTTP_1_1_ONLY));
    assert_true(host_http_offers_h2(HOST_HTTP_TRIAL) && host_http_offers_h2(HOST_HTTP_2));
}

/* Whatever a server does, its version costs a host two requests at most. */
static void a_host_is_asked_again_twice_at_most(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, 14);
    for (int run = 0; run < 1000; run++) {
        enum host_http h = HOST_HTTP_1_1;
        unsigned again = 0;
        for (int i = 0; i < 50; i++) {
            struct host_http_end end = {.outcome =
                                            (enum http_outcome)rng_below(&rng, HTTP_OUTCOMES_),
                                        .offer = (enum http_offer)rng_below(&rng, 3),
                                        .is_h2 = rng_below(&rng, 2),
                                        .is_refusal = rng_below(&rng, 2)};
            again += host_http_asks_again(h, &end);
            h = host_http_next(h, &end);
            assert_true(h < HOST_HTTP_STATES_);
        }
        assert_true(again <= 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_says_so_is_a_refusal),
        cmocka_unit_test(an_upgrade_that_cannot_be_read_is_none_to_http_2),
        cmocka_unit_test(states_follow_the_ends),
        cmocka_unit_test(a_host_is_asked_again_twice_at_most),
    };
    return cmocka_run_group_tests_name("host/host_http", tests, NULL, NULL);
}
