/* SPDX-License-Identifier: Apache-2.0 */
/* A frame is its length, 4 bytes, and its bytes. */
#include "net/link.h"

#include "base/loop.h"
#include "net/link_context.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { HEAD_BYTES = 4, READ_BYTES = 64 << 10, BACKLOG_CONNECTIONS = 64 };

/* Addresses ------------------------------------------------------------------------------------ */

static bool port_read(struct str text, uint16_t *ret)
{
    unsigned port = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9' || i == 5)
            return false;
        port = port * 10 + (unsigned)(text.p[i] - '0');
    }
    *ret = (uint16_t)port;
    return port > 0 && port <= UINT16_MAX;
}

enum rc link_address_read(struct str text, struct link_address *ret)
{
    size_t colon = text.n;
    while (colon > 0 && text.p[colon - 1] != ':')
        colon--;
    struct link_address a;
    if (colon < 2 || !port_read(str_from(text, colon), &a.port) ||
        address_read(str_first(text, colon - 1), &a.address) != RC_OK ||
        (a.address.is_v6 && text.p[0] != '['))
        return RC_INVALID;
    *ret = a;
    return RC_OK;
}

union any_socket {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t socket_address(const struct link_address *a, union any_socket *ret)
{
    *ret = (union any_socket){0};
    if (a->address.is_v6) {
        ret->v6.sin6_family = AF_INET6;
        ret->v6.sin6_port = htons(a->port);
        memcpy(&ret->v6.sin6_addr, a->address.bytes, 16);
        return sizeof ret->v6;
    }
    ret->v4.sin_family = AF_INET;
    ret->v4.sin_port = htons(a->port);
    memcpy(&ret->v4.sin_addr, a->address.bytes, 4);
    return sizeof ret->v4;
}

static int socket_open(const struct link_address *a)
{
    return socket(a->address.is_v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC,
                  0);
}

enum rc link_listen(const struct link_address *at, int *ret_fd)
{
    union any_socket name;
    socklen_t n = socket_address(at, &name);
    int on = 1, fd = socket_open(at);
    if (fd < 0)
        return RC_IO;
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) || bind(fd, &name.any, n) ||
        listen(fd, BACKLOG_CONNECTIONS)) {
        int kept = errno;
        close(fd);
        errno = kept;
        return RC_IO;
    }
    *ret_fd = fd;
    return RC_OK;
}

/* Moving bytes --------------------------------------------------------------------------------- */

static void go(struct link *l, const char *why)
{
    if (!l->is_gone)
        l->why = why;
    l->is_gone = true;
}

static bool is_end_of_stream(int error, unsigned long reason)
{
    return error == SSL_ERROR_ZERO_RETURN ||
           (error == SSL_ERROR_SSL && ERR_GET_REASON(reason) == SSL_R_UNEXPECTED_EOF_WHILE_READING);
}

/* The end that accepts finds that the proof of the other one does not fit its own secret, or that it has
 * no secret of that name, and says so by an alert. */
static bool is_other_secret(unsigned long reason)
{
    int r = ERR_GET_REASON(reason);
    return r == SSL_R_BINDER_DOES_NOT_VERIFY || r == SSL_R_SSLV3_ALERT_ILLEGAL_PARAMETER ||
           r == SSL_R_TLSV1_ALERT_DECRYPT_ERROR || r == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE;
}

/* A peer that was killed says nothing: its kernel ends the stream, or resets it. */
static const char *why_gone(const struct link *l, int error, int number)
{
    unsigned long reason = ERR_peek_error();
    bool is_closed = is_end_of_stream(error, reason) ||
                     (error == SSL_ERROR_SYSCALL && (number == ECONNRESET || number == EPIPE));
    if (l->is_proven)
        return is_closed || error == SSL_ERROR_SYSCALL ? "the other end has gone"
                                                       : "what came was changed on the way";
    return is_closed ? "the other end closed the connection before the handshake was over"
           : error == SSL_ERROR_SYSCALL ? "it cannot be reached"
           : is_other_secret(reason)    ? "the two ends do not have the same secret"
                                        : "the other end does not speak the protocol of places";
}

/* Understands the result of an SSL call that moved no bytes. False: the link is gone. */
static bool may_go_on(struct link *l, int returned)
{
    int number = errno;
    int error = SSL_get_error(l->tls, returned);
    l->wants_write |= error == SSL_ERROR_WANT_WRITE;
    if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
        return true;
    go(l, why_gone(l, error, number));
    return false;
}

