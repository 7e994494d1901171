/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/dns_port.h"

#include "serve/listen.h"
#include "wire/dns_message.h"

#include "base/list.h"
#include "base/mem.h"

#include <errno.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    DATAGRAMS_A_TURN = 64,
    PORT_TRIES = 32,
    WAITING_BYTES = 4 << 20,
    ROOM_BYTES = 2 + DNS_MAX_BYTES,
    IN_BYTES = 2 * ROOM_BYTES
};

/* A datagram that goes out later. */
struct later {
    struct timer timer; /* the first member */
    struct dns_port *port;
    struct list_node node;
    struct sockaddr_in to;
    struct buf bytes;
};

/* A client over TCP: one question at a time, the next waits until its answer is out. */
struct client {
    struct timer timer; /* the first member */
    struct watch watch;
    struct dns_port *port;
    struct list_node node;
    int fd;
    struct buf in;
    struct buf out;
    size_t out_at;
    bool is_delayed; /* the answer stands in `out` and waits for the timer */
    bool is_mute;    /* its question is never answered */
    bool is_over;
};

struct dns_port {
    struct poller *loop;
    struct names *names;
    int udp, tcp;
    uint16_t number;
    struct watch udp_watch, tcp_watch;
    struct list laters;
    uint32_t later_count;
    struct list clients;
    uint32_t client_count;
    struct buf answer;
    char *room; /* ROOM_BYTES */
};

static uint64_t now_ms(void)
{
    return poller_now_us() / 1000;
}

/* UDP --------------------------------------------------------------------------------------- */

/* A full socket drops it, as networks do. */
static void send_datagram(const struct dns_port *p, struct str bytes, const struct sockaddr_in *to)
{
    if (sendto(p->udp, bytes.p, bytes.n, MSG_NOSIGNAL, (const struct sockaddr *)to, sizeof *to) < 0)
        errno = 0;
}

static void later_free(struct later *l)
{
    struct dns_port *p = l->port;
    poller_timer_stop(p->loop, &l->timer);
    list_remove(&p->laters, &l->node);
    p->later_count--;
    buf_done(&l->bytes);
    mem_free(l);
}

static void on_later(struct timer *t)
{
    struct later *l = (struct later *)t;
    send_datagram(l->port, buf_str(&l->bytes), &l->to);
    later_free(l);
}

static void send_later(struct dns_port *p, const struct sockaddr_in *to, uint64_t delay_ms)
{
    struct later *l = p->later_count < DNS_PORT_MAX_LATER ? mem_zero(1, sizeof *l) : NULL;
    if (!l)
        return;
    l->port = p;
    l->to = *to;
    l->timer.due = on_later;
    buf_init(&l->bytes, DNS_MAX_BYTES);
    buf_add(&l->bytes, buf_str(&p->answer));
    list_add_first(&p->laters, &l->node);
    p->later_count++;
    if (buf_rc(&l->bytes) != RC_OK ||
        poller_timer(p->loop, &l->timer, now_ms() + delay_ms) != RC_OK)
        later_free(l);
}

static void on_datagram(struct watch *w, uint32_t events)
{
    struct dns_port *p = (struct dns_port *)((char *)w - offsetof(struct dns_port, udp_watch));
    (void)events;
    for (int i = 0; i < DATAGRAMS_A_TURN; i++) {
        struct sockaddr_in from;
        socklen_t n_from = sizeof from;
        ssize_t n = recvfrom(p->udp, p->room, ROOM_BYTES, 0, (struct sockaddr *)&from, &n_from);
        if (n < 0)
            return;
        buf_clear(&p->answer);
        struct str question = str_make(p->room, (size_t)n);
        uint64_t delay_ms = names_answer(p->names, question, false, &p->answer);
        if (delay_ms == NAMES_NEVER || buf_rc(&p->answer) != RC_OK)
            continue;
        if (delay_ms)
            send_later(p, &from, delay_ms);
        else
            send_datagram(p, buf_str(&p->answer), &from);
    }
}

/* TCP --------------------------------------------------------------------------------------- */

