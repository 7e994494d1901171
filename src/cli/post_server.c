/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/post_server.h"

#include "base/clock.h"
#include "cluster/post_config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEP_MS = 20, STOP_MS = 10000, NO_PROGRAM = 127 };

static const char log_name[] = "nats-server.log";

static void pause_ms(long ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    (void)nanosleep(&t, NULL);
}

/* In the child: nothing but what is safe between fork and exec. Debian has it in /usr/sbin. */
static void become(int folder, int log_fd, pid_t parent)
{
    static char program[] = "nats-server", flag[] = "-c", config[] = POST_FILE_CONFIG;
    static const char *const paths[] = {"/usr/sbin/nats-server", "/usr/bin/nats-server",
                                        "/usr/local/bin/nats-server",
                                        "/usr/local/sbin/nats-server"};
    char *const args[] = {program, flag, config, NULL};
    sigset_t none;
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent || fchdir(folder))
        _exit(NO_PROGRAM);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0); /* ^C is the parent's to understand */
    (void)dup2(log_fd, STDOUT_FILENO);
    (void)dup2(log_fd, STDERR_FILENO);
    (void)umask(077);
    (void)execvp(program, args);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        (void)execv(paths[i], args);
    _exit(NO_PROGRAM);
}

static bool accepts(uint16_t port)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool good = fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0;
    if (fd >= 0)
        (void)close(fd);
    return good;
}

bool post_server_runs(struct post_server *s)
{
    int status;
    if (s->pid && waitpid(s->pid, &status, WNOHANG) == s->pid)
        s->pid = 0;
    return s->pid != 0;
}

/* The port alone is no proof, it may be another's: the child must still be there behind it. */
static enum rc wait_ready(struct post_server *s, const char *folder, uint16_t port,
                          uint64_t wait_ms, struct buf *why)
{
    uint64_t end_ms = clock_now_ms(clock_real()) + wait_ms;
    int status = 0;
    while (clock_now_ms(clock_real()) < end_ms) {
        bool is_there = accepts(port);
        pause_ms(STEP_MS);
        if (waitpid(s->pid, &status, WNOHANG) == s->pid) {
            s->pid = 0;
            if (WIFEXITED(status) && WEXITSTATUS(status) == NO_PROGRAM) {
                buf_add(why, STR("nats-server is not there; Debian's package is nats-server"));
                return RC_NOT_FOUND;
            }
            buf_printf(why, "nats-server ended at once; %s/%s says why", folder, log_name);
            return RC_CLOSED;
        }
        if (is_there)
            return RC_OK;
    }
    post_server_stop(s);
    buf_printf(why, "nats-server does not accept on 127.0.0.1:%u; see %s/%s", port, folder,
               log_name);
    return RC_AGAIN;
}

enum rc post_server_start(struct post_server *s, const char *folder, uint16_t port,
                          uint64_t wait_ms, struct buf *why)
{
    int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int out = dir < 0 ? -1
                      : openat(dir, log_name,
                               O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (out < 0) {
        buf_printf(why, "%s: %s", folder, strerror(errno));
        if (dir >= 0)
            (void)close(dir);
        return dir < 0 ? RC_NOT_FOUND : RC_IO;
    }
    pid_t parent = getpid(), pid = fork();
    if (pid == 0)
        become(dir, out, parent);
    (void)close(out);
    (void)close(dir);
    if (pid < 0) {
        buf_printf(why, "no process could be started: %s", strerror(errno));
        return RC_IO;
    }
    s->pid = pid;
    return wait_ready(s, folder, port, wait_ms, why);
}

void post_server_stop(struct post_server *s)
{
    if (!post_server_runs(s))
        return;
    (void)kill(s->pid, SIGTERM);
    for (int i = 0; i < STOP_MS / STEP_MS && post_server_runs(s); i++)
        pause_ms(STEP_MS);
    if (!s->pid)
        return;
    (void)kill(s->pid, SIGKILL);
    (void)waitpid(s->pid, NULL, 0);
    s->pid = 0;
}
