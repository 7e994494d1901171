/* SPDX-License-Identifier: Apache-2.0 */
/* The head of an answer: what is refused, what is skipped, where the body ends. */
#include "net/head.h"

#include "lib/test.h"

#include <stdio.h>

enum {
    NONE = FRAMING_NONE,
    LENGTH = FRAMING_LENGTH,
    CHUNKED = FRAMING_CHUNKED,
    CLOSE = FRAMING_CLOSE
};

struct row {
    const char *name;
    struct str head; /* without the empty line; LF stands for the line end that is tried */
    const char *why; /* refused with it; NULL: accepted */
    int framing;     /* enum framing_kind */
    uint64_t length;
    bool keeps;
    uint16_t status; /* 0 = 200 */
};

#define OK "HTTP/1.1 200 OK\n"

static const struct row rows[] = {
    {"a length", STR(OK "Content-Length: 5\n"), NULL, LENGTH, 5, true, 0},
    {"a length of 0", STR(OK "Content-Length: 0\n"), NULL, LENGTH, 0, true, 0},
    {"names in any case", STR(OK "cOnTeNt-lEnGtH:5\n"), NULL, LENGTH, 5, true, 0},
    {"blanks around a value", STR(OK "Content-Length: \t 5 \t\n"), NULL, LENGTH, 5, true, 0},
    {"leading zeros", STR(OK "Content-Length: 0005\n"), NULL, LENGTH, 5, true, 0},
    {"the largest length", STR(OK "Content-Length: 18446744073709551615\n"), NULL, LENGTH,
     UINT64_MAX, true, 0},
    {"no length and no chunks end with the connection", STR(OK), NULL, CLOSE, 0, false, 0},
    {"chunks", STR(OK "Transfer-Encoding: chunked\n"), NULL, CHUNKED, 0, true, 0},
    {"chunks in any case", STR(OK "transfer-encoding:CHUNKED\n"), NULL, CHUNKED, 0, true, 0},
    {"chunked behind another coding", STR(OK "Transfer-Encoding: gzip, chunked\n"), NULL, CHUNKED,
     0, true, 0},
    {"codings in two fields are one list",
     STR(OK "Transfer-Encoding: gzip\nTransfer-Encoding: chunked\n"), NULL, CHUNKED, 0, true, 0},
    {"empty items of a list of codings", STR(OK "Transfer-Encoding: ,chunked,\n"), NULL, CHUNKED, 0,
     true, 0},
    {"a coding without end mark ends with the connection", STR(OK "Transfer-Encoding: gzip\n"),
     NULL, CLOSE, 0, false, 0},
    {"identity is no coding", STR(OK "Transfer-Encoding: identity\nContent-Length: 5\n"), NULL,
     LENGTH, 5, true, 0},
    {"F18: the coding beats the length, and the connection goes",
     STR(OK "Content-Length: 5\nTransfer-Encoding: chunked\n"), NULL, CHUNKED, 0, false, 0},
    {"F18: in either order", STR(OK "Transfer-Encoding: chunked\nContent-Length: 5\n"), NULL,
     CHUNKED, 0, false, 0},
    {"chunks of HTTP/1.0 end the connection",
     STR("HTTP/1.0 200 OK\nConnection: keep-alive\nTransfer-Encoding: chunked\n"), NULL, CHUNKED, 0,
     false, 0},
    {"F23: chunked is not the last", STR(OK "Transfer-Encoding: chunked, gzip\n"),
     "chunked is not the last coding, or not plain", 0, 0, false, 0},
    {"F23: chunked twice", STR(OK "Transfer-Encoding: chunked, chunked\n"),
     "chunked is not the last coding, or not plain", 0, 0, false, 0},
    {"chunked twice in two fields",
     STR(OK "Transfer-Encoding: chunked\nTransfer-Encoding: chunked\n"),
     "chunked is not the last coding, or not plain", 0, 0, false, 0},
    {"chunked with a parameter", STR(OK "Transfer-Encoding: chunked;q=1\n"),
     "chunked is not the last coding, or not plain", 0, 0, false, 0},
    {"F14: two different lengths", STR(OK "Content-Length: 5\nContent-Length: 6\n"),
     "two different Content-Length", 0, 0, false, 0},
    {"F14: one length twice", STR(OK "Content-Length: 5\nContent-Length: 5\n"), NULL, LENGTH, 5,
     true, 0},
    {"F15: a list that differs", STR(OK "Content-Length: 5, 6\n"), "two different Content-Length",
     0, 0, false, 0},
    {"F15: a list of one number", STR(OK "Content-Length: 5, 5,5\n"), NULL, LENGTH, 5, true, 0},
    {"F15: a list with nothing in it", STR(OK "Content-Length: 5,,5\n"),
     "Content-Length is no number", 0, 0, false, 0},
    {"F15: negative", STR(OK "Content-Length: -5\n"), "Content-Length is no number", 0, 0, false,
     0},
    {"F15: a plus sign", STR(OK "Content-Length: +5\n"), "Content-Length is no number", 0, 0, false,
     0},
    {"F15: letters", STR(OK "Content-Length: 5 bytes\n"), "Content-Length is no number", 0, 0,
     false, 0},
    {"F15: hexadecimal", STR(OK "Content-Length: 0x5\n"), "Content-Length is no number", 0, 0,
     false, 0},
    {"F15: empty", STR(OK "Content-Length:\n"), "Content-Length is no number", 0, 0, false, 0},
    {"F15: past 64 bits", STR(OK "Content-Length: 18446744073709551621\n"),
     "Content-Length is no number", 0, 0, false, 0},
    {"a bad length does not matter beside chunks",
     STR(OK "Content-Length: x\nTransfer-Encoding: chunked\n"), NULL, CHUNKED, 0, false, 0},

    {"F11: NUL in a value", STR(OK "X: a\0b\nContent-Length: 5\n"), "NUL in the head", 0, 0, false,
     0},
    {"F11: NUL in a name", STR(OK "X\0Y: a\n"), "NUL in the head", 0, 0, false, 0},
    {"F11: a bare CR", STR(OK "X: a\rLocation: /b\n"), "bare CR in the head", 0, 0, false, 0},
    {"F11: two CR before a LF", STR(OK "X: a\r\r\n"), "bare CR in the head", 0, 0, false, 0},
    {"F11: other control bytes drop the field",
     STR(OK "Connection: \x01 close\nContent-Length: 5\n"), NULL, LENGTH, 5, true, 0},
    {"control bytes in a length", STR(OK "Content-Length: 5\x0b\n"),
     "control bytes in a field that says where the body ends", 0, 0, false, 0},
    {"control bytes in a coding",
     STR(OK "Transfer-Encoding: \x0b"
            "chunked\nContent-Length: 5\n"),
     "control bytes in a field that says where the body ends", 0, 0, false, 0},

    {"F12: a line without colon", STR(OK "this is none\nContent-Length: 5\n"), NULL, LENGTH, 5,
     true, 0},
    {"F12: a blank in the name", STR(OK "Content Length: 7\nContent-Length: 5\n"), NULL, LENGTH, 5,
     true, 0},
    {"F12: a blank before the colon", STR(OK "Content-Length : 7\nContent-Length: 5\n"), NULL,
     LENGTH, 5, true, 0},
    {"F12: no name", STR(OK ": 7\nContent-Length: 5\n"), NULL, LENGTH, 5, true, 0},
    {"F13: a continued value is joined", STR(OK "Content-Length:\n 5\n"), NULL, LENGTH, 5, true, 0},
    {"F13: a continued line is no field", STR(OK "X: a\n Content-Length: 7\n"), NULL, CLOSE, 0,
     false, 0},
    {"F13: joined by a space, not by nothing", STR(OK "Content-Length: 5\n\t6\n"),
     "Content-Length is no number", 0, 0, false, 0},
    {"F13: what continues a skipped line is skipped", STR(OK "none\n Content-Length: 7\n"), NULL,
     CLOSE, 0, false, 0},
    {"F13: what continues the status line is skipped", STR(OK " Content-Length: 7\nX: a\n"), NULL,
     CLOSE, 0, false, 0},
    {"F13: a line of blanks continues", STR(OK "X: a\n \nContent-Length: 5\n"), NULL, LENGTH, 5,
     true, 0},

    {"the server closes", STR(OK "Content-Length: 5\nConnection: close\n"), NULL, LENGTH, 5, false,
     0},
    {"close in a list", STR(OK "Content-Length: 5\nConnection: a, Close ,b\n"), NULL, LENGTH, 5,
     false, 0},
    {"close as a part of a word", STR(OK "Content-Length: 5\nConnection: disclose\n"), NULL, LENGTH,
     5, true, 0},
    {"HTTP/1.0 closes", STR("HTTP/1.0 200 OK\nContent-Length: 5\n"), NULL, LENGTH, 5, false, 0},
    {"HTTP/1.0 keeps if it says so",
     STR("HTTP/1.0 200 OK\nContent-Length: 5\nConnection: Keep-Alive\n"), NULL, LENGTH, 5, true, 0},
    {"HTTP/1.0 that says both closes",
     STR("HTTP/1.0 200 OK\nContent-Length: 5\nConnection: keep-alive, close\n"), NULL, LENGTH, 5,
     false, 0},

    {"the server keeps it for 0 s", STR(OK "Content-Length: 5\nKeep-Alive: timeout=0\n"), NULL,
     LENGTH, 5, false, 0},
    {"the server keeps it for 5 s", STR(OK "Content-Length: 5\nKeep-Alive: timeout=5\n"), NULL,
     LENGTH, 5, true, 0},

    {"F28: no reason", STR("HTTP/1.1 200\nContent-Length: 5\n"), NULL, LENGTH, 5, true, 0},
    {"F28: an empty reason", STR("HTTP/1.1 200 \nContent-Length: 5\n"), NULL, LENGTH, 5, true, 0},
    {"F28: no code", STR("HTTP/1.1 OK\n"), "the status is no number of three digits", 0, 0, false,
     0},
    {"F28: nothing behind the version", STR("HTTP/1.1\n"), "neither HTTP/1.0 nor HTTP/1.1", 0, 0,
     false, 0},
    {"F28: one digit", STR("HTTP/1.1 2 OK\n"), "the status is no number of three digits", 0, 0,
     false, 0},
    {"F28: two digits", STR("HTTP/1.1 20 OK\n"), "the status is no number of three digits", 0, 0,
     false, 0},
    {"F28: four digits", STR("HTTP/1.1 2000 OK\n"), "the status is no number of three digits", 0, 0,
     false, 0},
    {"F28: negative", STR("HTTP/1.1 -20 OK\n"), "the status is no number of three digits", 0, 0,
     false, 0},
    {"F28: letters", STR("HTTP/1.1 2OO OK\n"), "the status is no number of three digits", 0, 0,
     false, 0},
    {"F28: under 100", STR("HTTP/1.1 099 OK\n"), "the status is no number of three digits", 0, 0,
     false, 0},
    {"F28: two blanks", STR("HTTP/1.1  200 OK\n"), "the status is no number of three digits", 0, 0,
     false, 0},
    {"an unknown code", STR("HTTP/1.1 999 Denied\nContent-Length: 5\n"), NULL, LENGTH, 5, true,
     999},
    {"F30: HTTP/1.2", STR("HTTP/1.2 200 OK\n"), "neither HTTP/1.0 nor HTTP/1.1", 0, 0, false, 0},
    {"F30: HTTP/2", STR("HTTP/2 200 OK\n"), "no HTTP/1 status line", 0, 0, false, 0},
    {"F30: HTTP/1.10", STR("HTTP/1.10 200 OK\n"), "neither HTTP/1.0 nor HTTP/1.1", 0, 0, false, 0},
    {"F30: lower case", STR("http/1.1 200 OK\n"), "no HTTP/1 status line", 0, 0, false, 0},
    {"F30: another protocol", STR("RTSP/1.0 200 OK\n"), "no HTTP/1 status line", 0, 0, false, 0},

    {"F32: 204 has no body", STR("HTTP/1.1 204 No\n"), NULL, NONE, 0, true, 204},
    {"F32: 204 that announces one ends the connection", STR("HTTP/1.1 204 No\nContent-Length: 5\n"),
     NULL, NONE, 0, false, 204},
    {"F32: 304 has none, though it has a length", STR("HTTP/1.1 304 Not\nContent-Length: 5\n"),
     NULL, NONE, 0, true, 304},
    {"an interim answer has none", STR("HTTP/1.1 103 Early\nContent-Length: 5\n"), NULL, NONE, 0,
     true, 103},
    {"206 has what it says", STR("HTTP/1.1 206 Part\nContent-Length: 5\n"), NULL, LENGTH, 5, true,
     206},
};

