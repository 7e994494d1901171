/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/listen.h"

#include "serve/addresses.h"

#include "base/mem.h"

#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 1024, PORT_TRIES = 32, ACCEPTS_A_TURN = 64 };

struct listeners {
    struct poller *loop;
    struct listeners_asks asks;
    struct listener *list;
    uint32_t count;
    uint32_t cap;
    uint16_t http_port, https_port;
    bool has_v6;
};

/* Sockets ----------------------------------------------------------------------------------- */

struct place_to_be {
    struct sockaddr_storage address;
    socklen_t bytes;
};

static struct place_to_be place_v4(uint32_t ip, uint16_t port)
{
    struct place_to_be p = {.bytes = sizeof(struct sockaddr_in)};
    struct sockaddr_in a = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(ip)};
    memcpy(&p.address, &a, sizeof a);
    return p;
}

static struct place_to_be place_v6(uint16_t port)
{
    struct place_to_be p = {.bytes = sizeof(struct sockaddr_in6)};
    struct sockaddr_in6 a = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    memcpy(&p.address, &a, sizeof a);
    return p;
}

/* -1 with errno. */
static int bound_socket(int type, const struct place_to_be *at)
{
    int on = 1;
    int fd = socket(at->address.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -1;
    if (type == SOCK_STREAM) { /* both are what the accepted sockets will have */
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    if (bind(fd, (const struct sockaddr *)&at->address, at->bytes) == 0)
        return fd;
    int why = errno;
    (void)close(fd);
    errno = why;
    return -1;
}

/* Every packet to the socket is dropped before TCP could answer it. */
static int silence(int fd)
{
    struct sock_filter drop_all[] = {{.code = BPF_RET | BPF_K, .k = 0}};
    struct sock_fprog program = {.len = 1, .filter = drop_all};
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}

static uint16_t port_of(int fd)
{
    union {
        struct sockaddr any;
        struct sockaddr_in v4;
        struct sockaddr_in6 v6;
    } a = {.v6 = {0}};
    socklen_t n = sizeof a;
    if (getsockname(fd, &a.any, &n))
        return 0;
    uint16_t port = a.any.sa_family == AF_INET6 ? a.v6.sin6_port : a.v4.sin_port;
    return ntohs(port);
}

int loopback_socket(int type, uint64_t port, uint16_t *ret_port)
{
    struct place_to_be at = place_v4(ADDRESS_TRAP, (uint16_t)port);
    int fd = bound_socket(type, &at);
    if (fd >= 0 && type == SOCK_STREAM && listen(fd, BACKLOG)) {
        (void)close(fd);
        return -1;
    }
    if (fd >= 0)
        *ret_port = port_of(fd);
    return fd;
}

/* Accepting --------------------------------------------------------------------------------- */

/* Without a free descriptor the loop would spin on the same event; it sleeps instead. */
static bool out_of_files(int why)
{
    if (why != EMFILE && why != ENFILE && why != ENOBUFS && why != ENOMEM)
        return false;
    (void)usleep(1000);
    return true;
}

static void on_connect(struct watch *w, uint32_t events)
{
    struct listener *l = (struct listener *)w; /* its first member */
    (void)events;
    for (int i = 0; i < ACCEPTS_A_TURN; i++) {
        int fd = accept4(l->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0)
            l->all->asks.accepted(l->all->asks.ctx, l, fd);
        else if (errno == EAGAIN || out_of_files(errno))
            return;
    }
}

/* Opening ----------------------------------------------------------------------------------- */

static void close_from(struct listeners *all, uint32_t keep)
{
    while (all->count > keep)
        (void)close(all->list[--all->count].fd);
}

static enum rc fail(struct buf *why, const struct place_to_be *at, uint16_t port)
{
    uint32_t ip = at->address.ss_family == AF_INET
                      ? ntohl(((const struct sockaddr_in *)&at->address)->sin_addr.s_addr)
                      : 0;
    int code = errno;
    char name[32] = "[::1]";
    if (ip)
        (void)snprintf(name, sizeof name, "%u.%u.%u.%u", ip >> 24, ip >> 16 & 255, ip >> 8 & 255,
                       ip & 255);
    buf_printf(why, "cannot listen on %s:%u: %s", name, port, strerror(code));
    if (code == EADDRINUSE)
        buf_add(why, STR("; choose other ports with --http-port and --https-port (0 = any)"));
    else if (code == EACCES)
        buf_add(why, STR("; ports below 1024 need the right to them"));
    return code == EADDRINUSE ? RC_EXISTS : RC_IO;
}

/* One socket at one place, added to the list. On failure errno says why. */
static bool open_one(struct listeners *all, const struct place_to_be *at, struct listener l,
                     bool is_silent)
{
    l.all = all;
    l.watch.ready = on_connect;
    l.fd = bound_socket(SOCK_STREAM, at);
    if (l.fd < 0)
        return false;
    if ((is_silent && silence(l.fd)) || listen(l.fd, BACKLOG)) {
        int why = errno;
        (void)close(l.fd);
        errno = why;
        return false;
    }
    all->list[all->count++] = l;
    return true;
}

/* All addresses at one port; *port 0 takes the first address's choice. RC_EXISTS: it is taken on
 * one of them. */
static enum rc open_port(struct listeners *all, const struct addresses *a, bool is_https,
                         uint16_t *port, struct buf *why)
{
    for (uint32_t i = 0; i < a->count; i++) {
        const struct address *one = &a->list[i];
        struct place_to_be at = place_v4(one->ip, *port);
        if (is_https && !one->is_https)
            continue;
        struct listener l = {.address = one->ip, .is_https = is_https};
        if (!open_one(all, &at, l, one->is_silent))
            return fail(why, &at, *port);
        if (*port == 0)
            *port = port_of(all->list[all->count - 1].fd);
    }
    return RC_OK;
}

static void open_v6(struct listeners *all, uint16_t port, bool is_https)
{
    struct place_to_be at = place_v6(port);
    struct listener l = {.address = ADDRESS_V6, .is_https = is_https};
    if (open_one(all, &at, l, false))
        all->has_v6 = true;
}

/* A port that the kernel finds free on one address may be taken on another; then the next. */
static enum rc open_scheme(struct listeners *all, const struct addresses *a, bool is_https,
                           uint64_t wanted, uint16_t *ret_port, struct buf *why)
{
    uint32_t before = all->count;
    enum rc rc = RC_EXISTS;
    for (int i = 0; i < PORT_TRIES && rc == RC_EXISTS; i++) {
        uint16_t port = (uint16_t)wanted;
        close_from(all, before);
        buf_clear(why);
        rc = open_port(all, a, is_https, &port, why);
        *ret_port = port;
        if (wanted)
            break;
    }
    if (rc == RC_OK)
        open_v6(all, *ret_port, is_https);
    return rc;
}

/* The soft limit may go up to the hard one; root may lift that too. */
static enum rc allow_files(uint64_t needed, struct buf *why)
{
    struct rlimit now;
    if (getrlimit(RLIMIT_NOFILE, &now) || now.rlim_cur >= needed)
        return RC_OK;
    struct rlimit wish = {.rlim_cur = needed,
                          .rlim_max = now.rlim_max < needed ? needed : now.rlim_max};
    if (setrlimit(RLIMIT_NOFILE, &wish) == 0)
        return RC_OK;
    buf_printf(why,
               "%llu open files are needed, %llu are allowed; allow more (ulimit -n), or put more "
               "hosts on an address (--hosts-per-address), or fewer --connections",
               (unsigned long long)needed, (unsigned long long)now.rlim_max);
    return RC_LIMIT;
}

static enum rc watch_all(struct listeners *all)
{
    enum rc rc = RC_OK;
    for (uint32_t i = 0; i < all->count && rc == RC_OK; i++)
        rc = poller_watch(all->loop, all->list[i].fd, EPOLLIN, &all->list[i].watch);
    return rc;
}

/* http everywhere, https where it is spoken, and both on ::1. */
static uint32_t sockets_of(const struct addresses *a)
{
    uint32_t count = a->count + 2;
    for (uint32_t i = 0; i < a->count; i++)
        count += a->list[i].is_https;
    return count;
}

static enum rc open_all(struct listeners *all, const struct listeners_wish *wish,
                        const struct addresses *a, struct buf *why)
{
    all->cap = sockets_of(a);
    all->list = mem_zero(all->cap, sizeof *all->list);
    if (!all->list)
        return RC_NOMEM;
    enum rc rc = allow_files(all->cap + wish->spare_files, why);
    if (rc == RC_OK)
        rc = open_scheme(all, a, false, wish->http_port, &all->http_port, why);
    if (rc == RC_OK)
        rc = open_scheme(all, a, true, wish->https_port, &all->https_port, why);
    return rc == RC_OK ? watch_all(all) : rc;
}

enum rc listeners_open(const struct listeners_wish *wish, struct poller *loop,
                       struct listeners_asks asks, struct listeners **ret, struct buf *why)
{
    struct addresses a = {0};
    struct listeners *all = mem_zero(1, sizeof *all);
    enum rc rc = all ? addresses_of(wish->world, &a) : RC_NOMEM;
    if (rc == RC_OK) {
        all->loop = loop;
        all->asks = asks;
        rc = open_all(all, wish, &a, why);
    }
    addresses_done(&a);
    if (rc != RC_OK)
        listeners_close(all);
    else
        *ret = all;
    return rc;
}

void listeners_close(struct listeners *all)
{
    if (!all)
        return;
    close_from(all, 0);
    mem_free(all->list);
    mem_free(all);
}

uint16_t listeners_http_port(const struct listeners *all)
{
    return all->http_port;
}

uint16_t listeners_https_port(const struct listeners *all)
{
    return all->https_port;
}

bool listeners_have_v6(const struct listeners *all)
{
    return all->has_v6;
}
