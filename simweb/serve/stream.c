/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/stream.h"

#include "base/mem.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

static enum rc plain_read(struct stream *s, char *to, size_t room, size_t *ret_n)
{
    ssize_t n = recv(s->fd, to, room, 0);
    if (n > 0) {
        *ret_n = (size_t)n;
        return RC_OK;
    }
    if (n == 0)
        return RC_CLOSED;
    return errno == EAGAIN || errno == EINTR ? RC_AGAIN : RC_IO;
}

static enum rc plain_write(struct stream *s, struct str bytes, size_t *ret_n)
{
    ssize_t n = send(s->fd, bytes.p, bytes.n, MSG_NOSIGNAL);
    if (n >= 0) {
        *ret_n = (size_t)n;
        return RC_OK;
    }
    return errno == EAGAIN || errno == EINTR ? RC_AGAIN : RC_IO;
}

static bool plain_wants_write(const struct stream *s)
{
    (void)s;
    return false; /* whoever has bytes to write knows it */
}

static void plain_close(struct stream *s)
{
    (void)close(s->fd);
    mem_free(s);
}

static void plain_reset(struct stream *s)
{
    struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    (void)setsockopt(s->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    plain_close(s);
}

static const struct stream_kind plain_kind = {
    .read = plain_read,
    .write = plain_write,
    .wants_write = plain_wants_write,
    .close = plain_close,
    .reset = plain_reset,
};

struct stream *stream_plain(int fd)
{
    struct stream *s = mem_zero(1, sizeof *s);
    if (!s) {
        (void)close(fd);
        return NULL;
    }
    s->kind = &plain_kind;
    s->fd = fd;
    return s;
}