/* The row's head with its line ends, and the empty line. */
static void head_of(const struct row *r, bool with_cr, struct buf *out)
{
    buf_clear(out);
    for (size_t i = 0; i < r->head.n; i++) {
        bool has_cr = i && r->head.p[i - 1] == '\r';
        if (r->head.p[i] == '\n' && with_cr && !(has_cr && i > 1 && r->head.p[i - 2] != '\r'))
            buf_byte(out, '\r');
        buf_byte(out, r->head.p[i]);
    }
    buf_add(out, with_cr ? STR("\r\n") : STR("\n"));
}

static void check_row(const struct row *r, struct str bytes)
{
    struct head h;
    const char *why = head_read(bytes, false, &h);
    print_message("# %s\n", r->name);
    if (r->why || why) {
        assert_str(str_c(why), str_c(r->why));
        return;
    }
    assert_int_equal(h.status, r->status ? r->status : 200);
    assert_int_equal(h.framing, r->framing);
    assert_int_equal(h.length, r->length);
    assert_int_equal(h.keeps, r->keeps);
}

static void how_long_a_server_keeps_a_connection_is_read(void **state)
{
    (void)state;
    static const struct {
        const char *field;
        uint64_t keep_s;
    } keeps[] = {
        {"Keep-Alive: timeout=5", 5},
        {"keep-alive: max=100, Timeout=75", 75},
        {"Keep-Alive: timeout=5, timeout=50", 5},
        {"Keep-Alive: timeout=5\r\nKeep-Alive: timeout=7", 5},
        {"Keep-Alive: timeout= 5", 5},
        {"Keep-Alive: timeout=99999999999999", HEAD_MOST_KEEP_S},
        {"Keep-Alive: timeout=5s", 0},
        {"Keep-Alive: timeout=-1", 0},
        {"Keep-Alive: timeout=", 0},
        {"Keep-Alive: 5", 0},
        {"Keep-Alive:", 0},
        {"Kept-Alive: timeout=5", 0},
        {"Connection: keep-alive", 0},
    };
    for (size_t i = 0; i < sizeof keeps / sizeof *keeps; i++) {
        char text[200];
        struct head h;
        int n = snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n%s\r\n\r\n",
                         keeps[i].field);
        assert_null(head_read(str_make(text, (size_t)n), false, &h));
        if (!h.keeps || h.keep_s != keeps[i].keep_s)
            fail_msg("%s: %u s", keeps[i].field, (unsigned)h.keep_s);
    }
}

