/* SPDX-License-Identifier: Apache-2.0 */
#include "sink/link.h"

#include "base/clock.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SLICE_MS = 200, READ_BYTES = 64 << 10 };

struct sink_link {
    int fd;
    struct tls_link *tls;
    const _Atomic bool *stop;
    const char *why;
    struct buf in, out;
    size_t used; /* bytes of `in` whose frames were given */
};

static struct sink_link *link_open(int fd, const _Atomic bool *stop)
{
    struct sink_link *l = mem_zero(1, sizeof *l);
    if (!l)
        return NULL;
    l->fd = fd;
    l->stop = stop;
    l->why = "the connection was closed";
    buf_init(&l->in, SINK_MAX_FRAME_BYTES + READ_BYTES);
    buf_init(&l->out, SINK_MAX_FRAME_BYTES);
    return l;
}

void sink_link_close(struct sink_link *l)
{
    if (!l)
        return;
    tls_link_close(l->tls, true);
    if (l->fd >= 0)
        (void)close(l->fd);
    if (l->in.p)
        explicit_bzero(l->in.p,
                       l->in.cap < SINK_MAX_SMALL_BYTES ? l->in.cap : SINK_MAX_SMALL_BYTES);
    if (l->out.p)
        explicit_bzero(l->out.p,
                       l->out.cap < SINK_MAX_SMALL_BYTES ? l->out.cap : SINK_MAX_SMALL_BYTES);
    buf_done(&l->in);
    buf_done(&l->out);
    mem_free(l);
}

const char *sink_link_why(const struct sink_link *l)
{
    return l->why;
}

/* Waiting ------------------------------------------------------------------------------------- */

/* RC_OK: the socket is ready. RC_AGAIN: stop. RC_CLOSED: the deadline has passed. */
static enum rc wait_for(int fd, short events, uint64_t until_ms, const _Atomic bool *stop)
{
    for (;;) {
        uint64_t now = clock_now_ms(clock_real());
        if (atomic_load(stop))
            return RC_AGAIN;
        if (now >= until_ms)
            return RC_CLOSED;
        struct pollfd p = {.fd = fd, .events = events};
        int ms = until_ms - now < SLICE_MS ? (int)(until_ms - now) : SLICE_MS;
        if (poll(&p, 1, ms) > 0)
            return RC_OK;
    }
}

static enum rc wait_as(struct sink_link *l, enum tls_result r, uint64_t until_ms)
{
    if (r != TLS_WANTS_READ && r != TLS_WANTS_WRITE)
        return RC_CLOSED;
    enum rc rc = wait_for(l->fd, r == TLS_WANTS_READ ? POLLIN : POLLOUT, until_ms, l->stop);
    if (rc == RC_CLOSED)
        l->why = "no answer in time";
    return rc;
}

static uint64_t after(uint64_t ms)
{
    return clock_now_ms(clock_real()) + ms;
}

static enum rc shake(struct sink_link *l)
{
    uint64_t until = after(SINK_LINK_DIAL_MS);
    for (;;) {
        const char *why = NULL;
        enum tls_result r = tls_shake(l->tls, &why);
        if (r == TLS_OK)
            return RC_OK;
        if (why)
            l->why = why;
        enum rc rc = wait_as(l, r, until);
        if (rc)
            return rc;
    }
}

/* Connecting ---------------------------------------------------------------------------------- */

static bool make_ready(int fd)
{
    int one = 1;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    int flags = fcntl(fd, F_GETFL);
    return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

static enum rc connect_to(const struct addrinfo *a, const _Atomic bool *stop, int *ret,
                          struct buf *why)
{
    int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0), error = 0;
    socklen_t n = sizeof error;
    enum rc rc = fd >= 0 && make_ready(fd) ? RC_OK : RC_CLOSED;
    if (rc == RC_OK && connect(fd, a->ai_addr, a->ai_addrlen) && errno != EINPROGRESS)
        rc = RC_CLOSED;
    error = rc ? errno : 0;
    if (rc == RC_OK) {
        rc = wait_for(fd, POLLOUT, after(SINK_LINK_DIAL_MS), stop);
        error = rc == RC_CLOSED ? ETIMEDOUT : 0;
    }
    if (rc == RC_OK && (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &n) || error))
        rc = RC_CLOSED;
    if (rc == RC_OK) {
        *ret = fd;
        return RC_OK;
    }
    if (fd >= 0)
        (void)close(fd);
    buf_clear(why);
    buf_printf(why, "%s", strerror(error));
    return rc;
}

