/* SPDX-License-Identifier: Apache-2.0 */
/* What a message over the bus costs: appends of 16 KB with 64 open, and gets, one at a time and 64
 * at a time, with one server (R1) on loopback. CPU is this process's, all its threads (the library
 * has several); the server's is printed beside it, from /proc. */
#include "bench.h"

#include "base/clock.h"
#include "base/mem.h"
#include "bus/bus_nats.h"
#include "provision/nats_config.h"
#include "provision/nats_server.h"
#include "provision/nats_streams.h"

#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { PAYLOAD_BYTES = 16 << 10, APPENDS = 8000, GETS = 8000, SINGLE_GETS = 3000, OPEN = 64 };
#define STREAM "ORB_bench_a"
#define SUBJECT "orb.bench.j.a.1.in.a"

struct bench {
    struct bus *bus;
    struct nats_server server;
    bool is_up;
    size_t open, ended, good;
};

static void must(bool holds, const char *what)
{
    if (!holds) {
        (void)fprintf(stderr, "bus_bench: %s\n", what);
        exit(1);
    }
}

static uint16_t free_port(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    must(bind(fd, (struct sockaddr *)&at, size) == 0 &&
             getsockname(fd, (struct sockaddr *)&at, &size) == 0,
         "a port");
    (void)close(fd);
    return ntohs(at.sin_port);
}

static void on_event(void *ctx, const struct bus_event *e)
{
    struct bench *b = ctx;
    if (e->kind == BUS_UP)
        b->is_up = true;
    if (e->kind != BUS_DONE)
        return;
    b->open--;
    b->ended++;
    b->good += e->rc == RC_OK;
}

static void step(struct bench *b)
{
    struct pollfd fd = {.fd = bus_fd(b->bus), .events = POLLIN};
    (void)poll(&fd, 1, 1000);
    (void)bus_poll(b->bus, on_event, b, 256);
}

/* Seconds of CPU of this process; of another, by its id, in hundredths. */
static double own_cpu(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu_of(pid_t pid)
{
    char path[64], text[1024];
    unsigned long user = 0, system = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    if (f)
        (void)fclose(f);
    text[n] = '\0';
    char *at = strrchr(text, ')');
    if (at)
        (void)sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
                     &system);
    return (double)(user + system) / (double)sysconf(_SC_CLK_TCK);
}

static void run(struct bench *b, const char *name, size_t count, size_t most,
                enum rc (*begin)(struct bench *b, uint64_t ticket))
{
    double wall = (double)clock_now_ms(clock_real()), cpu = own_cpu(),
           server = cpu_of(b->server.pid);
    char row[64];
    b->open = b->ended = b->good = 0;
    for (size_t begun = 0; b->ended < count;) {
        while (begun < count && b->open < most && begin(b, begun) == RC_OK) {
            begun++;
            b->open++;
        }
        step(b);
    }
    must(b->good == count, "not all went well");
    wall = ((double)clock_now_ms(clock_real()) - wall) / 1e3;
    (void)snprintf(row, sizeof row, "%s", name);
    bench_row(row, (double)count / wall, "msg/s", "-");
    bench_row("  our CPU", (own_cpu() - cpu) * 1e6 / (double)count, "us/msg", "-");
    bench_row("  the server's CPU", (cpu_of(b->server.pid) - server) * 1e6 / (double)count,
              "us/msg", "-");
}

static char payload[PAYLOAD_BYTES];

static enum rc append(struct bench *b, uint64_t ticket)
{
    memcpy(payload, &ticket, sizeof ticket);
    return bus_append(b->bus, ticket, STR(SUBJECT), ticket, str_make(payload, sizeof payload));
}

static enum rc get(struct bench *b, uint64_t ticket)
{
    return bus_get(b->bus, ticket, STR(STREAM), ticket + 1, STR_NONE);
}

static void login_for(struct nats_login *l, const char *user, uint16_t port,
                      struct secret_hash *hash)
{
    (void)snprintf(l->url, sizeof l->url, "nats://127.0.0.1:%u", port);
    (void)snprintf(l->say_user, sizeof l->say_user, "%s", user);
    must(secret_make(&l->say) == RC_OK && secret_hash_make(&l->say, hash) == RC_OK, "a password");
}

static void write_config(const struct nats_plan *p, const char *folder)
{
    struct buf text = {.max = NATS_CONFIG_MAX_BYTES};
    char path[256];
    nats_config_write(p, 0, &text);
    (void)snprintf(path, sizeof path, "%s/" NATS_FILE_CONFIG, folder);
    FILE *f = fopen(path, "w");
    must(f && fwrite(text.p, 1, text.n, f) == text.n && fclose(f) == 0, path);
    buf_done(&text);
}

static void start(struct bench *b, struct nats_plan *p, const char *folder)
{
    struct nats_login admin = {0}, say = {0};
    struct nats_user *a;
    struct buf why = {.max = 4096};
    char host[32];
    uint32_t at;
    (void)snprintf(host, sizeof host, "127.0.0.1:%u:%u", free_port(), free_port());
    (void)snprintf(p->crawl, sizeof p->crawl, "bench");
    (void)snprintf(p->operator.name, sizeof p->operator.name, NATS_OPERATOR);
    (void)snprintf(p->operator.say.text, sizeof p->operator.say.text, "x");
    (void)snprintf(p->operator.hear.text, sizeof p->operator.hear.text, "x");
    p->stream_bytes = UINT64_C(1) << 30;
    must(nats_plan_machine(p, str_c(host), &at) == RC_OK && nats_plan_stores(p, 1) == RC_OK &&
             nats_plan_add(p, STR("a"), 0, &a) == RC_OK,
         "a plan");
    (void)snprintf(a->hear.text, sizeof a->hear.text, "x");
    login_for(&admin, "admin", p->machines[0].client_port, &p->admin);
    login_for(&say, "say.a", p->machines[0].client_port, &a->say);
    write_config(p, folder);
    enum rc rc = nats_server_start(&b->server, folder, 10000, &why);
    must(rc == RC_OK, buf_c(&why));
    must(nats_streams_make(p, &admin, 20000, &why) == RC_OK, "streams");
    struct bus_nats_options o = {.url = str_c(say.url),
                                 .say = {str_c(say.say_user), str_c(say.say.text)},
                                 .timeout_ms = 30000};
    must(bus_nats_open(&o, &b->bus) == RC_OK, "a bus");
    while (!b->is_up)
        step(b);
    buf_done(&why);
}

int main(void)
{
    struct bench b = {0};
    struct nats_plan *p = mem_zero(1, sizeof *p);
    char folder[] = "/tmp/bus_bench_XXXXXX", command[128];
    must(p && mkdtemp(folder), "a folder");
    memset(payload, 'x', sizeof payload);
    start(&b, p, folder);
    run(&b, "append, 16 KB, 64 open, R1", APPENDS, OPEN, append);
    run(&b, "append, 16 KB, 1 open, R1", 1000, 1, append); /* repeats: no disk */
    run(&b, "get, 16 KB, 64 open", GETS, OPEN, get);
    run(&b, "get, 16 KB, 1 open", SINGLE_GETS, 1, get);
    bus_close(b.bus);
    bus_nats_end();
    nats_server_stop(&b.server);
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    must(system(command) == 0, command);
    mem_free(p);
    return 0;
}
