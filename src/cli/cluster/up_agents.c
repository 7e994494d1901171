/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/up.h"

#include "cli/crawl_client.h"
#include "cli/crawl_files.h"
#include "control/status_json.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    AGENTS_SHOWN = 8, /* in the progress line */
    LINE_BYTES = 1024,
    BY_SIGNAL = 128,
    STOPPED = BY_SIGNAL + SIGTERM, /* of an agent that was stopped, over its socket or with all */
    LAST_BYTES = 1024,             /* of a log: its last line is shorter */
};

static const char *name_of(const struct up *u, unsigned i)
{
    return u->plan->agents[i].name;
}

static const char *dir_of(const struct up *u, unsigned i)
{
    return u->agents[i].dir;
}

static bool has_settings(struct up *u, unsigned i)
{
    const char *path = up_text(u, "%s/" CONFIG_OF_CRAWL, dir_of(u, i));
    return path && access(path, R_OK) == 0;
}

/* A new agent takes the settings of the first, but not its limits when one is reached: the first
 * may not have lifted it yet. */
static size_t add_settings(struct up *u, const char **args, size_t n)
{
    static const char *const no_limits[] = {"--pages=0", "--size=0", "--time=0"};
    args[n++] = "-c";
    args[n++] = up_text(u, "%s/" CONFIG_OF_CRAWL, dir_of(u, 0));
    for (size_t i = 0; u->is_reached && i < sizeof no_limits / sizeof *no_limits; i++)
        args[n++] = no_limits[i];
    return n;
}

static int start_agent(struct up *u, unsigned i)
{
    const char *args[UP_MOST_WORDS + 16];
    char room[NATS_MAX_FOLDER_BYTES + 1];
    struct buf folder = buf_on(room, sizeof room - 1);
    size_t n = 0;
    nats_machine_folder(&u->plan->machines[0], &folder);
    args[n++] = "crawl";
    args[n++] = "-q";
    args[n++] = "-o";
    args[n++] = dir_of(u, i);
    args[n++] = "--cluster";
    args[n++] = up_text(u, "nats://127.0.0.1:%u", u->plan->machines[0].client_port);
    args[n++] = "--agent";
    args[n++] = name_of(u, i);
    args[n++] = "--cluster-credentials";
    args[n++] = up_text(u, "%s/" STR_FMT, u->nats_dir, STR_ARG(buf_str(&folder)));
    for (int k = 0; k < u->in->word_count; k++)
        args[n++] = u->in->words[k];
    if (!u->in->word_count && !has_settings(u, i))
        n = add_settings(u, args, n);
    args[n] = NULL;
    return child_start(&u->agents[i].child, args, up_text(u, "%s.log", dir_of(u, i)));
}

/* The limit that an earlier run reached (cli/crawl/crawl_limits.h), from the first agent that
 * has one. */
static void say_reached(struct up *u)
{
    char room[LAST_BYTES];
    size_t n = 0;
    for (unsigned i = 0; i < u->count && !n; i++) {
        const char *path = up_text(u, "%s/" CRAWL_LIMITS_FILE, dir_of(u, i));
        FILE *f = path ? fopen(path, "re") : NULL;
        n = f ? fread(room, 1, sizeof room, f) : 0;
        if (f)
            (void)fclose(f);
    }
    struct str line = str_make(room, n);
    line = str_take_until(&line, '\n');
    u->is_reached = n > 0;
    if (n)
        up_say(u,
               "the limit " STR_FMT " was reached; agents to which it is not given again continue "
               "without it",
               STR_ARG(line));
}

int up_agents_start(struct up *u)
{
    int code = EXIT_DONE;
    while (code == EXIT_DONE && u->count < u->plan->agent_count && u->count < UP_MOST_AGENTS) {
        unsigned i = u->count++;
        u->agents[i].dir = up_text(u, STR_FMT "/%s", STR_ARG(u->s->output), name_of(u, i));
    }
    say_reached(u);
    for (unsigned i = 0; i < u->count && code == EXIT_DONE; i++)
        code = start_agent(u, i);
    return code;
}

void up_agents_end(struct up *u)
{
    for (unsigned i = 0; i < u->count; i++) {
        u->agents[i].restart.at_ms = 0;
        child_tell(&u->agents[i].child, SIGTERM);
    }
}

