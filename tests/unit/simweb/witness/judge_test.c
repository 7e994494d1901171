/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/test.h"

#include "base/mem.h"
#include "witness/judge.h"

enum { MAX_SIGHTS = 8 };
#define MS UINT64_C(1000)

static const struct fault_knobs knobs = {
    .retry_after_s = 120, .patience_ms = 2000, .endless_bytes = 8000, .scale = 1};

/* A sight, short to write in a table: times in ms. What is 0 becomes usual, see sights_usual. */
#define AT(host_, label_, path_, from_ms, to_ms)                               \
    .host = {host_, sizeof(host_) - 1}, .label = {label_, sizeof(label_) - 1}, \
    .path = {path_, sizeof(path_) - 1}, .start_us = MS * (from_ms), .end_us = MS * (to_ms)
#define INDEX                         \
    {                                 \
        AT("f06.test", "", "/", 1, 2) \
    }
#define OWN(path_, from_ms, to_ms) AT("f06.test", "", path_, from_ms, to_ms)
#define SUB(path_, from_ms, to_ms) AT("a.f06.test", "a", path_, from_ms, to_ms)

struct row {
    const char *name;
    struct expect expect;
    enum verdict verdict;
    struct sight sights[MAX_SIGHTS];
    const char *says; /* a part of the line */
};

