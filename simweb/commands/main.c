/* SPDX-License-Identifier: Apache-2.0 */
/* main: finds the command, joins its tables of options, fills the settings, runs it. */
#include "commands/help.h"
#include "commands/running.h"
#include "content/demo.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ARENA_BLOCK = 16 << 10, ARENA_MAX = 16 << 20, HELP_MAX = 1 << 20, MAX_OPTIONS = 200 };

const struct command *const simweb_commands[] = {&command_serve,
                                                 &command_oracle,
                                                 &command_report,
                                                 &command_page,
                                                 &command_faults,
                                                 &command_clock,
                                                 NULL};

/* Every command but serve finds a running web by this. */
static const struct option dir_option[] = {
    OPTION_TEXT_ROW(struct settings, server.dir, "dir", ".simweb",
                    "the folder the web is served from", .arg = "DIR"),
    {0},
};

int simweb_fail(enum exit_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)fputs("simweb: ", stderr);
    (void)vfprintf(stderr, format, args);
    (void)fputc('\n', stderr);
    va_end(args);
    return (int)code;
}

int simweb_print(struct buf *out)
{
    int code = EXIT_DONE;
    if (buf_rc(out))
        code = simweb_fail(EXIT_OTHER, "%s", rc_text(buf_rc(out)));
    else if (fwrite(out->p, 1, out->n, stdout) != out->n || fflush(stdout))
        code = simweb_fail(EXIT_OTHER, "cannot write to standard output");
    buf_clear(out);
    return code;
}

struct world *simweb_world(const struct settings *s)
{
    struct buf why = {.max = 4096};
    struct world *w = NULL;
    enum rc rc = world_settings_check(&s->web, &why);
    if (rc == RC_OK)
        rc = faults_check(&s->web, &why);
    if (rc == RC_OK && !(w = world_open(&s->web)))
        rc = RC_NOMEM;
    if (rc)
        simweb_fail(EXIT_USAGE, STR_FMT, STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))));
    buf_done(&why);
    return w;
}

static size_t join(struct option *to, size_t n, const struct option *rows, size_t offset)
{
    for (; rows && rows->key && n + 1 < MAX_OPTIONS; rows++) {
        to[n] = *rows;
        to[n++].offset += offset;
    }
    return n;
}

/* One table over struct settings from those the command takes; NULL without memory. */
static const struct option *table_of(const struct command *c, struct arena *arena)
{
    struct option *all = arena_zero(arena, MAX_OPTIONS * sizeof *all);
    if (!all)
        return NULL;
    size_t n = join(all, 0, c->more, 0);
    if (c->takes_server)
        n = join(all, n, server_options, offsetof(struct settings, server));
    else
        n = join(all, n, dir_option, 0);
    if (c->takes_web)
        (void)join(all, n, world_options, offsetof(struct settings, web));
    return all;
}

static bool names_dir(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], "--dir", 5) == 0)
            return true;
    return false;
}

/* Where the web's description starts from before flags change it: what runs from the folder, or the
 * demonstration. */
static enum rc start_from(const struct command *c, struct settings *s, struct arena *arena,
                          bool must_run)
{
    if (s->web.demo)
        demo_settings(&s->web);
    if (c->takes_server)
        return RC_OK;
    enum rc rc = running_settings(s->server.dir, &s->web, arena);
    return rc == RC_NOT_FOUND && !must_run ? RC_OK : rc;
}

static int print_help(const struct command *c)
{
    struct buf out = {.max = HELP_MAX};
    if (c)
        help_command(&out, c);
    else
        help_all(&out);
    int code = simweb_print(&out);
    buf_done(&out);
    return code;
}

static int run_with(const struct command *c, int argc, char **argv, struct arena *arena,
                    struct buf *why)
{
    struct settings s = {0};
    struct invocation in = {.settings = &s, .arena = arena};
    const struct option *table = table_of(c, arena);
    if (!table || options_default(table, &s, arena))
        return simweb_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    enum args_result read = args_read(table, argc, argv, &in, why);
    if (read == ARGS_OK && c->takes_web) {
        /* The flags are read twice: the first time to know what they change. */
        enum rc rc = start_from(c, &s, arena, names_dir(argc, argv));
        if (rc)
            return simweb_fail(EXIT_USAGE,
                               STR_FMT
                               "/run.json: %s; start a web with `simweb serve --dir " STR_FMT
                               "`, or describe one without --dir",
                               STR_ARG(s.server.dir), rc_text(rc), STR_ARG(s.server.dir));
        in = (struct invocation){.settings = &s, .arena = arena};
        read = args_read(table, argc, argv, &in, why);
    }
    if (read == ARGS_HELP)
        return print_help(c);
    if (read == ARGS_WRONG)
        return simweb_fail(EXIT_USAGE, "%s: " STR_FMT, c->name, STR_ARG(buf_str(why)));
    return c->run(&s, &in);
}

static int run_command(const struct command *c, int argc, char **argv)
{
    struct buf why = {.max = 4096};
    struct arena *arena = arena_open(ARENA_BLOCK, ARENA_MAX);
    int code = arena ? run_with(c, argc, argv, arena, &why)
                     : simweb_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    arena_close(arena);
    buf_done(&why);
    return code;
}

static int unknown_command(const char *word)
{
    for (const struct command *const *c = simweb_commands; *c; c++)
        if (name_distance(str_c((*c)->name), str_c(word), 2) <= 2)
            return simweb_fail(EXIT_USAGE, "unknown command \"%s\"; did you mean \"%s\"?", word,
                               (*c)->name);
    return simweb_fail(EXIT_USAGE, "unknown command \"%s\"; see simweb --help", word);
}

/* A descriptor 0, 1 or 2 that is closed would be given to a socket, and text written into it. */
static void open_standard_files(void)
{
    int fd;
    do
        fd = open("/dev/null", O_RDWR);
    while (fd >= 0 && fd < 3);
    if (fd >= 3)
        (void)close(fd);
}

int main(int argc, char **argv)
{
    open_standard_files();
    const char *word = argc > 1 ? argv[1] : "serve";
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return print_help(NULL);
    if (strcmp(word, "--version") == 0)
        return puts("simweb " VERSION) < 0 ? EXIT_OTHER : EXIT_DONE;
    if (word[0] == '-' || argc < 2)
        return run_command(&command_serve, argc - 1, argv + 1);
    for (const struct command *const *c = simweb_commands; *c; c++)
        if (strcmp((*c)->name, word) == 0)
            return run_command(*c, argc - 2, argv + 2);
    return unknown_command(word);
}
