/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_arg: for commands that read a crawl's directory: where the result goes, and how they
 * print a failure. */
#ifndef CLI_CRAWL_ARG_H
#define CLI_CRAWL_ARG_H

#include "cli/command.h"
#include "disk/disk.h"

#include <stdio.h>

/* Prints what failed in DIR and returns the exit code for it. `why` may be NULL or empty. */
int crawl_arg_fail(const struct invocation *in, enum rc rc, const struct buf *why);

/* Where a command's result goes: standard output (absent or "-"), or a file that gets its name once
 * it is whole. */
struct crawl_output {
    FILE *file;
    struct str path; /* absent: standard output */
    char part[4096];
};
/* EXIT_DONE, or prints why not. */
int crawl_output_open(struct crawl_output *o, struct str path);
MUST_CHECK enum rc crawl_output_write(struct crawl_output *o, struct str bytes);
/* Keeps the file if `code` is EXIT_DONE; returns `code` or why it could not be kept. */
int crawl_output_close(struct crawl_output *o, int code);

#endif
