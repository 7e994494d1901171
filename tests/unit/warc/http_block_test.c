/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/rng.h"
#include "warc/http_block.h"

static const struct {
    const char *name, *block;
    size_t end;
    unsigned status;
    const char *mime;
    enum rc length_rc;
    uint64_t length;
    bool chunked;
} rows[] = {
    {"a plain answer", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\nabc",
     63, 200, "text/html", RC_OK, 3, false},
    {"LF alone ends lines", "HTTP/1.0 404 Not Found\ncontent-type:a/b;c=d\n\nx", 45, 404, "a/b",
     RC_NOT_FOUND, 0, false},
    {"a media type of bytes past ASCII is none",
     "HTTP/1.1 200 OK\r\nContent-Type: text/h\xc3\xb6\r\n\r\n", 43, 200, NULL, RC_NOT_FOUND, 0,
     false},
    {"a status without a reason", "HTTP/1.1 204\r\n\r\n", 16, 204, NULL, RC_NOT_FOUND, 0, false},
    {"a status with an empty reason", "HTTP/1.1 200 \r\n\r\n", 17, 200, NULL, RC_NOT_FOUND, 0,
     false},
    {"a header cut before its end", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", 0, 200,
     "text/html", RC_NOT_FOUND, 0, false},
    {"a request has no status", "GET / HTTP/1.1\r\nHost: a\r\n\r\n", 27, 0, NULL, RC_NOT_FOUND, 0,
     false},
    {"a status of four digits", "HTTP/1.1 2000 OK\r\n\r\n", 20, 0, NULL, RC_NOT_FOUND, 0, false},
    {"a status of letters", "HTTP/1.1 abc\r\n\r\n", 16, 0, NULL, RC_NOT_FOUND, 0, false},
    {"two lengths that agree", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
     57, 200, NULL, RC_OK, 5, false},
    {"two lengths that disagree",
     "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n", 57, 200, NULL, RC_INVALID,
     0, false},
    {"a negative length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n", 39, 200, NULL,
     RC_INVALID, 0, false},
    {"chunks", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", 47, 200, NULL, RC_NOT_FOUND,
     0, true},
    {"chunks in capitals, last of several",
     "HTTP/1.1 200 OK\r\nTRANSFER-ENCODING: gzip, Chunked\r\n\r\n", 53, 200, NULL, RC_NOT_FOUND, 0,
     true},
    {"chunks that are not the last coding",
     "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, gzip\r\n\r\n", 53, 200, NULL, RC_NOT_FOUND, 0,
     false},
    {"a folded field", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip,\r\n chunked\r\n\r\n", 55, 200,
     NULL, RC_NOT_FOUND, 0, true},
    {"blanks before the colon", "HTTP/1.1 200 OK\r\nContent-Type : a/b\r\n\r\n", 39, 200, "a/b",
     RC_NOT_FOUND, 0, false},
    {"a type that is none", "HTTP/1.1 200 OK\r\nContent-Type: html\r\n\r\n", 39, 200, NULL,
     RC_NOT_FOUND, 0, false},
    {"a type with a line end in it", "HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n c\r\n\r\n", 42, 200,
     NULL, RC_NOT_FOUND, 0, false},
    {"a field behind the empty line is the body's",
     "HTTP/1.1 200 OK\r\n\r\nContent-Type: a/b\r\n\r\n", 19, 200, NULL, RC_NOT_FOUND, 0, false},
    {"a line without a colon is passed over",
     "HTTP/1.1 200 OK\r\nnonsense\r\nContent-Length: 1\r\n\r\n", 48, 200, NULL, RC_OK, 1, false},
    {"nothing", "", 0, 0, NULL, RC_NOT_FOUND, 0, false},
    {"one empty line", "\r\n", 0, 0, NULL, RC_NOT_FOUND, 0, false},
};

static void headers_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str block = str_c(rows[i].block);
        uint64_t length = 0;
        size_t end = http_head_end(block);
        enum rc rc = http_head_length(block, &length);
        bool same = end == rows[i].end && http_head_status(block) == rows[i].status &&
                    str_eq(http_head_mime(block), str_c(rows[i].mime)) && rc == rows[i].length_rc &&
                    length == rows[i].length && http_head_is_chunked(block) == rows[i].chunked;
        if (!same)
            fail_msg("%s: end %zu status %u length rc %d %llu chunked %d mime " STR_FMT,
                     rows[i].name, end, http_head_status(block), rc, (unsigned long long)length,
                     http_head_is_chunked(block), STR_ARG(http_head_mime(block)));
    }
}

static void the_end_is_found_however_the_bytes_are_cut(void **state)
{
    (void)state;
    struct str block = STR("HTTP/1.1 200 OK\r\nA: b\n\r\rC: d\r\n\r\nbody\r\n\r\n");
    size_t end = http_head_end(block);
    assert_int_equal(end, 32);
    for (size_t step = 1; step <= block.n; step++) {
        struct http_head_scan s = {0};
        size_t taken = 0;
        for (size_t at = 0; at < block.n; at += step)
            taken += http_head_scan(&s, str_first(str_from(block, at), step));
        assert_true(s.found);
        assert_int_equal(taken, end);
        assert_int_equal(s.bytes, end);
    }
}

static void all_fields_of_a_name_are_walked(void **state)
{
    (void)state;
    struct str head = STR("HTTP/1.1 200 OK\r\nA: 1\r\nB: 2\r\na:3\r\nA:\r\n\r\n");
    size_t cursor = 0;
    assert_str(http_head_each(head, STR("a"), &cursor), STR("1"));
    assert_str(http_head_each(head, STR("a"), &cursor), STR("3"));
    struct str empty = http_head_each(head, STR("a"), &cursor);
    assert_non_null(empty.p);
    assert_int_equal(empty.n, 0);
    assert_null(http_head_each(head, STR("a"), &cursor).p);
    assert_null(http_head_each(head, STR("a"), &cursor).p);
}

static void any_bytes_are_survived(void **state)
{
    (void)state;
    static const char letters[] =
        "HTTP/1. 20\r\n\r\n:;,Content-Type Transfer-Encoding chunked\t\0x";
    struct rng rng;
    rng_init(&rng, 3);
    for (int round = 0; round < 20000; round++) {
        char block[64];
        size_t n = rng_below(&rng, sizeof block), cursor = 0;
        for (size_t i = 0; i < n; i++)
            block[i] = letters[rng_below(&rng, sizeof letters)];
        struct str s = str_make(block, n);
        uint64_t length;
        assert_true(http_head_end(s) <= n && http_head_status(s) <= 999);
        (void)http_head_is_chunked(s);
        (void)http_head_mime(s);
        assert_true(http_head_length(s, &length) != RC_LIMIT);
        for (size_t i = 0; http_head_each(s, STR(""), &cursor).p; i++)
            assert_true(i < n);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_are_read),
        cmocka_unit_test(the_end_is_found_however_the_bytes_are_cut),
        cmocka_unit_test(all_fields_of_a_name_are_walked),
        cmocka_unit_test(any_bytes_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
