/* SPDX-License-Identifier: Apache-2.0 */
/* cluster up: several agents on this machine, with a server of their own. Everything stands in one
 * folder, and ends with this process:
 *
 *   DIR/post/       what `cluster init` makes; the server and its streams
 *   DIR/a1 …        an agent's directory each, and a1.log with what it says
 *
 * The commands it is made of are started as children: init (the first time), streams, crawl. */
#include "cli/children.h"
#include "cli/commands.h"
#include "cli/control_client.h"
#include "cli/post_folder.h"
#include "cli/post_server.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MOST_AGENTS = 64,
    MOST_WORDS = 200,
    SERVER_MS = 30000,
    PATH_BYTES = 4096,
    AGENTS_SHOWN = 8, /* in the progress line */
    LINE_BYTES = 1024,
    STOPPED = 128 + SIGTERM, /* of an agent that was told to stop, over its socket or by all */
};

struct settings {
    uint64_t agents;
    struct str output;
    bool quiet;
};

struct up {
    const struct settings *s;
    struct invocation *in;
    const char *post; /* DIR/post */
    struct post_plan *plan;
    struct post_server server;
    struct child agents[MOST_AGENTS];
    unsigned count;
    int number; /* of the signal that ends it; 0: none */
};

static const char *text(struct up *u, const char *format, ...) PRINTF_LIKE(2, 3);
static const char *text(struct up *u, const char *format, ...)
{
    char room[PATH_BYTES];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(room, sizeof room, format, args);
    va_end(args);
    struct str copy =
        n < 0 || (size_t)n >= sizeof room ? STR_NONE : arena_printf(u->in->arena, "%s", room);
    return copy.p;
}

/* The post office ------------------------------------------------------------------------------ */

/* Two that nobody uses now. */
static bool free_ports(unsigned ports[2])
{
    int fds[2];
    bool is_good = true;
    for (int i = 0; i < 2; i++) {
        struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
        socklen_t bytes = sizeof a;
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        is_good = is_good && fds[i] >= 0 && bind(fds[i], (struct sockaddr *)&a, sizeof a) == 0 &&
                  getsockname(fds[i], (struct sockaddr *)&a, &bytes) == 0;
        ports[i] = ntohs(a.sin_port);
    }
    for (int i = 0; i < 2; i++)
        if (fds[i] >= 0)
            (void)close(fds[i]);
    return is_good;
}

static int run_here(struct up *u, const char *const *args, const char *log)
{
    struct child c;
    int status = 0;
    int code = child_start(&c, args, log);
    if (code == EXIT_DONE)
        status = child_wait(&c);
    if (status)
        code = cli_fail((enum exit_code)status, "%s %s did not work; %s says why", args[0], args[1],
                        log);
    (void)u;
    return code;
}

static int init_post(struct up *u)
{
    unsigned ports[2];
    struct buf names = {.max = PATH_BYTES};
    for (unsigned i = 1; i <= u->s->agents; i++)
        buf_printf(&names, "%sa%u", i > 1 ? "," : "", i);
    const char *agents = text(u, STR_FMT, STR_ARG(buf_str(&names)));
    buf_done(&names);
    if (!free_ports(ports))
        return cli_fail(EXIT_OTHER, "no free port: %s", strerror(errno));
    const char *host = text(u, "127.0.0.1:%u:%u", ports[0], ports[1]);
    const char *args[] = {"cluster", "init",  "--hosts", host, "--agents",
                          agents,    "--dir", u->post,   NULL};
    return run_here(u, args, text(u, STR_FMT "/init.log", STR_ARG(u->s->output)));
}

static int read_plan(struct up *u)
{
    struct post_folder f = {.fd = -1};
    int code = post_folder_open(&f, u->post, false);
    if (code == EXIT_DONE)
        code = post_folder_plan(&f, u->plan);
    post_folder_close(&f);
    if (code == EXIT_DONE && u->plan->agent_count != u->s->agents)
        code = cli_fail(EXIT_USAGE, "%s is of %u agents: --agents=%u", u->post,
                        u->plan->agent_count, u->plan->agent_count);
    return code;
}

