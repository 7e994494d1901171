/* SPDX-License-Identifier: Apache-2.0 */
/* The command "try url", run as a person would; the program's path is the only argument. */
#include "lib/test.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

static const char *program;

/* Runs `words` with `input` on standard input through the shell; fills `out`, returns the exit
 * code. Neither holds a single quote. */
static int run(const char *words, const char *input, struct buf *out)
{
    struct buf command = {.max = 1 << 16};
    buf_clear(out);
    buf_printf(&command, "printf '%%s' '%s' | '%s' try url %s 2>/dev/null", input, program, words);
    FILE *f = popen(buf_c(&command), "r");
    assert_non_null(f);
    char *to;
    size_t n;
    while ((to = buf_reserve(out, 4096)) && (n = fread(to, 1, 4096, f)))
        out->n += n;
    int status = pclose(f);
    buf_done(&command);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void assert_field(struct str line, const char *key, const char *want)
{
    json_error_t error;
    json_t *json = json_loadb(line.p, line.n, 0, &error);
    assert_non_null(json);
    const char *got = json_string_value(json_object_get(json, key));
    if ((got == NULL) != (want == NULL) || (got && strcmp(got, want) != 0))
        fail_msg("%s is %s, wanted %s", key, got ? got : "absent", want ? want : "absent");
    json_decref(json);
}

static void test_arguments(void **state)
{
    (void)state;
    struct buf out = {.max = 1 << 20};
    assert_int_equal(run("--base http://www.Example.co.uk/a/b ../c?utm_id=1#d http://", "", &out),
                     0);
    struct str rest = buf_str(&out), line = str_take_until(&rest, '\n');
    assert_field(line, "href", "http://www.example.co.uk/c?utm_id=1#d");
    assert_field(line, "normalised", "http://www.example.co.uk/c");
    assert_field(line, "surt", "uk,co,example)/c");
    assert_field(line, "host", "www.example.co.uk");
    assert_field(line, "domain", "example.co.uk");
    assert_field(line, "error", NULL);
    line = str_take_until(&rest, '\n');
    assert_field(line, "error", "the host is missing");
    assert_field(line, "href", NULL);
    buf_done(&out);
}

static void test_a_bad_line_loses_nothing(void **state)
{
    (void)state;
    struct buf out = {.max = 1 << 20};
    int code = run("--base http://d/",
                   "{\"url\":\"x\",\"base\":\"http://h/a/b\"}\n"
                   "{\"url\":\n"
                   "{\"url\":7}\n"
                   "\n"
                   "{\"url\":\"y\\ud800\"}\n"
                   "{\"url\":\"z\",\"base\":\"relative\"}\n"
                   "{\"url\":\"z\",\"base\":null}",
                   &out);
    assert_int_equal(code, 1);
    struct str rest = buf_str(&out);
    assert_field(str_take_until(&rest, '\n'), "href", "http://h/a/x");
    struct str line = str_take_until(&rest, '\n');
    assert_true(str_find_str(line, STR("\"error\":\"line 2: ")) < line.n);
    line = str_take_until(&rest, '\n');
    assert_true(str_find_str(line, STR("\"error\":\"line 3: ")) < line.n);
    assert_field(str_take_until(&rest, '\n'), "href", "http://d/y%EF%BF%BD");
    assert_field(str_take_until(&rest, '\n'), "error", "base: relative, and no base was given");
    assert_field(str_take_until(&rest, '\n'), "error", "relative, and no base was given");
    assert_int_equal(rest.n, 0);
    buf_done(&out);
}

static void test_rules_and_encoding(void **state)
{
    (void)state;
    struct buf out = {.max = 1 << 20};
    assert_int_equal(run("--rules none --encoding windows-1252 http://h/?\xc3\xbc#f", "", &out), 0);
    assert_field(buf_str(&out), "normalised", "http://h/?%FC#f");
    assert_int_equal(run("--rules nonsense http://h/", "", &out), 2);
    assert_int_equal(run("--encoding nonsense http://h/", "", &out), 2);
    assert_int_equal(run("--list-rules", "", &out), 0);
    assert_true(str_find_str(buf_str(&out), STR("tracking")) < out.n);
    buf_done(&out);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_a_bad_line_loses_nothing),
        cmocka_unit_test(test_rules_and_encoding),
    };
    if (argc < 2)
        return 1;
    program = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
