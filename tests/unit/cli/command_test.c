/* SPDX-License-Identifier: Apache-2.0 */
/* A failure of a lower folder becomes an exit code and lines on standard error. */
#include "cli/command.h"

#include "lib/test.h"

#include <stdio.h>
#include <unistd.h>

static char text[4096];

/* Calls cli_say() and catches what it prints. */
static int say(enum rc rc, const char *reason)
{
    struct buf why = {.max = 1024};
    FILE *f = tmpfile();
    assert_non_null(f);
    int before = dup(STDERR_FILENO);
    (void)fflush(stderr);
    assert_true(dup2(fileno(f), STDERR_FILENO) >= 0);
    buf_add(&why, str_c(reason));
    int code = cli_say(rc, &why);
    (void)fflush(stderr);
    assert_true(dup2(before, STDERR_FILENO) >= 0);
    (void)close(before);
    rewind(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    (void)fclose(f);
    assert_true(rc == RC_OK || why.n == 0);
    buf_done(&why);
    return code;
}

static void success_prints_nothing(void **state)
{
    (void)state;
    assert_int_equal(say(RC_OK, "a note"), EXIT_DONE);
    assert_string_equal(text, "");
}

static void a_request_that_is_wrong_is_usage(void **state)
{
    (void)state;
    static const enum rc usage[] = {RC_INVALID, RC_NOT_FOUND, RC_EXISTS, RC_UNSUPPORTED};
    static const enum rc other[] = {RC_IO, RC_NOMEM, RC_AGAIN, RC_CLOSED, RC_CORRUPT, RC_LOCKED};
    for (size_t i = 0; i < sizeof usage / sizeof *usage; i++)
        assert_int_equal(say(usage[i], "x"), EXIT_USAGE);
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_int_equal(say(other[i], "x"), EXIT_OTHER);
    assert_string_equal(text, "orbweaver: x\n");
}

static void each_line_of_the_reason_is_a_line_of_the_program(void **state)
{
    (void)state;
    assert_int_equal(say(RC_IO, "first\nsecond\x1b[2J"), EXIT_OTHER);
    assert_true(str_starts(str_c(text), STR("orbweaver: first\norbweaver: second")));
    assert_true(str_find(str_c(text), '\x1b') == strlen(text)); /* nothing steers the terminal */
}

static void without_a_reason_the_failure_is_named(void **state)
{
    (void)state;
    assert_int_equal(say(RC_NOMEM, ""), EXIT_OTHER);
    assert_true(str_find_str(str_c(text), str_c(rc_text(RC_NOMEM))) < strlen(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(success_prints_nothing),
        cmocka_unit_test(a_request_that_is_wrong_is_usage),
        cmocka_unit_test(each_line_of_the_reason_is_a_line_of_the_program),
        cmocka_unit_test(without_a_reason_the_failure_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
