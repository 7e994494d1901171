/* SPDX-License-Identifier: Apache-2.0 */
#include "faults/tell.h"

#include "unit/simweb/faults/ask.h"

static const struct fault healthy = {.id = "F01", .group = "tcp"};

/* A query as ask.h makes it, for what takes no fault's own answer. */
static struct asking ask_nobody(void)
{
    struct asking a = ask_open("fault=all");
    a.query.fault = &healthy;
    a.query.world = a.made.world;
    a.query.knobs = &a.knobs;
    a.query.request = &a.request;
    a.query.host = STR("f01.test");
    a.query.label = STR("");
    a.query.path = STR("/page");
    return a;
}

static void a_healthy_answer_has_its_fields_and_its_body(void **state)
{
    (void)state;
    struct asking a = ask_nobody();
    tell_answer(&a.query, &a.reply, 404, "text/plain", STR("X-More: 1\r\n"), STR("gone"));
    assert_str(buf_str(&a.reply.bytes),
               STR("HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 4\r\n"
                   "Date: Fri, 15 Jan 2027 08:00:00 GMT\r\nX-More: 1\r\n\r\ngone"));
    assert_int_equal(a.reply.status, 404);
    ask_close(&a);
}

static void
it_says_so_where_the_connection_ends_and_nothing_where_the_clock_is_unknown(void **state)
{
    (void)state;
    struct asking a = ask_nobody();
    a.reply.keep_alive = false;
    a.query.wall_ms = 0;
    tell_answer(&a.query, &a.reply, 200, NULL, STR(""), STR("x"));
    assert_str(buf_str(&a.reply.bytes),
               STR("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx"));
    ask_close(&a);
}

/* Bodies behind HEAD are F32's alone, and what is broken below HTTP; whoever tests a crawler's HEAD
 * elsewhere must not be surprised. */
static void head_has_no_body_wherever_an_answer_is_well(void **state)
{
    (void)state;
    static const struct {
        const char *id, *label, *path;
    } rows[] = {
        {"F27", "", "/robots.txt"}, {"F36", "imf", "/other"},   {"F62", "", "/cal?month=3"},
        {"F66", "", "/long"},       {"F71", "", "/many"},       {"F77", "", "/hrefs"},
        {"F79", "", "/untyped"},    {"F80", "", "/entity.xml"}, {"F81", "", "/packed.xml.gz"},
        {"F84", "", "/idn"},        {"F86", "good", "/page"},   {"F89", "good", "/page"},
        {"F24", "", "/gzip"},       {"F01", "", "/"},           {"F01", "", "/told/x"},
        {"F01", "", "/nowhere"},
    };
    struct asking a = ask_open("fault=all");
    a.request.method = STR("HEAD");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str got = buf_str(&ask(&a, rows[i].id, rows[i].label, rows[i].path)->bytes);
        if (str_find_str(got, STR("\r\n\r\n")) + 4 != got.n)
            fail_msg("%s %s: a body of %zu bytes", rows[i].id, rows[i].path, got.n);
    }
    ask_close(&a);
}

static void links_of_a_page_stay_below_its_mount(void **state)
{
    (void)state;
    struct tell_room room;
    struct asking a = ask_nobody();
    a.query.mount = STR("/f01");
    struct str page = tell_text(&a.query, &room, "Title", "/told/a /told/b");
    assert_true(str_find_str(page, STR("<title>Title</title>")) < page.n);
    assert_true(str_find_str(page, STR("<a href=\"/f01/told/a\">")) < page.n);
    assert_true(str_find_str(page, STR("<a href=\"/f01/told/b\">")) < page.n);
    assert_true(str_ends(page, STR("</html>\n")));
    tell_redirect_path(&a.query, &a.reply, 302, STR("/next"));
    assert_true(reply_has(&a.reply, STR("\r\nLocation: /f01/next\r\n")));
    ask_close(&a);
}

static void fixed_pages_have_the_type_of_their_row(void **state)
{
    (void)state;
    static const struct tell_fixed rows[] = {
        {"/usual", NULL, NULL, STR("a")},
        {"/typed", "image/png", "X-More: 1\r\n", STR("b")},
        {"/untyped", "", NULL, STR("c")},
        {0},
    };
    struct asking a = ask_nobody();
    a.query.path = STR("/usual");
    assert_true(tell_fixed_by_path(rows, &a.query, &a.reply));
    assert_true(reply_has(&a.reply, STR("\r\nContent-Type: text/html; charset=utf-8\r\n")));
    reply_clear(&a.reply);
    a.query.path = STR("/typed");
    assert_true(tell_fixed_by_path(rows, &a.query, &a.reply));
    assert_true(reply_has(&a.reply, STR("\r\nContent-Type: image/png\r\n")));
    assert_true(reply_has(&a.reply, STR("\r\nX-More: 1\r\n")));
    reply_clear(&a.reply);
    a.query.path = STR("/untyped");
    assert_true(tell_fixed_by_path(rows, &a.query, &a.reply));
    assert_false(reply_has(&a.reply, STR("Content-Type")));
    a.query.path = STR("/other");
    assert_false(tell_fixed_by_path(rows, &a.query, &a.reply));
    ask_close(&a);
}

static void numbers_are_read_up_to_the_first_other_byte(void **state)
{
    (void)state;
    assert_int_equal(number_behind(STR("n=42&x"), "n=", 7), 42);
    assert_int_equal(number_behind(STR("none404"), "none", 0), 404);
    assert_int_equal(number_behind(STR("n="), "n=", 7), 7);
    assert_int_equal(number_behind(STR("m=1"), "n=", 7), 7);
    assert_int_equal(number_behind(STR_NONE, "n=", 7), 7);
    assert_int_equal(number_behind(STR("n=99999999999999999999"), "n=", 7),
                     UINT64_C(999999999999999));
}

static void a_body_that_could_not_be_written_is_the_reply_s_failure(void **state)
{
    (void)state;
    struct asking a = ask_nobody();
    struct buf body = {.max = 64};
    tell_begin(&a.query, "Too long for its buf", "/told/a", &body);
    tell_send(&a.query, &a.reply, &body);
    assert_rc(buf_rc(&a.reply.bytes), RC_LIMIT);
    assert_int_equal(a.reply.bytes.n, 0);
    ask_close(&a);
}

static void chunks_and_filler_are_as_long_as_said(void **state)
{
    (void)state;
    struct asking a = ask_nobody();
    tell_chunk(&a.reply, STR("seventeen letters"));
    tell_chunk(&a.reply, STR(""));
    assert_str(buf_str(&a.reply.bytes), STR("11\r\nseventeen letters\r\n0\r\n\r\n"));
    reply_clear(&a.reply);
    tell_filler(&a.reply, 1000);
    assert_int_equal(a.reply.bytes.n, 1000);
    assert_false(reply_has(&a.reply, STR("<")));
    ask_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_healthy_answer_has_its_fields_and_its_body),
        cmocka_unit_test(
            it_says_so_where_the_connection_ends_and_nothing_where_the_clock_is_unknown),
        cmocka_unit_test(head_has_no_body_wherever_an_answer_is_well),
        cmocka_unit_test(links_of_a_page_stay_below_its_mount),
        cmocka_unit_test(fixed_pages_have_the_type_of_their_row),
        cmocka_unit_test(numbers_are_read_up_to_the_first_other_byte),
        cmocka_unit_test(a_body_that_could_not_be_written_is_the_reply_s_failure),
        cmocka_unit_test(chunks_and_filler_are_as_long_as_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
