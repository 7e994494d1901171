/* SPDX-License-Identifier: Apache-2.0 */
#include "net/conn.h"

#include "base/hash.h"
#include "base/mem.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

uint64_t conn_key(bool is_https, struct str host, uint16_t port)
{
    return hash64_seeded(host, (uint64_t)port << 1 | is_https);
}

bool conn_is_to(const struct conn *c, bool is_https, struct str host, uint16_t port)
{
    return c->is_https == is_https && c->port == port && str_eq(str_make(c->host, c->host_n), host);
}

struct conn *conn_open(struct loop *loop, bool is_https, struct str host, uint16_t port)
{
    struct conn *c = mem_zero(1, sizeof *c + host.n);
    if (!c)
        return NULL;
    c->loop = loop;
    c->watch.fd = -1;
    c->is_https = is_https;
    c->port = port;
    c->key = conn_key(is_https, host, port);
    c->host_n = host.n;
    memcpy(c->host, host.p, host.n);
    return c;
}

/* close() takes the descriptor out of epoll as well, so the loop need only forget it. */
static void hang_up(struct conn *c)
{
    h2_close(c->h2);
    c->h2 = NULL;
    tls_link_close(c->link, !c->is_broken);
    c->link = NULL;
    loop_unwatch(c->loop, &c->watch);
    if (c->watch.fd >= 0)
        close(c->watch.fd);
    c->watch.fd = -1;
    c->events = 0;
}

void conn_close(struct conn *c)
{
    if (!c)
        return;
    hang_up(c);
    mem_free(c);
}

bool conn_wait(struct conn *c, unsigned events)
{
    if (c->watch.on && c->events == events)
        return true;
    if (loop_watch(c->loop, &c->watch, events) != RC_OK)
        return false;
    c->events = events;
    return true;
}

static enum conn_io waits(struct conn *c, unsigned events)
{
    return conn_wait(c, events) ? CONN_WAITS : CONN_FAILED;
}

/* The texts of errno that are worth telling apart; constants, unlike strerror()'s. */
static const char *dial_text(int error)
{
    switch (error) {
    case ECONNREFUSED:
        return "connection refused";
    case ETIMEDOUT:
        return "connection timed out";
    case EHOSTUNREACH:
        return "no route to the host";
    case ENETUNREACH:
        return "network unreachable";
    case EADDRNOTAVAIL:
        return "no free port of our own";
    case ECONNRESET:
        return "connection reset";
    default:
        return "cannot connect";
    }
}

