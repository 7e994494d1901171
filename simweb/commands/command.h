/* SPDX-License-Identifier: Apache-2.0 */
/* command: a word behind simweb, the settings it takes, and the function behind it.
 *
 * All commands share one struct of settings, so that a web is described with the same words whether
 * it is served, walked by the oracle or looked at page by page. A command names the tables it takes
 * from it. */
#ifndef COMMANDS_COMMAND_H
#define COMMANDS_COMMAND_H

#include "oracle/oracle.h"
#include "serve/server.h"

#include "base/args.h"

enum exit_code { EXIT_DONE = 0, EXIT_OTHER = 1, EXIT_USAGE = 2 };

struct settings {
    struct world_settings web;
    struct server_settings server;
    struct oracle_wish oracle;
    double oracle_depth; /* -1 = no limit, until it becomes oracle.depth */
    bool json;
    bool markdown;
    bool reset;
    bool urls;
    bool hosts;
    bool links;
    uint64_t advance_ms;
};

struct command {
    const char *name;
    const char *args;
    const char *summary;
    const char *details;
    bool takes_web;            /* world_options, from DIR/run.json where one is there */
    bool takes_server;         /* server_options */
    const struct option *more; /* rows of struct settings; may be NULL */
    int (*run)(struct settings *s, struct invocation *in);
};

extern const struct command command_serve, command_oracle, command_report, command_page,
    command_faults, command_clock;

/* An error for a person, "simweb: …" on standard error; returns `code`. */
int simweb_fail(enum exit_code code, const char *format, ...) PRINTF_LIKE(2, 3);

/* Writes to standard output; EXIT_OTHER if that is not possible. Clears the buf. */
int simweb_print(struct buf *out);

/* Checks the web's settings and opens it; NULL after saying why not. */
struct world *simweb_world(const struct settings *s);

#endif
