/* SPDX-License-Identifier: Apache-2.0 */
#include "net/dns_channel.h"

#include "base/mem.h"
#include "net/address.h"

#include <ares.h>
#include <errno.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    TICK_MS = 50,      /* how late a try may end */
    EDNS_BYTES = 1232, /* the largest answer that passes every network in one piece */
    CLASS_IN = 1,
    TYPE_A = 1,
    TYPE_AAAA = 28,
    MAX_TIMEOUT_MS = 60000,
    MAX_TRIES = 10,
    DNS_PORT = 53,
    HEADER_BYTES = 12,
    IS_ANSWER = 0x80, /* in the header's third byte */
};

/* At most one over UDP and one over TCP a server. */
struct dns_socket {
    struct watch watch;
    struct dns_channel *channel;
    bool is_used;
};

struct dns_channel {
    struct loop *loop;
    ares_channel ares;
    void (*after)(void *ctx);
    void *ctx;
    struct timer tick; /* runs while anything is open */
    size_t open;
    unsigned servers;
    struct dns_socket sockets[2 * DNS_MAX_SERVERS];
};

/* The library counts its users without a lock and takes its allocator for the whole process. */
static void library_begin(void)
{
    ares_library_init_mem(ARES_LIB_INIT_ALL, mem_alloc, mem_free, mem_resize);
}

/* Servers ------------------------------------------------------------------------------------ */

static bool port_read(struct str text, int *ret)
{
    uint64_t port;
    if (text.n > 5 || str_to_u64(text, &port) || port < 1 || port > UINT16_MAX)
        return false;
    *ret = (int)port;
    return true;
}

/* "1.2.3.4", "1.2.3.4:53", "::1", "[::1]", "[::1]:53". */
static bool server_read(struct str text, struct ares_addr_port_node *ret)
{
    struct address a;
    int port = DNS_PORT;
    size_t bracket = str_find(text, ']'), colon = str_find(text, ':');
    if (bracket < text.n)
        colon = bracket + 1;
    else if (colon < text.n && str_find(str_from(text, colon + 1), ':') < text.n - colon - 1)
        colon = text.n;
    if (colon < text.n && (text.p[colon] != ':' || !port_read(str_from(text, colon + 1), &port)))
        return false;
    if (address_read(str_first(text, colon), &a))
        return false;
    *ret = (struct ares_addr_port_node){.family = a.is_v6 ? AF_INET6 : AF_INET};
    ret->udp_port = ret->tcp_port = port;
    memcpy(&ret->addr, a.bytes, a.is_v6 ? 16 : 4);
    return true;
}

static enum rc servers_read(struct str list, struct ares_addr_port_node nodes[DNS_MAX_SERVERS],
                            unsigned *ret_count, struct buf *why)
{
    unsigned count = 0;
    while (list.p) {
        struct str one = str_trim(str_take_until(&list, ','));
        if (count == DNS_MAX_SERVERS) {
            buf_printf(why, "resolver: there are more than %d", DNS_MAX_SERVERS);
            return RC_INVALID;
        }
        if (!server_read(one, &nodes[count])) {
            buf_printf(why,
                       "resolver: \"" STR_FMT "\" is no address such as 127.0.0.1:8053 or [::1]:53",
                       STR_ARG(str_first(one, 64)));
            return RC_INVALID;
        }
        if (count)
            nodes[count - 1].next = &nodes[count];
        count++;
    }
    *ret_count = count;
    return RC_OK;
}

/* Keeps the first of the system's servers, and counts them. */
static int servers_cut(struct dns_channel *ch)
{
    struct ares_addr_port_node *list = NULL, *last;
    int status = ares_get_servers_ports(ch->ares, &list);
    if (status)
        return status;
    ch->servers = list ? 1 : 0;
    for (last = list; last && last->next && ch->servers < DNS_MAX_SERVERS; last = last->next)
        ch->servers++;
    if (last && last->next) {
        struct ares_addr_port_node *rest = last->next;
        last->next = NULL;
        status = ares_set_servers_ports(ch->ares, list);
        last->next = rest;
    }
    ares_free_data(list);
    return status;
}

/* Sockets ------------------------------------------------------------------------------------ */

static void socket_ready(struct watch *w, unsigned events)
{
    struct dns_channel *ch = EVENT_OF(w, struct dns_socket, watch)->channel;
    bool is_over = events & (EPOLLERR | EPOLLHUP);
    ares_socket_t fd = w->fd; /* the watch may be another socket's before the call is over */
    ares_process_fd(ch->ares, events & EPOLLIN || is_over ? fd : ARES_SOCKET_BAD,
                    events & EPOLLOUT || is_over ? fd : ARES_SOCKET_BAD);
    ch->after(ch->ctx);
}

