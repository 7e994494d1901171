/* SPDX-License-Identifier: Apache-2.0 */
/* cluster up: several agents on this machine, with a server of their own (cli/cluster/up.h).
 * Everything ends with this process. It starts other commands as children: init (the first time),
 * streams, crawl. */
#include "cli/cluster/up.h"
#include "cli/commands.h"
#include "cli/crawl_files.h"

#include "base/clock.h"

#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
    TEXT_BYTES = 4096,
    RESTART_MS = 1000,
    RESTARTS_MOST = 10,
    RESTART_CALM_MS = 60000, /* after a run of this length the count of restarts begins anew */
    RESTART_LONGEST_MS = 30000,
};

const char *up_text(struct up *u, const char *format, ...)
{
    char room[TEXT_BYTES];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(room, sizeof room, format, args);
    va_end(args);
    struct str copy =
        n < 0 || (size_t)n >= sizeof room ? STR_NONE : arena_printf(u->in->arena, "%s", room);
    return copy.p;
}

void up_say(struct up *u, const char *format, ...)
{
    va_list args;
    if (u->is_line_open)
        (void)fputc('\n', stderr);
    u->is_line_open = false;
    va_start(args, format);
    (void)vfprintf(stderr, format, args);
    va_end(args);
    (void)fputc('\n', stderr);
}

bool up_restart(struct up_restart *a, uint64_t now_ms)
{
    if (now_ms - a->since_ms > RESTART_CALM_MS)
        a->times = 0;
    if (a->times >= RESTARTS_MOST)
        return false;
    uint64_t wait_ms = (uint64_t)RESTART_MS << a->times++;
    a->at_ms = now_ms + (wait_ms < RESTART_LONGEST_MS ? wait_ms : RESTART_LONGEST_MS);
    return true;
}

/* Until all have ended; the first bad exit code is returned. */
static int watch(struct up *u, const sigset_t *set)
{
    for (unsigned running = u->count; running;) {
        struct timespec second = {.tv_sec = 1};
        int number = sigtimedwait(set, NULL, &second);
        uint64_t now_ms = clock_now_ms(clock_real());
        if (number == SIGINT || number == SIGTERM) {
            u->number = number;
            up_agents_end(u);
        }
        if (!u->number)
            up_nats_look(u, now_ms);
        running = up_agents_look(u, now_ms);
        up_agents_show(u, running);
    }
    up_agents_last_words(u);
    return u->number > 0 ? 128 + u->number : u->code;
}

/* Each agent's directory has its settings, so that no option is needed again. */
static bool has_begun(struct up *u)
{
    const char *first = up_is_star(u) ? "" : "a1/";
    const char *kept = up_text(u, STR_FMT "/%s" CONFIG_OF_CRAWL, STR_ARG(u->s->output), first);
    return kept && access(kept, R_OK) == 0;
}

static int run(struct invocation *in)
{
    struct up *u = arena_zero(in->arena, sizeof *u);
    struct nats_plan *plan = arena_zero(in->arena, sizeof *plan);
    sigset_t set;
    if (!u || !plan)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    struct up_settings *s = in->settings;
    u->s = s;
    u->in = in;
    u->plan = plan;
    s->wiring = up_star_wiring(u);
    u->nats_dir = up_text(u, STR_FMT "/post", STR_ARG(u->s->output));
    if ((!in->word_count && !has_begun(u)) || in->word_count > UP_MOST_WORDS)
        return cli_fail(EXIT_USAGE,
                        "cluster up: seeds, and behind -- options of crawl: 1 to %d words; none "
                        "only in a folder where the crawl has begun",
                        UP_MOST_WORDS);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    if (up_is_star(u))
        return up_star_run(u, &set);
    int code = up_nats_open(u);
    if (code == EXIT_DONE)
        code = up_agents_start(u);
    if (code != EXIT_DONE) {
        u->number = -1;
        up_agents_end(u);
    }
    int ended = u->count ? watch(u, &set) : EXIT_DONE;
    nats_server_stop(&u->server);
    return code == EXIT_DONE ? ended : code;
}

static const struct option options[] = {
    OPTION_COUNT_ROW(struct up_settings, agents, "agents", NULL,
                     "how many there are: 3, or as many as there were; more than that are added",
                     .max = UP_MOST_AGENTS),
    OPTION_TEXT_ROW(struct up_settings, output, "output", "cluster-crawl",
                    "the folder of everything; a crawl that is there is resumed", .letter = 'o',
                    .arg = "DIR"),
    OPTION_TEXT_ROW(
        struct up_settings, wiring, "wiring", NULL,
        "ring, the default: agents that are alike; managed, priority: a manager with members",
        .arg = "NAME"),
    OPTION_BOOL_ROW(struct up_settings, quiet, "quiet", "no", "no progress line", .letter = 'q'),
    TIMING_ROWS(struct up_settings),
    {0},
};

const struct command cmd_cluster_up = {
    .name = "cluster up",
    .args = "[URL...] [-- CRAWL-OPTION...]",
    .summary = "run several agents on this machine as one crawl",
    .details =
        "With --wiring managed or priority: a manager, whose directory is DIR, and --agents\n"
        "members, which fetch for it (docs/pools.md).\n"
        "With --wiring ring, the default:\n"
        "Makes and starts a nats-server of its own, and --agents agents with these seeds; each "
        "has\n"
        "its directory in DIR. Options of crawl stand behind --. It ends when the crawl is done;\n"
        "^C stops all in order, and the same command goes on, or -o DIR alone: each agent keeps "
        "its\n"
        "settings and limits as crawl does; with a greater --agents the crawl\n"
        "grows. An agent, or the server, that is killed is started again. The timings count the\n"
        "first time only. pause, stop, seeds add, status and the like take DIR for all agents,\n"
        "export and report too. One copy of every stream: for more than a trial, `cluster init`\n"
        "on three machines.",
    .options = options,
    .settings_bytes = sizeof(struct up_settings),
    .passes_on = true,
    .run = run,
};
