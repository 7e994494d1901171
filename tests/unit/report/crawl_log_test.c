/* SPDX-License-Identifier: Apache-2.0 */
#include "report/crawl_log.h"

#include "base/buf.h"
#include "lib/test.h"

static const char whole[] =
    "2024-05-06T07:08:09.123Z   200      12345 http://www.a.example:8080/x?y=z LLR "
    "http://www.a.example/ text/html #003 20240506070808999+124 sha1:ABC http://a.example/ "
    "2t,duplicate:digest";

static void the_twelve_fields_are_read(void **state)
{
    (void)state;
    struct crawl_log_line l;
    assert_rc(crawl_log_parse(str_c(whole), &l), RC_OK);
    assert_str(l.time, STR("2024-05-06T07:08:09.123Z"));
    assert_int_equal(l.status, 200);
    assert_int_equal(l.bytes, 12345);
    assert_str(l.url, STR("http://www.a.example:8080/x?y=z"));
    assert_str(l.path, STR("LLR"));
    assert_str(l.via, STR("http://www.a.example/"));
    assert_str(l.mime, STR("text/html"));
    assert_str(l.shard, STR("#003"));
    assert_str(l.started, STR("20240506070808999+124"));
    assert_str(l.digest, STR("sha1:ABC"));
    assert_str(l.source, STR("http://a.example/"));
    assert_str(l.annotations, STR("2t,duplicate:digest"));
    assert_true(crawl_log_is_duplicate(&l));
    assert_false(crawl_log_is_not_modified(&l) || crawl_log_is_prerequisite(&l));
}

static void a_dash_is_nothing(void **state)
{
    (void)state;
    struct crawl_log_line l;
    assert_rc(crawl_log_parse(STR("- -61 - dns:x - - - - - - - -"), &l), RC_OK);
    assert_int_equal(l.status, -61);
    assert_int_equal(l.bytes, 0);
    const struct str texts[] = {l.time,    l.path,   l.via,    l.mime,       l.shard,
                                l.started, l.digest, l.source, l.annotations};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_null(texts[i].p);
}

static void what_is_no_line_is_refused(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "",
        " ",
        "-",
        "t 200 1 u - - - - - - -",       /* eleven fields */
        "t 2x0 1 u - - - - - - - -",     /* no status */
        "t 200 one u - - - - - - - -",   /* no size */
        "t 200 -1 u - - - - - - - -",    /* a size below zero */
        "t 200 1 - - - - - - - - -",     /* no URL */
        "t 100000 1 u - - - - - - - -",  /* no such status */
        "t -100000 1 u - - - - - - - -", /* nor such */
        "t - 1 u - - - - - - - -",
        "t 200 18446744073709551616 u - - - - - - - -",
    };
    struct crawl_log_line l;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (crawl_log_parse(str_c(rows[i]), &l) != RC_INVALID)
            fail_msg("\"%s\" was read", rows[i]);
}

static void more_than_twelve_fields_belong_to_the_last(void **state)
{
    (void)state;
    struct crawl_log_line l;
    assert_rc(crawl_log_parse(STR("t 304 1 u P - - - - - - a,b {\"x\":1} "), &l), RC_OK);
    assert_str(l.annotations, STR("a,b {\"x\":1}"));
    assert_true(crawl_log_is_not_modified(&l) && crawl_log_is_prerequisite(&l));
}

static void the_reason_is_what_stands_behind_the_marks(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"-", ""},
        {"tries:4", ""},
        {"tries:4,name_servers_fail", "name_servers_fail"},
        {"its_address_is_private", "its_address_is_private"},
        {"tries:2,h2,unverified,lenTrunc,no_answer,_not_even_a_head", "no_answer,_not_even_a_head"},
        {"score:0.250,changed,changed:text,links:cut", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct crawl_log_line l;
        struct buf line = {.max = 4096};
        buf_printf(&line, "t -1 0 http://a.example/ - - - #000 - - - %s", rows[i][0]);
        assert_rc(crawl_log_parse(buf_str(&line), &l), RC_OK);
        assert_str(crawl_log_reason(&l), str_c(rows[i][1]));
        buf_done(&line);
    }
}

static void a_host_has_no_port_and_no_user(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"http://a.example/x", "a.example"},
        {"http://a.example", "a.example"},
        {"https://a.example:8443/", "a.example"},
        {"http://u:p@a.example:1/", "a.example"},
        {"http://[2001:db8::1]:80/", "[2001:db8::1]"},
        {"http://a.example?x:/@b", "a.example"},
        {"http://[::1", "[::1"},
        {"dns:a.example", NULL},
        {"http:///x", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_str(crawl_log_host(str_c(rows[i][0])), str_c(rows[i][1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_twelve_fields_are_read),
        cmocka_unit_test(a_dash_is_nothing),
        cmocka_unit_test(what_is_no_line_is_refused),
        cmocka_unit_test(more_than_twelve_fields_belong_to_the_last),
        cmocka_unit_test(the_reason_is_what_stands_behind_the_marks),
        cmocka_unit_test(a_host_has_no_port_and_no_user),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
