/* SPDX-License-Identifier: Apache-2.0 */
/* command: a word on the command line, what it takes, and the function behind it.
 *
 * Each command is one file that ends in one `const struct command`; src/cli/commands.c lists them.
 * Its options are a table as in base/options.h, so flags, help, manual and completion agree. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "base/args.h"

#include <stdio.h>

enum exit_code {
    EXIT_DONE = 0,
    EXIT_OTHER = 1,
    EXIT_USAGE = 2,
    EXIT_DISK = 3,
    EXIT_NO_SEED = 4,
    EXIT_CLUSTER = 5,
};

struct command {
    const char *name;             /* "try url": one or two words */
    const char *args;             /* "[URL...]" */
    const char *summary;          /* one line for the list of commands */
    const char *details;          /* a paragraph or more for --help and the manual; may be NULL */
    const struct option *options; /* may be NULL */
    size_t settings_bytes;        /* size of the struct the options fill */
    bool passes_on;               /* behind -- it takes options of crawl, too */
    int (*run)(struct invocation *in);
};

/* An error for a person, on standard error, as "orbweaver: ...\n"; returns `code` so that a
 * command can end with it. */
int cli_fail(enum exit_code code, const char *format, ...) PRINTF_LIKE(2, 3);

/* The same for a failure of a lower folder: prints each line of `why`, or the text of `rc` where it
 * is empty, and empties it. Returns `code`; for RC_OK EXIT_DONE. */
int cli_say_as(enum exit_code code, enum rc rc, struct buf *why);
/* With EXIT_USAGE for RC_INVALID, RC_NOT_FOUND, RC_EXISTS and RC_UNSUPPORTED, and EXIT_OTHER for
 * any other failure. */
int cli_say(enum rc rc, struct buf *why);

/* The exit code for a failure of a crawl's directory: damage, and a disk that is full or fails, are
 * EXIT_DISK; another version's directory and what does not exist are EXIT_USAGE. */
int cli_code_of(enum rc rc);

/* Reads a whole file ("-" is standard input) of at most `max_bytes`. On failure prints it on
 * standard error and returns the rc; *ret (a buf the caller ends) may then hold part of it. */
MUST_CHECK enum rc cli_read_file(const char *path, size_t max_bytes, struct buf *ret);

/* The same for the first `max_bytes` of a file that may be longer. */
MUST_CHECK enum rc cli_read_start(const char *path, size_t max_bytes, struct buf *ret);

/* Calls `line` for each line of standard input without its LF or CR LF; lines longer than 1 MiB
 * end the walk with a message. Stops at the first line that returns non-zero and returns that. */
int cli_each_line(int (*line)(void *ctx, struct str line), void *ctx);
/* The same, but `too_long` is called for each line that is longer. */
int cli_each_line_but(int (*line)(void *ctx, struct str line), int (*too_long)(void *ctx),
                      void *ctx);

/* Writes to standard output. A failure (a full disk, a closed pipe) ends the program with
 * EXIT_OTHER. Clears the buf. */
void cli_print(struct buf *out);

/* Writes text from the web to a terminal's stream. Lines and tabs stay, other control characters
 * are escaped (base/utf8.h), which leaves JSON the same. False: it failed. */
bool cli_write(FILE *to, struct str bytes);

#endif
