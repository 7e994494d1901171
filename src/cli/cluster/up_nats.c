/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/up.h"

#include "base/rng.h"
#include "provision/nats_folder.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SERVER_MS = 30000,
    AGENTS_USUAL = 3,
    NAMES_BYTES = 4096,
    /* Below the ports that the kernel gives to connections, so that a restarted server finds its
     * own port free. */
    PORT_FIRST = 20000,
    PORT_END = 32000,
    PORT_TRIES = 200,
};

static bool is_free(unsigned port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    a.sin_port = htons((uint16_t)port);
    bool good = fd >= 0 && bind(fd, (struct sockaddr *)&a, sizeof a) == 0;
    if (fd >= 0)
        (void)close(fd);
    return good;
}

/* Two ports that no program uses now. */
static bool free_ports(unsigned ports[2])
{
    struct rng rng;
    uint64_t seed = 0;
    int found = 0;
    (void)getrandom(&seed, sizeof seed, 0);
    rng_init(&rng, seed);
    for (int i = 0; i < PORT_TRIES && found < 2; i++) {
        unsigned port = PORT_FIRST + (unsigned)rng_below(&rng, PORT_END - PORT_FIRST);
        if (is_free(port) && (!found || port != ports[0]))
            ports[found++] = port;
    }
    return found == 2;
}

static int run_here(const char *const *args, const char *log)
{
    struct child c;
    int status = 0;
    int code = child_start(&c, args, log);
    if (code == EXIT_DONE)
        status = child_wait(&c);
    if (status)
        code = cli_fail((enum exit_code)status, "%s %s failed; see %s", args[0], args[1], log);
    return code;
}

static const char *log_of(struct up *u, const char *what)
{
    return up_text(u, STR_FMT "/%s.log", STR_ARG(u->s->output), what);
}

static int init_nats(struct up *u)
{
    unsigned ports[2];
    struct buf names = {.max = NAMES_BYTES};
    for (unsigned i = 1; i <= (u->s->agents ? u->s->agents : AGENTS_USUAL); i++)
        buf_printf(&names, "%sa%u", i > 1 ? "," : "", i);
    const char *agents = up_text(u, STR_FMT, STR_ARG(buf_str(&names)));
    buf_done(&names);
    if (!free_ports(ports))
        return cli_fail(EXIT_OTHER, "no free port: %s", strerror(errno));
    const char *host = up_text(u, "127.0.0.1:%u:%u", ports[0], ports[1]);
    const char *args[] = {"cluster", "init",  "--hosts",   host, "--agents",
                          agents,    "--dir", u->nats_dir, NULL};
    return run_here(args, log_of(u, "init"));
}

static int read_plan(struct up *u)
{
    struct nats_folder f;
    struct buf why = {.max = NAMES_BYTES};
    *u->plan = (struct nats_plan){0};
    enum rc rc = nats_folder_open(&f, u->nats_dir, false, &why);
    int code = cli_say(rc ? rc : nats_folder_plan(&f, u->plan), &why);
    nats_folder_close(&f);
    buf_done(&why);
    if (code == EXIT_DONE && u->s->agents && u->plan->agent_count > u->s->agents)
        code =
            cli_fail(EXIT_USAGE,
                     "%s has %u agents, and --agents is %u: start all of them, then `orbweaver "
                     "cluster drain NAME --dir %s` takes one out",
                     u->s->output.p, u->plan->agent_count, (unsigned)u->s->agents, u->s->output.p);
    return code;
}

static int run_server(struct up *u)
{
    char room[NATS_MAX_FOLDER_BYTES + 1];
    struct buf folder = buf_on(room, sizeof room - 1), why = {.max = NAMES_BYTES};
    nats_machine_folder(&u->plan->machines[0], &folder);
    const char *path = up_text(u, "%s/" STR_FMT, u->nats_dir, STR_ARG(buf_str(&folder)));
    enum rc rc = nats_server_start(&u->server, path, SERVER_MS, &why);
    int code = rc ? cli_fail(EXIT_CLUSTER, STR_FMT, STR_ARG(buf_str(&why))) : EXIT_DONE;
    buf_done(&why);
    return code;
}

static int make_streams(struct up *u)
{
    const struct founding_timings *t = &u->s->timings;
    const char *args[] = {"cluster",     "streams",
                          "--dir",       u->nats_dir,
                          "--heartbeat", up_text(u, "%llums", (unsigned long long)t->heartbeat_ms),
                          "--renew",     up_text(u, "%llums", (unsigned long long)t->renew_ms),
                          "--suspect",   up_text(u, "%llums", (unsigned long long)t->suspect_ms),
                          "--fence",     up_text(u, "%llums", (unsigned long long)t->fence_ms),
                          "--abort",     up_text(u, "%llums", (unsigned long long)t->abort_ms),
                          "--dead",      up_text(u, "%llums", (unsigned long long)t->dead_ms),
                          NULL};
    return run_here(args, log_of(u, "streams"));
}

/* Adds agents up to --agents: each gets its login and its stream. */
static int grow(struct up *u)
{
    int code = EXIT_DONE;
    unsigned wanted = (unsigned)u->s->agents;
    for (unsigned i = u->plan->agent_count + 1; code == EXIT_DONE && i <= wanted; i++) {
        const char *args[] = {"cluster", "add", up_text(u, "a%u", i), "--dir", u->nats_dir, NULL};
        code = run_here(args, log_of(u, "add"));
    }
    return code == EXIT_DONE && u->plan->agent_count < wanted ? read_plan(u) : code;
}

int up_nats_open(struct up *u)
{
    struct stat st;
    if (mkdir(u->s->output.p, 0777) && errno != EEXIST)
        return cli_fail(EXIT_DISK, "%s: %s", u->s->output.p, strerror(errno));
    int code = stat(up_text(u, "%s/plan.json", u->nats_dir), &st) ? init_nats(u) : EXIT_DONE;
    if (code == EXIT_DONE)
        code = read_plan(u);
    if (code == EXIT_DONE)
        code = run_server(u);
    if (code == EXIT_DONE)
        code = make_streams(u);
    return code == EXIT_DONE ? grow(u) : code;
}

void up_nats_look(struct up *u, uint64_t now_ms)
{
    if (u->server_restart.at_ms ? now_ms < u->server_restart.at_ms : nats_server_runs(&u->server))
        return;
    if (!u->server_restart.at_ms) {
        if (up_restart(&u->server_restart, now_ms))
            up_say(u, "nats-server has ended; it is started again");
        else {
            up_say(u, "nats-server ends again and again: see its log in %s", u->nats_dir);
            u->code = u->code ? u->code : EXIT_CLUSTER;
            u->number = -1;
            up_agents_end(u);
        }
        return;
    }
    u->server_restart.at_ms = 0;
    u->server_restart.since_ms = now_ms;
    if (run_server(u) == EXIT_DONE && make_streams(u) == EXIT_DONE)
        up_say(u, "nats-server runs again; streams that its store had lost are made again");
    else /* both have printed why; the next look tries again */
        nats_server_stop(&u->server);
}