static const struct row rows[] = {
    {"what must be fetched was",
     {EXPECT_FETCHED, "", "/x", 0, "lost"},
     VERDICT_GOOD,
     {INDEX, {OWN("/x", 5, 6)}},
     ""},
    {"what must be fetched was not",
     {EXPECT_FETCHED, "", "/x", 0, "lost"},
     VERDICT_BAD,
     {INDEX, {OWN("/xx", 5, 6)}},
     "f06/x: never asked for (lost)"},
    {"the same path on another host is not it",
     {EXPECT_FETCHED, "a", "/x", 0, "lost"},
     VERDICT_BAD,
     {INDEX, {OWN("/x", 5, 6)}},
     "a.f06/x: never asked for (lost)"},
    {"on any host it is",
     {EXPECT_FETCHED, NULL, "/x", 0, "lost"},
     VERDICT_GOOD,
     {INDEX, {SUB("/x", 5, 6)}},
     ""},
    {"a star among labels is any but the site's own",
     {EXPECT_FETCHED, "*", "/x", 0, "lost"},
     VERDICT_BAD,
     {INDEX, {OWN("/x", 5, 6)}},
     "never asked for"},
    {"and that one",
     {EXPECT_FETCHED, "*", "/x", 0, "lost"},
     VERDICT_GOOD,
     {INDEX, {SUB("/x", 5, 6)}},
     ""},
    {"the query belongs to the path",
     {EXPECT_FETCHED, "", "/x?a=1", 0, "lost"},
     VERDICT_BAD,
     {INDEX, {OWN("/x?a=2", 5, 6)}},
     "never asked for"},
    {"nothing is missed where the index was never fetched",
     {EXPECT_FETCHED, "", "/x", 0, "lost"},
     VERDICT_UNSEEN,
     {{OWN("/y", 5, 6)}},
     "its index page was never fetched"},
    {"no sight at all",
     {EXPECT_FETCHED, "", "/x", 0, "lost"},
     VERDICT_UNSEEN,
     {{0}},
     "never asked for"},
    {"the root of a labelled host is no index",
     {EXPECT_FETCHED, "", "/x", 0, "lost"},
     VERDICT_UNSEEN,
     {{SUB("/", 5, 6)}},
     "its index page was never fetched"},

    {"what must not be asked for was not",
     {EXPECT_NEVER, "", "/bad*", 0, "asked"},
     VERDICT_GOOD,
     {INDEX, {OWN("/good", 5, 6)}},
     ""},
    {"what must not be asked for was",
     {EXPECT_NEVER, "", "/bad*", 0, "asked"},
     VERDICT_BAD,
     {INDEX, {OWN("/bad/1", 5, 6)}, {OWN("/bad", 7, 8)}},
     "f06/bad*: asked for 2 times, at most 0 are right (asked)"},
    {"a crime without an index is a crime",
     {EXPECT_NEVER, "", "/bad", 0, "asked"},
     VERDICT_BAD,
     {{OWN("/bad", 5, 6)}},
     "asked for 1 times"},
    {"robots.txt may be asked for where nothing else may",
     {EXPECT_NEVER, "a", "/*", 0, "asked"},
     VERDICT_GOOD,
     {INDEX, {SUB("/robots.txt", 5, 6)}},
     ""},
    {"unless it is named",
     {EXPECT_NEVER, "a", "/robots.txt", 0, "asked"},
     VERDICT_BAD,
     {INDEX, {SUB("/robots.txt", 5, 6)}},
     "asked for 1 times"},
    {"or everything is",
     {EXPECT_NEVER, "a", "*", 0, "asked"},
     VERDICT_BAD,
     {INDEX, {SUB("/robots.txt", 5, 6)}},
     "asked for 1 times"},

    {"as often as is allowed",
     {EXPECT_AT_MOST, NULL, "/x*", 2, "again"},
     VERDICT_GOOD,
     {INDEX, {OWN("/x", 5, 6)}, {SUB("/x1", 7, 8)}},
     ""},
    {"once too often, over all hosts",
     {EXPECT_AT_MOST, NULL, "/x*", 2, "again"},
     VERDICT_BAD,
     {INDEX, {OWN("/x", 5, 6)}, {SUB("/x1", 7, 8)}, {OWN("/x", 9, 10)}},
     "asked for 3 times, at most 2 are right"},
    {"as often as is wanted",
     {EXPECT_AT_LEAST, "", "/x", 2, "lost"},
     VERDICT_GOOD,
     {INDEX, {OWN("/x", 5, 6)}, {OWN("/x", 7, 8)}},
     ""},
    {"not often enough",
     {EXPECT_AT_LEAST, "", "/x", 2, "lost"},
     VERDICT_BAD,
     {INDEX, {OWN("/x", 5, 6)}},
     "asked for 1 times, at least 2 are right"},

    {"few bytes were taken",
     {EXPECT_BYTES, "", "/x", 500, "all"},
     VERDICT_GOOD,
     {INDEX, {OWN("/x", 5, 6), .bytes = 499}},
     ""},
    {"too many bytes were taken",
     {EXPECT_BYTES, "", "/x", 500, "all"},
     VERDICT_BAD,
     {INDEX, {OWN("/x", 5, 6), .bytes = 499}, {OWN("/x", 7, 8), .bytes = 500}},
     "took 500 bytes of one answer, fewer than 500 are right"},
    {"less than an endless body",
     {EXPECT_BYTES, "", "/x", 0, "all"},
     VERDICT_GOOD,
     {INDEX, {OWN("/x", 5, 6), .bytes = 6999}},
     ""},
    {"nearly all of an endless body",
     {EXPECT_BYTES, "", "/x", 0, "all"},
     VERDICT_BAD,
     {INDEX, {OWN("/x", 5, 6), .bytes = 7000}},
     "took 7000 bytes"},

    {"the client left",
     {EXPECT_LEAVES, "", "/hold", 0, "hangs"},
     VERDICT_GOOD,
     {INDEX, {OWN("/hold", 5, 1500), .end = SIGHT_CLIENT_LEFT}},
     ""},
    {"the client may still leave",
     {EXPECT_LEAVES, "", "/hold", 0, "hangs"},
     VERDICT_GOOD,
     {INDEX, {OWN("/hold", 9000, 0)}},
     ""},
    {"the client should have left by now",
     {EXPECT_LEAVES, "", "/hold", 0, "hangs"},
     VERDICT_BAD,
     {INDEX, {OWN("/hold", 7999, 0)}},
     "stayed 2001 ms, and is still there"},
    {"we had to end it",
     {EXPECT_LEAVES, "", "/hold", 0, "hangs"},
     VERDICT_BAD,
     {INDEX, {OWN("/hold", 5, 2005), .end = SIGHT_WE_ENDED}},
     "stayed 2000 ms, until we ended it"},
    {"the client sat through it",
     {EXPECT_LEAVES, "", "/hold", 0, "hangs"},
     VERDICT_BAD,
     {INDEX, {OWN("/hold", 5, 2005)}},
     "until the answer was through"},

    {"a spoilt connection is not used again",
     {EXPECT_NO_REUSE, "", "/odd", 0, "reuse"},
     VERDICT_GOOD,
     {INDEX,
      {OWN("/a", 3, 4), .connection = 7},
      {OWN("/odd", 5, 6), .connection = 7},
      {OWN("/x", 7, 8), .connection = 8}},
     ""},
    {"a spoilt connection is used again",
     {EXPECT_NO_REUSE, "", "/odd", 0, "reuse"},
     VERDICT_BAD,
     {INDEX,
      {OWN("/odd", 5, 6), .connection = 7},
      {OWN("/x", 7, 8), .connection = 8},
      {SUB("/y", 9, 10), .connection = 7}},
     "the same connection was then used for /y (reuse)"},

    {"the host was left alone",
     {EXPECT_GAP, "", "/429", 100, "early"},
     VERDICT_GOOD,
     {INDEX, {OWN("/429", 5, 6)}, {SUB("/x", 7, 8)}, {OWN("/x", 106, 107)}},
     ""},
    {"the host was not left alone",
     {EXPECT_GAP, "", "/429", 100, "early"},
     VERDICT_BAD,
     {INDEX, {OWN("/429", 5, 6)}, {OWN("/robots.txt", 105, 107)}, {OWN("/x", 300, 301)}},
     "the host was asked for /robots.txt after 99 ms, at least 100 ms are right (early)"},
    {"what was under way is not held against it",
     {EXPECT_GAP, "", "/429", 100, "early"},
     VERDICT_GOOD,
     {INDEX, {OWN("/429", 5, 60)}, {OWN("/x", 20, 30)}, {OWN("/x", 160, 170)}},
     ""},
    {"after the time the answer asked for",
     {EXPECT_GAP, "", "/429", 0, "early"},
     VERDICT_GOOD,
     {INDEX, {OWN("/429", 5, 15), .backoff_ms = 50}, {OWN("/x", 35, 57)}},
     ""},
    {"before the time the answer asked for",
     {EXPECT_GAP, "", "/429", 0, "early"},
     VERDICT_BAD,
     {INDEX, {OWN("/429", 5, 15), .backoff_ms = 50}, {OWN("/x", 34, 57)}},
     "after 19 ms, at least 50 ms are right"},
    {"three requests on other connections may have crossed the answer",
     {EXPECT_GAP, "", "/429", 0, "early"},
     VERDICT_GOOD,
     {INDEX,
      {OWN("/429", 5, 6), .connection = 7, .backoff_ms = 100},
      {OWN("/x", 6, 7), .connection = 8},
      {OWN("/x", 8, 9), .connection = 9},
      {OWN("/x", 10, 11), .connection = 10},
      {OWN("/x", 106, 107), .connection = 8}},
     ""},
    {"the fourth has not",
     {EXPECT_GAP, "", "/429", 0, "early"},
     VERDICT_BAD,
     {INDEX,
      {OWN("/429", 5, 6), .connection = 7, .backoff_ms = 100},
      {OWN("/x", 7, 8), .connection = 8},
      {OWN("/x", 8, 9), .connection = 9},
      {OWN("/x", 9, 10), .connection = 10},
      {OWN("/x", 10, 11), .connection = 11}},
     "after 4 ms"},
    {"nor has one on the same connection",
     {EXPECT_GAP, "", "/429", 0, "early"},
     VERDICT_BAD,
     {INDEX,
      {OWN("/429", 5, 6), .connection = 7, .backoff_ms = 100},
      {OWN("/x", 7, 8), .connection = 7}},
     "after 1 ms"},
    {"an answer that asked for nothing wants nothing",
     {EXPECT_GAP, "", "/429", 0, "early"},
     VERDICT_GOOD,
     {INDEX, {OWN("/429", 5, 6)}, {OWN("/x", 6, 7)}},
     ""},
    {"an answer that is not through has no end",
     {EXPECT_GAP, "", "/429", 100, "early"},
     VERDICT_GOOD,
     {INDEX, {OWN("/429", 5, 0)}, {OWN("/x", 6, 7)}},
     ""},

    {"nobody came to the trap",
     {EXPECT_NOT_AT, NULL, "*", 0x7f000001, "trap"},
     VERDICT_GOOD,
     {INDEX, {SUB("/x", 5, 6)}},
     ""},
    {"somebody came to the trap",
     {EXPECT_NOT_AT, NULL, "*", 0x7f000001, "trap"},
     VERDICT_BAD,
     {INDEX, {SUB("/x", 5, 6), .address = 0x7f000001}},
     "a.f06.test/x was asked of 127.0.0.1 (trap)"},

    {"whoever asks us as a proxy chose no address",
     {EXPECT_NOT_AT, NULL, "*", 0x7f000001, "trap"},
     VERDICT_GOOD,
     {INDEX, {SUB("/x", 5, 6), .address = 0x7f000001, .facts = FACT_PROXY}},
     ""},

    {"percent-encoding in lower case is the same",
     {EXPECT_FETCHED, "", "/caf%C3%A9", 0, "lost"},
     VERDICT_GOOD,
     {INDEX, {OWN("/caf%c3%a9", 5, 6)}},
     ""},
    {"letters outside of it are not",
     {EXPECT_FETCHED, "", "/caf%C3%A9", 0, "lost"},
     VERDICT_BAD,
     {INDEX, {OWN("/Caf%C3%A9", 5, 6)}},
     "never asked for"},

    {"no cookie was sent",
     {EXPECT_NO_FACT, NULL, "*", FACT_COOKIE, "cookie"},
     VERDICT_GOOD,
     {INDEX, {SUB("/x", 5, 6), .facts = FACT_REFERER}},
     ""},
    {"a cookie was sent",
     {EXPECT_NO_FACT, NULL, "*", FACT_COOKIE | FACT_AUTHORIZATION, "cookie"},
     VERDICT_BAD,
     {INDEX, {SUB("/x", 5, 6), .facts = FACT_COOKIE | FACT_REFERER}},
     "/x was asked for with Cookie (cookie)"},

    {"one at a time on the address",
     {EXPECT_AT_ONCE, NULL, "/*", 1, "crowd"},
     VERDICT_GOOD,
     {INDEX, {OWN("/x", 5, 10)}, {SUB("/x", 10, 20)}, {SUB("/y", 12, 13), .address = 1}},
     ""},
    {"two at a time on the address",
     {EXPECT_AT_ONCE, NULL, "/*", 1, "crowd"},
     VERDICT_BAD,
     {INDEX, {OWN("/x", 5, 11)}, {SUB("/x", 10, 20)}},
     "2 requests at once to one address, at most 1 are right"},
    {"one that never ends is still there",
     {EXPECT_AT_ONCE, NULL, "/*", 2, "crowd"},
     VERDICT_BAD,
     {INDEX, {OWN("/x", 5, 0)}, {OWN("/y", 10, 500)}, {SUB("/x", 400, 401)}},
     "3 requests at once"},

    {"not asked for once the rules said no",
     {EXPECT_NEVER_AFTER, "", "/x", 2, "rules"},
     VERDICT_GOOD,
     {INDEX,
      {OWN("/robots.txt", 3, 4)},
      {OWN("/x", 5, 6)},
      {OWN("/robots.txt", 7, 9)},
      {OWN("/x", 8, 10)}},
     ""},
    {"asked for though the rules had changed",
     {EXPECT_NEVER_AFTER, "", "/x", 2, "rules"},
     VERDICT_BAD,
     {INDEX,
      {OWN("/robots.txt", 3, 4)},
      {OWN("/x", 5, 6)},
      {OWN("/robots.txt", 7, 9)},
      {OWN("/x", 259, 260)}},
     "asked for after 2 answers to /robots.txt"},
    {"a request that was on its way when the rules changed",
     {EXPECT_NEVER_AFTER, "", "/x", 2, "rules"},
     VERDICT_GOOD,
     {INDEX,
      {OWN("/robots.txt", 3, 4)},
      {OWN("/robots.txt", 7, 9)},
      {OWN("/x", 10, 11)},
      {OWN("/x", 258, 260)}},
     ""},
    {"the rules of another host are not these",
     {EXPECT_NEVER_AFTER, "", "/x", 1, "rules"},
     VERDICT_GOOD,
     {INDEX, {SUB("/robots.txt", 3, 4)}, {OWN("/x", 5, 6)}},
     ""},
};

