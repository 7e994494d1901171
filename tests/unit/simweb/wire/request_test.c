/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/mem.h"
#include "wire/request.h"

#define HOST "Host: a.test\r\n"

struct row {
    const char *says; /* a sentence */
    struct str bytes;
    enum rc expected;
};

static const struct row rows[] = {
    {"a usual request is read", STR("GET / HTTP/1.1\r\n" HOST "\r\n"), RC_OK},
    {"HTTP/1.0 needs no Host", STR("GET / HTTP/1.0\r\n\r\n"), RC_OK},
    {"two empty lines may come first", STR("\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n"), RC_OK},
    {"three may not", STR("\r\n\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n"), RC_INVALID},
    {"nothing yet is no request yet", STR(""), RC_AGAIN},
    {"half a request line waits", STR("GET / HT"), RC_AGAIN},
    {"a head without its last line waits", STR("GET / HTTP/1.1\r\n" HOST), RC_AGAIN},
    {"a head without the last LF waits", STR("GET / HTTP/1.1\r\n" HOST "\r"), RC_AGAIN},
    {"HTTP/1.1 without Host is refused", STR("GET / HTTP/1.1\r\n\r\n"), RC_INVALID},
    {"two Hosts are refused", STR("GET / HTTP/1.1\r\n" HOST HOST "\r\n"), RC_INVALID},
    {"LF alone ends no line", STR("GET / HTTP/1.1\nHost: a\n\n"), RC_INVALID},
    {"LF alone is refused before the head ends", STR("GET / HTTP/1.1\n"), RC_INVALID},
    {"CR inside a value is refused", STR("GET / HTTP/1.1\r\n" HOST "X: a\rb\r\n\r\n"), RC_INVALID},
    {"NUL in a value is refused", STR("GET / HTTP/1.1\r\n" HOST "X: a\0b\r\n\r\n"), RC_INVALID},
    {"bytes beyond ASCII may stand in a value",
     STR("GET / HTTP/1.1\r\n" HOST "X: \xc3\xa9\r\n\r\n"), RC_OK},
    {"a name with a space is refused", STR("GET / HTTP/1.1\r\n" HOST "X y: a\r\n\r\n"), RC_INVALID},
    {"a space before the colon is refused", STR("GET / HTTP/1.1\r\n" HOST "X : a\r\n\r\n"),
     RC_INVALID},
    {"a folded line is refused", STR("GET / HTTP/1.1\r\n" HOST "X: a\r\n b\r\n\r\n"), RC_INVALID},
    {"a line without colon is refused", STR("GET / HTTP/1.1\r\n" HOST "X\r\n\r\n"), RC_INVALID},
    {"a name may not be empty", STR("GET / HTTP/1.1\r\n" HOST ": a\r\n\r\n"), RC_INVALID},
    {"a value may be empty", STR("GET / HTTP/1.1\r\n" HOST "X:\r\n\r\n"), RC_OK},
    {"HTTP/2.0 on the line is refused", STR("GET / HTTP/2.0\r\n" HOST "\r\n"), RC_INVALID},
    {"HTTP/0.9 is refused", STR("GET /\r\n"), RC_INVALID},
    {"two spaces are refused", STR("GET  / HTTP/1.1\r\n" HOST "\r\n"), RC_INVALID},
    {"a fragment is refused", STR("GET /#x HTTP/1.1\r\n" HOST "\r\n"), RC_INVALID},
    {"a raw byte beyond ASCII in the target is refused",
     STR("GET /\xc3\xa9 HTTP/1.1\r\n" HOST "\r\n"), RC_INVALID},
    {"a target without slash is refused", STR("GET x HTTP/1.1\r\n" HOST "\r\n"), RC_INVALID},
    {"* is a target of OPTIONS", STR("OPTIONS * HTTP/1.1\r\n" HOST "\r\n"), RC_OK},
    {"* is no other's target", STR("GET * HTTP/1.1\r\n" HOST "\r\n"), RC_INVALID},
    {"a method is a token", STR("G@T / HTTP/1.1\r\n" HOST "\r\n"), RC_INVALID},
    {"TLS is no request", STR("\x16\x03\x01\x02\n"), RC_INVALID},
    {"two lengths are refused",
     STR("POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\nContent-Length: 1\r\n\r\n"), RC_INVALID},
    {"a length of +1 is refused", STR("POST / HTTP/1.1\r\n" HOST "Content-Length: +1\r\n\r\n"),
     RC_INVALID},
    {"a length of 2^64 is refused",
     STR("POST / HTTP/1.1\r\n" HOST "Content-Length: 18446744073709551616\r\n\r\n"), RC_INVALID},
    {"a length beside chunks is refused",
     STR("POST / HTTP/1.1\r\n" HOST "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"),
     RC_INVALID},
    {"a Host with a path is refused", STR("GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"), RC_INVALID},
    {"a Host with a user is refused", STR("GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"), RC_INVALID},
    {"a Host with a port of letters is refused", STR("GET / HTTP/1.1\r\nHost: a:x\r\n\r\n"),
     RC_INVALID},
    {"an open bracket is refused", STR("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"), RC_INVALID},
    {"a Host may be empty", STR("GET / HTTP/1.1\r\nHost:\r\n\r\n"), RC_OK},
    {"an absolute target without host is refused", STR("GET http:///x HTTP/1.1\r\n" HOST "\r\n"),
     RC_INVALID},
    {"an ftp target is refused", STR("GET ftp://a/x HTTP/1.1\r\n" HOST "\r\n"), RC_INVALID},
};

