/* SPDX-License-Identifier: Apache-2.0 */
/* agent join, agent leave: this machine takes part in a crawl of several machines, or leaves it. */
#include "cli/commands.h"
#include "cli/crawl_client.h"
#include "cli/settings.h"

#include <stdio.h>

static int run_join(struct invocation *in)
{
    const struct settings *s = in->settings;
    if (!s->cluster.n || !s->agent.n)
        return cli_fail(EXIT_USAGE, "agent join: expected --cluster=URL, the cluster to join, "
                                    "and --agent=NAME");
    return cmd_crawl.run(in);
}

struct leave_settings {
    bool json;
};

static int run_leave(struct invocation *in)
{
    const struct leave_settings *s = in->settings;
    struct crawl_client c;
    json_t *answer = NULL;
    if (in->word_count != 1)
        return cli_fail(EXIT_USAGE, "agent leave: expected the directory of one agent");
    int code = crawl_client_open(&c, in->words[0], false);
    if (code == EXIT_DONE) {
        struct jsonw *j = crawl_client_begin(&c, "set");
        jsonw_text_field(j, "key", STR("cluster.leave"));
        jsonw_text_field(j, "value", STR("yes"));
        code = crawl_client_ask(&c, &answer);
    }
    if (code == EXIT_DONE && s->json)
        json_print_line(answer);
    else if (code == EXIT_DONE)
        (void)printf("the agent hands its hosts over, and exits when that is done\n");
    json_decref(answer);
    crawl_client_close(&c);
    return code;
}

static const struct option leave_options[] = {
    OPTION_BOOL_ROW(struct leave_settings, json, "json", "no", "print JSON", .letter = 'j'),
    {0},
};

const struct command cmd_agent_join = {
    .name = "agent join",
    .args = "[URL...]",
    .summary = "take part in a crawl of several machines",
    .details =
        "The same as crawl with --cluster and --agent, which it wants: the agent's login lies in\n"
        "--cluster-credentials, -o is its own directory, all agents share seeds and settings.\n"
        "docs/cluster.md and docs/cluster-crawl.md tell the rest.",
    .options = settings_table,
    .settings_bytes = sizeof(struct settings),
    .run = run_join,
};

const struct command cmd_agent_leave = {
    .name = "agent leave",
    .args = "DIR",
    .summary = "make an agent of this machine hand its hosts over and end",
    .details = "Sent over DIR/run/control.sock. From another machine: cluster drain NAME.",
    .options = leave_options,
    .settings_bytes = sizeof(struct leave_settings),
    .run = run_leave,
};