/* A hint that is folded and endless is no reason to refuse the answer. */
static void a_hint_that_is_too_long_is_passed_over(void **state)
{
    (void)state;
    struct buf b;
    struct head h;
    buf_init(&b, 1 << 16);
    buf_add(&b, STR("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5"));
    for (int i = 0; i < 1000; i++)
        buf_add(&b, STR("\r\n more"));
    buf_add(&b, STR("\r\nContent-Length: 5\r\n\r\n"));
    assert_null(head_read(buf_str(&b), false, &h));
    assert_int_equal(h.length, 5);
    assert_int_equal(h.keep_s, 0);
    assert_true(h.keeps);
    buf_done(&b);
}

static void heads_are_read_as_the_table_says(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, 1 << 16);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        head_of(&rows[i], true, &b);
        check_row(&rows[i], buf_str(&b));
        head_of(&rows[i], false, &b);
        check_row(&rows[i], buf_str(&b));
    }
    buf_done(&b);
}

static void the_answer_to_head_has_no_body(void **state)
{
    (void)state;
    struct head h;
    assert_null(head_read(STR(OK "Content-Length: 5\n\n"), true, &h));
    assert_int_equal(h.framing, FRAMING_NONE);
    assert_true(h.keeps);
}

struct field_row {
    const char *name;
    struct str head;
    struct str value; /* of Location */
};