/* Each on a connection of its own, at one address, and whole if it ended. */
static uint32_t sights_usual(const struct sight from[MAX_SIGHTS], struct sight to[MAX_SIGHTS])
{
    uint32_t n = 0;
    for (; n < MAX_SIGHTS && from[n].path.p; n++) {
        to[n] = from[n];
        if (!to[n].connection)
            to[n].connection = 1000 + n;
        if (!to[n].address)
            to[n].address = 0x7f006406;
        if (to[n].end_us && to[n].end == SIGHT_OPEN)
            to[n].end = SIGHT_WHOLE;
    }
    return n;
}

static void each_kind_is_met_and_missed(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        const struct expect expects[] = {r->expect, {0}};
        const struct fault f = {.id = "F06", .expects = expects};
        struct buf why;
        buf_init(&why, 4096);
        struct sight sights[MAX_SIGHTS];
        uint32_t count = sights_usual(r->sights, sights);
        enum verdict v = judge_fault(&f, &knobs, sights, count, 10000 * MS, &why);
        size_t at = str_find_str(buf_str(&why), str_c(r->says));
        if (v != r->verdict || (*r->says && at == why.n) || (!*r->says && why.n))
            fail_msg("%s: %s, \"" STR_FMT "\"", r->name, verdict_name(v), STR_ARG(buf_str(&why)));
        buf_done(&why);
    }
}