static struct dns_socket *socket_find(struct dns_channel *ch, int fd)
{
    struct dns_socket *unused = NULL;
    for (size_t i = 0; i < sizeof ch->sockets / sizeof *ch->sockets; i++) {
        struct dns_socket *s = &ch->sockets[i];
        if (s->is_used && s->watch.fd == fd)
            return s;
        if (!s->is_used && !unused)
            unused = s;
    }
    return unused;
}

/* The library calls this also before it closes a socket. If a socket cannot be watched, its
 * question ends in a timeout. */
static void socket_state(void *ctx, ares_socket_t fd, int readable, int writable)
{
    struct dns_channel *ch = ctx;
    struct dns_socket *s = socket_find(ch, fd);
    unsigned events = (readable ? (unsigned)EPOLLIN : 0) | (writable ? (unsigned)EPOLLOUT : 0);
    if (!s || (!events && !s->is_used))
        return;
    if (!events) {
        loop_unwatch(ch->loop, &s->watch);
        s->is_used = false;
        return;
    }
    if (!s->is_used)
        *s = (struct dns_socket){.watch = {.ready = socket_ready, .fd = fd}, .channel = ch};
    s->is_used = true;
    enum rc rc = loop_watch(ch->loop, &s->watch, events);
    (void)rc;
}

/* The library's calls of the system. Its own take an empty datagram for the end of a connection and
 * give up every question with it (CVE-2023-32067), and let a broken TCP connection end the process
 * with a signal. */

static ares_socket_t socket_begin(int domain, int type, int protocol, void *ctx)
{
    (void)ctx;
    return socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
}

static int socket_end(ares_socket_t fd, void *ctx)
{
    (void)ctx;
    return close(fd);
}

static int socket_connect(ares_socket_t fd, const struct sockaddr *to, ares_socklen_t bytes,
                          void *ctx)
{
    (void)ctx;
    return connect(fd, to, bytes);
}

/* Ignores datagrams that are not answers. The library passes `from` for datagrams only, so bytes of
 * a TCP connection go through unchecked. */
static ares_ssize_t socket_receive(ares_socket_t fd, void *to, size_t bytes, int flags,
                                   struct sockaddr *from, ares_socklen_t *from_bytes, void *ctx)
{
    (void)ctx;
    ssize_t n = recvfrom(fd, to, bytes, flags, from, from_bytes);
    const uint8_t *header = to;
    if (!from || n < 0 || (n >= HEADER_BYTES && header[2] & IS_ANSWER))
        return n;
    errno = EAGAIN; /* if there are more, the loop comes back at once */
    return -1;
}

static ares_ssize_t socket_send(ares_socket_t fd, const struct iovec *pieces, int count, void *ctx)
{
    (void)ctx;
    struct msghdr m = {.msg_iov = (struct iovec *)pieces, .msg_iovlen = (size_t)count};
    return sendmsg(fd, &m, MSG_NOSIGNAL);
}

static const struct ares_socket_functions socket_functions = {
    .asocket = socket_begin,
    .aclose = socket_end,
    .aconnect = socket_connect,
    .arecvfrom = socket_receive,
    .asendv = socket_send,
};

/* The channel -------------------------------------------------------------------------------- */

static int ares_begin(struct dns_channel *ch, bool own_servers, int timeout_ms, int tries)
{
    char lookups[] = "b";
    struct ares_options o = {
        .flags = ARES_FLAG_NOSEARCH | ARES_FLAG_NOALIASES | ARES_FLAG_EDNS,
        .timeout = timeout_ms,
        .tries = tries,
        .lookups = lookups,
        .ednspsz = EDNS_BYTES,
        .sock_state_cb = socket_state,
        .sock_state_cb_data = ch,
    };
    int mask = ARES_OPT_FLAGS | ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_LOOKUPS |
               ARES_OPT_EDNSPSZ | ARES_OPT_SOCK_STATE_CB | ARES_OPT_DOMAINS | ARES_OPT_NDOTS;
    /* No servers, and no search domains: the system's are not even read. */
    if (own_servers)
        mask |= ARES_OPT_SERVERS | ARES_OPT_NOROTATE;
    return ares_init_options(&ch->ares, &o, mask);
}

static enum rc rc_of(int status, struct buf *why)
{
    if (status == ARES_SUCCESS)
        return RC_OK;
    if (status == ARES_ENOMEM)
        return RC_NOMEM;
    buf_printf(why, "the resolver cannot be set up: %s", ares_strerror(status));
    return RC_IO;
}

