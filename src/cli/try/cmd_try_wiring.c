/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include "catalog/catalog.h"
#include "cli/flow_run.h"
#include "cli/place.h"

#include <stdio.h>

struct try_wiring_settings {
    bool one_thread, quiet;
    struct str place, place_secret;
    struct str member, member_secret, manager, members;
};

static const struct option try_wiring_options[] = {
    OPTION_BOOL_ROW(struct try_wiring_settings, one_thread, "one-thread", "no",
                    "run all shards on one thread, in the same order every time"),
    OPTION_BOOL_ROW(struct try_wiring_settings, quiet, "quiet", "no", "print no statistics",
                    .letter = 'q'),
    OPTION_TEXT_ROW(struct try_wiring_settings, place, "place", "",
                    "run only the parts that the wiring puts at this place"),
    OPTION_TEXT_ROW(struct try_wiring_settings, place_secret, "place-secret", "",
                    "file of the secret that all places have in common"),
    OPTION_TEXT_ROW(struct try_wiring_settings, member, "member", NULL, "this member of a pool",
                    .arg = "NAME"),
    OPTION_TEXT_ROW(struct try_wiring_settings, member_secret, "member-secret", NULL, "its secret",
                    .arg = "SECRET"),
    OPTION_TEXT_ROW(struct try_wiring_settings, manager, "manager", NULL,
                    "where the manager of a pool listens", .arg = "ADDRESS:PORT"),
    OPTION_TEXT_ROW(struct try_wiring_settings, members, "members", NULL,
                    "the directory with the keys of a pool's members", .arg = "DIR"),
    {0},
};

static enum rc run_wiring(const struct wiring *w, const struct try_wiring_settings *s)
{
    struct buf text = {.max = 1 << 20};
    struct flow *f = NULL;
    enum rc rc = flow_open(w, (struct flow_setup){.one_thread = s->one_thread}, &f, &text);
    if (rc == RC_OK)
        rc = flow_run(f, &text);
    if (rc)
        cli_fail(EXIT_OTHER, STR_FMT, STR_ARG(text.n ? buf_str(&text) : str_c(rc_text(rc))));
    buf_clear(&text);
    if (f && !s->quiet)
        flow_print_counts(f, &text);
    (void)fwrite(buf_str(&text).p, 1, text.n, stderr);
    flow_close(f);
    buf_done(&text);
    return rc;
}

static void say_problems(const struct problems *problems)
{
    struct buf text = {.max = 1 << 20};
    problems_print(problems, &text);
    (void)fwrite(buf_str(&text).p, 1, text.n, stderr);
    buf_done(&text);
}

/* Down to the place that was asked for, if one was. */
static enum rc cut(struct wiring *w, const struct try_wiring_settings *s)
{
    struct buf why = {.max = 4096};
    enum rc rc = s->place.n ? place_cut(w,
                                        &(struct place_choice){.place = s->place,
                                                               .secret_file = s->place_secret,
                                                               .member = s->member,
                                                               .member_secret = s->member_secret,
                                                               .manager = s->manager,
                                                               .dir = s->members},
                                        &why)
                            : RC_OK;
    if (rc)
        cli_fail(EXIT_USAGE, STR_FMT, STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))));
    buf_done(&why);
    return rc;
}

static int try_wiring_run(struct invocation *in)
{
    if (in->word_count != 1)
        return cli_fail(EXIT_USAGE, "try wiring: expected one wiring file");
    struct problems problems;
    problems_init(&problems, in->words[0]);
    struct wiring *w = NULL;
    int code = EXIT_USAGE;
    enum rc rc = wiring_load(in->words[0], &catalog_built_in, &w, &problems);
    if (rc == RC_OK && cut(w, in->settings) != RC_OK)
        code = EXIT_USAGE;
    else if (rc == RC_OK)
        code = run_wiring(w, in->settings) == RC_OK ? EXIT_DONE : EXIT_OTHER;
    else if (rc == RC_INVALID)
        say_problems(&problems);
    else
        code = cli_fail(EXIT_OTHER, "%s: %s", in->words[0], rc_text(rc));
    wiring_close(w);
    problems_done(&problems);
    return code;
}

const struct command cmd_try_wiring = {
    .name = "try wiring",
    .args = "FILE",
    .summary = "run a wiring to its end on local input",
    .details =
        "Runs the wiring until its sources have nothing left and everything under way has\n"
        "ended, then prints what each component did on standard error. ^C lets what is under\n"
        "way come to its end; a second ^C does not.\n"
        "A wiring with places runs in one process, or with --place in one for each.",
    .options = try_wiring_options,
    .settings_bytes = sizeof(struct try_wiring_settings),
    .run = try_wiring_run,
};
