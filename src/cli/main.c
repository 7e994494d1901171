/* SPDX-License-Identifier: Apache-2.0 */
/* main: finds the command, fills its settings, runs it. */
#include "base/args.h"
#include "bus/bus_nats.h"
#include "cli/commands.h"
#include "cli/help.h"

#include "base/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ARENA_BLOCK = 16 << 10, ARENA_MAX = 256 << 20, HELP_MAX = 1 << 20 };

/* The command whose words begin argv, the longest name winning; *ret_words is how many it took. */
static const struct command *find_command(int argc, char **argv, int *ret_words)
{
    char pair[128];
    int most = argc < 2 ? argc : 2;
    for (int words = most; words > 0; words--) {
        (void)snprintf(pair, sizeof pair, "%s%s%s", argv[0], words > 1 ? " " : "",
                       words > 1 ? argv[1] : "");
        for (const struct command *const *c = cli_commands; *c; c++) {
            if (strcmp((*c)->name, pair) == 0) {
                *ret_words = words;
                return *c;
            }
        }
    }
    return NULL;
}

static int print_help(const struct command *c)
{
    struct buf out = {.max = HELP_MAX};
    if (c)
        help_command(&out, c);
    else
        help_all(&out);
    cli_print(&out);
    buf_done(&out);
    return EXIT_DONE;
}

/* The commands that begin with `word`, for "orbweaver try". */
static int name_subcommands(const char *word)
{
    struct buf names = {.max = HELP_MAX};
    size_t n = strlen(word);
    for (const struct command *const *c = cli_commands; *c; c++)
        if (strncmp((*c)->name, word, n) == 0 && (*c)->name[n] == ' ')
            buf_printf(&names, "%s%s", names.n ? ", " : "", (*c)->name + n + 1);
    int found = names.n > 0;
    if (found)
        cli_fail(EXIT_USAGE, "%s needs one of: " STR_FMT, word, STR_ARG(buf_str(&names)));
    buf_done(&names);
    return found;
}

static int unknown_command(const char *word)
{
    if (name_subcommands(word))
        return EXIT_USAGE;
    const char *near = NULL;
    size_t least = 3;
    for (const struct command *const *c = cli_commands; *c; c++) {
        size_t d = name_distance(str_c((*c)->name), str_c(word), 3);
        if (d < least) {
            least = d;
            near = (*c)->name;
        }
    }
    if (near)
        return cli_fail(EXIT_USAGE, "unknown command \"%s\"; did you mean \"%s\"?", word, near);
    return cli_fail(EXIT_USAGE, "unknown command \"%s\"; see orbweaver --help", word);
}

static bool is_of_crawl(struct str flag)
{
    for (const struct option *o = cmd_crawl.options; o->key; o++)
        if (str_eq(flag, str_c(o->key)) || (flag.n == 1 && flag.p[0] == o->letter))
            return true;
    return false;
}

static int wrong_words(const struct command *c, const struct invocation *in, struct str why)
{
    const char *dashes = in->unknown.n == 1 ? "-" : "--";
    if (!c->passes_on || !is_of_crawl(in->unknown))
        return cli_fail(EXIT_USAGE, "%s: " STR_FMT, c->name, STR_ARG(why));
    return cli_fail(EXIT_USAGE,
                    "%s: %s" STR_FMT " is an option of crawl: write it behind --, as in "
                    "orbweaver %s URL... -- %s" STR_FMT " ...",
                    c->name, dashes, STR_ARG(in->unknown), c->name, dashes, STR_ARG(in->unknown));
}

static int run_command(const struct command *c, int argc, char **argv)
{
    struct buf why = {.max = 4096};
    struct invocation in = {.arena = arena_open(ARENA_BLOCK, ARENA_MAX)};
    int code = EXIT_OTHER;
    if (in.arena)
        in.settings = arena_zero(in.arena, c->settings_bytes);
    if (!in.settings || options_default(c->options, in.settings, in.arena)) {
        code = cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    } else {
        switch (args_read(c->options, argc, argv, &in, &why)) {
        case ARGS_OK:
            code = c->run(&in);
            bus_nats_end(); /* does nothing if no bus was ever open */
            break;
        case ARGS_HELP:
            code = print_help(c);
            break;
        case ARGS_WRONG:
            code = wrong_words(c, &in, buf_str(&why));
        }
    }
    arena_close(in.arena);
    buf_done(&why);
    return code;
}

static int run_global(const char *word)
{
    struct buf out = {.max = HELP_MAX};
    if (strcmp(word, "--version") == 0)
        buf_add(&out, STR("orbweaver " VERSION "\n"));
    else if (strcmp(word, "--manual") == 0)
        help_manual(&out, VERSION);
    else if (strcmp(word, "--completion") == 0)
        help_completion(&out);
    else
        help_all(&out);
    cli_print(&out);
    buf_done(&out);
    return EXIT_DONE;
}

static bool is_global(const char *word)
{
    static const char *const words[] = {"--version", "--help",   "-h",
                                        "help",      "--manual", "--completion"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0)
            return true;
    return false;
}

/* A caller may have closed them. A file that is opened later would get such a number, and text
 * for a terminal would go into it. */
static bool standard_files_are_open(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

int main(int argc, char **argv)
{
    int code;
    if (!standard_files_are_open())
        return EXIT_OTHER;
    int words = 0;
    const struct command *c = argc > 1 ? find_command(argc - 1, argv + 1, &words) : NULL;
    if (argc < 2) {
        print_help(NULL);
        code = EXIT_USAGE;
    } else if (c) {
        code = run_command(c, argc - 1 - words, argv + 1 + words);
    } else if (is_global(argv[1])) {
        code = run_global(argv[1]);
    } else {
        code = unknown_command(argv[1]);
    }
    if (fflush(stdout) != 0 && code == EXIT_DONE)
        code = cli_fail(EXIT_OTHER, "cannot write the output");
    return code;
}