/* Until the handshake is over the other end is not known. */
static bool shake(struct link *l)
{
    if (l->is_proven)
        return true;
    ERR_clear_error();
    int n = SSL_do_handshake(l->tls);
    if (n != 1) {
        (void)may_go_on(l, n);
        return false;
    }
    l->is_proven = link_tls_is_proven(l->tls);
    if (!l->is_proven)
        go(l, "the other end did not prove that it knows the secret");
    return l->is_proven;
}

static void compact(struct buf *b, size_t *at)
{
    if (*at == 0 || (*at < b->n && *at < LINK_BACKLOG_BYTES))
        return;
    memmove(b->p, b->p + *at, b->n - *at);
    b->n -= *at;
    *at = 0;
}

static void send_some(struct link *l)
{
    while (!l->is_gone && l->out_at < l->out.n) {
        size_t n = 0;
        ERR_clear_error();
        int got = SSL_write_ex(l->tls, l->out.p + l->out_at, l->out.n - l->out_at, &n);
        if (got != 1) {
            (void)may_go_on(l, got);
            break;
        }
        l->out_at += n;
    }
    compact(&l->out, &l->out_at);
}

/* How long the frame is whose first bytes are here; 0: not known yet. */
static size_t next_bytes(const struct link *l)
{
    return l->in.n - l->in_at < HEAD_BYTES ? 0 : get_le32(l->in.p + l->in_at);
}

static size_t most_bytes(const struct link *l)
{
    return l->frame_bytes ? l->frame_bytes : LINK_MAX_FRAME_BYTES;
}

bool link_has_frame(const struct link *l)
{
    return next_bytes(l) <= most_bytes(l) && l->in.n - l->in_at >= HEAD_BYTES &&
           l->in.n - l->in_at - HEAD_BYTES >= next_bytes(l);
}

static bool wants_more(const struct link *l)
{
    return !l->is_gone && (!link_has_frame(l) || l->in.n - l->in_at < LINK_BACKLOG_BYTES);
}

static void receive_some(struct link *l)
{
    while (wants_more(l)) {
        size_t n = 0;
        ERR_clear_error();
        char *to = buf_reserve(&l->in, READ_BYTES);
        int got = to ? SSL_read_ex(l->tls, to, READ_BYTES, &n) : 1;
        if (!to)
            go(l, "no memory for what it says");
        if (got != 1) {
            (void)may_go_on(l, got);
            break;
        }
        l->in.n += n;
        l->received += n;
        if (next_bytes(l) > most_bytes(l))
            go(l, "it says more than is allowed at a time");
    }
}

static void move_bytes(struct link *l)
{
    l->wants_write = false;
    if (l->is_gone || !shake(l))
        return;
    send_some(l);
    receive_some(l);
}

/* A link that broke outside the loop calls `happened` from the loop. */
static void watch_again(struct link *l)
{
    unsigned events = (wants_more(l) || l->is_gone ? (unsigned)EPOLLIN : 0) |
                      (l->wants_write || link_backlog(l) || l->is_gone ? (unsigned)EPOLLOUT : 0);
    if (events != l->events && loop_watch(l->loop, &l->watch, events) != RC_OK)
        go(l, "no memory to watch it");
    l->events = events;
}

static void on_ready(struct watch *w, unsigned events)
{
    struct link *l = EVENT_OF(w, struct link, watch);
    /* A full link does not read, so no read would notice that the other end has closed. */
    if (!wants_more(l) && (events & ((unsigned)EPOLLHUP | (unsigned)EPOLLERR)))
        go(l, "the other end has gone");
    move_bytes(l);
    watch_again(l);
    if (l->is_gone)
        loop_unwatch(l->loop, &l->watch);
    l->happened(l);
}

void link_pump(struct link *l)
{
    if (!l->tls || l->is_gone)
        return;
    move_bytes(l);
    watch_again(l);
}

bool link_next(struct link *l, struct str *ret)
{
    if (!link_has_frame(l))
        return false;
    compact(&l->in, &l->in_at);
    size_t n = next_bytes(l);
    *ret = str_make(l->in.p + l->in_at + HEAD_BYTES, n);
    l->in_at += HEAD_BYTES + n;
    return true;
}

void link_put(struct link *l, const struct str *pieces, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += pieces[i].n;
    if (bytes > LINK_MAX_FRAME_BYTES)
        go(l, "too much at a time");
    if (l->is_gone)
        return;
    buf_le32(&l->out, (uint32_t)bytes);
    for (size_t i = 0; i < count; i++)
        buf_add(&l->out, pieces[i]);
    if (buf_rc(&l->out) != RC_OK)
        go(l, "no memory for what it is told");
    if (l->is_gone || link_backlog(l) > LINK_BACKLOG_BYTES)
        link_flush(l);
}

