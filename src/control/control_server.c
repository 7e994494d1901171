/* SPDX-License-Identifier: Apache-2.0 */
#include "control/control_server.h"

#include "control/control_request.h"
#include "control/control_socket.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/newcomers.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LOOK_MS = 1000, RATE_MS = 5000, READ_BYTES = 16 << 10 };

struct client {
    int fd;          /* -1 = free */
    uint64_t number; /* among the newcomers */
    struct buf in, out;
    size_t sent; /* of out */
    uint64_t heard_ms;
    bool waits;  /* for the end of the crawl */
    bool leaves; /* when all is sent */
};

struct control_server {
    struct control_setup setup;
    int fd, run, wake;
    pthread_t thread;
    struct control_peers *peers; /* NULL: there are no other agents */
    _Atomic bool ends;
    struct client clients[CONTROL_CLIENTS];
    struct newcomers newcomers; /* all clients; those that wait for the end stay */
    /* the rate is that of the last five to ten seconds */
    uint64_t rate_ms, rate_fetched, before_ms, before_fetched;
};

static uint64_t fetched_now(const struct control_server *s)
{
    return atomic_load_explicit(&s->setup.ledger->counts.fetched, memory_order_relaxed);
}

static void measure(struct control_server *s, uint64_t now_ms)
{
    if (now_ms - s->rate_ms < RATE_MS)
        return;
    s->before_ms = s->rate_ms;
    s->before_fetched = s->rate_fetched;
    s->rate_ms = now_ms;
    s->rate_fetched = fetched_now(s);
}

static struct control_rate rate(const struct control_server *s)
{
    uint64_t now_ms = clock_now_ms(clock_real());
    return (struct control_rate){fetched_now(s) - s->before_fetched, now_ms - s->before_ms};
}

/* Clients -------------------------------------------------------------------------------------- */

static void client_close(struct control_server *s, struct client *c)
{
    if (c->fd >= 0)
        close(c->fd);
    (void)newcomers_leave(&s->newcomers, c->number);
    buf_done(&c->in);
    buf_done(&c->out);
    *c = (struct client){.fd = -1};
}

static void drop_oldest(struct control_server *s, uint64_t process)
{
    uint64_t old;
    while ((old = newcomers_to_drop(&s->newcomers, process)))
        for (int i = 0; i < CONTROL_CLIENTS; i++)
            if (s->clients[i].fd >= 0 && s->clients[i].number == old)
                client_close(s, &s->clients[i]);
}

static struct client *find_free(struct control_server *s)
{
    for (int i = 0; i < CONTROL_CLIENTS; i++)
        if (s->clients[i].fd < 0)
            return &s->clients[i];
    return NULL;
}

