/* SPDX-License-Identifier: Apache-2.0 */
#include "outputs/crawl_log.h"

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

/* What is written is read back, field by field. */
static void assert_round(const struct crawl_log_entry *e)
{
    struct buf out = {.max = 1 << 16};
    struct crawl_log_line l;
    crawl_log_print(&out, e);
    assert_rc(buf_rc(&out), RC_OK);
    assert_int_equal(str_find(buf_str(&out), '\n'), out.n - 1);
    assert_rc(crawl_log_parse(str_first(buf_str(&out), out.n - 1), &l), RC_OK);
    assert_int_equal(l.status, e->status);
    assert_int_equal(l.bytes, e->bytes);
    assert_str(l.url, e->url);
    assert_str(l.via, e->via.n ? e->via : STR_NONE);
    assert_str(l.mime, e->mime.n ? e->mime : STR_NONE);
    assert_str(l.annotations, e->annotations.n ? e->annotations : STR_NONE);
    assert_int_equal(l.started.p != NULL, e->begun_ms != 0);
    assert_int_equal(l.digest.p != NULL, e->sha1 != NULL);
    assert_int_equal(crawl_log_is_prerequisite(&l), e->is_prerequisite);
    buf_done(&out);
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    struct digest sha1 = {.kind = DIGEST_SHA1};
    struct crawl_log_entry e = {.wall_ms = UINT64_C(1700000000123),
                                .status = 200,
                                .bytes = 12345,
                                .url = STR("http://a.example/x?y=z"),
                                .path = STR("LLE"),
                                .via = STR("http://a.example/"),
                                .mime = STR("text/html"),
                                .shard = 7,
                                .begun_ms = INT64_C(1700000000001),
                                .took_ms = 122,
                                .sha1 = &sha1,
                                .annotations = STR("tries:2,h2")};
    assert_round(&e);
    e = (struct crawl_log_entry){.status = -9998, .url = STR("http://b.example/")};
    assert_round(&e);
    e.is_prerequisite = true;
    assert_round(&e);
    e.status = -1;
    e.bytes = UINT64_MAX;
    assert_round(&e);
}

static void a_line_is_as_heritrix_writes_it(void **state)
{
    (void)state;
    char room[300];
    struct buf out = buf_on(room, sizeof room);
    crawl_log_print(&out, &(struct crawl_log_entry){.wall_ms = UINT64_C(1700000000123),
                                                    .status = -2,
                                                    .url = STR("http://b.example/"),
                                                    .path = STR("L"),
                                                    .shard = 3});
    assert_str(buf_str(&out),
               STR("2023-11-14T22:13:20.123Z    -2          0 http://b.example/ L - - "
                   "#003 - - - -\n"));
}

/* Whatever a line is annotated with, the reason alone is a sentence. */
static void no_mark_is_taken_for_a_reason(void **state)
{
    (void)state;
    char room[600];
    struct buf notes = buf_on(room, sizeof room);
    for (unsigned i = 0; i < MARKS_; i++)
        crawl_log_mark_value(&notes, (enum crawl_log_mark)i, "%s", "");
    struct crawl_log_line l = {.annotations = buf_str(&notes)};
    assert_null(crawl_log_reason(&l).p);
    crawl_log_mark_value(&notes, MARK_OVER_LIMIT, "%s:%u", "sitemap-urls", 7u);
    l.annotations = buf_str(&notes);
    assert_null(crawl_log_reason(&l).p);
    crawl_log_reason_add(&notes, "the host, or its port, is not asked");
    l.annotations = buf_str(&notes);
    assert_str(crawl_log_reason(&l), STR("the_host,_or_its_port,_is_not_asked"));
}

/* What a member of a pool says may hold anything. */
static void a_reason_is_one_field_of_one_line(void **state)
{
    (void)state;
    char room[200];
    struct buf notes = buf_on(room, sizeof room);
    crawl_log_reason_add(&notes, "a\n200\t5\rhttp://forged.example/\x1b[2J\x7f");
    assert_str(buf_str(&notes), STR("a_200_5_http://forged.example/_[2J_"));
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
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_line_is_as_heritrix_writes_it),
        cmocka_unit_test(no_mark_is_taken_for_a_reason),
        cmocka_unit_test(a_reason_is_one_field_of_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