void link_flush(struct link *l)
{
    if (!l->tls)
        return;
    if (l->is_proven && !l->wants_write)
        send_some(l);
    watch_again(l);
}

/* Life ----------------------------------------------------------------------------------------- */

static enum rc begin_link(struct link *l, struct link_context *c, struct loop *loop, int fd,
                          bool accepts)
{
    int on = 1, idle_s = 15, probe_s = 5; /* notices a machine that has gone without closing */
    unsigned silent_ms = 30000;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    (void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle_s, sizeof idle_s);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &probe_s, sizeof probe_s);
    (void)setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &silent_ms, sizeof silent_ms);
    l->context = c;
    l->loop = loop;
    l->watch = (struct watch){.ready = on_ready, .fd = fd};
    l->is_gone = l->is_proven = l->wants_write = false;
    l->why = NULL;
    l->in_at = l->out_at = 0;
    l->received = 0;
    buf_init(&l->in, (size_t)LINK_MAX_FRAME_BYTES + LINK_BACKLOG_BYTES + 2 * READ_BYTES);
    buf_init(&l->out, (size_t)LINK_MAX_FRAME_BYTES + 2 * (size_t)LINK_BACKLOG_BYTES);
    l->name[0] = '\0';
    l->tls = link_context_tls(c, &l->watch.fd, accepts, l->name);
    l->events = (unsigned)EPOLLIN | (unsigned)EPOLLOUT;
    enum rc rc = l->tls ? loop_watch(loop, &l->watch, l->events) : RC_NOMEM;
    if (rc)
        link_close(l);
    return rc;
}

enum rc link_dial(struct link *l, struct link_context *c, struct loop *loop,
                  const struct link_address *to)
{
    union any_socket name;
    socklen_t n = socket_address(to, &name);
    int fd = socket_open(to);
    if (fd < 0)
        return RC_IO;
    if (connect(fd, &name.any, n) && errno != EINPROGRESS) {
        close(fd);
        return RC_IO;
    }
    return begin_link(l, c, loop, fd, false);
}

enum rc link_accept(struct link *l, struct link_context *c, struct loop *loop, int listen_fd)
{
    int fd = accept4(listen_fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return errno == EMFILE || errno == ENFILE ? RC_LIMIT : RC_AGAIN;
    return begin_link(l, c, loop, fd, true);
}

void link_close(struct link *l)
{
    if (!l->context)
        return;
    loop_unwatch(l->loop, &l->watch);
    SSL_free(l->tls);
    ERR_clear_error();
    l->tls = NULL;
    close(l->watch.fd);
    l->watch.fd = -1;
    buf_done(&l->in);
    buf_done(&l->out);
    l->context = NULL;
}

void link_leave(struct link *l)
{
    loop_unwatch(l->loop, &l->watch);
}

enum rc link_enter(struct link *l, struct loop *loop)
{
    l->loop = loop;
    l->events = (unsigned)EPOLLIN | (unsigned)EPOLLOUT;
    return loop_watch(loop, &l->watch, l->events);
}

/* Waits until one of the wanted events is there. False: *left_ms have passed. */
static bool wait_for(struct link *l, short events, int *left_ms)
{
    struct pollfd p = {.fd = l->watch.fd, .events = events};
    int step = *left_ms < 50 ? *left_ms : 50;
    if (step <= 0)
        return false;
    if (poll(&p, 1, step) == 0)
        *left_ms -= step;
    return *left_ms > 0;
}

void link_finish(struct link *l, int most_ms)
{
    if (!l->context)
        return;
    loop_unwatch(l->loop, &l->watch);
    do {
        move_bytes(l);
    } while (!l->is_gone && link_backlog(l) && wait_for(l, POLLIN | POLLOUT, &most_ms));
    if (l->is_gone || link_backlog(l))
        return;
    ERR_clear_error();
    (void)SSL_shutdown(l->tls);
    (void)shutdown(l->watch.fd, SHUT_WR);
    /* Reads and drops what the other end still sends: if a socket is closed with unread bytes, the
     * kernel resets the connection, and sent bytes may be lost. */
    char sink[4096];
    while (wait_for(l, POLLIN, &most_ms)) {
        ssize_t n = recv(l->watch.fd, sink, sizeof sink, 0);
        if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
            return;
    }
}
