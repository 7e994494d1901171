/* SPDX-License-Identifier: Apache-2.0 */
#include "control/control_request.h"

#include "lib/test.h"

struct row {
    const char *name;
    const char *line;
    const char *why; /* NULL: it is a request */
    enum control_do what;
};

static const struct row rows[] = {
    {"a word alone is enough", "{\"do\":\"status\"}", NULL, CONTROL_STATUS},
    {"blanks do no harm", " { \"do\" : \"pause\" } ", NULL, CONTROL_PAUSE},
    {"what is not needed is passed over", "{\"do\":\"unpause\",\"x\":[1]}", NULL, CONTROL_UNPAUSE},
    {"a setting has a key and a value", "{\"do\":\"set\",\"key\":\"a\",\"value\":\"\"}", NULL,
     CONTROL_SET},
    {"a setting without value is none", "{\"do\":\"set\",\"key\":\"a\"}", "\"value\" is missing",
     0},
    {"a URL is text", "{\"do\":\"url\",\"url\":1}", "\"url\" is missing, or is not text", 0},
    {"a misspelt word is answered with the nearest", "{\"do\":\"paus\"}", "did you mean \"pause\"?",
     0},
    {"a strange word with nothing", "{\"do\":\"launch\"}", "unknown request \"launch\"", 0},
    {"the word must be there", "{}", "\"do\" is missing", 0},
    {"a list is no request", "[]", "expected an object", 0},
    {"a member that comes twice is refused", "{\"do\":\"stop\",\"do\":\"pause\"}", "not JSON", 0},
    {"something behind the object is refused", "{\"do\":\"stop\"} x", "not JSON", 0},
    {"no seeds are no request", "{\"do\":\"seeds\",\"urls\":[]}", "1 to 200", 0},
    {"seeds are texts", "{\"do\":\"seeds\",\"urls\":[\"a\",2]}", "not text", 0},
    {"an empty line is none", "", "not JSON", 0},
};

static void each_line_is_a_request_or_says_why_not(void **state)
{
    (void)state;
    struct score score = {.set = "control requests"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct arena *arena = arena_open(1024, 1 << 20);
        struct buf why = {.max = 4096};
        struct control_request got = {.what = CONTROL_DOES_};
        enum rc rc = control_request_read(str_c(r->line), arena, &got, &why);
        bool is_refused = rc == RC_INVALID && got.what == CONTROL_DOES_;
        bool is_told = r->why && str_find_str(buf_str(&why), str_c(r->why)) < why.n;
        score_row(&score, r->why ? is_refused && is_told : rc == RC_OK && got.what == r->what,
                  "%s: " STR_FMT, r->name, STR_ARG(buf_str(&why)));
        buf_done(&why);
        arena_close(arena);
    }
    score_end(&score, sizeof rows / sizeof *rows);
}

static void the_members_come_with_it(void **state)
{
    (void)state;
    struct arena *arena = arena_open(1024, 1 << 20);
    struct buf why = {.max = 4096};
    struct control_request got;
    assert_rc(control_request_read(STR("{\"do\":\"seeds\",\"urls\":[\"a\",\"b\\u0000c\"]}"), arena,
                                   &got, &why),
              RC_INVALID); /* NUL stands in no URL */
    assert_rc(
        control_request_read(STR("{\"do\":\"seeds\",\"urls\":[\"a\",\"b c\"]}"), arena, &got, &why),
        RC_OK);
    assert_int_equal(got.url_count, 2);
    assert_str(got.urls[0], STR("a"));
    assert_str(got.urls[1], STR("b c"));
    assert_rc(control_request_read(STR("{\"do\":\"set\",\"key\":\"k.l\",\"value\":\"=\"}"), arena,
                                   &got, &why),
              RC_OK);
    assert_str(got.key, STR("k.l"));
    assert_str(got.value, STR("="));
    assert_rc(control_request_read(STR("{\"do\":\"stop\",\"now\":true}"), arena, &got, &why),
              RC_OK);
    assert_true(got.now);
    buf_done(&why);
    arena_close(arena);
}

static enum rc read_seeds(void *ctx)
{
    (void)ctx;
    struct arena *arena = arena_open(64, 1 << 20);
    struct buf why = {.max = 4096};
    struct control_request got;
    enum rc rc = arena
                     ? control_request_read(STR("{\"do\":\"known\",\"urls\":[\"http://a.test/\"]}"),
                                            arena, &got, &why)
                     : RC_NOMEM;
    buf_done(&why);
    arena_close(arena);
    return rc;
}

static void it_bears_any_allocation_failing(void **state)
{
    (void)state;
    test_each_allocation_fails(read_seeds, NULL);
}

static void a_failure_comes_back_from_its_code(void **state)
{
    (void)state;
    static const enum rc own[] = {RC_INVALID, RC_NOT_FOUND, RC_UNSUPPORTED, RC_CLOSED, RC_AGAIN};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        assert_rc(control_error_rc(str_c(control_error_code(own[i]))), own[i]);
    assert_string_equal(control_error_code(RC_NOMEM), "failed");
    assert_rc(control_error_rc(STR("failed")), RC_IO);
    assert_rc(control_error_rc(STR("of a later version")), RC_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_comes_back_from_its_code),
        cmocka_unit_test(each_line_is_a_request_or_says_why_not),
        cmocka_unit_test(the_members_come_with_it),
        cmocka_unit_test(it_bears_any_allocation_failing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