static enum rc dial(const char *host, uint16_t port, const _Atomic bool *stop, int *ret,
                    struct buf *why)
{
    char service[8];
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    struct addrinfo *list = NULL;
    (void)snprintf(service, sizeof service, "%u", port);
    int bad = getaddrinfo(host, service, &hints, &list);
    if (bad) {
        buf_printf(why, "%s", gai_strerror(bad));
        return RC_CLOSED;
    }
    enum rc rc = RC_CLOSED;
    for (const struct addrinfo *a = list; a && rc == RC_CLOSED; a = a->ai_next)
        rc = connect_to(a, stop, ret, why);
    freeaddrinfo(list);
    return rc;
}

enum rc sink_link_dial(struct tls *tls, const char *host, uint16_t port, const _Atomic bool *stop,
                       struct sink_link **ret, struct buf *why)
{
    int fd = -1;
    enum rc rc = dial(host, port, stop, &fd, why);
    if (rc)
        return rc;
    struct sink_link *l = link_open(fd, stop);
    if (!l) {
        (void)close(fd);
        return RC_NOMEM;
    }
    rc = tls_link_open(tls, fd, str_c(host), port, false, &l->tls);
    rc = rc ? rc : shake(l);
    if (rc == RC_OK) {
        *ret = l;
        return RC_OK;
    }
    buf_clear(why);
    buf_printf(why, "TLS: %s", l->why);
    sink_link_close(l);
    return rc;
}

enum rc sink_link_accept(struct tls *tls, int fd, const _Atomic bool *stop, struct sink_link **ret,
                         struct buf *why)
{
    struct sink_link *l = link_open(fd, stop);
    if (!l) {
        (void)close(fd);
        return RC_NOMEM;
    }
    enum rc rc = make_ready(fd) ? RC_OK : RC_IO;
    rc = rc ? rc : tls_link_accept(tls, fd, &l->tls);
    rc = rc ? rc : shake(l);
    if (rc == RC_OK) {
        *ret = l;
        return RC_OK;
    }
    buf_printf(why, "TLS: %s", l->why);
    sink_link_close(l);
    return rc;
}

/* Frames -------------------------------------------------------------------------------------- */

enum rc sink_link_say(struct sink_link *l, const struct sink_frame *f, uint64_t wait_ms)
{
    uint64_t until = after(wait_ms);
    buf_clear(&l->out);
    sink_frame_write(&l->out, f);
    enum rc rc = buf_rc(&l->out);
    struct str rest = buf_str(&l->out);
    while (rc == RC_OK && rest.n) {
        size_t n = 0;
        enum tls_result r = tls_write(l->tls, rest, &n);
        if (r == TLS_OK)
            rest = str_from(rest, n);
        else
            rc = wait_as(l, r, until);
    }
    return rc;
}

static enum rc read_more(struct sink_link *l, uint64_t until)
{
    char *to = buf_reserve(&l->in, READ_BYTES);
    if (!to)
        return buf_rc(&l->in);
    for (;;) {
        size_t n = 0;
        enum tls_result r = tls_read(l->tls, to, READ_BYTES, &n);
        if (r == TLS_OK) {
            l->in.n += n;
            return RC_OK;
        }
        enum rc rc = wait_as(l, r, until);
        if (rc)
            return rc;
    }
}

/* Drops the bytes of frames that were given, and moves the rest to the front. */
static void forget_used(struct sink_link *l)
{
    if (l->used)
        memmove(l->in.p, l->in.p + l->used, l->in.n - l->used);
    l->in.n -= l->used;
    l->used = 0;
}

enum rc sink_link_hear(struct sink_link *l, size_t max_bytes, uint64_t wait_ms,
                       struct sink_frame *ret)
{
    uint64_t until = after(wait_ms);
    forget_used(l);
    for (;;) {
        size_t used;
        enum rc rc = sink_frame_read(buf_str(&l->in), max_bytes, ret, &used);
        if (rc == RC_OK)
            l->used = used;
        if (rc != RC_AGAIN)
            return rc;
        rc = read_more(l, until);
        if (rc)
            return rc;
    }
}
