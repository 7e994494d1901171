/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/running.h"

#include <stdio.h>

static int move_clock(struct settings *s, struct invocation *in)
{
    if (in->word_count)
        return simweb_fail(EXIT_USAGE, "clock: \"%s\" has no meaning here", in->words[0]);
    char path[64];
    (void)snprintf(path, sizeof path, "/_sim/clock?advance_ms=%llu",
                   (unsigned long long)s->advance_ms);
    struct buf json = {.max = 1 << 16};
    struct buf why = {.max = 4096};
    int code = EXIT_OTHER;
    if (running_ask(s->server.dir, s->advance_ms ? "POST" : "GET",
                    s->advance_ms ? path : "/_sim/clock", &json, &why)) {
        simweb_fail(EXIT_OTHER, STR_FMT, STR_ARG(buf_str(&why)));
    } else {
        buf_byte(&json, '\n');
        code = simweb_print(&json);
    }
    buf_done(&json);
    buf_done(&why);
    return code;
}

static const struct option clock_options[] = {
    OPTION_DURATION_ROW(struct settings, advance_ms, "advance", "0s",
                        "move the running web's clock forward"),
    {0},
};

const struct command command_clock = {
    .name = "clock",
    .args = "",
    .summary = "read or move the running web's clock; its pages change meanwhile",
    .more = clock_options,
    .run = move_clock,
};