static enum rc read_exact(struct str bytes, struct request *q, size_t *used)
{
    char *exact = mem_alloc(bytes.n); /* so that a sanitizer sees a byte read too far */
    assert_non_null(exact);
    memcpy(exact, bytes.p, bytes.n);
    enum rc rc = request_read(str_make(exact, bytes.n), q, used);
    mem_free(exact);
    return rc;
}

static void heads_are_read_or_refused_as_the_rows_say(void **state)
{
    (void)state;
    struct score s = {.set = "simweb/requests"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct request q;
        size_t used = 0;
        enum rc rc = read_exact(rows[i].bytes, &q, &used);
        bool whole = rc != RC_OK || used == rows[i].bytes.n;
        score_row(&s, rc == rows[i].expected && whole, "%s: %s", rows[i].says, rc_text(rc));
    }
    score_end(&s, 42);
}

/* Whatever comes in pieces is never refused early and read late, or the other way round. */
static void a_prefix_of_a_request_waits_for_the_rest(void **state)
{
    (void)state;
    struct str whole = STR("GET /a?b HTTP/1.1\r\n" HOST "Accept: x\r\nX-Y: z\r\n\r\n");
    struct request q;
    size_t used;
    for (size_t n = 0; n < whole.n; n++)
        assert_rc(read_exact(str_first(whole, n), &q, &used), RC_AGAIN);
    assert_rc(read_exact(whole, &q, &used), RC_OK);
}

static void the_parts_stand_where_they_should(void **state)
{
    (void)state;
    struct str bytes = STR("GET /a?b=c HTTP/1.1\r\nhOST: A.test:8080\r\nAccept:  x \t\r\n"
                           "Accept: y\r\n\r\nGET /next");
    struct request q;
    size_t used = 0;
    assert_rc(request_read(bytes, &q, &used), RC_OK);
    assert_str(str_from(bytes, used), STR("GET /next"));
    assert_str(q.raw, str_first(bytes, used));
    assert_str(q.method, STR("GET"));
    assert_str(q.target, STR("/a?b=c"));
    assert_str(q.host, STR("A.test"));
    assert_int_equal(q.header_count, 3);
    assert_str(request_header(&q, STR("ACCEPT")), STR("x"));
    assert_null(request_header(&q, STR("Cookie")).p);
    assert_true(q.keep_alive);
    assert_false(q.is_http10);
}

