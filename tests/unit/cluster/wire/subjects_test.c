/* SPDX-License-Identifier: Apache-2.0 */
/* The addresses of messages: writing, reading, and what is refused. */
#include "cluster/wire/subjects.h"

#include "cluster/wire/names.h"
#include "lib/test.h"

struct subject_row {
    const char *text;
    struct subject is;
    const char *stream; /* NULL: none */
};

#define ANT      \
    {            \
        "ant", 3 \
    }
#define BEE      \
    {            \
        "bee", 3 \
    }

static const struct subject_row rows[] = {
    {"orb.web.hb.ant", {.kind = SUBJECT_HEARTBEAT, .crawl = {"web", 3}, .from = ANT}, NULL},
    {"orb.web.roster.ant",
     {.kind = SUBJECT_ROSTER, .crawl = {"web", 3}, .from = ANT},
     "ORB_web_ROSTER"},
    {"orb.web.j.ant.3.in.bee",
     {.kind = SUBJECT_IN, .crawl = {"web", 3}, .to = ANT, .from = BEE, .inc = 3},
     "ORB_web_ant"},
    {"orb.web.j.ant.12.out",
     {.kind = SUBJECT_OUT, .crawl = {"web", 3}, .to = ANT, .inc = 12},
     "ORB_web_ant"},
    {"orb.web.control.bee",
     {.kind = SUBJECT_CONTROL, .crawl = {"web", 3}, .from = BEE},
     "ORB_web_CONTROL"},
    {"orb.web.scope.bee",
     {.kind = SUBJECT_SCOPE, .crawl = {"web", 3}, .from = BEE},
     "ORB_web_CONTROL"},
    {"orb.web.ask.ant.bee",
     {.kind = SUBJECT_ASK, .crawl = {"web", 3}, .to = ANT, .from = BEE},
     NULL},
    {"orb.web.bundle.ant.bee",
     {.kind = SUBJECT_BUNDLE, .crawl = {"web", 3}, .to = ANT, .from = BEE},
     NULL},
};

static void every_kind_is_built_and_taken_apart(void **state)
{
    (void)state;
    assert_int_equal(sizeof rows / sizeof *rows, SUBJECT_KINDS);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf out = {.max = 512};
        struct subject back;
        subject_write(&rows[i].is, &out);
        assert_rc(buf_rc(&out), RC_OK);
        assert_str(buf_str(&out), str_c(rows[i].text));
        assert_rc(subject_read(buf_str(&out), &back), RC_OK);
        assert_int_equal(back.kind, rows[i].is.kind);
        assert_str(back.crawl, rows[i].is.crawl);
        assert_str(back.to, rows[i].is.to);
        assert_str(back.from, rows[i].is.from);
        assert_int_equal(back.inc, rows[i].is.inc);
        /* a prefix is refused, unless it ends in a shorter name */
        for (size_t n = 0; n < out.n; n++)
            if (subject_read(str_first(buf_str(&out), n), &back) == RC_OK)
                assert_true(back.kind == rows[i].is.kind);
        buf_clear(&out);
        subject_stream(&rows[i].is, &out);
        assert_rc(buf_rc(&out), rows[i].stream ? RC_OK : RC_INVALID);
        if (rows[i].stream)
            assert_str(buf_str(&out), str_c(rows[i].stream));
        buf_done(&out);
    }
}

static void what_is_none_is_refused(void **state)
{
    (void)state;
    static const char *const none[] = {
        "",
        "orb",
        "orb.web",
        "orb.web.hb",
        "orb.web.hb.",
        "orb.web.hb.ant.",
        "orb.web.hb.ant.bee",
        "orb.web.hb.*",
        "orb.web.hb.>",
        "orb..hb.ant",
        "bro.web.hb.ant",
        "orb.we_b.hb.ant",
        "orb.web.hb.a t",
        "orb.web.hb.a\xc3\xa4",
        "orb.web.hb.ROSTER",
        "orb.web.hb.a23456789012345678901234567890123",
        "orb.web.j.ant.0.out",
        "orb.web.j.ant.01.out",
        "orb.web.j.ant.-1.out",
        "orb.web.j.ant.99999999999999999999.out",
        "orb.web.j.ant.1.in",
        "orb.web.j.ant.1.out.bee",
        "orb.web.j.ant.1.other",
        ".orb.web.hb.ant",
        "$JS.API.STREAM.PURGE.ORB_web_ROSTER",
    };
    struct subject s;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        if (subject_read(str_c(none[i]), &s) != RC_INVALID)
            fail_msg("taken: \"%s\"", none[i]);
}

static void one_listens_to_many(void **state)
{
    (void)state;
    struct buf out = {.max = 512};
    struct subject heartbeats = {.kind = SUBJECT_HEARTBEAT, .crawl = STR("web")};
    struct subject asked = {.kind = SUBJECT_ASK, .crawl = STR("web"), .to = STR("ant")};
    subject_write(&heartbeats, &out);
    buf_byte(&out, ' ');
    subject_write(&asked, &out);
    buf_byte(&out, ' ');
    subject_incarnation(STR("web"), STR("ant"), 7, &out);
    assert_str(buf_str(&out), STR("orb.web.hb.* orb.web.ask.ant.* orb.web.j.ant.7.>"));
    buf_done(&out);
}

static void names_that_would_mean_something_else_are_refused(void **state)
{
    (void)state;
    static const struct subject wrong[] = {
        {.kind = SUBJECT_ASK, .crawl = {"web", 3}, .to = {"*", 1}, .from = ANT},
        {.kind = SUBJECT_ASK, .crawl = {"web", 3}, .to = {"a.b", 3}, .from = ANT},
        {.kind = SUBJECT_ASK, .crawl = {"web", 3}, .to = {"", 0}, .from = ANT},
        {.kind = SUBJECT_HEARTBEAT, .crawl = {"a_b", 3}, .from = ANT},
        {.kind = SUBJECT_HEARTBEAT, .crawl = {">", 1}, .from = ANT},
        {.kind = SUBJECT_HEARTBEAT, .crawl = {"web", 3}, .from = {"CONTROL", 7}},
    };
    struct buf out = {.max = 512};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        buf_clear(&out);
        subject_write(&wrong[i], &out);
        assert_rc(buf_rc(&out), RC_INVALID);
    }
    buf_clear(&out);
    subject_incarnation(STR("web"), STR("ant"), 0, &out);
    assert_rc(buf_rc(&out), RC_INVALID);
    buf_clear(&out);
    struct subject any = {.kind = SUBJECT_IN, .crawl = STR("web")}; /* no agent is given */
    subject_stream(&any, &out);
    assert_rc(buf_rc(&out), RC_INVALID);
    buf_done(&out);
    assert_true(cluster_name_ok(STR("a-B_9")));
    assert_false(cluster_name_ok(STR("")) || cluster_name_ok(STR("a.b")) ||
                 cluster_name_ok(STR("a\0b")) ||
                 cluster_name_ok(STR("a23456789012345678901234567890123")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_is_built_and_taken_apart),
        cmocka_unit_test(what_is_none_is_refused),
        cmocka_unit_test(one_listens_to_many),
        cmocka_unit_test(names_that_would_mean_something_else_are_refused),
    };
    return cmocka_run_group_tests_name("subjects", tests, NULL, NULL);
}
