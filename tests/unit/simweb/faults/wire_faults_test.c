/* SPDX-License-Identifier: Apache-2.0 */
/* F01 to F34: the very bytes and steps; that a client sees them is scenario/simweb_faults_wire. */
#include "unit/simweb/faults/ask.h"

enum { WIRE_FAULTS = 34 };

struct row {
    const char *id, *path;
    struct str has;
    enum step_kind last;
};

static const struct row rows[] = {
    {"F03", "/silent", {"", 0}, STEP_HOLD},
    {"F04", "/close", {"", 0}, STEP_CLOSE},
    {"F04", "/reset", {"", 0}, STEP_RESET},
    {"F05", "/idle", STR("/told/idle/good"), STEP_CLOSE},
    {"F06", "/body", STR("ETag: \"f06-body\"\r\nContent-Length: 16"), STEP_RESET},
    {"F06", "/chunk", STR("\r\n3e80\r\n"), STEP_RESET},
    {"F06", "/head", STR("\r\nContent-Len"), STEP_RESET},
    {"F07", "/status", STR("HTTP/1.1 200 aaaa"), STEP_HOLD},
    {"F07", "/head", STR("OK\r\nContent-Type: text/html\r\nX-Slow: aaa"), STEP_HOLD},
    {"F08", "/chunks", STR("1\r\na\r\n1\r\na\r\n"), STEP_HOLD},
    {"F09", "/radio", STR("audio/mpeg"), STEP_CLOSE},
    {"F10", "/endless-line", STR("X-Long: this line"), STEP_CLOSE},
    {"F10", "/many", STR("X-Line-5999: 5999\r\n"), STEP_SEND},
    {"F11", "/nul", STR("Location: /told/nul/bad\0.html\r\n"), STEP_SEND},
    {"F11", "/cr", STR("X-Odd: one\rLocation: /told/cr/bad\r\n"), STEP_SEND},
    {"F12", "/no-colon", STR("\r\nthis line has no colon\r\n"), STEP_SEND},
    {"F13", "/location", STR("Location:\r\n /told/location/good\r\n"), STEP_SEND},
    {"F13", "/away", STR("X-Odd: one\r\n Location: /told/away/bad\r\n"), STEP_SEND},
    {"F14", "/last", STR("Content-Length: 5\r\nContent-Length: "), STEP_SEND},
    {"F15", "/negative", STR("Content-Length: -5\r\n"), STEP_CLOSE},
    {"F15", "/plus", STR("Content-Length: +"), STEP_SEND},
    {"F15", "/letters", STR("abc\r\n\r\n<!DOCTYPE"), STEP_SEND},
    {"F15", "/overflow", STR("Content-Length: 1844674407370955"), STEP_SEND},
    {"F15", "/empty", STR("Content-Length: \r\n"), STEP_CLOSE},
    {"F15", "/list-differs", STR(", 6\r\n"), STEP_SEND},
    {"F16", "/none", STR("Content-Length: 1000\r\n\r\n"), STEP_CLOSE},
    {"F17", "/answer", STR("</html>\nHTTP/1.1 200 OK\r\n"), STEP_SEND},
    {"F18", "/length", STR("Transfer-Encoding: chunked\r\n\r\n1"), STEP_SEND},
    {"F19", "/two", STR("Location: /told/two/first\r\nLocation: /told/two/bad\r\n"), STEP_SEND},
    {"F20", "/garbage", STR("</html>\n\r\nno size at all\r\n<!DOCTYPE"), STEP_SEND},
    {"F20", "/overflow", STR("\r\n10000000000000"), STEP_SEND},
    {"F20", "/overflow", STR("/told/overflow/b\r\n"), STEP_SEND},
    {"F20", "/missing-crlf", STR("</html>\n01"), STEP_SEND},
    {"F21", "/no-last", STR("</html>\n\r\n"), STEP_CLOSE},
    {"F22", "/like", STR("chunked\r\nConnection: close\r\n\r\nFace to"), STEP_CLOSE},
    {"F23", "/nul", STR("0\r\nX-Trailer: one\0two\r\n\r\n"), STEP_SEND},
    {"F23", "/order", STR("Transfer-Encoding: chunked, gzip\r\n"), STEP_CLOSE},
    {"F23", "/order", STR("/told/order/b\r\n"), STEP_CLOSE},
    {"F24", "/endless-gzip", STR("\x1f\x8b\x08\0\0\0\0\0\0\x03\0"), STEP_CLOSE},
    {"F24", "/endless-zstd", STR("\x28\xb5\x2f\xfd\0\x38"), STEP_CLOSE},
    {"F24", "/br", STR("Content-Encoding: br\r\n"), STEP_SEND},
    {"F25", "/magic", STR("\r\n\r\n\x1f\xd1\x08"), STEP_SEND},
    {"F28", "/negative", STR("HTTP/1.1 -200 OK\r\n"), STEP_SEND},
    {"F28", "/one-digit", STR("HTTP/1.1 2 OK\r\n"), STEP_SEND},
    {"F28", "/long-version", STR("HTTP/1.1000000"), STEP_SEND},
    {"F29", "/head", STR("\r\nLocation: /told/head/bad\r\n"), STEP_CLOSE},
    {"F30", "/frames", STR("\0\0\0\x04\0\0\0\0\0\0\0\x08\x07"), STEP_CLOSE},
    {"F30", "/preface", STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0"), STEP_CLOSE},
    {"F31", "/only", STR("HTTP/1.1 100 Continue\r\n\r\n"), STEP_CLOSE},
    {"F31", "/hints", STR("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n"), STEP_SEND},
    {"F31", "/never", STR("HTTP/1.1 100 Continue\r\n\r\n"), STEP_HOLD},
    {"F32", "/no-content", STR("HTTP/1.1 204 No Content\r\n"), STEP_SEND},
    {"F33", "/middle", STR("Content-Range: bytes 1000-1"), STEP_SEND},
    {"F34", "/proxy", STR("HTTP/1.1 407 "), STEP_SEND},
};

static void each_answer_is_wrong_in_its_own_way(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=all");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct reply *r = ask(&a, rows[i].id, "", rows[i].path);
        assert_rc(buf_rc(&r->bytes), RC_OK);
        if (!reply_has(r, rows[i].has) && rows[i].has.n)
            fail_msg("%s %s: " STR_FMT, rows[i].id, rows[i].path,
                     STR_ARG(str_first(buf_str(&r->bytes), 1000)));
        if (last_step(r) != rows[i].last)
            fail_msg("%s %s ends with step %d", rows[i].id, rows[i].path, last_step(r));
    }
    ask_close(&a);
}

