/* SPDX-License-Identifier: Apache-2.0 */
/* The engine with `http2`, against a server over TLS that does what a script says: which protocol
 * is spoken, when HTTP/1.1 is asked instead, reuse, limits of bytes and time. */
#include "net/http.h"

#include "base/mem.h"
#include "http_rig.h"
#include "lib/test.h"
#include "tls_peer.h"

#include <signal.h>

#define H1 "http/1.1"
#define OLD "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nold"
#define OLD_CLOSE "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nold"

enum { MOST_ASKS = 3 };

struct rig {
    struct http_rig h;
    struct tls_peer peer;
};

static const struct address here = {.bytes = {127, 0, 0, 1}};

static struct http_settings usual(void)
{
    struct http_settings s = http_rig_usual();
    s.line_bytes = 50;
    s.insecure = true;
    s.http = HTTP_VERSION_2;
    return s;
}

static void rig_init(struct rig *r, const struct tls_visit *visits, bool repeats,
                     const struct http_settings *s)
{
    *r = (struct rig){0};
    tls_peer_start(&r->peer, visits, repeats);
    http_rig_init(&r->h, s, r->peer.port, &here);
    r->h.ask.is_https = true;
    r->h.ask.body_bytes = 10;
}

static void rig_done(struct rig *r)
{
    http_rig_done(&r->h);
    tls_peer_stop(&r->peer);
}

static enum rc fetch(struct rig *r)
{
    unsigned before = r->h.done;
    enum rc rc = http_start(r->h.http, &r->h.ask);
    if (rc == RC_OK)
        http_rig_run_until(&r->h, before + 1);
    return rc;
}

/* What each ask gives: "whole h2 body", "truncated/disconnect h2 x", "closed"; reused: "+". */
static void describe(const struct rig *r, struct buf *out)
{
    static const char *const cuts[] = {"", "/length", "/time", "/disconnect"};
    const struct http_answer *a = &r->h.answer;
    buf_printf(out, "%s%s", http_outcome_name(a->outcome), cuts[a->cut]);
    if (a->outcome <= HTTP_TRUNCATED)
        buf_printf(out, " %s%s " STR_FMT, a->is_h2 ? "h2" : "h1", a->is_reused ? "+" : "",
                   STR_ARG(buf_str(&r->h.body)));
}

struct row {
    const char *name;
    struct tls_visit visits[TLS_PEER_VISITS];
    const char *answers[MOST_ASKS];
    const char *offers; /* for each connection, whether h2 was offered: "yn" */
    unsigned retried, fell_back;
};

