/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster/children.h"

#include "cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_ARGS = 256, NOT_STARTED = 127 };

/* In the child: only what is safe between fork and exec. */
static void become(char *const *args, int log_fd, pid_t parent)
{
    sigset_t none;
    int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent || null_fd < 0)
        _exit(NOT_STARTED);
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
    (void)setpgid(0, 0);
    (void)dup2(null_fd, STDIN_FILENO);
    (void)dup2(log_fd, STDOUT_FILENO);
    (void)dup2(log_fd, STDERR_FILENO);
    (void)execv("/proc/self/exe", args);
    _exit(NOT_STARTED);
}

int child_start(struct child *c, const char *const *args, const char *log)
{
    char *all[MOST_ARGS + 2];
    static char name[] = "orbweaver";
    size_t n = 0;
    pid_t parent = getpid();
    all[n++] = name;
    for (; *args && n <= MOST_ARGS; args++)
        all[n++] = (char *)(uintptr_t)*args; /* execv does not change it */
    all[n] = NULL;
    c->pid = 0;
    int fd = log ? open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (fd < 0 || *args)
        return cli_fail(EXIT_DISK, "%s: %s", log ? log : "a log", strerror(*args ? E2BIG : errno));
    pid_t pid = fork();
    if (pid == 0)
        become(all, fd, parent);
    (void)close(fd);
    if (pid < 0)
        return cli_fail(EXIT_OTHER, "cannot start a process: %s", strerror(errno));
    c->pid = pid;
    return EXIT_DONE;
}

static int code_of(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int look(struct child *c, int flags)
{
    int status = 0;
    pid_t got;
    if (!c->pid)
        return 0;
    do
        got = waitpid(c->pid, &status, flags);
    while (got < 0 && errno == EINTR);
    if (got == 0)
        return 0;
    c->pid = 0;
    return got < 0 ? EXIT_OTHER : code_of(status);
}

int child_wait(struct child *c)
{
    return look(c, 0);
}

int child_look(struct child *c)
{
    return look(c, WNOHANG);
}

void child_tell(const struct child *c, int signal_number)
{
    if (c->pid)
        (void)kill(c->pid, signal_number);
}
