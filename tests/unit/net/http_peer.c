/* SPDX-License-Identifier: Apache-2.0 */
#include "http_peer.h"

#include "lib/test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PATIENCE_MS = 10000, TICK_MS = 20, FEW_BYTES = 4096, MANY_BYTES = 1 << 20 };

static int bound(uint32_t address, uint16_t *port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(*port)};
    socklen_t n = sizeof a;
    a.sin_addr.s_addr = htonl(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || bind(fd, (struct sockaddr *)&a, n) ||
        getsockname(fd, (struct sockaddr *)&a, &n)) {
        close(fd);
        return -1;
    }
    *port = ntohs(a.sin_port);
    return fd;
}

/* Waits until there is something to read, in small steps, so that peer_stop() is noticed. */
static bool readable(struct peer *p, int fd)
{
    for (int waited = 0; waited < PATIENCE_MS && !p->stopping; waited += TICK_MS) {
        struct pollfd poller = {.fd = fd, .events = POLLIN};
        if (poll(&poller, 1, TICK_MS) > 0)
            return true;
    }
    return false;
}

static void hang_up(struct peer *p)
{
    if (p->fd >= 0)
        close(p->fd);
    p->fd = -1;
}

static bool take_next(struct peer *p)
{
    hang_up(p);
    p->fd = readable(p, p->listener) ? accept4(p->listener, NULL, NULL, SOCK_CLOEXEC) : -1;
    p->accepted += p->fd >= 0;
    return p->fd >= 0;
}

/* A client sends nothing behind a request before its answer, so it may be read in large pieces. */
static bool read_head(struct peer *p)
{
    char bytes[4 + (1 << 14)] = "";
    ssize_t n;
    while (readable(p, p->fd) && (n = recv(p->fd, bytes + 4, sizeof bytes - 4, 0)) > 0) {
        memmove(bytes, bytes + n, 4); /* the last four, whatever the pieces */
        if (memcmp(bytes, "\r\n\r\n", 4) == 0) {
            p->requests++;
            return true;
        }
    }
    return false;
}

static void send_all(struct peer *p, struct str s)
{
    while (s.n) {
        ssize_t n = send(p->fd, s.p, s.n, MSG_NOSIGNAL);
        if (n <= 0)
            return;
        p->sent_bytes += (uint64_t)n;
        s = str_from(s, (size_t)n);
    }
}

static void drip(struct peer *p, struct str s)
{
    const struct timespec pause = {.tv_nsec = 5000000};
    for (size_t i = 0; i < s.n && !p->stopping; i++) {
        send_all(p, str_first(str_from(s, i), 1));
        nanosleep(&pause, NULL);
    }
}

static void hold(struct peer *p)
{
    char bytes[4096];
    while (readable(p, p->fd) && recv(p->fd, bytes, sizeof bytes, 0) > 0)
        ;
}

static void pause_a_little(void)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    nanosleep(&pause, NULL);
}

static void take_bytes(struct peer *p, int bytes)
{
    setsockopt(p->listener, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

static void end_unread(struct peer *p)
{
    const struct timespec tick = {.tv_nsec = 1000000};
    for (int waited = 0; waited < PATIENCE_MS && !p->may_go_on && !p->stopping; waited++)
        nanosleep(&tick, NULL);
    take_bytes(p, MANY_BYTES);
    shutdown(p->fd, SHUT_WR);
}

static void reset(struct peer *p)
{
    struct linger now = {.l_onoff = 1};
    setsockopt(p->fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
    hang_up(p);
}

/* False ends the list. */
static bool step(struct peer *p, const struct peer_step *s)
{
    switch (s->what) {
    case PEER_ACCEPT:
        return take_next(p);
    case PEER_READ:
        (void)read_head(p);
        return true;
    case PEER_SEND:
        for (unsigned i = 0; i < (s->times ? s->times : 1); i++)
            send_all(p, s->bytes);
        return true;
    case PEER_DRIP:
        drip(p, s->bytes);
        return true;
    case PEER_RESET:
        reset(p);
        return true;
    case PEER_PAUSE:
        pause_a_little();
        return true;
    case PEER_SMALL:
        take_bytes(p, FEW_BYTES);
        return true;
    case PEER_CROSS:
        end_unread(p);
        return true;
    case PEER_HOLD:
        hold(p);
        return true;
    default:
        return false;
    }
}

static void *run(void *ctx)
{
    struct peer *p = ctx;
    for (const struct peer_step *s = p->steps; !p->stopping;) {
        if (s->what == PEER_AGAIN)
            s = p->steps;
        else if (step(p, s))
            s++;
        else
            break;
    }
    hang_up(p);
    return NULL;
}

void peer_start(struct peer *p, const struct peer_step *steps)
{
    *p = (struct peer){.steps = steps, .fd = -1, .listener = -1, .spare = -1};
    for (int i = 0; i < 100 && p->listener < 0; i++) {
        p->port = 0;
        p->spare = bound(INADDR_LOOPBACK, &p->port);
        p->listener = bound(INADDR_LOOPBACK + 1, &p->port);
        if (p->listener < 0)
            close(p->spare);
    }
    assert_true(p->listener >= 0);
    assert_int_equal(listen(p->listener, 64), 0);
    assert_int_equal(pthread_create(&p->thread, NULL, run, p), 0);
}

void peer_stop(struct peer *p)
{
    p->stopping = true;
    pthread_join(p->thread, NULL);
    close(p->listener);
    close(p->spare);
}