static void client_free(struct client *c)
{
    struct dns_port *p = c->port;
    poller_timer_stop(p->loop, &c->timer);
    (void)close(c->fd);
    list_remove(&p->clients, &c->node);
    p->client_count--;
    buf_done(&c->in);
    buf_done(&c->out);
    mem_free(c);
}

/* Reading only while nothing is to be said, so that a client cannot pile up questions. */
static void client_wait(struct client *c)
{
    bool writes = c->out.n && !c->is_delayed;
    bool reads = !c->out.n && !c->is_mute;
    uint32_t events =
        EPOLLRDHUP | (writes ? (uint32_t)EPOLLOUT : 0) | (reads ? (uint32_t)EPOLLIN : 0);
    if (poller_change(c->port->loop, c->fd, events, &c->watch) != RC_OK ||
        (!c->is_delayed && poller_timer(c->port->loop, &c->timer, now_ms() + DNS_PORT_IDLE_MS)))
        c->is_over = true;
}

static void client_write(struct client *c)
{
    while (c->out_at < c->out.n) {
        ssize_t n = send(c->fd, c->out.p + c->out_at, c->out.n - c->out_at, MSG_NOSIGNAL);
        if (n < 0) {
            c->is_over = errno != EAGAIN && errno != EINTR;
            return;
        }
        c->out_at += (size_t)n;
    }
    buf_clear(&c->out);
    c->out_at = 0;
}

/* The answer behind its length (RFC 1035 4.2.2). */
static void client_answer(struct client *c, struct str question)
{
    buf_add(&c->out, STR("\0\0"));
    uint64_t delay_ms = names_answer(c->port->names, question, true, &c->out);
    size_t n = c->out.n - 2;
    if (buf_rc(&c->out) != RC_OK) {
        c->is_over = true;
    } else if (delay_ms == NAMES_NEVER) {
        buf_clear(&c->out);
        c->is_mute = true;
    } else {
        c->out.p[0] = (char)(n >> 8);
        c->out.p[1] = (char)(n & 255);
        c->is_delayed = delay_ms > 0;
        if (delay_ms && poller_timer(c->port->loop, &c->timer, now_ms() + delay_ms) != RC_OK)
            c->is_over = true;
    }
}

/* Questions that have come whole. */
static void client_serve(struct client *c)
{
    while (!c->is_over && !c->is_mute && !c->out.n && c->in.n >= 2) {
        struct str all = buf_str(&c->in);
        size_t n = (size_t)(unsigned char)all.p[0] << 8 | (unsigned char)all.p[1];
        if (all.n < 2 + n)
            return;
        client_answer(c, str_make(all.p + 2, n));
        memmove(c->in.p, c->in.p + 2 + n, c->in.n - 2 - n);
        c->in.n -= 2 + n;
        if (!c->is_delayed && !c->is_over)
            client_write(c);
    }
}

static void client_read(struct client *c)
{
    ssize_t n = recv(c->fd, c->port->room, ROOM_BYTES, 0);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        c->is_over = true;
    if (n <= 0)
        return;
    buf_add(&c->in, str_make(c->port->room, (size_t)n));
    if (buf_rc(&c->in) != RC_OK)
        c->is_over = true;
}

static void client_go_on(struct client *c, uint32_t events)
{
    if ((events & EPOLLIN) && !(events & (EPOLLHUP | EPOLLERR)))
        client_read(c);
    else if (events & (EPOLLHUP | EPOLLERR | EPOLLRDHUP))
        c->is_over = true;
    if (!c->is_over && c->out.n && !c->is_delayed)
        client_write(c);
    client_serve(c);
    if (!c->is_over)
        client_wait(c);
    if (c->is_over)
        client_free(c);
}

static void on_client(struct watch *w, uint32_t events)
{
    client_go_on((struct client *)((char *)w - offsetof(struct client, watch)), events);
}

static void on_client_time(struct timer *t)
{
    struct client *c = (struct client *)t;
    if (!c->is_delayed) {
        client_free(c);
        return;
    }
    c->is_delayed = false;
    client_go_on(c, 0);
}

