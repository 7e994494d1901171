/* SPDX-License-Identifier: Apache-2.0 */
#include "roles/seed_input.h"

#include "base/mem.h"
#include "lib/step.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static enum rc open_nothing(struct instance *self, struct buf *why)
{
    (void)self, (void)why;
    return RC_OK;
}

static enum produced produce_nothing(struct instance *self)
{
    (void)self;
    return PRODUCED_IDLE;
}

static const struct part part_reader = {.abi = PART_ABI,
                                        .kind = PART_COMPONENT,
                                        .name = "reader",
                                        .open = open_nothing,
                                        .produce = produce_nothing};

static struct step s;
static struct seed_input in;
static char names[2][40];
static struct str files[2];
static char why_room[200];

static struct str write_file(unsigned i, const char *text)
{
    (void)snprintf(names[i], sizeof names[i], "/tmp/orbweaver-seeds-XXXXXX");
    int fd = mkstemp(names[i]);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    (void)close(fd);
    return files[i] = str_c(names[i]);
}

static enum rc open_input(const struct option_list *seeds, const struct option_list *list)
{
    struct buf why = buf_on(why_room, sizeof why_room - 1);
    step_init(&s, "");
    assert_rc(step_open(&s, &part_reader), RC_OK);
    enum rc rc = seed_input_open(&in, &s.part.self, seeds, list, &why);
    (void)buf_c(&why);
    return rc;
}

static void close_input(void)
{
    seed_input_stop(&in);
    seed_input_done(&in);
    seed_input_done(&in);
    step_close(&s);
    for (unsigned i = 0; i < 2; i++)
        if (names[i][0])
            (void)unlink(names[i]);
}

static void assert_next(const char *seed, unsigned file, uint64_t line)
{
    struct str text, name;
    uint64_t number;
    assert_int_equal(seed_input_next(&in, &text), LINE_HERE);
    assert_str(text, str_c(seed));
    assert_int_equal(seed_input_where(&in, &name, &number), line > 0);
    if (line) {
        assert_str(name, files[file]);
        assert_int_equal(number, line);
    }
}

static void assert_end(void)
{
    struct str text;
    uint64_t number;
    assert_int_equal(seed_input_next(&in, &text), LINE_END);
    assert_false(seed_input_where(&in, &text, &number));
}

static const struct option_list none = {NULL, 0};

static void the_command_line_comes_before_files(void **state)
{
    (void)state;
    const struct str seeds[] = {STR("a.test"), STR(" # b ")};
    write_file(0, "c.test\n");
    write_file(1, "\n# d\n  e.test # the last\n");
    struct option_list given = {seeds, 2}, list = {files, 2};
    assert_rc(open_input(&given, &list), RC_OK);
    assert_next("a.test", 0, 0);
    assert_next(" # b ", 0, 0); /* a word of the command line is no line */
    assert_next("c.test", 0, 1);
    assert_next("e.test", 1, 3);
    assert_end();
    assert_end();
    close_input();
}

static void a_long_line_is_left_out(void **state)
{
    (void)state;
    char *text = mem_zero(1, SEED_INPUT_LINE_BYTES + 100);
    struct str at;
    uint64_t line;
    memset(text, 'x', SEED_INPUT_LINE_BYTES + 1);
    memcpy(text + SEED_INPUT_LINE_BYTES + 1, "\na.test", 8);
    write_file(0, text);
    mem_free(text);
    struct option_list list = {files, 1};
    assert_rc(open_input(&none, &list), RC_OK);
    assert_int_equal(seed_input_next(&in, &at), LINE_TOO_LONG);
    assert_true(seed_input_where(&in, &at, &line));
    assert_int_equal(line, 1);
    assert_next("a.test", 0, 2);
    assert_end();
    close_input();
}

static void files_that_cannot_be_read_are_refused(void **state)
{
    (void)state;
    write_file(0, "");
    files[1] = STR("/nonexistent/file");
    struct option_list list = {files, 2};
    assert_rc(open_input(&none, &list), RC_NOT_FOUND);
    assert_non_null(strstr(why_room, "/nonexistent/file"));
    close_input();
    struct option_list many = {files, SEED_INPUT_MAX_FILES + 1};
    assert_rc(open_input(&none, &many), RC_INVALID);
    assert_non_null(strstr(why_room, "1001 seed files"));
    close_input();
}

static void without_memory_nothing_is_opened(void **state)
{
    (void)state;
    struct option_list list = {files, 1};
    struct buf why = buf_on(why_room, sizeof why_room - 1);
    write_file(0, "a.test\n");
    step_init(&s, "");
    assert_rc(step_open(&s, &part_reader), RC_OK);
    mem_fault_at(1);
    enum rc rc = seed_input_open(&in, &s.part.self, &none, &list, &why);
    mem_fault_at(0);
    assert_rc(rc, RC_NOMEM);
    close_input();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_command_line_comes_before_files),
        cmocka_unit_test(a_long_line_is_left_out),
        cmocka_unit_test(files_that_cannot_be_read_are_refused),
        cmocka_unit_test(without_memory_nothing_is_opened),
    };
    return cmocka_run_group_tests_name("seed_input", tests, NULL, NULL);
}
