/* SPDX-License-Identifier: Apache-2.0 */
/* A crawl with a pool: the manager and its members, all children of this process.
 *
 *   DIR              the manager's directory, which is the crawl's
 *   DIR/members/     the key of each member, m1.yaml ..., and its output, m1.log
 *   DIR/manager.log  the manager's output
 *
 * The manager listens at a free port of loopback, another one at each start. */
#include "cli/cluster/up.h"

#include "cli/crawl_files.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MANAGER, /* its row of u->agents; members come behind it */
    LINE_BYTES = 4096,
    LOOK_MS = 50,
    BEGIN_MS = 60000, /* for the manager to write its settings */
    MEMBERS_END_MS = 10000,
};

/* A port that is free now; 0: there is none. */
static unsigned free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool is_good = fd >= 0 && bind(fd, (const struct sockaddr *)&at, n) == 0 &&
                   getsockname(fd, (struct sockaddr *)&at, &n) == 0;
    if (fd >= 0)
        (void)close(fd);
    return is_good ? ntohs(at.sin_port) : 0;
}

static int start_manager(struct up *u)
{
    const char *args[UP_MOST_WORDS + 16];
    size_t n = 0;
    args[n++] = "crawl";
    args[n++] = "-q";
    args[n++] = "-o";
    args[n++] = up_text(u, STR_FMT, STR_ARG(u->s->output));
    args[n++] = "--wiring";
    args[n++] = up_text(u, STR_FMT, STR_ARG(u->s->wiring));
    args[n++] = "--place";
    args[n++] = "manager";
    args[n++] = "--manager";
    args[n++] = u->manager;
    for (int k = 0; k < u->in->word_count; k++)
        args[n++] = u->in->words[k];
    args[n] = NULL;
    return child_start(&u->agents[MANAGER].child, args,
                       up_text(u, STR_FMT "/manager.log", STR_ARG(u->s->output)));
}

static const char *member_path(struct up *u, unsigned i, const char *end)
{
    return up_text(u, STR_FMT "/members/m%u.%s", STR_ARG(u->s->output), i, end);
}

static int start_member(struct up *u, unsigned i)
{
    const char *args[] = {"crawl",     "-q",       "-c", member_path(u, i, "yaml"),
                          "--manager", u->manager, NULL};
    return child_start(&u->agents[i].child, args, member_path(u, i, "log"));
}

/* A key is made once; it has the settings with which the crawl began. */
static int make_key(struct up *u, unsigned i)
{
    struct child maker = {0};
    const char *args[] = {"member",
                          "add",
                          up_text(u, STR_FMT, STR_ARG(u->s->output)),
                          up_text(u, "m%u", i),
                          "--wiring",
                          up_text(u, STR_FMT, STR_ARG(u->s->wiring)),
                          NULL};
    if (access(member_path(u, i, "yaml"), R_OK) == 0)
        return EXIT_DONE;
    int code = child_start(&maker, args, up_text(u, STR_FMT "/manager.log", STR_ARG(u->s->output)));
    return code == EXIT_DONE ? child_wait(&maker) : code;
}

/* Until the manager has written its settings, which its members need. */
static int wait_for_manager(struct up *u)
{
    const char *saved = up_text(u, STR_FMT "/" CONFIG_OF_CRAWL, STR_ARG(u->s->output));
    struct timespec step = {.tv_nsec = LOOK_MS * 1000000};
    for (unsigned ms = 0; ms < BEGIN_MS; ms += LOOK_MS) {
        if (saved && access(saved, R_OK) == 0)
            return EXIT_DONE;
        int ended = child_look(&u->agents[MANAGER].child);
        if (!u->agents[MANAGER].child.pid)
            return cli_fail(ended ? (enum exit_code)ended : EXIT_OTHER,
                            "the manager ended with %d: see " STR_FMT "/manager.log", ended,
                            STR_ARG(u->s->output));
        (void)nanosleep(&step, NULL);
    }
    return cli_fail(EXIT_OTHER, "the manager does not begin: see " STR_FMT "/manager.log",
                    STR_ARG(u->s->output));
}

static unsigned known_members(struct up *u)
{
    unsigned n = 0;
    while (n + 1 < UP_MOST_AGENTS && access(member_path(u, n + 1, "yaml"), R_OK) == 0)
        n++;
    return n;
}

static int start_all(struct up *u)
{
    unsigned port = free_port(), known = known_members(u);
    unsigned members = u->s->agents ? (unsigned)u->s->agents : known ? known : UP_AGENTS;
    u->manager = up_text(u, "127.0.0.1:%u", port);
    (void)mkdir(up_text(u, STR_FMT, STR_ARG(u->s->output)), 0777);
    u->agents[MANAGER].dir = up_text(u, STR_FMT, STR_ARG(u->s->output));
    u->count = 1;
    int code =
        port && u->manager ? start_manager(u) : cli_fail(EXIT_OTHER, "no port of loopback is free");
    if (code == EXIT_DONE)
        code = wait_for_manager(u);
    for (unsigned i = 1; code == EXIT_DONE && i <= members && i < UP_MOST_AGENTS; i++) {
        u->count++;
        code = make_key(u, i);
        code = code == EXIT_DONE ? start_member(u, i) : code;
    }
    return code;
}