static const struct row rows[] = {
    {"h2 is chosen", {{"h2", {"s|h200|Dnew"}}}, {"whole h2 new"}, "y", 0, 0},
    {"http/1.1 is chosen", {{H1, {OLD}}}, {"whole h1 old"}, "y", 0, 0},
    {"nothing is chosen", {{NULL, {OLD}}}, {"whole h1 old"}, "y", 0, 0},
    {"something else is chosen", {{"spdy/3", {OLD}}}, {"no-tls"}, "y", 0, 0},
    {"the connection serves again, PINGs or not",
     {{"h2", {"s|h200|Da", "p|h200|Db|p|p|s", "w|h200|Dc"}}},
     {"whole h2 a", "whole h2+ b", "whole h2+ c"},
     "y",
     0,
     0},
    {"HTTP/1.1 is spoken although h2 was chosen",
     {{"h2", {"xHTTP/1.1 400 Bad Request\r\n\r\n"}}, {H1, {OLD, OLD}}},
     {"whole h1 old", "whole h1+ old"},
     "yn",
     0,
     1},
    {"h2 is not offered again where it failed",
     {{"h2", {"s|r1"}}, {H1, {OLD_CLOSE}}, {H1, {OLD}}},
     {"whole h1 old", "whole h1 old"},
     "ynn",
     0,
     1},
    {"a farewell on a kept connection is no fault of HTTP/2",
     {{"h2", {"s|h200|Da", "g1,0"}}, {"h2", {"s|h200|Db"}}},
     {"whole h2 a", "closed", "whole h2 b"},
     "yy",
     0,
     0},
    {"a farewell while nothing is asked is none either",
     {{"h2", {"s|h200|Da|g1,0"}}, {"h2", {"s|h200|Db"}}},
     {"whole h2 a", "whole h2 b"},
     "yy",
     0,
     0},
    {"a request refused again on a fresh connection",
     {{"h2", {"s|h200|Da", "r7"}}, {"h2", {"s|r7"}}, {H1, {OLD}}},
     {"whole h2 a", "closed", "whole h1 old"},
     "yyn",
     0,
     1},
    {"RST_STREAM on a kept connection",
     {{"h2", {"s|h200|Da", "r2"}}, {H1, {OLD}}},
     {"whole h2 a", "whole h1 old"},
     "yn",
     0,
     1},
    {"closed without an answer", {{"h2", {"s!"}}}, {"closed"}, "y", 0, 0},
    {"a kept connection that is closed",
     {{"h2", {"s|h200|Da", "!"}}, {"h2", {"s|h200|Db"}}},
     {"whole h2 a", "closed", "whole h2 b"},
     "yy",
     0,
     0},
    {"closed behind a farewell", {{"h2", {"s|g1,0!"}}, {H1, {OLD}}}, {"whole h1 old"}, "yn", 0, 1},
    {"closed within the body",
     {{"h2", {"s|h200|dab!"}}},
     {"truncated/disconnect h2 ab"},
     "y",
     0,
     0},
    {"RST_STREAM within the body",
     {{"h2", {"s|h200|dab|r2"}}},
     {"truncated/disconnect h2 ab"},
     "y",
     0,
     0},
    {"the rules broken within the body",
     {{"h2", {"s|h200|dab|C;a=b"}}, {H1, {OLD}}},
     {"whole h1 old"},
     "yn",
     0,
     1},
    {"a body shorter than it should be",
     {{"h2", {"s|h200;content-length=3|Dab"}}},
     {"truncated/disconnect h2 ab"},
     "y",
     0,
     0},
    {"a body over the limit",
     {{"h2", {"s|h200|d01234567890"}}},
     {"truncated/length h2 0123456789"},
     "y",
     0,
     0},
    {"a body at the limit", {{"h2", {"s|h200|D0123456789"}}}, {"whole h2 0123456789"}, "y", 0, 0},
    {"a body at the limit that goes on",
     {{"h2", {"s|h200|d0123456789|dx"}}},
     {"truncated/length h2 0123456789"},
     "y",
     0,
     0},
    {"interim answers at the limit",
     {{"h2", {"s|h100|h103|h103|h200|Dnew"}}},
     {"whole h2 new"},
     "y",
     0,
     0},
    {"and over it",
     {{"h2", {"s|h100|h103|h103|h103|h200|Dnew"}}, {H1, {OLD}}},
     {"whole h1 old"},
     "yn",
     0,
     1},
    {"a line over the limit",
     {{"h2", {"s|h200;a=01234567890123456789012345678901234567890123456789|Dnew"}}, {H1, {OLD}}},
     {"whole h1 old"},
     "yn",
     0,
     1},
    {"a flood", {{"h2", {"s|s*1000"}}, {H1, {OLD}}}, {"whole h1 old"}, "yn", 0, 1},
};

static void check_row(const struct row *row)
{
    struct http_settings s = usual();
    struct rig r;
    struct buf got;
    buf_init(&got, 1000);
    rig_init(&r, row->visits, false, &s);
    for (int i = 0; i < MOST_ASKS && row->answers[i]; i++) {
        assert_rc(fetch(&r), RC_OK);
        buf_clear(&got);
        describe(&r, &got);
        if (!str_eq(buf_str(&got), str_c(row->answers[i])))
            print_message("# why: %s\n", r.h.answer.why ? r.h.answer.why : "-");
        assert_str(buf_str(&got), str_c(row->answers[i]));
    }
    struct http_counts counts = http_counts(r.h.http);
    assert_int_equal(counts.retried, row->retried);
    assert_int_equal(counts.fell_back, row->fell_back);
    assert_int_equal(r.peer.accepted, strlen(row->offers));
    rig_done(&r);
    for (size_t i = 0; row->offers[i]; i++)
        assert_int_equal(r.peer.offered_h2[i], row->offers[i] == 'y');
    buf_done(&got);
}

static void protocols_are_as_the_table_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        print_message("# %s\n", rows[i].name);
        check_row(&rows[i]);
    }
}

static void h2_that_was_not_offered_is_refused(void **state)
{
    (void)state;
    static const struct tls_visit visits[] = {{"h2", {"s|h200|Dx"}}, {0}};
    struct http_settings s = usual();
    s.http = HTTP_VERSION_1;
    struct rig r;
    rig_init(&r, visits, false, &s);
    assert_rc(fetch(&r), RC_OK);
    assert_int_equal(r.h.answer.outcome, HTTP_NO_TLS);
    assert_non_null(r.h.answer.why);
    rig_done(&r);
    assert_false(r.peer.offered_h2[0]);
}

/* With HTTP_VERSION_AUTO it is the ask that offers h2; a connection that was made without the offer
 * does not serve it. */