static const struct field_row field_rows[] = {
    {"a value", STR(OK "Location: /a\r\n\r\n"), STR("/a")},
    {"in any case", STR(OK "LOCATION:/a\r\n\r\n"), STR("/a")},
    {"F19: the first of two", STR(OK "Location: /a\r\nLocation: /b\r\n\r\n"), STR("/a")},
    {"F13: on the next line", STR(OK "Location:\r\n /a\r\n\r\n"), STR("/a")},
    {"F13: in three parts", STR(OK "Location: a\r\n\tb \r\n   c\r\nX: d\r\n\r\n"), STR("a b c")},
    {"F13: a continued line is none", STR(OK "X: a\r\n Location: /b\r\n\r\n"), STR_NONE},
    {"F11: one with control bytes is dropped", STR(OK "Location: /\x01\nLocation: /b\n\n"),
     STR("/b")},
    {"empty", STR(OK "Location:\r\n\r\n"), STR("")},
    {"absent", STR(OK "X: a\r\n\r\n"), STR_NONE},
    {"no fields", STR(OK "\r\n"), STR_NONE},
    {"bytes beyond ASCII are kept", STR(OK "Location: /\xc3\xa9\n\n"), STR("/\xc3\xa9")},
    {"of a request", STR("GET http://x/ HTTP/1.1\r\nHost: x\r\nLocation: /a\r\n\r\n"), STR("/a")},
};