static void client_take(struct dns_port *p, int fd)
{
    struct client *c = p->client_count < DNS_PORT_MAX_CLIENTS ? mem_zero(1, sizeof *c) : NULL;
    if (!c) {
        (void)close(fd);
        return;
    }
    c->port = p;
    c->fd = fd;
    c->watch.ready = on_client;
    c->timer.due = on_client_time;
    buf_init(&c->in, IN_BYTES);
    buf_init(&c->out, ROOM_BYTES);
    list_add_first(&p->clients, &c->node);
    p->client_count++;
    if (poller_watch(p->loop, fd, EPOLLIN | EPOLLRDHUP, &c->watch) != RC_OK ||
        poller_timer(p->loop, &c->timer, now_ms() + DNS_PORT_IDLE_MS) != RC_OK)
        client_free(c);
}

static void on_connect(struct watch *w, uint32_t events)
{
    struct dns_port *p = (struct dns_port *)((char *)w - offsetof(struct dns_port, tcp_watch));
    (void)events;
    int fd = accept4(p->tcp, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0)
        client_take(p, fd);
}

/* One thread serves pages, too: questions that come while it makes a certificate have to wait, and
 * the kernel would drop those beyond a few hundred. If it does not allow more, it does. */
static void hold_many(int udp)
{
    int bytes = WAITING_BYTES;
    (void)setsockopt(udp, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

/* Opening ----------------------------------------------------------------------------------- */

/* A port that is free for UDP may be taken for TCP; then another, if any will do. */
static bool open_sockets(struct dns_port *p, uint64_t wanted)
{
    for (int i = 0; i < (wanted ? 1 : PORT_TRIES); i++) {
        uint16_t again;
        p->udp = loopback_socket(SOCK_DGRAM, wanted, &p->number);
        p->tcp = p->udp < 0 ? -1 : loopback_socket(SOCK_STREAM, p->number, &again);
        if (p->tcp >= 0) {
            hold_many(p->udp);
            return true;
        }
        int why = errno;
        if (p->udp >= 0)
            (void)close(p->udp);
        p->udp = -1;
        errno = why;
    }
    return false;
}

enum rc dns_port_open(struct poller *loop, struct names *names, uint64_t port,
                      struct dns_port **ret, struct buf *why)
{
    struct dns_port *p = mem_zero(1, sizeof *p);
    if (!p)
        return RC_NOMEM;
    p->loop = loop;
    p->names = names;
    p->udp = p->tcp = -1;
    p->udp_watch.ready = on_datagram;
    p->tcp_watch.ready = on_connect;
    buf_init(&p->answer, DNS_MAX_BYTES);
    p->room = mem_alloc(ROOM_BYTES);
    enum rc rc = p->room ? RC_OK : RC_NOMEM;
    if (rc == RC_OK && !open_sockets(p, port)) {
        buf_printf(why, "cannot serve DNS on 127.0.0.1:%u: %s; choose another --dns-port (0 = any)",
                   (unsigned)port, strerror(errno));
        rc = RC_IO;
    }
    if (rc == RC_OK)
        rc = poller_watch(loop, p->udp, EPOLLIN, &p->udp_watch);
    if (rc == RC_OK)
        rc = poller_watch(loop, p->tcp, EPOLLIN, &p->tcp_watch);
    if (rc == RC_OK)
        *ret = p;
    else
        dns_port_close(p);
    return rc;
}

void dns_port_close(struct dns_port *p)
{
    if (!p)
        return;
    while (p->laters.first)
        later_free(LIST_OF(p->laters.first, struct later, node));
    while (p->clients.first)
        client_free(LIST_OF(p->clients.first, struct client, node));
    if (p->udp >= 0)
        (void)close(p->udp);
    if (p->tcp >= 0)
        (void)close(p->tcp);
    buf_done(&p->answer);
    mem_free(p->room);
    mem_free(p);
}

uint16_t dns_port_number(const struct dns_port *p)
{
    return p->number;
}