static const struct expect two[] = {
    {EXPECT_FETCHED, "", "/x", 0, "lost"},
    {EXPECT_AT_MOST, "a", "/y", 1, "again"},
    {0},
};

/* Sprinkled by path: the same paths below a mount of ordinary hosts. */
static void each_host_a_path_fault_is_sprinkled_over_is_a_site(void **state)
{
    (void)state;
    const struct fault f = {.id = "F06", .expects = two, .is_path = true};
    const struct sight sights[] = {
        {AT("www.b1.test", "", "/", 1, 2)},    {AT("www.a0.test", "", "/", 3, 4)},
        {AT("www.b1.test", "", "/x", 5, 6)},   {AT("www.a0.test", "", "/y", 7, 8)},
        {AT("www.b1.test", "", "/y", 9, 10)},  {AT("www.a0.test", "", "/x", 11, 12)},
        {AT("www.b1.test", "", "/y", 13, 14)},
    };
    struct buf why;
    buf_init(&why, 4096);
    assert_int_equal(judge_fault(&f, &knobs, sights, 6, 0, &why), VERDICT_GOOD);
    assert_str(buf_str(&why), STR(""));
    assert_int_equal(judge_fault(&f, &knobs, sights, 7, 0, &why), VERDICT_BAD);
    assert_str(buf_str(&why),
               STR("www.b1.test/f06/y: asked for 2 times, at most 1 are right (again)\n"));
    buf_done(&why);
}