static int start_server(struct up *u)
{
    char room[POST_MAX_FOLDER_BYTES + 1];
    struct buf folder = buf_on(room, sizeof room - 1), why = {.max = PATH_BYTES};
    post_place_folder(&u->plan->places[0], &folder);
    const char *path = text(u, "%s/" STR_FMT, u->post, STR_ARG(buf_str(&folder)));
    enum rc rc = post_server_start(&u->server, path, SERVER_MS, &why);
    int code = rc ? cli_fail(EXIT_CLUSTER, STR_FMT, STR_ARG(buf_str(&why))) : EXIT_DONE;
    buf_done(&why);
    const char *args[] = {"cluster", "streams", "--dir", u->post, NULL};
    return code == EXIT_DONE
               ? run_here(u, args, text(u, STR_FMT "/streams.log", STR_ARG(u->s->output)))
               : code;
}

static int open_post(struct up *u)
{
    struct stat st;
    if (mkdir(u->s->output.p, 0777) && errno != EEXIST)
        return cli_fail(EXIT_DISK, "%s: %s", u->s->output.p, strerror(errno));
    int code = stat(text(u, "%s/plan.json", u->post), &st) ? init_post(u) : EXIT_DONE;
    if (code == EXIT_DONE)
        code = read_plan(u);
    return code == EXIT_DONE ? start_server(u) : code;
}

/* Agents --------------------------------------------------------------------------------------- */

static const char *dir_of(struct up *u, unsigned i)
{
    return text(u, STR_FMT "/%s", STR_ARG(u->s->output), u->plan->agents[i].name);
}

static int start_agent(struct up *u, unsigned i)
{
    const char *args[MOST_WORDS + 16];
    char room[POST_MAX_FOLDER_BYTES + 1];
    struct buf folder = buf_on(room, sizeof room - 1);
    size_t n = 0;
    post_place_folder(&u->plan->places[0], &folder);
    args[n++] = "crawl";
    args[n++] = "-q";
    args[n++] = "-o";
    args[n++] = dir_of(u, i);
    args[n++] = "--cluster";
    args[n++] = text(u, "nats://127.0.0.1:%u", u->plan->places[0].client_port);
    args[n++] = "--agent";
    args[n++] = u->plan->agents[i].name;
    args[n++] = "--cluster-credentials";
    args[n++] = text(u, "%s/" STR_FMT, u->post, STR_ARG(buf_str(&folder)));
    for (int k = 0; k < u->in->word_count; k++)
        args[n++] = u->in->words[k];
    args[n] = NULL;
    u->count = i + 1;
    return child_start(&u->agents[i], args, text(u, "%s.log", dir_of(u, i)));
}

/* What one agent says of itself; nothing, if it does not answer. */
struct progress {
    uint64_t fetched, queued;
    double rate;
    bool is_paused;
};

static struct progress ask_progress(struct up *u, unsigned i)
{
    struct control_client c;
    json_t *answer = NULL;
    struct progress p = {0};
    if (control_client_open(&c, dir_of(u, i), true) == EXIT_DONE) {
        control_begin(&c, "status");
        if (control_ask(&c, &answer) == EXIT_DONE) {
            p.fetched = json_u64(answer, "fetched");
            p.queued = json_u64(answer, "queued");
            p.rate = json_number_value(json_object_get(answer, "rate"));
            p.is_paused = strcmp(json_text(answer, "state"), "paused") == 0;
        }
    }
    json_decref(answer);
    control_client_close(&c);
    return p;
}

