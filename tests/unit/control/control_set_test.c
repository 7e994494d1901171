/* SPDX-License-Identifier: Apache-2.0 */
/* What `set` refuses before it changes anything: then nothing is saved. */
#include "control/control_server.h"

#include "lib/test.h"

struct settings {
    uint64_t delay_ms, workers;
};

static const struct option settings_rows[] = {
    OPTION_DURATION_ROW(struct settings, delay_ms, "delay", "1s", "", .live = true),
    OPTION_COUNT_ROW(struct settings, workers, "workers", "1", ""),
    {0},
};
static const struct option part_rows[] = {
    OPTION_COUNT_ROW(struct settings, workers, "segments", "1", "", .live = true),
    {0},
};

static const struct part part = {.name = "paths", .options = part_rows};

static void must_not_save(void *ctx, struct str key, struct str value)
{
    (void)ctx;
    (void)key;
    (void)value;
    fail_msg("it was saved");
}

static const struct {
    const char *name, *key, *value, *why;
    enum rc rc;
} rows[] = {
    {"a setting that does not exist", "nonsense", "1", "no setting is named \"nonsense\"",
     RC_NOT_FOUND},
    {"the nearest setting is named", "dealy", "1s", "did you mean \"delay\"?", RC_NOT_FOUND},
    {"an option of a part is named with its part", "segments", "3",
     "did you mean \"paths.segments\"?", RC_NOT_FOUND},
    {"a setting that holds for the whole run", "workers", "2", "stop the crawl and start it again",
     RC_UNSUPPORTED},
    {"a setting that no part of the wiring has", "delay", "2s", "no part of this wiring has",
     RC_NOT_FOUND},
    {"a regular expression that is none", "exclude", "(", "exclude=(: ", RC_INVALID},
};

static void a_refused_setting_says_why_and_is_not_saved(void **state)
{
    (void)state;
    struct score score = {.set = "refused settings"};
    struct wiring_part parts[] = {{.name = STR("paths"), .part = &part}};
    struct wiring wiring = {.providers = parts, .provider_count = 1};
    struct control_setup s = {
        .wiring = &wiring, .settings = settings_rows, .save = {must_not_save, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct control_request r = {
            .what = CONTROL_SET, .key = str_c(rows[i].key), .value = str_c(rows[i].value)};
        struct buf out = {.max = 4096}, why = {.max = 4096};
        enum rc rc = control_set(&s, &r, &out, &why);
        bool is_told = str_find_str(buf_str(&why), str_c(rows[i].why)) < why.n;
        score_row(&score, rc == rows[i].rc && is_told && !out.n, "%s: %s, " STR_FMT, rows[i].name,
                  rc_text(rc), STR_ARG(buf_str(&why)));
        buf_done(&out);
        buf_done(&why);
    }
    score_end(&score, sizeof rows / sizeof *rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_setting_says_why_and_is_not_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