/* Sprinkled by host: the ordinary paths of one that behaves like the labelled host. */
static void a_host_fault_sprinkled_asks_for_no_page_of_its_own(void **state)
{
    (void)state;
    const struct fault f = {.id = "F06", .expects = two};
    const struct sight sights[] = {
        {AT("www.b1.test", "a", "/", 1, 2)},
        {AT("www.b1.test", "a", "/y", 5, 6)},
        {AT("www.b1.test", "a", "/y", 7, 8)},
    };
    struct buf why;
    buf_init(&why, 4096);
    assert_int_equal(judge_fault(&f, &knobs, sights, 2, 0, &why), VERDICT_GOOD);
    assert_int_equal(judge_fault(&f, &knobs, sights, 3, 0, &why), VERDICT_BAD);
    assert_str(buf_str(&why),
               STR("www.b1.test/y: asked for 2 times, at most 1 are right (again)\n"));
    buf_done(&why);
}

static void a_host_whose_name_begins_like_the_fault_is_not_its_own(void **state)
{
    (void)state;
    const struct fault f = {.id = "F06", .expects = two, .is_path = true};
    const struct sight sights[] = {
        {AT("f06.test", "", "/", 1, 2)},
        {AT("f06.test", "", "/x", 1, 2)},
        {AT("f067.test", "", "/", 1, 2)},
    };
    struct buf why;
    buf_init(&why, 4096);
    assert_int_equal(judge_fault(&f, &knobs, sights, 2, 0, &why), VERDICT_GOOD);
    assert_int_equal(judge_fault(&f, &knobs, sights, 3, 0, &why), VERDICT_BAD);
    buf_done(&why);
}