struct str up_star_wiring(struct up *u)
{
    const char *saved = up_text(u, STR_FMT "/" CONFIG_OF_CRAWL, STR_ARG(u->s->output));
    FILE *f = !u->s->wiring.n && saved ? fopen(saved, "re") : NULL;
    struct str found = STR("ring");
    char line[LINE_BYTES];
    if (u->s->wiring.n)
        return u->s->wiring;
    while (f && fgets(line, sizeof line, f)) {
        struct str value = str_trim(str_c(line));
        if (str_eq(str_take_until(&value, ':'), STR("wiring")) && value.p)
            found = arena_dup(u->in->arena, str_trim(value));
    }
    if (f)
        (void)fclose(f);
    return found.p ? found : STR("ring");
}

/* Watching ----------------------------------------------------------------------------------------- */

static int start_again(struct up *u, unsigned i)
{
    return i == MANAGER ? start_manager(u) : start_member(u, i);
}

static const char *name_of(struct up *u, unsigned i)
{
    return i == MANAGER ? "the manager" : up_text(u, "member m%u", i);
}

/* A member whose manager has told it that all is over ends with 0. */
static void look_at(struct up *u, unsigned i, uint64_t now_ms)
{
    struct up_agent *a = &u->agents[i];
    if (a->restart.at_ms && now_ms >= a->restart.at_ms) {
        a->restart = (struct up_restart){.times = a->restart.times, .since_ms = now_ms};
        if (start_again(u, i))
            u->code = u->code ? u->code : EXIT_OTHER;
        return;
    }
    int ended = child_look(&a->child);
    if (a->child.pid || a->restart.at_ms || a->has_ended)
        return;
    bool is_killed = ended > 128 && ended != 128 + SIGTERM && ended != 128 + SIGINT;
    if (!u->number && is_killed && up_restart(&a->restart, now_ms)) {
        up_say(u, "%s was killed (signal %d) and starts again", name_of(u, i), ended - 128);
        return;
    }
    a->has_ended = true;
    if (i == MANAGER) {
        u->code = ended;
        u->until_ms = now_ms + MEMBERS_END_MS;
    } else if (ended && !u->number && !u->agents[MANAGER].has_ended) {
        up_say(u, "%s ended with %d: see %s; the others continue", name_of(u, i), ended,
               member_path(u, i, "log"));
    }
}

static void tell_all(struct up *u, int number)
{
    for (unsigned i = 0; i < u->count; i++)
        child_tell(&u->agents[i].child, number);
}

static unsigned look_at_all(struct up *u, uint64_t now_ms)
{
    unsigned running = 0;
    for (unsigned i = 0; i < u->count; i++) {
        look_at(u, i, now_ms);
        running += u->agents[i].child.pid || u->agents[i].restart.at_ms;
    }
    return running;
}

static void show(struct up *u)
{
    const struct up_progress *p = &u->agents[MANAGER].last;
    unsigned members = 0;
    for (unsigned i = 1; i < u->count; i++)
        members += u->agents[i].child.pid > 0;
    if (u->s->quiet || !isatty(STDERR_FILENO) || !u->agents[MANAGER].child.pid)
        return;
    up_agent_ask(u, MANAGER);
    (void)fprintf(stderr, "\r%llu fetched (%.1f/s) · %llu queued · %u members\x1b[K",
                  (unsigned long long)p->fetched, p->rate, (unsigned long long)p->queued, members);
    u->is_line_open = true;
}

static int watch(struct up *u, const sigset_t *set)
{
    for (unsigned running = u->count; running;) {
        struct timespec second = {.tv_sec = 1};
        int number = sigtimedwait(set, NULL, &second);
        uint64_t now_ms = clock_now_ms(clock_real());
        if (number == SIGINT || number == SIGTERM) {
            u->number = number;
            child_tell(&u->agents[MANAGER].child,
                       SIGTERM); /* its members follow when it has ended */
        }
        running = look_at_all(u, now_ms);
        if (u->agents[MANAGER].has_ended && (u->number || now_ms >= u->until_ms))
            tell_all(u, SIGTERM);
        show(u);
    }
    return u->number > 0 ? 128 + u->number : u->code;
}

static void last_words(struct up *u, int code)
{
    if (u->s->quiet)
        return;
    up_say(u,
           "%s: orbweaver report " STR_FMT " says what was done; status, url, export take " STR_FMT
           " too",
           u->number ? "stopped, the same command resumes"
           : code    ? "ended"
                     : "finished",
           STR_ARG(u->s->output), STR_ARG(u->s->output));
}

int up_star_run(struct up *u, const sigset_t *set)
{
    int code = start_all(u);
    if (code != EXIT_DONE) {
        u->number = -1;
        tell_all(u, SIGTERM);
    }
    int ended = watch(u, set);
    code = code == EXIT_DONE ? ended : code;
    last_words(u, code);
    return code;
}