static void fields_are_found_as_the_table_says(void **state)
{
    (void)state;
    char room[64];
    for (size_t i = 0; i < sizeof field_rows / sizeof *field_rows; i++) {
        struct buf scratch = buf_on(room, sizeof room);
        struct str got = head_get(field_rows[i].head, STR("Location"), &scratch);
        print_message("# %s\n", field_rows[i].name);
        assert_int_equal(got.p != NULL, field_rows[i].value.p != NULL);
        assert_str(got, field_rows[i].value);
    }
}

static void a_folded_value_without_room_is_absent(void **state)
{
    (void)state;
    char room[3];
    struct buf scratch = buf_on(room, sizeof room);
    assert_null(head_get(STR(OK "Location: ab\r\n cd\r\n\r\n"), STR("Location"), &scratch).p);
}

static void the_start_of_a_status_line_is_known_early(void **state)
{
    (void)state;
    assert_true(head_starts_well(STR("")));
    assert_true(head_starts_well(STR("HTT")));
    assert_true(head_starts_well(STR("HTTP/1.1 200")));
    assert_false(head_starts_well(STR("S")));
    assert_false(head_starts_well(STR("HTTP/2")));
    assert_false(head_starts_well(STR("<html>")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_are_read_as_the_table_says),
        cmocka_unit_test(how_long_a_server_keeps_a_connection_is_read),
        cmocka_unit_test(a_hint_that_is_too_long_is_passed_over),
        cmocka_unit_test(the_answer_to_head_has_no_body),
        cmocka_unit_test(fields_are_found_as_the_table_says),
        cmocka_unit_test(a_folded_value_without_room_is_absent),
        cmocka_unit_test(the_start_of_a_status_line_is_known_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