static size_t length_said(const struct reply *r)
{
    struct str all = buf_str(&r->bytes);
    struct str behind = str_from(all, str_find_str(all, STR("Content-Length: ")) + 16);
    uint64_t n = 0;
    assert_rc(str_to_u64(str_first(behind, str_find(behind, '\r')), &n), RC_OK);
    return (size_t)n;
}

static size_t body_sent(const struct reply *r)
{
    struct str all = buf_str(&r->bytes);
    return all.n - str_find_str(all, STR("\r\n\r\n")) - 4;
}

static void lengths_are_as_wrong_as_they_should_be(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=all");
    struct reply *r = ask(&a, "F16", "", "/short/page");
    assert_int_equal(length_said(r), body_sent(r) + 1000);
    r = ask(&a, "F16", "", "/whole/page");
    assert_int_equal(length_said(r), body_sent(r));
    r = ask(&a, "F14", "", "/two");
    assert_int_equal(length_said(r), body_sent(r));
    r = ask(&a, "F17", "", "/text");
    assert_true(length_said(r) < body_sent(r));
    r = ask(&a, "F17", "", "/answer");
    struct str first = str_from(buf_str(&r->bytes), r->bytes.n - body_sent(r) + length_said(r));
    assert_true(str_starts(first, STR("HTTP/1.1 200 OK\r\n")));
    ask_close(&a);
}

/* 2^64 + n, read by a machine that forgets what does not fit. */
static uint64_t wrapped(struct str digits, unsigned base)
{
    uint64_t n = 0;
    for (size_t i = 0; i < digits.n && ascii_hex(digits.p[i]) >= 0; i++)
        n = n * base + (unsigned)ascii_hex(digits.p[i]);
    return n;
}

