/* SPDX-License-Identifier: Apache-2.0 */
/* A nats-server as a child: it is there when start says so, and it ends with us. */
#include "provision/nats_server.h"

#include "lib/test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WAIT_MS = 30000, STEP_MS = 20 };

struct bench {
    char folder[64];
    uint16_t port;
    int holder; /* a socket that has the port, -1: none */
};

static bool has_server(void)
{
    return access("/usr/sbin/nats-server", X_OK) == 0 || access("/usr/bin/nats-server", X_OK) == 0;
}

static void pause_step(void)
{
    struct timespec t = {.tv_nsec = STEP_MS * 1000000L};
    (void)nanosleep(&t, NULL);
}

static void bench_open(struct bench *p, bool holds, const char *config)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof at;
    char path[128];
    if (!has_server()) {
        print_message("# skipped: nats-server (absent)\n");
        skip();
    }
    (void)snprintf(p->folder, sizeof p->folder, "/tmp/nats_server_XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    p->holder = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(p->holder, (struct sockaddr *)&at, size), 0);
    assert_int_equal(listen(p->holder, 1), 0);
    assert_int_equal(getsockname(p->holder, (struct sockaddr *)&at, &size), 0);
    p->port = ntohs(at.sin_port);
    if (!holds) {
        (void)close(p->holder);
        p->holder = -1;
    }
    (void)snprintf(path, sizeof path, "%s/nats-server.conf", p->folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    (void)fprintf(f, "listen: \"127.0.0.1:%u\"\npid_file: \"nats-server.pid\"\n%s", p->port,
                  config);
    assert_int_equal(fclose(f), 0);
}

static void bench_close(struct bench *p)
{
    static const char *const names[] = {"nats-server.conf", "nats-server.log", "nats-server.pid"};
    char path[128];
    if (p->holder >= 0)
        (void)close(p->holder);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", p->folder, names[i]);
        (void)unlink(path);
    }
    assert_int_equal(rmdir(p->folder), 0);
}

static bool is_gone(pid_t pid)
{
    return kill(pid, 0) != 0 && errno == ESRCH;
}

static void it_is_there_and_ends(void **state)
{
    struct bench p;
    struct nats_server s = {0};
    struct buf why = {.max = 4096};
    (void)state;
    bench_open(&p, false, "");
    assert_rc(nats_server_start(&s, p.folder, WAIT_MS, &why), RC_OK);
    pid_t pid = s.pid;
    assert_true(pid > 1 && nats_server_runs(&s));
    nats_server_stop(&s);
    assert_int_equal(s.pid, 0);
    assert_true(is_gone(pid));
    nats_server_stop(&s);
    bench_close(&p);
    buf_done(&why);
}

static void what_it_refuses_is_said(void **state)
{
    struct bench taken, wrong;
    struct nats_server s = {0};
    struct buf why = {.max = 4096};
    (void)state;
    bench_open(&taken, true, "");
    assert_rc(nats_server_start(&s, taken.folder, WAIT_MS, &why), RC_CLOSED);
    assert_int_equal(s.pid, 0);
    assert_true(why.n > 0);
    bench_close(&taken);
    bench_open(&wrong, false, "accounts {");
    assert_rc(nats_server_start(&s, wrong.folder, WAIT_MS, &why), RC_CLOSED);
    bench_close(&wrong);
    assert_rc(nats_server_start(&s, "/nowhere/at/all", WAIT_MS, &why), RC_NOT_FOUND);
    buf_done(&why);
}

/* In a child: starts the server, tells its id, and dies without a word. */
static void start_and_die(const struct bench *p, int to)
{
    struct nats_server s = {0};
    struct buf why = {.max = 4096};
    if (nats_server_start(&s, p->folder, WAIT_MS, &why) != RC_OK)
        _exit(1);
    (void)!write(to, &s.pid, sizeof s.pid);
    (void)kill(getpid(), SIGKILL);
    _exit(1);
}

static void it_dies_with_its_parent(void **state)
{
    struct bench p;
    int ends[2], status;
    pid_t server = 0;
    (void)state;
    bench_open(&p, false, "");
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    pid_t parent = fork();
    if (parent == 0)
        start_and_die(&p, ends[1]);
    (void)close(ends[1]);
    assert_int_equal(read(ends[0], &server, sizeof server), sizeof server);
    (void)close(ends[0]);
    assert_int_equal(waitpid(parent, &status, 0), parent);
    /* Without a process that waits for orphans it stays as a zombie, but its port is free. */
    bool ended = false;
    for (int i = 0; i < WAIT_MS / STEP_MS && !ended; i++) {
        struct sockaddr_in at = {.sin_family = AF_INET,
                                 .sin_port = htons(p.port),
                                 .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        ended = is_gone(server) || connect(fd, (struct sockaddr *)&at, sizeof at) != 0;
        (void)close(fd);
        pause_step();
    }
    assert_true(ended);
    for (int i = 0; i < 50; i++) /* its last word in the folder */
        pause_step();
    bench_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_there_and_ends),
        cmocka_unit_test(what_it_refuses_is_said),
        cmocka_unit_test(it_dies_with_its_parent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