static void a_stray_host_belongs_to_the_site_that_led_there(void **state)
{
    (void)state;
    const struct expect expects[] = {
        {EXPECT_FETCHED, "", "/x", 0, "lost"},
        {EXPECT_NEVER, "127.0.0.1", "/told/trap", 0, "trap"},
        {0},
    };
    const struct fault f = {.id = "F83", .expects = expects, .is_path = true};
    const struct sight sights[] = {
        {AT("f83.test", "", "/", 1, 2)},
        {AT("f83.test", "", "/x", 1, 2)},
        {AT("127.0.0.1", "127.0.0.1", "/told/trap", 1, 2)},
    };
    struct buf why;
    buf_init(&why, 4096);
    assert_int_equal(judge_fault(&f, &knobs, sights, 2, 0, &why), VERDICT_GOOD);
    assert_int_equal(judge_fault(&f, &knobs, sights, 3, 0, &why), VERDICT_BAD);
    assert_str(buf_str(&why), STR("127.0.0.1.f83/told/trap: asked for 1 times, at most 0 are right "
                                  "(trap)\n"));
    buf_done(&why);
}

static void after_twenty_lines_only_their_number_is_said(void **state)
{
    (void)state;
    struct expect many[31] = {{0}};
    for (int i = 0; i < 30; i++)
        many[i] = (struct expect){EXPECT_FETCHED, "", "/x", 0, "lost"};
    const struct fault f = {.id = "F06", .expects = many};
    const struct sight sights[] = {INDEX};
    struct buf why;
    buf_init(&why, 4096);
    assert_int_equal(judge_fault(&f, &knobs, sights, 1, 0, &why), VERDICT_BAD);
    unsigned lines = 0;
    for (size_t i = 0; i < why.n; i++)
        lines += why.p[i] == '\n';
    assert_int_equal(lines, JUDGE_MAX_LINES + 1);
    assert_true(str_ends(buf_str(&why), STR("\nand 10 more\n")));
    buf_done(&why);
}

static void without_memory_nothing_is_said_of_the_crawler(void **state)
{
    (void)state;
    const struct fault f = {.id = "F06", .expects = two};
    const struct sight sights[] = {INDEX};
    char room[200];
    struct buf why = buf_on(room, sizeof room);
    mem_fault_at(1);
    assert_int_equal(judge_fault(&f, &knobs, sights, 1, 0, &why), VERDICT_UNSEEN);
    mem_fault_at(0);
    assert_str(buf_str(&why), STR("no memory to judge it\n"));
}

static void a_fault_without_expectations_is_good_once_seen(void **state)
{
    (void)state;
    const struct fault f = {.id = "F06"};
    const struct sight sights[] = {INDEX};
    struct buf why;
    buf_init(&why, 4096);
    assert_int_equal(judge_fault(&f, &knobs, sights, 1, 0, &why), VERDICT_GOOD);
    assert_int_equal(judge_fault(&f, &knobs, NULL, 0, 0, &why), VERDICT_UNSEEN);
    assert_string_equal(verdict_name(VERDICT_GOOD), "good");
    assert_string_equal(verdict_name(VERDICT_BAD), "bad");
    assert_string_equal(verdict_name(VERDICT_UNSEEN), "unseen");
    buf_done(&why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_met_and_missed),
        cmocka_unit_test(each_host_a_path_fault_is_sprinkled_over_is_a_site),
        cmocka_unit_test(a_host_fault_sprinkled_asks_for_no_page_of_its_own),
        cmocka_unit_test(a_host_whose_name_begins_like_the_fault_is_not_its_own),
        cmocka_unit_test(a_stray_host_belongs_to_the_site_that_led_there),
        cmocka_unit_test(after_twenty_lines_only_their_number_is_said),
        cmocka_unit_test(without_memory_nothing_is_said_of_the_crawler),
        cmocka_unit_test(a_fault_without_expectations_is_good_once_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
