/* SPDX-License-Identifier: Apache-2.0 */
#include "sink/server.h"

#include "base/mem.h"
#include "base/newcomers.h"
#include "net/peer.h"
#include "sink/link.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SLICE_MS = 200, BACKLOG = 64, PAUSE_MS = 100 };

/* A connection that has not logged in. Its thread owns the socket; `fd` is a copy, for shutting it
 * down. */
struct stranger {
    uint64_t number; /* in `newcomers`; 0: free */
    int fd;
};

struct sink_server {
    struct sink_server_settings settings;
    struct tls *tls;
    int fd;
    uint16_t port;
    _Atomic bool ends; /* tells the connections to end */
    pthread_mutex_t lock;
    pthread_cond_t fewer;
    /* `lock` guards all below. */
    unsigned connections;
    struct newcomers newcomers;
    struct stranger strangers[SINK_SERVER_STRANGERS];
};

/* A connection, on its own thread. */
struct connection {
    struct sink_server *server;
    struct sink_link *link;
    uint64_t number;   /* its number as a stranger */
    uint64_t until_ms; /* it must have logged in by then */
};

/* Connections ---------------------------------------------------------------------------------- */

/* `lock` is held. Accepts a number that has already left. */
static void forget_stranger(struct sink_server *s, uint64_t number, bool ends)
{
    if (!newcomers_leave(&s->newcomers, number))
        return;
    for (unsigned i = 0; i < SINK_SERVER_STRANGERS; i++) {
        struct stranger *one = &s->strangers[i];
        if (one->number != number)
            continue;
        if (ends)
            (void)shutdown(one->fd, SHUT_RDWR); /* its thread notices, and ends */
        (void)close(one->fd);
        *one = (struct stranger){0};
    }
}

/* `lock` is held. */
static uint64_t enter_stranger(struct sink_server *s, int fd)
{
    uint64_t source = peer_group(fd), old;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (copy < 0)
        return 0;
    while ((old = newcomers_to_drop(&s->newcomers, source)))
        forget_stranger(s, old, true);
    uint64_t number = newcomers_enter(&s->newcomers, source);
    unsigned i = 0;
    while (s->strangers[i].number)
        i++; /* there are as many slots as newcomers */
    s->strangers[i] = (struct stranger){number, copy};
    return number;
}

/* Returns the connection's number; 0: there is no room. */
static uint64_t admit(struct sink_server *s, int fd)
{
    (void)pthread_mutex_lock(&s->lock);
    uint64_t number = s->connections < SINK_SERVER_MAX ? enter_stranger(s, fd) : 0;
    s->connections += number != 0;
    (void)pthread_mutex_unlock(&s->lock);
    return number;
}

static void is_known_now(struct connection *c)
{
    (void)pthread_mutex_lock(&c->server->lock);
    forget_stranger(c->server, c->number, false);
    (void)pthread_mutex_unlock(&c->server->lock);
}

/* The server may be closed from here on. */
static void is_gone(struct sink_server *s, uint64_t number)
{
    (void)pthread_mutex_lock(&s->lock);
    forget_stranger(s, number, false);
    s->connections--;
    (void)pthread_cond_signal(&s->fewer);
    (void)pthread_mutex_unlock(&s->lock);
}

/* Serving ------------------------------------------------------------------------------------- */

static void say_working(void *ctx)
{
    struct connection *c = ctx;
    static const struct sink_frame working = {.kind = SINK_WORKING};
    /* the next frame will show a failure */
    (void)!sink_link_say(c->link, &working, SINK_SERVER_FRAME_MS);
}

static void log_answer(struct connection *c, const struct sink_session *s,
                       const struct sink_frame *f, const struct sink_frame *answer)
{
    struct log *log = c->server->settings.log;
    if (answer->kind == SINK_REFUSED)
        log_warn_limited(log, "sink.refused", LOG_C("agent", sink_session_name(s)),
                         LOG_STR("file", f && f->kind == SINK_PUT ? f->name : STR("")),
                         LOG_STR("why", answer->text));
    else if (answer->kind == SINK_STORED)
        log_info(log, "sink.stored", LOG_C("agent", sink_session_name(s)));
}

static uint64_t left_ms(const struct connection *c)
{
    uint64_t now_ms = clock_now_ms(clock_real());
    return now_ms < c->until_ms ? c->until_ms - now_ms : 0;
}

/* RC_OK: the connection continues. */
static enum rc serve_frame(struct connection *c, struct sink_session *s)
{
    struct sink_frame f, answer;
    bool was_known = sink_session_is_known(s);
    uint64_t wait_ms = was_known ? SINK_SERVER_FRAME_MS : SINK_SERVER_HELLO_MS;
    uint64_t hear_ms = was_known ? wait_ms : left_ms(c);
    enum rc rc = sink_link_hear(c->link, sink_session_max_bytes(s), hear_ms, &f);
    if (rc && rc != RC_INVALID)
        return rc;
    const struct sink_frame *heard = rc == RC_OK ? &f : NULL;
    bool goes_on = sink_session_take(s, heard, &answer);
    if (!was_known && sink_session_is_known(s))
        is_known_now(c);
    log_answer(c, s, heard, &answer);
    rc = sink_link_say(c->link, &answer, wait_ms);
    return rc || goes_on ? rc : RC_CLOSED;
}