/* All of them together, and as many as a line holds each: fetched, and + queued. */
static void show(struct up *u, unsigned running)
{
    char room[LINE_BYTES];
    struct buf each = buf_on(room, sizeof room);
    struct progress all = {0};
    if (u->s->quiet || !isatty(STDERR_FILENO))
        return;
    for (unsigned i = 0; i < u->count; i++) {
        struct progress p = u->agents[i].pid ? ask_progress(u, i) : (struct progress){0};
        all.fetched += p.fetched;
        all.queued += p.queued;
        all.rate += p.rate;
        if (u->agents[i].pid && i < AGENTS_SHOWN)
            buf_printf(&each, " · %s%s %llu+%llu", u->plan->agents[i].name,
                       p.is_paused ? " paused" : "", (unsigned long long)p.fetched,
                       (unsigned long long)p.queued);
    }
    (void)fprintf(stderr, "\r%u agents · %llu fetched (%.1f/s) · %llu queued" STR_FMT "\x1b[K",
                  running, (unsigned long long)all.fetched, all.rate,
                  (unsigned long long)all.queued, STR_ARG(buf_str(&each)));
}

static void end_agents(struct up *u)
{
    for (unsigned i = 0; i < u->count; i++)
        child_tell(&u->agents[i], SIGTERM);
}

/* Until all have ended; the first that did not end well decides. */
static int wait_for_agents(struct up *u, const sigset_t *set)
{
    int code = EXIT_DONE;
    for (unsigned running = u->count; running;) {
        struct timespec second = {.tv_sec = 1};
        int number = sigtimedwait(set, NULL, &second);
        if (number == SIGINT || number == SIGTERM) {
            u->number = number;
            end_agents(u);
        }
        running = 0;
        for (unsigned i = 0; i < u->count; i++) {
            bool was_there = u->agents[i].pid != 0;
            int ended = child_look(&u->agents[i]);
            running += u->agents[i].pid != 0;
            if (was_there && !u->agents[i].pid && ended == STOPPED && !u->number)
                u->number = SIGTERM; /* all are, one after the other */
            if (!was_there || u->agents[i].pid || !ended || u->number)
                continue;
            code = cli_fail((enum exit_code)(code ? code : ended),
                            "agent %s ended with %d: %s.log says why", u->plan->agents[i].name,
                            ended, dir_of(u, i));
        }
        show(u, running);
    }
    if (!u->s->quiet && isatty(STDERR_FILENO))
        (void)fputc('\n', stderr);
    return u->number ? 128 + u->number : code;
}

static int run(struct invocation *in)
{
    struct up *u = arena_zero(in->arena, sizeof *u);
    struct post_plan *plan = arena_zero(in->arena, sizeof *plan);
    sigset_t set;
    if (!u || !plan)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    u->s = in->settings;
    u->in = in;
    u->plan = plan;
    if (!in->word_count || in->word_count > MOST_WORDS)
        return cli_fail(EXIT_USAGE,
                        "cluster up: seeds, and behind -- options of crawl: 1 to %d words",
                        MOST_WORDS);
    u->post = text(u, STR_FMT "/post", STR_ARG(u->s->output));
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &set, NULL);
    int code = open_post(u);
    for (unsigned i = 0; code == EXIT_DONE && i < u->plan->agent_count; i++)
        code = start_agent(u, i);
    if (code != EXIT_DONE)
        end_agents(u);
    int ended = wait_for_agents(u, &set);
    post_server_stop(&u->server);
    return code == EXIT_DONE ? ended : code;
}

static const struct option options[] = {
    OPTION_COUNT_ROW(struct settings, agents, "agents", "3", "how many there are", .min = 1,
                     .max = MOST_AGENTS),
    OPTION_TEXT_ROW(struct settings, output, "output", "cluster-crawl",
                    "the folder of everything; the same again resumes", .letter = 'o',
                    .arg = "DIR"),
    OPTION_BOOL_ROW(struct settings, quiet, "quiet", "no", "no progress line", .letter = 'q'),
    {0},
};

const struct command cmd_cluster_up = {
    .name = "cluster up",
    .args = "URL... [-- CRAWL-OPTION...]",
    .summary = "several agents on this machine are one crawl",
    .details =
        "Makes and starts a nats-server of its own, and so many agents with these seeds; each has\n"
        "its directory in DIR. Options of crawl stand behind --. It ends when the crawl is done;\n"
        "^C stops all in order, and the same command goes on. pause, stop, seeds add, status and "
        "the\n"
        "like take DIR for all agents, export cdxj and pages too. One copy of every stream: for "
        "more\n"
        "than a trial, `cluster init` on three machines.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
