/* SPDX-License-Identifier: Apache-2.0 */
/* What `set` saves in a crawl's directory, and what the directory cannot hold. */
#include "cli/crawl/saved_settings.h"

#include "cli/config_write.h"
#include "cli/wirings.h"

#include "base/clock.h"
#include "lib/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ROWS_MOST = 200 };

/* The program's own has the wirings built in. */
struct str wiring_built_in(struct str name)
{
    return str_eq(name, STR("ring")) ? STR("components: {}\n") : STR_NONE;
}

struct bench {
    char dir[64], path[128];
    struct settings settings;
    enum settings_source sources[ROWS_MOST];
    struct saved_settings saved;
};

static int set_up(void **state)
{
    static struct bench b;
    b = (struct bench){.saved = {.lock = PTHREAD_MUTEX_INITIALIZER}};
    (void)snprintf(b.dir, sizeof b.dir, "/tmp/saved_settings_XXXXXX");
    b.saved.arena = arena_open(4096, 16 << 20);
    b.saved.log = log_open(LOG_LEVEL_ERROR, false, clock_real(), log_to_stderr());
    *state = &b;
    if (!mkdtemp(b.dir) || !b.saved.arena || !b.saved.log ||
        options_default(settings_table, &b.settings, b.saved.arena))
        return 1;
    (void)snprintf(b.path, sizeof b.path, "%s/" CONFIG_OF_CRAWL, b.dir);
    b.settings.output = str_c(b.dir);
    b.saved.settings = &b.settings;
    b.saved.sources = b.sources;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *b = *state;
    log_close(b->saved.log);
    arena_close(b->saved.arena);
    (void)unlink(b->path);
    return rmdir(b->dir);
}

static void assert_line(const struct bench *b, const char *line, bool is_there)
{
    struct buf text = {0};
    assert_true(test_slurp(b->path, &text));
    assert_int_equal(str_find_str(buf_str(&text), str_c(line)) < text.n, is_there);
    buf_done(&text);
}

static void a_changed_setting_is_written_as_a_flag_would_be(void **state)
{
    struct bench *b = *state;
    saved_settings_change(&b->saved, STR("delay"), STR("2s"));
    assert_line(b, "\ndelay: 2s\n", true);
    assert_line(b, "\nip-delay:", false); /* a default is not saved */
    saved_settings_change(&b->saved, STR("exclude"), STR("png$"));
    assert_line(b, "\nexclude: [png$]\n", true);
    assert_line(b, "\ndelay: 2s\n", true);
    saved_settings_change(&b->saved, STR("exclude"), STR(""));
    assert_line(b, "exclude", false); /* an empty value empties a list */
    assert_int_equal(b->sources[option_find(settings_table, STR("delay")) - settings_table],
                     FROM_FLAG);
}

static void an_option_of_a_part_is_not_saved(void **state)
{
    struct bench *b = *state;
    saved_settings_change(&b->saved, STR("pace.delay"), STR("2s"));
    assert_int_not_equal(access(b->path, F_OK), 0);
}

static void a_value_that_is_not_utf_8_is_not_saved(void **state)
{
    struct bench *b = *state;
    saved_settings_change(&b->saved, STR("exclude"), STR("\xff"));
    assert_int_not_equal(access(b->path, F_OK), 0);
}

static void a_seed_file_that_cannot_be_read_is_refused_before_the_start(void **state)
{
    struct bench *b = *state;
    struct str file = STR("/tmp/there-is-no-such-seed-file");
    struct buf why = {.max = 1000};
    const struct option *row = option_find(settings_table, STR("input"));
    b->settings.input = (struct option_list){&file, 1};
    b->sources[row - settings_table] = FROM_FLAG;
    assert_rc(saved_settings_check(&b->settings, b->sources, &why), RC_INVALID);
    assert_str(buf_str(&why), STR("-i /tmp/there-is-no-such-seed-file: no such file"));
    buf_done(&why);
}

static void names_of_files_become_absolute_and_built_in_wirings_stay(void **state)
{
    struct bench *b = *state;
    const struct option *wiring = option_find(settings_table, STR("wiring"));
    const struct option *output = option_find(settings_table, STR("output"));
    assert_int_equal(chdir("/tmp"), 0);
    b->settings.output = str_c(b->dir + sizeof "/tmp/" - 1);
    b->sources[wiring - settings_table] = b->sources[output - settings_table] = FROM_FLAG;
    assert_rc(saved_settings_prepare(&b->settings, b->sources, b->saved.arena), RC_OK);
    assert_str(b->settings.wiring, STR("ring"));
    assert_int_equal(b->settings.output.p[0], '/');
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_changed_setting_is_written_as_a_flag_would_be),
        TEST(an_option_of_a_part_is_not_saved),
        TEST(a_value_that_is_not_utf_8_is_not_saved),
        TEST(a_seed_file_that_cannot_be_read_is_refused_before_the_start),
        TEST(names_of_files_become_absolute_and_built_in_wirings_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