static struct str host_in(const char *line, const char *host)
{
    static char room[512];
    static struct request q;
    struct buf b = buf_on(room, sizeof room);
    size_t used;
    buf_printf(&b, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", line, host);
    assert_rc(request_read(buf_str(&b), &q, &used), RC_OK);
    return q.host;
}

static void the_host_comes_without_port_and_from_an_absolute_target_first(void **state)
{
    (void)state;
    assert_str(host_in("/", "a.test"), STR("a.test"));
    assert_str(host_in("/", "a.test:"), STR("a.test"));
    assert_str(host_in("/", "[::1]:80"), STR("[::1]"));
    assert_str(host_in("http://b.test:1/x", "a.test"), STR("b.test"));
    assert_str(host_in("HTTPS://b.test", "a.test"), STR("b.test"));
}

static bool is_proxied(struct str line)
{
    char room[512];
    struct buf b = buf_on(room, sizeof room);
    struct request q = {.is_proxied = true};
    size_t used;
    buf_add(&b, line);
    buf_add(&b, STR("\r\n" HOST "\r\n"));
    assert_rc(request_read(buf_str(&b), &q, &used), RC_OK);
    return q.is_proxied;
}

static void whoever_sends_a_whole_url_takes_us_for_a_proxy(void **state)
{
    (void)state;
    assert_true(is_proxied(STR("GET http://b.test/x HTTP/1.1")));
    assert_false(is_proxied(STR("GET /x?http://b.test/ HTTP/1.1")));
    assert_false(is_proxied(STR("OPTIONS * HTTP/1.1")));
}

static bool keeps(const char *version, const char *line)
{
    char room[512];
    struct buf b = buf_on(room, sizeof room);
    struct request q;
    size_t used;
    buf_printf(&b, "GET / HTTP/%s\r\n" HOST "%s\r\n", version, line);
    assert_rc(request_read(buf_str(&b), &q, &used), RC_OK);
    return q.keep_alive;
}

static void a_connection_is_kept_by_version_and_wish(void **state)
{
    (void)state;
    assert_true(keeps("1.1", ""));
    assert_false(keeps("1.1", "Connection: close\r\n"));
    assert_false(keeps("1.1", "Connection: te, Close\r\n"));
    assert_false(keeps("1.0", ""));
    assert_true(keeps("1.0", "Connection: Keep-Alive\r\n"));
}

static bool accepts(const char *value, struct str token)
{
    char room[512];
    struct buf b = buf_on(room, sizeof room);
    struct request q;
    size_t used;
    buf_printf(&b, "GET / HTTP/1.1\r\n" HOST "Accept-Encoding: %s\r\n\r\n", value);
    assert_rc(request_read(buf_str(&b), &q, &used), RC_OK);
    return request_accepts(&q, STR("accept-encoding"), token);
}

static void a_list_accepts_what_it_names_without_a_weight_of_zero(void **state)
{
    (void)state;
    assert_true(accepts("gzip", STR("gzip")));
    assert_true(accepts("br, GZIP ;q=0.5", STR("gzip")));
    assert_true(accepts("gzip;q=0.001", STR("gzip")));
    assert_false(accepts("gzip;q=0", STR("gzip")));
    assert_false(accepts("gzip ; q=0.000, br", STR("gzip")));
    assert_false(accepts("gzipped", STR("gzip")));
    assert_false(accepts("", STR("gzip")));
    assert_false(accepts("*", STR("gzip")));
}

static void fill(struct buf *b, size_t lines, size_t bytes)
{
    buf_add(b, STR("GET / HTTP/1.1\r\n" HOST));
    for (size_t i = 0; i < lines; i++) {
        buf_printf(b, "X%zu: ", i);
        buf_fill(b, 'x', bytes);
        buf_add(b, STR("\r\n"));
    }
}

static void heads_that_are_too_long_are_refused_when_they_are(void **state)
{
    (void)state;
    struct buf b = {.max = 1 << 20};
    struct request q;
    size_t used;
    fill(&b, REQUEST_MAX_HEADERS - 1, 10);
    buf_add(&b, STR("\r\n"));
    assert_rc(request_read(buf_str(&b), &q, &used), RC_OK);
    buf_clear(&b);
    fill(&b, REQUEST_MAX_HEADERS, 10);
    assert_rc(request_read(buf_str(&b), &q, &used), RC_LIMIT);
    buf_clear(&b);
    fill(&b, 1, REQUEST_MAX_BYTES - 100);
    assert_rc(request_read(buf_str(&b), &q, &used), RC_AGAIN);
    buf_fill(&b, 'y', 100);
    assert_rc(request_read(buf_str(&b), &q, &used), RC_LIMIT);
    buf_clear(&b);
    buf_fill(&b, 'y', REQUEST_MAX_BYTES + 5);
    assert_rc(request_read(buf_str(&b), &q, &used), RC_LIMIT);
    buf_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_read_or_refused_as_the_rows_say),
        cmocka_unit_test(a_prefix_of_a_request_waits_for_the_rest),
        cmocka_unit_test(the_parts_stand_where_they_should),
        cmocka_unit_test(the_host_comes_without_port_and_from_an_absolute_target_first),
        cmocka_unit_test(whoever_sends_a_whole_url_takes_us_for_a_proxy),
        cmocka_unit_test(a_connection_is_kept_by_version_and_wish),
        cmocka_unit_test(a_list_accepts_what_it_names_without_a_weight_of_zero),
        cmocka_unit_test(heads_that_are_too_long_are_refused_when_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
