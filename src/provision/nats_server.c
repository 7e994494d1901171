/* SPDX-License-Identifier: Apache-2.0 */
#include "provision/nats_server.h"

#include "base/clock.h"
#include "provision/nats_config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
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

/* In the child: only what is safe between fork and exec. Debian installs it in /usr/sbin. */
static void become(int folder, int log_fd, pid_t parent)
{
    static char program[] = "nats-server", flag[] = "-c", config[] = NATS_FILE_CONFIG;
    static char ports[] = "--ports_file_dir", here[] = ".";
    static const char *const paths[] = {"/usr/sbin/nats-server", "/usr/bin/nats-server",
                                        "/usr/local/bin/nats-server",
                                        "/usr/local/sbin/nats-server"};
    char *const args[] = {program, flag, config, ports, here, NULL};
    sigset_t none;
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent || fchdir(folder))
        _exit(NO_PROGRAM);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0); /* the parent handles ^C */
    (void)dup2(log_fd, STDOUT_FILENO);
    (void)dup2(log_fd, STDERR_FILENO);
    (void)umask(077);
    (void)execvp(program, args);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        (void)execv(paths[i], args);
    _exit(NO_PROGRAM);
}

/* The server writes this file when its ports are open. Its process id is in the name, because a
 * port that answers may be another server's. */
static void ready_file(char *ret, size_t bytes, const char *folder, pid_t pid)
{
    (void)snprintf(ret, bytes, "%s/nats-server_%d.ports", folder, (int)pid);
}

bool nats_server_runs(struct nats_server *s)
{
    int status;
    if (s->pid && waitpid(s->pid, &status, WNOHANG) == s->pid)
        s->pid = 0;
    return s->pid != 0;
}

static enum rc wait_ready(struct nats_server *s, const char *folder, uint64_t wait_ms,
                          struct buf *why)
{
    uint64_t end_ms = clock_now_ms(clock_real()) + wait_ms;
    char path[PATH_MAX];
    int status = 0;
    ready_file(path, sizeof path, folder, s->pid);
    while (clock_now_ms(clock_real()) < end_ms) {
        if (access(path, F_OK) == 0) {
            (void)unlink(path);
            return RC_OK;
        }
        pause_ms(STEP_MS);
        if (waitpid(s->pid, &status, WNOHANG) != s->pid)
            continue;
        s->pid = 0;
        if (WIFEXITED(status) && WEXITSTATUS(status) == NO_PROGRAM) {
            buf_add(why, STR("cannot find nats-server; Debian's package is nats-server"));
            return RC_NOT_FOUND;
        }
        buf_printf(why, "nats-server ended at once; see %s/%s", folder, log_name);
        return RC_CLOSED;
    }
    nats_server_stop(s);
    buf_printf(why, "nats-server does not get ready; see %s/%s", folder, log_name);
    return RC_AGAIN;
}

enum rc nats_server_start(struct nats_server *s, const char *folder, uint64_t wait_ms,
                          struct buf *why)
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
        buf_printf(why, "cannot start a process: %s", strerror(errno));
        return RC_IO;
    }
    s->pid = pid;
    return wait_ready(s, folder, wait_ms, why);
}

void nats_server_stop(struct nats_server *s)
{
    if (!nats_server_runs(s))
        return;
    (void)kill(s->pid, SIGTERM);
    for (int i = 0; i < STOP_MS / STEP_MS && nats_server_runs(s); i++)
        pause_ms(STEP_MS);
    if (!s->pid)
        return;
    (void)kill(s->pid, SIGKILL);
    (void)waitpid(s->pid, NULL, 0);
    s->pid = 0;
}