static void overflows_wrap_to_the_length_of_the_page(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=all");
    struct reply *r = ask(&a, "F15", "", "/overflow");
    struct str all = buf_str(&r->bytes);
    struct str said = str_from(all, str_find_str(all, STR("Content-Length: ")) + 16);
    assert_int_equal(wrapped(said, 10), body_sent(r));
    r = ask(&a, "F20", "", "/overflow");
    all = buf_str(&r->bytes);
    said = str_from(all, str_find_str(all, STR("\r\n1000000000000")) + 2);
    struct str page = str_from(said, str_find(said, '\n') + 1);
    assert_int_equal(wrapped(said, 16), str_find_str(page, STR("/b\r\n")) + 2);
    ask_close(&a);
}

static void a_race_is_lost_only_on_a_used_connection(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=all");
    assert_true(reply_has(ask(&a, "F05", "", "/race"), STR("/told/race/good")));
    assert_true(reply_has(ask(&a, "F05", "", "/fresh"), STR("/told/fresh/good")));
    a.query.nth_on_conn = 1;
    assert_int_equal(last_step(ask(&a, "F05", "", "/race")), STEP_CLOSE);
    assert_int_equal(a.reply.bytes.n, 0);
    assert_int_equal(last_step(ask(&a, "F05", "", "/fresh")), STEP_RESET);
    a.query.nth = 1;
    assert_true(reply_has(ask(&a, "F05", "", "/race"), STR("/told/race/good")));
    assert_int_equal(last_step(ask(&a, "F05", "", "/fresh")), STEP_RESET);
    ask_close(&a);
}

static void slow_answers_outlast_the_patience(void **state)
{
    (void)state;
    static const struct {
        const char *id, *path;
    } slow[] = {{"F07", "/status"},
                {"F07", "/head"},
                {"F08", "/body"},
                {"F08", "/length"},
                {"F08", "/chunks"}};
    struct asking a = ask_open("fault=all");
    for (int fast = 0; fast < 2; fast++) {
        a.knobs.drip_ms = fast ? 20 : 10000;
        a.knobs.patience_ms = fast ? 3000 : 120000;
        for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
            struct reply *r = ask(&a, slow[i].id, "", slow[i].path);
            uint64_t lasts_ms = 0;
            for (uint32_t s = 0; s < r->step_count; s++)
                if (r->steps[s].kind == STEP_DRIP)
                    lasts_ms += r->steps[s].bytes / r->steps[s].chunk * r->steps[s].ms;
            assert_true(lasts_ms > a.knobs.patience_ms);
        }
    }
    ask_close(&a);
}

static void bombs_are_small(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        size_t most;
    } bombs[] = {
        {"/gzip", 30000}, {"/deflate", 30000}, {"/br", 2000}, {"/zstd", 3000}, {"/twice", 3000}};
    struct asking a = ask_open("fault=f24");
    for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
        size_t n = length_said(ask(&a, "F24", "", bombs[i].path));
        if (n < 20 || n > bombs[i].most)
            fail_msg("%s: %zu bytes", bombs[i].path, n);
    }
    ask_close(&a);
}

static void a_coding_nobody_accepts_is_not_demanded(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=f26");
    assert_true(reply_has(ask(&a, "F26", "", "/raw"), STR("/told/raw/good")));
    assert_false(reply_has(&a.reply, STR("Content-Encoding")));
    a.request.headers[0] = (struct header){STR("Accept-Encoding"), STR("gzip, deflate")};
    a.request.header_count = 1;
    assert_true(reply_has(ask(&a, "F26", "", "/raw"), STR("Content-Encoding: deflate\r\n")));
    assert_false(reply_has(&a.reply, STR("/told/raw/good")));
    assert_true(reply_has(ask(&a, "F26", "", "/plain"), STR("/told/plain/good")));
    assert_true(reply_has(&a.reply, STR("Content-Encoding: gzip\r\n")));
    ask_close(&a);
}

/* Everything a crawler must fetch stands on the index page or behind one of its links. */
static bool some_case_links(struct asking *a, const struct fault *f, struct str path)
{
    for (const struct fault_case *c = f->cases; c->path; c++) {
        if (str_eq(path, str_c(c->path)))
            return true;
        struct reply *r = ask_fault(a, f, c->label, c->path);
        if (reply_has(r, path))
            return true;
    }
    return false;
}