static int at_most(uint64_t value, int most)
{
    if (value < 1)
        return 1;
    return value < (uint64_t)most ? (int)value : most;
}

static enum rc channel_begin(struct dns_channel *ch, struct str resolver, uint64_t timeout_ms,
                             uint64_t tries, struct buf *why)
{
    struct ares_addr_port_node nodes[DNS_MAX_SERVERS];
    if (resolver.n) {
        enum rc rc = servers_read(resolver, nodes, &ch->servers, why);
        if (rc)
            return rc;
    }
    int status = ares_begin(ch, resolver.n > 0, at_most(timeout_ms, MAX_TIMEOUT_MS),
                            at_most(tries, MAX_TRIES));
    if (status) {
        ch->ares = NULL;
        return rc_of(status, why);
    }
    ares_set_socket_functions(ch->ares, &socket_functions, NULL);
    status = resolver.n ? ares_set_servers_ports(ch->ares, nodes) : servers_cut(ch);
    return rc_of(status, why);
}

static void tick(struct timer *t, uint64_t now_ms);

enum rc dns_channel_open(struct loop *loop, struct str resolver, uint64_t timeout_ms,
                         uint64_t tries, void (*after)(void *ctx), void *ctx,
                         struct dns_channel **ret, struct buf *why)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, library_begin);
    struct dns_channel *ch = mem_zero(1, sizeof *ch);
    if (!ch)
        return RC_NOMEM;
    ch->loop = loop;
    ch->after = after;
    ch->ctx = ctx;
    ch->tick.due = tick;
    enum rc rc = channel_begin(ch, resolver, timeout_ms, tries, why);
    if (rc)
        dns_channel_close(ch);
    else
        *ret = ch;
    return rc;
}

void dns_channel_close(struct dns_channel *ch)
{
    if (!ch)
        return;
    if (ch->ares)
        ares_destroy(ch->ares);
    loop_timer_stop(ch->loop, &ch->tick);
    for (size_t i = 0; i < sizeof ch->sockets / sizeof *ch->sockets; i++)
        loop_unwatch(ch->loop, &ch->sockets[i].watch);
    mem_free(ch);
}

unsigned dns_channel_servers(const struct dns_channel *ch)
{
    return ch->servers;
}

/* Questions ---------------------------------------------------------------------------------- */

/* Sets the timer again before anything else: its row in the heap has just become free, so setting
 * it cannot fail. */
static void tick(struct timer *t, uint64_t now_ms)
{
    struct dns_channel *ch = EVENT_OF(t, struct dns_channel, tick);
    enum rc rc = loop_timer(ch->loop, t, now_ms + TICK_MS);
    (void)rc;
    ares_process_fd(ch->ares, ARES_SOCKET_BAD, ARES_SOCKET_BAD);
    if (ch->open == 0)
        loop_timer_stop(ch->loop, t);
    ch->after(ch->ctx);
}

static enum dns_said said_of(int status, const unsigned char *message)
{
    switch (status) {
    case ARES_SUCCESS:
    case ARES_ENODATA:
    case ARES_ENOTFOUND:
        return message ? DNS_SAID_MESSAGE : DNS_SAID_NO_NAME;
    case ARES_ETIMEOUT:
        return DNS_SAID_TIMEOUT;
    case ARES_ENOMEM:
        return DNS_SAID_NOMEM;
    case ARES_ECANCELLED:
    case ARES_EDESTRUCTION:
        return DNS_SAID_CLOSED;
    default:
        return DNS_SAID_FAILED;
    }
}

static void answered(void *ctx, int status, int timeouts, unsigned char *message, int bytes)
{
    struct dns_call *call = ctx;
    struct dns_channel *ch = call->channel;
    (void)timeouts;
    ch->open--;
    call->said(call, said_of(status, message),
               str_make((const char *)message, message && bytes > 0 ? (size_t)bytes : 0));
}

/* A question that ends inside the library's call is reported from the loop, at once: the timer runs
 * already, and moving it needs no memory. */
enum rc dns_channel_ask(struct dns_channel *ch, const char *name, bool is_v6, struct dns_call *call)
{
    if (!ch->tick.node.at && loop_timer(ch->loop, &ch->tick, ch->loop->now_ms + TICK_MS))
        return RC_NOMEM;
    size_t before = ch->open++;
    call->channel = ch;
    ares_query(ch->ares, name, CLASS_IN, is_v6 ? TYPE_AAAA : TYPE_A, answered, call);
    if (ch->open <= before) {
        enum rc rc = loop_timer(ch->loop, &ch->tick, ch->loop->now_ms);
        (void)rc;
    }
    return RC_OK;
}