/* An agent's last line of statistics has the number of its pages. */
static void read_last(struct up *u, unsigned i)
{
    char room[LAST_BYTES + 1];
    FILE *f = fopen(up_text(u, "%s/logs/progress-statistics.log", dir_of(u, i)), "re");
    if (!f)
        return;
    if (fseek(f, -LAST_BYTES, SEEK_END))
        rewind(f);
    struct str text = {room, fread(room, 1, LAST_BYTES, f)};
    (void)fclose(f);
    while (text.n && text.p[text.n - 1] == '\n')
        text.n--;
    room[text.n] = 0;
    const char *line = strrchr(room, '\n');
    uint64_t fetched;
    if (sscanf(line ? line + 1 : room, "%*s %*u %*u %" SCNu64, &fetched) == 1)
        u->agents[i].last = (struct up_progress){.fetched = fetched};
}

/* Killed, and not by this process. */
static bool is_killed(int ended)
{
    return ended > BY_SIGNAL && ended != STOPPED && ended != BY_SIGNAL + SIGINT;
}

static void ended_badly(struct up *u, unsigned i, int ended)
{
    up_say(u, "agent %s ended with %d: see %s.log; the others continue", name_of(u, i), ended,
           dir_of(u, i));
    u->code = u->code ? u->code : ended;
}

static void look_at(struct up *u, unsigned i, uint64_t now_ms)
{
    struct up_agent *a = &u->agents[i];
    if (a->restart.at_ms && now_ms >= a->restart.at_ms) {
        a->restart.at_ms = 0;
        a->restart.since_ms = now_ms;
        if (start_agent(u, i))
            u->code = u->code ? u->code : EXIT_OTHER;
        return;
    }
    if (!a->child.pid)
        return;
    int ended = child_look(&a->child);
    if (a->child.pid)
        return;
    read_last(u, i);
    if (ended == STOPPED && !u->number)
        u->number = SIGTERM; /* all agents stop, one after the other */
    if (!ended || u->number)
        return;
    if (is_killed(ended) && up_restart(&a->restart, now_ms))
        up_say(u, "agent %s was killed (signal %d); it is started again", name_of(u, i),
               ended - BY_SIGNAL);
    else
        ended_badly(u, i, ended);
}

unsigned up_agents_look(struct up *u, uint64_t now_ms)
{
    unsigned running = 0;
    for (unsigned i = 0; i < u->count; i++) {
        look_at(u, i, now_ms);
        running += u->agents[i].child.pid || u->agents[i].restart.at_ms;
    }
    return running;
}

void up_agent_ask(struct up *u, unsigned i)
{
    struct crawl_client c;
    json_t *answer = NULL;
    struct up_progress *p = &u->agents[i].last;
    if (crawl_client_open(&c, dir_of(u, i), true) == EXIT_DONE) {
        (void)crawl_client_begin(&c, "status");
        if (crawl_client_ask(&c, &answer) == EXIT_DONE) {
            p->fetched = status_counter(answer, COUNTER_TOTAL_PAGES);
            p->queued = status_counter(answer, COUNTER_QUEUED);
            p->rate = json_number_value(json_object_get(answer, "rate"));
            p->is_paused = strcmp(json_text(answer, "state"), "paused") == 0;
        }
    }
    json_decref(answer);
    crawl_client_close(&c);
}

/* The sum, and as many agents as the line holds, each as FETCHED+QUEUED. */
void up_agents_show(struct up *u, unsigned running)
{
    char room[LINE_BYTES];
    struct buf each = buf_on(room, sizeof room);
    struct up_progress all = {0};
    if (u->s->quiet || !isatty(STDERR_FILENO) || !running)
        return;
    for (unsigned i = 0; i < u->count; i++) {
        const struct up_progress *p = &u->agents[i].last;
        if (u->agents[i].child.pid)
            up_agent_ask(u, i);
        all.fetched += p->fetched;
        all.queued += p->queued;
        all.rate += p->rate;
        if (i < AGENTS_SHOWN)
            buf_printf(&each, " · %s%s %llu+%llu", name_of(u, i),
                       !u->agents[i].child.pid ? " away"
                       : p->is_paused          ? " paused"
                                               : "",
                       (unsigned long long)p->fetched, (unsigned long long)p->queued);
    }
    (void)fprintf(stderr, "\r%u agents · %llu fetched (%.1f/s) · %llu queued" STR_FMT "\x1b[K",
                  running, (unsigned long long)all.fetched, all.rate,
                  (unsigned long long)all.queued, STR_ARG(buf_str(&each)));
    u->is_line_open = true;
}

void up_agents_last_words(struct up *u)
{
    uint64_t all = 0;
    if (u->s->quiet)
        return;
    for (unsigned i = 0; i < u->count; i++)
        all += u->agents[i].last.fetched;
    up_say(u, "%s: %llu fetched by %u agents. orbweaver report %s says what; export cdxj, wacz %s",
           u->number ? "stopped, the same command resumes"
           : u->code ? "ended"
                     : "finished",
           (unsigned long long)all, u->count, u->s->output.p, u->s->output.p);
}