static void whatever_is_demanded_is_linked(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=all");
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    assert_true(count >= WIRE_FAULTS);
    for (uint32_t i = 0; i < WIRE_FAULTS; i++)
        for (const struct expect *e = all[i]->expects; e->why; e++)
            if (e->kind == EXPECT_FETCHED && !str_eq(str_c(e->path), STR("/whole/good")) &&
                !some_case_links(&a, all[i], str_c(e->path)))
                fail_msg("%s: nobody links %s", all[i]->id, e->path);
    ask_close(&a);
}

/* The same for what must not: else the expectation could never fail. A link may go over from one
 * chunk into the next, where it is "/b" and "ad". */
static void whatever_is_forbidden_could_be_found(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=all");
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < WIRE_FAULTS; i++)
        for (const struct expect *e = all[i]->expects; e->why; e++) {
            struct str path = str_c(e->path);
            if (e->kind != EXPECT_NEVER || str_eq(path, STR("/told/head/bad")) ||
                str_eq(str_c(all[i]->id), STR("F27")))
                continue;
            if (str_ends(path, STR("*")))
                path.n--;
            char room[128];
            struct buf parted = buf_on(room, sizeof room);
            buf_printf(&parted, STR_FMT "\r\n", STR_ARG(str_first(path, path.n - 2)));
            if (!some_case_links(&a, all[i], path) &&
                !some_case_links(&a, all[i], buf_str(&parted)))
                fail_msg("%s: nobody links %s", all[i]->id, e->path);
        }
    a.request.method = STR("HEAD");
    assert_true(reply_has(ask(&a, "F32", "", "/head"), STR("/told/head/bad")));
    ask_close(&a);
}

static void below_a_mount_every_link_stays_there(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=all");
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    a.query.mount = STR("/fXX");
    for (uint32_t i = 0; i < WIRE_FAULTS; i++)
        for (const struct fault_case *c = all[i]->cases; all[i]->is_path && c->path; c++) {
            struct str rest = buf_str(&ask_fault(&a, all[i], "", c->path)->bytes);
            for (size_t at; (at = str_find_str(rest, STR("/told/"))) < rest.n;) {
                if (at < 4 || !str_eq(str_make(rest.p + at - 4, 4), STR("/fXX")))
                    fail_msg("%s %s leaves its mount", all[i]->id, c->path);
                rest = str_from(rest, at + 1);
            }
        }
    ask_close(&a);
}

static enum rc coded_step(void *ctx)
{
    static const char *const paths[][2] = {{"F25", "/sum"},
                                           {"F26", "/three"},
                                           {"F26", "/raw"},
                                           {"F27", "/packed.tar.gz"},
                                           {"F27", "/sitemap.xml.gz"}};
    struct asking *a = ctx;
    enum rc rc = RC_OK;
    for (size_t i = 0; i < sizeof paths / sizeof *paths && rc == RC_OK; i++)
        rc = buf_rc(&ask(a, paths[i][0], "", paths[i][1])->bytes);
    reply_done(&a->reply);
    reply_init(&a->reply);
    return rc;
}

static void without_memory_a_coded_answer_fails_and_nothing_leaks(void **state)
{
    (void)state;
    struct asking a = ask_open("fault=all");
    a.request.headers[0] = (struct header){STR("Accept-Encoding"), STR("gzip, deflate")};
    a.request.header_count = 1;
    test_each_allocation_fails(coded_step, &a);
    ask_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_answer_is_wrong_in_its_own_way),
        cmocka_unit_test(lengths_are_as_wrong_as_they_should_be),
        cmocka_unit_test(overflows_wrap_to_the_length_of_the_page),
        cmocka_unit_test(a_race_is_lost_only_on_a_used_connection),
        cmocka_unit_test(slow_answers_outlast_the_patience),
        cmocka_unit_test(bombs_are_small),
        cmocka_unit_test(a_coding_nobody_accepts_is_not_demanded),
        cmocka_unit_test(whatever_is_demanded_is_linked),
        cmocka_unit_test(whatever_is_forbidden_could_be_found),
        cmocka_unit_test(below_a_mount_every_link_stays_there),
        cmocka_unit_test(without_memory_a_coded_answer_fails_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