static void h2_is_offered_where_the_ask_says_so(void **state)
{
    (void)state;
    static const struct tls_visit visits[] = {
        {H1, {OLD, OLD}}, {"h2", {"s|h200|Dnew", "h200|Da"}}, {0}};
    struct http_settings s = usual();
    s.http = HTTP_VERSION_AUTO;
    struct rig r;
    rig_init(&r, visits, false, &s);
    for (int i = 0; i < 2; i++) {
        assert_rc(fetch(&r), RC_OK);
        assert_int_equal(r.h.answer.offer, HTTP_OFFER_POSSIBLE);
        assert_true(r.h.answer.outcome == HTTP_WHOLE && !r.h.answer.is_h2);
        assert_int_equal(r.h.answer.is_reused, i);
    }
    r.h.ask.offers_h2 = true;
    for (int i = 0; i < 2; i++) {
        assert_rc(fetch(&r), RC_OK);
        assert_int_equal(r.h.answer.offer, HTTP_OFFER_MADE);
        assert_true(r.h.answer.outcome == HTTP_WHOLE && r.h.answer.is_h2);
        assert_int_equal(r.h.answer.is_reused, i);
    }
    assert_int_equal(r.peer.accepted, 2);
    rig_done(&r);
    assert_true(!r.peer.offered_h2[0] && r.peer.offered_h2[1]);
}

static void h2_is_never_offered_with_version_1(void **state)
{
    (void)state;
    static const struct tls_visit visits[] = {{H1, {OLD}}, {0}};
    struct http_settings s = usual();
    s.http = HTTP_VERSION_1;
    struct rig r;
    rig_init(&r, visits, false, &s);
    r.h.ask.offers_h2 = true;
    assert_rc(fetch(&r), RC_OK);
    assert_true(r.h.answer.outcome == HTTP_WHOLE && r.h.answer.offer == HTTP_OFFER_NONE);
    rig_done(&r);
    assert_false(r.peer.offered_h2[0]);
}

/* Not by what the certificate is like, nor by a choice that was not offered. */
static void a_server_without_a_common_protocol_is_known_by_its_alert(void **state)
{
    (void)state;
    static const struct tls_visit visits[] = {{"!", {OLD}}, {"!", {OLD}}, {"spdy/3", {OLD}}, {0}};
    static const char *const texts[] = {"the server refuses HTTP/1.1",
                                        "the server speaks neither HTTP/2 nor HTTP/1.1"};
    for (int insecure = 0; insecure < 2; insecure++) {
        struct http_settings s = usual();
        s.http = HTTP_VERSION_AUTO;
        s.insecure = insecure;
        struct rig r;
        rig_init(&r, visits, false, &s);
        for (int i = 0; i < 3; i++) {
            r.h.ask.offers_h2 = i == 1;
            assert_rc(fetch(&r), RC_OK);
            assert_int_equal(r.h.answer.outcome, HTTP_NO_TLS);
            assert_int_equal(r.h.answer.no_protocol, i < 2);
            assert_int_equal(r.h.answer.offer, i == 1 ? HTTP_OFFER_MADE : HTTP_OFFER_POSSIBLE);
            if (i < 2)
                assert_string_equal(r.h.answer.why, texts[i]);
        }
        rig_done(&r);
    }
}

static void a_head_is_written_as_http_1(void **state)
{
    (void)state;
    static const struct tls_visit visits[] = {
        {"h2", {"s|h103;link=x|h200;b=1;content-length=2;a=2;b=3|Dxy"}}, {0}};
    struct http_settings s = usual();
    struct rig r;
    rig_init(&r, visits, false, &s);
    assert_rc(fetch(&r), RC_OK);
    assert_int_equal(r.h.answer.status, 200);
    assert_str(buf_str(&r.h.head),
               STR("HTTP/1.1 200 \r\nb: 1\r\ncontent-length: 2\r\na: 2\r\nb: 3\r\n\r\n"));
    assert_true(r.h.answer.is_h2 && r.h.answer.tls_unverified && !r.h.answer.is_chunked);
    assert_int_equal(http_counts(r.h.http).idle, 1);
    rig_done(&r);
}