union endpoint {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t endpoint_of(const struct address *a, uint16_t port, union endpoint *ret)
{
    *ret = (union endpoint){0};
    if (a->is_v6) {
        ret->v6.sin6_family = AF_INET6;
        ret->v6.sin6_port = htons(port);
        memcpy(&ret->v6.sin6_addr, a->bytes, 16);
        return sizeof ret->v6;
    }
    ret->v4.sin_family = AF_INET;
    ret->v4.sin_port = htons(port);
    memcpy(&ret->v4.sin_addr, a->bytes, 4);
    return sizeof ret->v4;
}

static bool is_endpoint(const union endpoint *e, const struct address *a)
{
    if (a->is_v6)
        return e->any.sa_family == AF_INET6 && memcmp(&e->v6.sin6_addr, a->bytes, 16) == 0;
    return e->any.sa_family == AF_INET && memcmp(&e->v4.sin_addr, a->bytes, 4) == 0;
}

enum conn_io conn_dial(struct conn *c, const struct address *to, const char **ret_why)
{
    hang_up(c);
    c->peer = *to;
    c->watch.fd =
        socket(to->is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->watch.fd < 0) {
        *ret_why = errno == EAFNOSUPPORT ? "no IPv6 here" : "no descriptor";
        return errno == EAFNOSUPPORT ? CONN_BROKE : CONN_FAILED;
    }
    union endpoint e;
    socklen_t bytes = endpoint_of(to, c->port, &e);
    if (connect(c->watch.fd, &e.any, bytes) && errno != EINPROGRESS) {
        *ret_why = dial_text(errno);
        return CONN_BROKE;
    }
    return waits(c, EPOLLOUT);
}

enum conn_io conn_dialled(struct conn *c, const char **ret_why)
{
    union endpoint e = {0};
    socklen_t bytes = sizeof e;
    if (getpeername(c->watch.fd, &e.any, &bytes)) {
        int error = 0;
        bytes = sizeof error;
        if (getsockopt(c->watch.fd, SOL_SOCKET, SO_ERROR, &error, &bytes))
            error = errno;
        *ret_why = dial_text(error);
        return CONN_BROKE;
    }
    if (!is_endpoint(&e, &c->peer)) {
        *ret_why = "connected to another address";
        return CONN_BROKE;
    }
    /* The request follows the handshake's last flight: it must not wait for that one's ACK. */
    int on = 1;
    if (c->is_https && setsockopt(c->watch.fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on))
        on = 0;
    return CONN_DONE;
}

static enum conn_io after_tls(struct conn *c, enum tls_result r)
{
    switch (r) {
    case TLS_OK:
        return CONN_DONE;
    case TLS_WANTS_READ:
        return waits(c, EPOLLIN);
    case TLS_WANTS_WRITE:
        return waits(c, EPOLLIN | EPOLLOUT);
    case TLS_ENDED:
        return CONN_ENDED;
    default:
        c->is_broken = true;
        return r == TLS_CUT ? CONN_BROKE : CONN_REFUSED;
    }
}

enum conn_io conn_shake(struct conn *c, struct tls *tls, const char **ret_why)
{
    struct str host = str_make(c->host, c->host_n);
    if (!c->link &&
        tls_link_open(tls, c->watch.fd, host, c->port, c->offers_h2, &c->link) != RC_OK) {
        *ret_why = "no TLS for this name";
        return CONN_FAILED;
    }
    enum conn_io io = after_tls(c, tls_shake(c->link, ret_why));
    if (io == CONN_DONE)
        c->is_unverified = tls_is_unverified(c->link);
    return io;
}

bool conn_agree(struct conn *c, const struct h2_limits *limits)
{
    if (!tls_is_h2(c->link))
        return true;
    c->h2 = h2_open(limits);
    return c->h2 != NULL;
}

bool conn_ask(struct conn *c, struct str request)
{
    return !c->h2 || h2_ask(c->h2, request) != H2_NOMEM;
}

/* Writes what HTTP/2 has to say; CONN_DONE when all is written. */
static enum conn_io h2_flush(struct conn *c)
{
    struct str left;
    while ((left = h2_pending(c->h2)).n) {
        size_t n = 0;
        enum conn_io io = after_tls(c, tls_write(c->link, left, &n));
        h2_wrote(c->h2, n);
        if (io != CONN_DONE)
            return io;
    }
    return CONN_DONE;
}

/* The request is in HTTP/2's hands already, and counts as written when that has said it. */
static enum conn_io h2_write(struct conn *c, struct str request, size_t *ret_n)
{
    enum conn_io io = h2_flush(c);
    *ret_n = io == CONN_DONE ? request.n : 0;
    return io;
}

/* No text is left and none will come. */
static enum conn_io h2_over(struct conn *c)
{
    enum h2_state state = h2_state(c->h2);
    if (state == H2_ENDED) {
        enum conn_io io = h2_flush(c); /* what it still owes; broken or not, the answer is whole */
        return io == CONN_FAILED ? io : CONN_ENDED;
    }
    c->is_broken = true;
    if (state == H2_NOMEM)
        return CONN_FAILED;
    bool within = state == H2_ASKED || (state == H2_RESET && h2_has_head(c->h2));
    return within ? CONN_BROKE : CONN_REFUSED;
}

/* Reads until there is text. Frames without any are few (h2.h). What HTTP/2 owes is written when
 * there is nothing to read, so that many acknowledgements are one write. */
static enum conn_io h2_read(struct conn *c, char *to, size_t room, size_t *ret_n)
{
    char bytes[H2_TAKE_BYTES];
    *ret_n = h2_give(c->h2, to, room);
    while (*ret_n == 0 && h2_state(c->h2) == H2_ASKED) {
        size_t n;
        enum conn_io io = after_tls(c, tls_read(c->link, bytes, sizeof bytes, &n));
        if (io == CONN_FAILED)
            return io;
        if (io == CONN_WAITS)
            return h2_flush(c) == CONN_FAILED ? CONN_FAILED : CONN_WAITS;
        if (io != CONN_DONE) {
            (void)h2_end(c->h2);
            break;
        }
        (void)h2_take(c->h2, str_make(bytes, n), to, room, ret_n);
    }
    return *ret_n ? CONN_DONE : h2_over(c);
}

static bool h2_is_quiet(struct conn *c)
{
    char bytes[H2_TAKE_BYTES];
    enum conn_io io = CONN_DONE;
    while (io == CONN_DONE && h2_may_ask(c->h2)) {
        size_t n, text;
        io = after_tls(c, tls_read(c->link, bytes, sizeof bytes, &n));
        if (io == CONN_DONE)
            (void)h2_take(c->h2, str_make(bytes, n), NULL, 0, &text);
    }
    if (io != CONN_WAITS)
        return false;
    io = h2_flush(c);
    return io == CONN_DONE || io == CONN_WAITS;
}

enum conn_io conn_read(struct conn *c, char *to, size_t room, size_t *ret_n)
{
    if (c->h2)
        return h2_read(c, to, room, ret_n);
    if (c->link)
        return after_tls(c, tls_read(c->link, to, room, ret_n));
    ssize_t n = recv(c->watch.fd, to, room, 0);
    *ret_n = n > 0 ? (size_t)n : 0;
    if (n > 0)
        return CONN_DONE;
    if (n == 0)
        return CONN_ENDED;
    return errno == EAGAIN || errno == EINTR ? waits(c, EPOLLIN) : CONN_BROKE;
}

enum conn_io conn_write(struct conn *c, struct str bytes, size_t *ret_n)
{
    if (c->h2)
        return h2_write(c, bytes, ret_n);
    if (c->link)
        return after_tls(c, tls_write(c->link, bytes, ret_n));
    ssize_t n = send(c->watch.fd, bytes.p, bytes.n, MSG_NOSIGNAL);
    *ret_n = n > 0 ? (size_t)n : 0;
    if (n >= 0)
        return CONN_DONE;
    return errno == EAGAIN || errno == EINTR ? waits(c, EPOLLIN | EPOLLOUT) : CONN_BROKE;
}

/* A reset came. TLS says of a FIN without close_notify what it says of a reset; the kernel tells
 * them apart. */
static bool is_reset(const struct conn *c)
{
    struct tcp_info info;
    socklen_t n = sizeof info;
    return getsockopt(c->watch.fd, IPPROTO_TCP, TCP_INFO, &info, &n) != 0 ||
           info.tcpi_state == TCP_CLOSE;
}

bool conn_is_unseen(const struct conn *c, enum conn_io end)
{
    int unacknowledged = 0;
    return ioctl(c->watch.fd, SIOCOUTQ, &unacknowledged) == 0 && unacknowledged > 0 &&
           (end == CONN_ENDED || !is_reset(c));
}

void conn_leave(struct conn *c)
{
    if (!c->h2)
        return;
    h2_leave(c->h2);
    if (h2_flush(c) == CONN_FAILED)
        c->is_broken = true;
}

bool conn_is_quiet(struct conn *c)
{
    char byte;
    size_t n;
    return c->h2 ? h2_is_quiet(c) : conn_read(c, &byte, 1, &n) == CONN_WAITS;
}
