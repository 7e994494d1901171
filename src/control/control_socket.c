/* SPDX-License-Identifier: Apache-2.0 */
#include "control/control_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { WAITING_CLIENTS = 16 };

static enum rc failed(struct buf *why, const char *dir, const char *what)
{
    buf_printf(why, "%s/run: %s: %s", dir, what, strerror(errno));
    return RC_IO;
}

/* sockaddr_un holds 107 bytes; the folder's descriptor makes any path short. */
static struct sockaddr_un address_in(int run)
{
    struct sockaddr_un a = {.sun_family = AF_UNIX};
    (void)snprintf(a.sun_path, sizeof a.sun_path, "/proc/self/fd/%d/control.sock", run);
    return a;
}

static int open_folder(const char *dir, bool makes)
{
    int top = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (top < 0)
        return -1;
    if (makes)
        (void)mkdirat(top, "run", 0700);
    int run = openat(top, "run", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int before = errno;
    close(top);
    errno = before;
    return run;
}

static enum rc own_folder(const char *dir, int run, struct buf *why)
{
    struct stat is;
    if (fstat(run, &is))
        return failed(why, dir, "cannot read its owner");
    if (is.st_uid != geteuid()) {
        buf_printf(why, "%s/run belongs to another user", dir);
        return RC_INVALID;
    }
    return fchmod(run, 0700) ? failed(why, dir, "cannot close it to other users") : RC_OK;
}

static enum rc listen_in(const char *dir, int run, int *ret_fd, struct buf *why)
{
    struct sockaddr_un a = address_in(run);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return failed(why, dir, "cannot make a socket");
    (void)unlinkat(run, "control.sock", 0);
    /* No client can connect between bind and listen, so none sees another mode. */
    if (bind(fd, (const struct sockaddr *)&a, sizeof a) || fchmodat(run, "control.sock", 0600, 0) ||
        listen(fd, WAITING_CLIENTS)) {
        enum rc rc = failed(why, dir, "cannot listen");
        close(fd);
        return rc;
    }
    *ret_fd = fd;
    return RC_OK;
}

enum rc control_listen(const char *dir, int *ret_fd, int *ret_run, struct buf *why)
{
    int run = open_folder(dir, true);
    if (run < 0)
        return failed(why, dir, "cannot open it");
    enum rc rc = own_folder(dir, run, why);
    if (rc == RC_OK)
        rc = listen_in(dir, run, ret_fd, why);
    if (rc)
        close(run);
    else
        *ret_run = run;
    return rc;
}

void control_unlisten(int fd, int run)
{
    (void)unlinkat(run, "control.sock", 0);
    close(run);
    close(fd);
}

bool control_peer_may(int fd, uint64_t *ret_process)
{
    struct ucred peer;
    socklen_t n = sizeof peer;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0)
        return false;
    *ret_process = (uint64_t)peer.pid;
    return peer.uid == geteuid() || peer.uid == 0;
}

/* Explains a failed connect. */
static enum rc no_connection(const char *dir, struct buf *why)
{
    if (errno == EACCES || errno == EPERM) {
        buf_printf(why, "the crawl in %s belongs to another user", dir);
        return RC_LOCKED;
    }
    if (errno == ENOENT || errno == ECONNREFUSED || errno == ENOTDIR) {
        buf_printf(why, "no crawl runs in %s", dir);
        return RC_NOT_FOUND;
    }
    return failed(why, dir, "cannot connect");
}

enum rc control_connect(const char *dir, int *ret_fd, struct buf *why)
{
    int run = open_folder(dir, false);
    if (run < 0)
        return no_connection(dir, why);
    struct sockaddr_un a = address_in(run);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    enum rc rc = RC_OK;
    if (fd < 0)
        rc = failed(why, dir, "cannot make a socket");
    else if (connect(fd, (const struct sockaddr *)&a, sizeof a))
        rc = no_connection(dir, why);
    close(run);
    if (rc == RC_OK)
        *ret_fd = fd;
    else if (fd >= 0)
        close(fd);
    return rc;
}