/* A PING is no byte of the answer. */
static void each_phase_has_its_limit_in_time(void **state)
{
    (void)state;
    static const struct {
        const char *name, *script;
        size_t setting;
        uint64_t limit_ms; /* long where a busy machine must have brought the head by then, and
                              short of as many PINGs as are a flood */
        enum http_outcome outcome;
    } phases[] = {
        {"first byte", "s|p~", offsetof(struct http_settings, first_byte_ms), 200, HTTP_TIMEOUT},
        {"head", "s|e200", offsetof(struct http_settings, head_ms), 200, HTTP_TIMEOUT},
        {"a stalled body", "s|h200|dx~", offsetof(struct http_settings, idle_ms), 1000,
         HTTP_TRUNCATED},
        {"everything", "s|h200|dx~", offsetof(struct http_settings, total_ms), 1000,
         HTTP_TRUNCATED},
    };
    for (size_t i = 0; i < sizeof phases / sizeof *phases; i++) {
        const struct tls_visit visits[] = {{"h2", {phases[i].script}}, {0}};
        struct http_settings s = usual();
        const uint64_t limit = phases[i].limit_ms;
        struct rig r;
        memcpy((char *)&s + phases[i].setting, &limit, sizeof limit);
        print_message("# %s\n", phases[i].name);
        rig_init(&r, visits, false, &s);
        assert_rc(fetch(&r), RC_OK);
        assert_string_equal(http_outcome_name(r.h.answer.outcome),
                            http_outcome_name(phases[i].outcome));
        assert_int_equal(r.h.answer.cut == HTTP_CUT_TIME, r.h.answer.outcome == HTTP_TRUNCATED);
        assert_int_equal(http_counts(r.h.http).fell_back, 0);
        rig_done(&r);
    }
}

static bool never(struct http_ask *ask, uint16_t status, struct str head)
{
    (void)ask, (void)head;
    return status == 404;
}

/* A stream that is not wanted is reset; the connection goes on, and what had been sent of
 * the stream is passed over. */
static void a_stream_that_is_not_wanted_is_reset(void **state)
{
    (void)state;
    static const struct tls_visit visits[] = {{"h2", {"s|h200|dabc", "h200|Dabc", "h404|Dnew"}},
                                              {0}};
    struct http_settings s = usual();
    struct rig r;
    rig_init(&r, visits, false, &s);
    r.h.ask.wants = never;
    for (int i = 0; i < 2; i++) {
        assert_rc(fetch(&r), RC_OK);
        assert_int_equal(r.h.answer.outcome, HTTP_UNWANTED);
        assert_int_equal(r.h.body.n, 0);
        assert_true(r.h.answer.is_h2);
        assert_int_equal(http_counts(r.h.http).idle, 1);
    }
    assert_rc(fetch(&r), RC_OK);
    assert_int_equal(r.h.answer.outcome, HTTP_WHOLE);
    assert_str(buf_str(&r.h.body), STR("new"));
    assert_int_equal(r.peer.accepted, 1);
    assert_int_equal(http_counts(r.h.http).fell_back, 0);
    rig_done(&r);
}

/* An engine of its own; a failure on our side is no memory. */
static enum rc fetch_once(void *ctx)
{
    struct rig *r = ctx;
    struct http_settings s = usual();
    struct http *before = r->h.http;
    struct loop loop = r->h.loop;
    char room[100];
    struct buf why = buf_on(room, sizeof room);
    enum rc rc = loop_init(&r->h.loop, clock_real());
    if (rc == RC_OK)
        rc = http_open(&r->h.loop, &s, &r->h.http, &why);
    if (rc == RC_OK)
        rc = fetch(r);
    if (rc == RC_OK && r->h.answer.outcome != HTTP_WHOLE)
        rc = r->h.answer.outcome == HTTP_FAILED ? RC_NOMEM : RC_INVALID;
    if (r->h.http != before)
        http_close(r->h.http);
    loop_done(&r->h.loop);
    r->h.http = before;
    r->h.loop = loop;
    return rc;
}

static void without_memory_an_ask_fails_and_nothing_is_lost(void **state)
{
    (void)state;
    static const struct tls_visit visits[] = {{"h2", {"s|h100|e200;a=b|C;c=d|dhe|p|Dllo"}}, {0}};
    struct http_settings s = usual();
    struct rig r;
    rig_init(&r, visits, true, &s);
    buf_fill(&r.h.head, 'x', 4096); /* so that copies allocate nothing */
    buf_fill(&r.h.body, 'x', 4096);
    test_each_allocation_fails(fetch_once, &r);
    rig_done(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(protocols_are_as_the_table_says),
        cmocka_unit_test(h2_that_was_not_offered_is_refused),
        cmocka_unit_test(h2_is_offered_where_the_ask_says_so),
        cmocka_unit_test(h2_is_never_offered_with_version_1),
        cmocka_unit_test(a_server_without_a_common_protocol_is_known_by_its_alert),
        cmocka_unit_test(a_head_is_written_as_http_1),
        cmocka_unit_test(each_phase_has_its_limit_in_time),
        cmocka_unit_test(a_stream_that_is_not_wanted_is_reset),
        cmocka_unit_test(without_memory_an_ask_fails_and_nothing_is_lost),
    };
    (void)signal(SIGPIPE, SIG_IGN); /* the server's */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