static void *serve_connection(void *ctx)
{
    struct connection *c = ctx;
    struct sink_server *server = c->server;
    const struct sink_server_settings *set = &server->settings;
    struct sink_session_setup setup = {.store = set->store,
                                       .may = set->may,
                                       .may_ctx = set->may_ctx,
                                       .progress = {say_working, c}};
    struct sink_session *s = sink_session_open(&setup);
    enum rc rc = s ? RC_OK : RC_NOMEM;
    while (rc == RC_OK)
        rc = serve_frame(c, s);
    sink_session_close(s);
    sink_link_close(c->link);
    uint64_t number = c->number;
    mem_free(c);
    is_gone(server, number);
    return NULL;
}

/* The handshake also runs on the connection's own thread. */
struct arrival {
    struct connection *connection;
    int fd;
};

static void *arrive_main(void *ctx)
{
    struct arrival a = *(struct arrival *)ctx;
    struct sink_server *s = a.connection->server;
    char room[200];
    struct buf why = buf_on(room, sizeof room);
    mem_free(ctx);
    if (sink_link_accept(s->tls, a.fd, &s->ends, &a.connection->link, &why) == RC_OK)
        return serve_connection(a.connection);
    log_info_limited(s->settings.log, "sink.handshake_failed", LOG_STR("why", buf_str(&why)));
    uint64_t number = a.connection->number;
    mem_free(a.connection);
    is_gone(s, number);
    return NULL;
}

/* Takes the socket. */
static void welcome_connection(struct sink_server *s, int fd)
{
    pthread_t thread;
    uint64_t number = admit(s, fd);
    if (!number) {
        (void)close(fd);
        return;
    }
    struct connection *c = mem_zero(1, sizeof *c);
    struct arrival *a = mem_zero(1, sizeof *a);
    if (c && a) {
        uint64_t until_ms = clock_now_ms(clock_real()) + SINK_SERVER_HELLO_MS;
        *c = (struct connection){.server = s, .number = number, .until_ms = until_ms};
        *a = (struct arrival){c, fd};
        if (pthread_create(&thread, NULL, arrive_main, a) == 0) {
            (void)pthread_detach(thread); /* the server counts it, and waits until the count is 0 */
            return;
        }
    }
    mem_free(c);
    mem_free(a);
    (void)close(fd);
    is_gone(s, number);
}

enum rc sink_server_run(struct sink_server *s, const _Atomic bool *stop)
{
    while (!atomic_load(stop) && !sink_store_has_failed(s->settings.store)) {
        struct pollfd p = {.fd = s->fd, .events = POLLIN};
        if (poll(&p, 1, SLICE_MS) <= 0)
            continue;
        int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd >= 0)
            welcome_connection(s, fd);
        else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            (void)poll(NULL, 0, PAUSE_MS);
    }
    atomic_store(&s->ends, true);
    (void)pthread_mutex_lock(&s->lock);
    while (s->connections)
        (void)pthread_cond_wait(&s->fewer, &s->lock);
    (void)pthread_mutex_unlock(&s->lock);
    return sink_store_has_failed(s->settings.store) ? RC_SYNC : RC_OK;
}

static enum rc listen_at(struct sink_server *s, struct buf *why)
{
    struct sockaddr_storage got = {0};
    socklen_t n = sizeof got;
    int one = 1;
    s->fd = socket(s->settings.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->fd < 0 || setsockopt(s->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) ||
        bind(s->fd, (const struct sockaddr *)&s->settings.address, s->settings.address_bytes) ||
        listen(s->fd, BACKLOG) || getsockname(s->fd, (struct sockaddr *)&got, &n)) {
        buf_printf(why, "cannot listen: %s", strerror(errno));
        return RC_IO;
    }
    s->port = ntohs(got.ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)&got)->sin6_port
                                              : ((const struct sockaddr_in *)&got)->sin_port);
    return RC_OK;
}

enum rc sink_server_open(const struct sink_server_settings *settings, struct sink_server **ret,
                         struct buf *why)
{
    struct sink_server *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    s->settings = *settings;
    s->fd = -1;
    newcomers_init(&s->newcomers, SINK_SERVER_STRANGERS, SINK_SERVER_STRANGERS_EACH);
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->fewer, NULL);
    enum rc rc = tls_open_server(settings->cert_file, settings->key_file, &s->tls, why);
    rc = rc ? rc : listen_at(s, why);
    if (rc)
        sink_server_close(s);
    else
        *ret = s;
    return rc;
}

uint16_t sink_server_port(const struct sink_server *s)
{
    return s->port;
}

void sink_server_close(struct sink_server *s)
{
    if (!s)
        return;
    if (s->fd >= 0)
        (void)close(s->fd);
    tls_close(s->tls);
    (void)pthread_mutex_destroy(&s->lock);
    (void)pthread_cond_destroy(&s->fewer);
    mem_free(s);
}