static void accept_one(struct control_server *s, uint64_t now_ms)
{
    int fd = accept4(s->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    uint64_t process = 0;
    if (fd < 0)
        return;
    bool may = control_peer_may(fd, &process);
    if (may)
        drop_oldest(s, process);
    struct client *free_one = find_free(s);
    if (!free_one || !may) {
        log_warn_limited(
            s->setup.log, "control.refused",
            LOG_C("why", free_one ? "neither the crawl's user nor root" : "too many clients"));
        close(fd);
        return;
    }
    *free_one = (struct client){
        .fd = fd, .heard_ms = now_ms, .number = newcomers_enter(&s->newcomers, process)};
    buf_init(&free_one->in, CONTROL_LINE_BYTES + READ_BYTES);
    buf_init(&free_one->out, CONTROL_ANSWER_BYTES);
}

/* Answers one request, if a whole one has come and the last answer is sent. */
static void answer_next(struct control_server *s, struct client *c)
{
    struct str all = buf_str(&c->in);
    size_t end = str_find(all, '\n');
    if (c->out.n || c->waits || c->leaves || (end == all.n && all.n < CONTROL_LINE_BYTES))
        return;
    if (end == all.n || end >= CONTROL_LINE_BYTES) { /* where the next line begins is unknown */
        buf_add(&c->out, STR("{\"error\":{\"code\":\"too-long\",\"message\":\"the line is too "
                             "long\"}}\n"));
        c->leaves = true;
        return;
    }
    enum rc rc;
    c->waits =
        control_answer(&s->setup, rate(s), str_first(all, end), CONTROL_BY_OWNER, &c->out, &rc);
    newcomers_renew(&s->newcomers, c->number, c->waits);
    memmove(c->in.p, c->in.p + end + 1, c->in.n - end - 1);
    c->in.n -= end + 1;
}

/* False: the client is gone. */
static bool take(struct client *c, uint64_t now_ms)
{
    char *to = buf_reserve(&c->in, READ_BYTES);
    ssize_t n = to ? recv(c->fd, to, READ_BYTES, 0) : -1;
    if (n <= 0)
        return to && n < 0 && (errno == EAGAIN || errno == EINTR);
    c->in.n += (size_t)n;
    c->heard_ms = now_ms;
    return true;
}

static bool give(struct client *c)
{
    ssize_t n = send(c->fd, c->out.p + c->sent, c->out.n - c->sent, MSG_NOSIGNAL);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    c->sent += (size_t)n;
    if (c->sent == c->out.n) {
        buf_clear(&c->out);
        c->sent = 0;
    }
    return true;
}

/* The thread ----------------------------------------------------------------------------------- */

static short wanted(const struct client *c)
{
    if (c->out.n)
        return POLLOUT;
    return c->waits ? 0 : POLLIN; /* POLLHUP tells when a waiting client leaves */
}

static void serve(struct control_server *s, struct client *c, short events, uint64_t now_ms)
{
    bool stays = true;
    if (events & POLLOUT)
        stays = give(c);
    else if (events & POLLIN)
        stays = take(c, now_ms);
    else if (events)
        stays = false;
    if (stays)
        answer_next(s, c);
    if (buf_rc(&c->out)) /* an answer without room or memory */
        stays = false;
    if (stays && c->out.n)
        stays = give(c);
    bool is_silent = !c->waits && now_ms - c->heard_ms > CONTROL_IDLE_MS;
    if (!stays || is_silent || (c->leaves && c->out.n == 0))
        client_close(s, c);
}

static void turn(struct control_server *s)
{
    struct pollfd fds[CONTROL_CLIENTS + 2];
    for (int i = 0; i < CONTROL_CLIENTS; i++)
        fds[i] = (struct pollfd){.fd = s->clients[i].fd, .events = wanted(&s->clients[i])};
    fds[CONTROL_CLIENTS] = (struct pollfd){.fd = s->fd, .events = POLLIN};
    fds[CONTROL_CLIENTS + 1] = (struct pollfd){.fd = s->wake, .events = POLLIN};
    int n = poll(fds, CONTROL_CLIENTS + 2, LOOK_MS);
    uint64_t now_ms = clock_now_ms(clock_real());
    measure(s, now_ms);
    for (int i = 0; i < CONTROL_CLIENTS && n >= 0; i++)
        if (s->clients[i].fd >= 0)
            serve(s, &s->clients[i], fds[i].revents, now_ms);
    if (n > 0 && fds[CONTROL_CLIENTS].revents)
        accept_one(s, now_ms);
}

static void *server_main(void *arg)
{
    struct control_server *s = arg;
    while (!atomic_load(&s->ends))
        turn(s);
    return NULL;
}

/* Opening and closing -------------------------------------------------------------------------- */

/* Blocks all signals in the new thread: other threads wait for them. */
static int start_thread(struct control_server *s)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&s->thread, NULL, server_main, s);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

enum rc control_server_open(const struct control_setup *setup, struct control_server **ret,
                            struct buf *why)
{
    struct control_server *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    s->setup = *setup;
    s->rate_ms = s->before_ms = clock_now_ms(clock_real());
    newcomers_init(&s->newcomers, CONTROL_CLIENTS, CONTROL_CLIENTS);
    for (int i = 0; i < CONTROL_CLIENTS; i++)
        s->clients[i].fd = -1;
    s->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    enum rc rc = s->wake < 0 ? RC_LIMIT : control_listen(setup->dir, &s->fd, &s->run, why);
    if (rc == RC_OK && control_is_clustered(setup))
        rc = control_peers_open(setup, &s->peers);
    if (rc == RC_OK && start_thread(s)) {
        control_unlisten(s->fd, s->run);
        rc = RC_LIMIT;
    }
    if (rc == RC_OK) {
        *ret = s;
        return RC_OK;
    }
    control_peers_close(s->peers);
    if (s->wake >= 0)
        close(s->wake);
    mem_free(s);
    return rc;
}

/* The client's connection stays open: the kernel closes it when the process is gone, and the client
 * waits for that. */
static void tell_end(struct control_server *s, struct client *c)
{
    struct buf last = {.max = CONTROL_ANSWER_BYTES};
    control_status(&s->setup, rate(s), true, &last);
    buf_byte(&last, '\n');
    if (buf_rc(&last) == RC_OK)
        (void)send(c->fd, last.p, last.n, MSG_NOSIGNAL);
    buf_done(&last);
    c->fd = -1;
}

void control_server_close(struct control_server *s)
{
    uint64_t one = 1;
    if (!s)
        return;
    atomic_store(&s->ends, true);
    ssize_t n = write(s->wake, &one, sizeof one);
    (void)n; /* without it the thread wakes within a second */
    (void)pthread_join(s->thread, NULL);
    control_peers_close(s->peers);
    control_unlisten(s->fd, s->run);
    for (int i = 0; i < CONTROL_CLIENTS; i++) {
        if (s->clients[i].fd >= 0 && s->clients[i].waits)
            tell_end(s, &s->clients[i]);
        client_close(s, &s->clients[i]);
    }
    close(s->wake);
    mem_free(s);
}
