/* SPDX-License-Identifier: Apache-2.0 */
#include "bus/bus_nats.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/queue.h"
#include "bus/open_calls.h"
#include "bus/post_reply.h"

#include <assert.h>
#include <errno.h>
#include <nats/nats.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum {
    CONNECT_MS = 1000,
    WRITE_MS = 1500,
    PING_MS = 1000,
    PINGS_OUT = 2,
    REST_MIN_MS = 100,
    REST_MAX_MS = 1600,
    FAREWELL_MS = 10000, /* how long the library may take to end its threads */
    USUAL_TIMEOUT_MS = 5000,
    BUFFER_BYTES = 1 << 20, /* of a connection, each way */
    REPLIES_MAX = 2 * BUS_MAX_OPEN,
    PENDING_MESSAGES = 1 << 16, /* in the library, before our callback */
    PENDING_BYTES = 64 << 20,
    LOGIN_MAX_BYTES = 255,
    KEY_BYTES = 16,
    ID_BYTES = 16,                       /* of the digest that stands for an id, */
    ID_TEXT_BYTES = 32,                  /* in hexadecimal */
    MAX_SUBS = BUS_NATS_MAX_LISTENS + 1, /* and the answers */
};

struct bus_nats;

/* What the library brought and nobody has seen yet. */
struct note {
    struct note *next; /* of those that poll has handed out */
    natsMsg *msg;
    bool is_reply;
};

/* One connection, and the thread that keeps it. `lock` guards everything down to `stuck`. */
struct link {
    struct bus_nats *bus;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    natsConnection *nc; /* NULL while there is none */
    natsSubscription *subs[MAX_SUBS];
    size_t sub_count;
    size_t delivering; /* subscriptions whose thread may still call us */
    bool is_closed;    /* the library has ended the present connection */
    bool is_given_up;  /* the present connection is to be made anew */
    bool stopping;
    bool stuck; /* it did not end in time: its memory is left to it */
    char *listens[BUS_NATS_MAX_LISTENS];
    size_t listen_count;
    size_t listening; /* the first so many, on the present connection */

    _Atomic uint64_t ups, downs; /* equal: down */
    pthread_t keeper;
    bool has_keeper;
    const char *what;
    char user[LOGIN_MAX_BYTES + 1], password[LOGIN_MAX_BYTES + 1];
};

struct asked {
    uint64_t handle; /* 0: nobody waits */
    char *subject;
};

struct bus_nats {
    struct bus bus;
    struct log *log;
    char url[LOGIN_MAX_BYTES + 1];
    char inbox[64];
    uint64_t timeout_ms;
    struct link links[2]; /* say, hear */
    size_t link_count;
    struct link *say, *hear;

    /* Filled by the library's threads. */
    struct mpsc *replies, *heard;
    _Atomic size_t heard_count, heard_bytes, reply_count;
    _Atomic uint64_t heard_lost, replies_lost, refused;
    _Atomic bool is_awake; /* event_fd has been written to since poll looked */
    int event_fd;

    /* The caller's thread alone. */
    int timer_fd, epoll_fd;
    uint64_t armed_ms; /* what timer_fd is set to; OPEN_CALLS_NEVER: nothing */
    struct open_calls *calls;
    struct note *shown; /* handed out, borrowed until poll returns */
    struct asked asked[BUS_NATS_MAX_REPLIES];
    uint64_t last_handle;
    uint64_t told; /* state_of() when it was told last */
};

static enum rc rc_of(natsStatus s)
{
    switch (s) {
    case NATS_OK:
        return RC_OK;
    case NATS_NO_MEMORY:
        return RC_NOMEM;
    case NATS_INVALID_ARG:
    case NATS_INVALID_SUBJECT:
    case NATS_MAX_PAYLOAD:
        return RC_INVALID;
    default:
        return RC_AGAIN;
    }
}

static void wake(struct bus_nats *b)
{
    uint64_t one = 1;
    if (!atomic_exchange(&b->is_awake, true))
        (void)!write(b->event_fd, &one, sizeof one);
}

/* The library's threads ------------------------------------------------------------------------ */

/* Takes the message, or loses it. */
static void push(struct bus_nats *b, natsMsg *msg, bool is_reply)
{
    struct note *n = mem_zero(1, sizeof *n);
    size_t bytes = (size_t)natsMsg_GetDataLength(msg);
    if (n) {
        n->msg = msg;
        n->is_reply = is_reply;
        if (mpsc_push(is_reply ? b->replies : b->heard, n) == RC_OK) {
            wake(b);
            return;
        }
    }
    mem_free(n);
    natsMsg_Destroy(msg);
    atomic_fetch_add(is_reply ? &b->replies_lost : &b->heard_lost, 1);
    if (is_reply) {
        atomic_fetch_sub(&b->reply_count, 1);
    } else {
        atomic_fetch_sub(&b->heard_count, 1);
        atomic_fetch_sub(&b->heard_bytes, bytes);
    }
}

static void on_reply(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *ctx)
{
    struct bus_nats *b = ((struct link *)ctx)->bus;
    (void)nc, (void)sub;
    if (atomic_fetch_add(&b->reply_count, 1) < REPLIES_MAX) {
        push(b, msg, true);
        return;
    }
    atomic_fetch_sub(&b->reply_count, 1);
    atomic_fetch_add(&b->replies_lost, 1);
    natsMsg_Destroy(msg);
}

static void on_heard(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *ctx)
{
    struct bus_nats *b = ((struct link *)ctx)->bus;
    size_t bytes = (size_t)natsMsg_GetDataLength(msg);
    (void)nc, (void)sub;
    if (atomic_fetch_add(&b->heard_count, 1) < BUS_NATS_HEARD_MAX &&
        bytes <= BUS_MAX_PAYLOAD_BYTES &&
        atomic_load(&b->heard_bytes) + bytes <= BUS_NATS_HEARD_MAX_BYTES) {
        atomic_fetch_add(&b->heard_bytes, bytes);
        push(b, msg, false);
        return;
    }
    atomic_fetch_sub(&b->heard_count, 1);
    atomic_fetch_add(&b->heard_lost, 1);
    natsMsg_Destroy(msg);
}

static void on_delivered_all(void *ctx)
{
    struct link *l = ctx;
    pthread_mutex_lock(&l->lock);
    l->delivering--;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

static void on_closed(natsConnection *nc, void *ctx)
{
    struct link *l = ctx;
    (void)nc;
    pthread_mutex_lock(&l->lock);
    l->is_closed = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

static void on_error(natsConnection *nc, natsSubscription *sub, natsStatus s, void *ctx)
{
    struct link *l = ctx;
    const char *text = NULL;
    (void)sub;
    if (natsConnection_GetLastError(nc, &text) == NATS_OK && !text)
        text = "";
    atomic_fetch_add(s == NATS_SLOW_CONSUMER ? &l->bus->heard_lost : &l->bus->refused, 1);
    log_warn(l->bus->log, "bus.refused", LOG_C("connection", l->what),
             LOG_C("error", natsStatus_GetText(s)), LOG_C("said", text));
}

/* A connection and its keeper ------------------------------------------------------------------ */

/* `lock` is held. */
static natsStatus subscribe(struct link *l, natsConnection *nc, const char *subject,
                            natsMsgHandler handler)
{
    natsSubscription *sub = NULL;
    if (l->sub_count == MAX_SUBS)
        return NATS_INSUFFICIENT_BUFFER; /* failed ones are there too, until the connection ends */
    natsStatus s = natsConnection_Subscribe(&sub, nc, subject, handler, l);
    if (s != NATS_OK)
        return s;
    l->subs[l->sub_count++] = sub;
    s = natsSubscription_SetOnCompleteCB(sub, on_delivered_all, l);
    if (s == NATS_OK)
        l->delivering++;
    return s == NATS_OK ? natsSubscription_SetPendingLimits(sub, PENDING_MESSAGES, PENDING_BYTES)
                        : s;
}

static natsStatus options_for(struct link *l, natsOptions **ret)
{
    natsStatus s = natsOptions_Create(ret);
    natsOptions *o = *ret;
    s = s ? s : natsOptions_SetURL(o, l->bus->url);
    s = s ? s : natsOptions_SetUserInfo(o, l->user, l->password);
    s = s ? s : natsOptions_SetAllowReconnect(o, false);
    s = s ? s : natsOptions_SetTimeout(o, CONNECT_MS);
    s = s ? s : natsOptions_SetPingInterval(o, PING_MS);
    s = s ? s : natsOptions_SetMaxPingsOut(o, PINGS_OUT);
    s = s ? s : natsOptions_SetWriteDeadline(o, WRITE_MS);
    s = s ? s : natsOptions_SetIOBufSize(o, BUFFER_BYTES);
    s = s ? s : natsOptions_SetSendAsap(o, true);
    s = s ? s : natsOptions_SetIgnoreDiscoveredServers(o, true);
    s = s ? s : natsOptions_SetMaxPendingMsgs(o, PENDING_MESSAGES);
    s = s ? s : natsOptions_SetClosedCB(o, on_closed, l);
    s = s ? s : natsOptions_SetErrorHandler(o, on_error, l);
    return s;
}

/* `lock` is held. Those that this connection does not listen to yet. */
static natsStatus listen_to_rest(struct link *l, natsConnection *nc)
{
    natsStatus s = NATS_OK;
    for (; s == NATS_OK && l->listening < l->listen_count; l->listening += s == NATS_OK)
        s = subscribe(l, nc, l->listens[l->listening], on_heard);
    return s;
}

static natsStatus listen_first(struct link *l, natsConnection *nc)
{
    char inbox[sizeof l->bus->inbox + 2];
    (void)snprintf(inbox, sizeof inbox, "%s.*", l->bus->inbox);
    pthread_mutex_lock(&l->lock);
    l->listening = 0;
    natsStatus s = l == l->bus->say ? subscribe(l, nc, inbox, on_reply) : NATS_OK;
    s = s ? s : listen_to_rest(l, nc);
    pthread_mutex_unlock(&l->lock);
    return s ? s : natsConnection_FlushTimeout(nc, CONNECT_MS);
}

/* Everything that is listened to is so before anybody is told that the connection is there; also
 * what was asked for since the flush began, when there was no connection yet to ask it of. */
static natsStatus become_connected(struct link *l, natsConnection *nc)
{
    natsStatus s = listen_first(l, nc);
    for (bool is_all = false;
         s == NATS_OK && !is_all;) { /* as often as there are listens, at most */
        pthread_mutex_lock(&l->lock);
        is_all = l->listening == l->listen_count;
        if (is_all) {
            l->nc = nc;
            atomic_fetch_add(&l->ups, 1);
        } else {
            s = listen_to_rest(l, nc);
        }
        pthread_mutex_unlock(&l->lock);
        if (!is_all && s == NATS_OK)
            s = natsConnection_FlushTimeout(nc, CONNECT_MS);
    }
    return s;
}

static void wait_for_the_end(struct link *l)
{
    pthread_mutex_lock(&l->lock);
    while (!l->is_closed && !l->stopping && !l->is_given_up)
        pthread_cond_wait(&l->changed, &l->lock);
    l->is_given_up = false;
    if (l->nc) {
        l->nc = NULL;
        atomic_fetch_add(&l->downs, 1);
    }
    pthread_mutex_unlock(&l->lock);
    wake(l->bus);
}

/* `lock` is held. False: `ms` have passed since `from`. */
static bool wait_until(struct link *l, const struct timespec *from, unsigned ms)
{
    struct timespec end = *from;
    end.tv_sec += ms / 1000;
    end.tv_nsec += (long)(ms % 1000) * 1000000;
    if (end.tv_nsec >= 1000000000) {
        end.tv_sec++;
        end.tv_nsec -= 1000000000;
    }
    return pthread_cond_timedwait(&l->changed, &l->lock, &end) != ETIMEDOUT;
}

static struct timespec monotonic_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return t;
}

/* Gives the connection back once none of the library's threads can call us on its behalf. */
static void disconnect(struct link *l, natsConnection *nc)
{
    struct timespec from = monotonic_now();
    natsConnection_Close(nc);
    pthread_mutex_lock(&l->lock);
    while ((!l->is_closed || l->delivering > 0) && !l->stuck)
        l->stuck = !wait_until(l, &from, FAREWELL_MS);
    size_t count = l->sub_count;
    bool is_stuck = l->stuck;
    l->sub_count = 0;
    pthread_mutex_unlock(&l->lock);
    if (is_stuck) /* nobody connects any more: whoever waits for the servers must know why */
        log_error(l->bus->log, "bus.stuck", LOG_C("connection", l->what));
    for (size_t i = 0; i < count; i++)
        natsSubscription_Destroy(l->subs[i]);
    natsConnection_Destroy(nc);
}

/* Connects, stays as long as it lasts. True: it was connected. */
static bool stay_once(struct link *l)
{
    natsOptions *o = NULL;
    natsConnection *nc = NULL;
    l->is_closed = false;
    natsStatus s = options_for(l, &o);
    s = s ? s : natsConnection_Connect(&nc, o);
    natsOptions_Destroy(o);
    if (s != NATS_OK) {
        log_debug(l->bus->log, "bus.away", LOG_C("connection", l->what),
                  LOG_C("error", natsStatus_GetText(s)));
        return false;
    }
    s = become_connected(l, nc);
    if (s == NATS_OK) {
        log_info(l->bus->log, "bus.up", LOG_C("connection", l->what));
        wake(l->bus);
        wait_for_the_end(l);
        log_info(l->bus->log, "bus.down", LOG_C("connection", l->what));
    }
    disconnect(l, nc);
    return s == NATS_OK;
}

static void rest(struct link *l, unsigned ms)
{
    struct timespec from = monotonic_now();
    ms += (unsigned)from.tv_nsec % ms; /* so that not all come back at once */
    pthread_mutex_lock(&l->lock);
    while (!l->stopping && wait_until(l, &from, ms))
        ;
    pthread_mutex_unlock(&l->lock);
}

static bool is_stopping(struct link *l)
{
    pthread_mutex_lock(&l->lock);
    bool stopping = l->stopping || l->stuck;
    pthread_mutex_unlock(&l->lock);
    return stopping;
}

static void *keep(void *ctx)
{
    struct link *l = ctx;
    unsigned ms = REST_MIN_MS;
    while (!is_stopping(l)) {
        ms = stay_once(l) ? REST_MIN_MS : ms < REST_MAX_MS ? ms * 2 : ms;
        rest(l, ms);
    }
    nats_ReleaseThreadMemory();
    return NULL;
}

static bool copy_text(char *to, size_t bytes, struct str s)
{
    if (s.n == 0 || s.n >= bytes || str_find(s, '\0') < s.n)
        return false;
    memcpy(to, s.p, s.n);
    to[s.n] = '\0';
    return true;
}

static void link_init(struct link *l, struct bus_nats *b, const char *what)
{
    pthread_condattr_t attr;
    l->bus = b;
    l->what = what;
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&l->changed, &attr);
    (void)pthread_condattr_destroy(&attr);
}

static enum rc link_start(struct link *l)
{
    if (pthread_create(&l->keeper, NULL, keep, l))
        return RC_IO;
    l->has_keeper = true;
    return RC_OK;
}

static void link_stop(struct link *l)
{
    pthread_mutex_lock(&l->lock);
    l->stopping = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
    if (l->has_keeper)
        (void)pthread_join(l->keeper, NULL);
}

static void link_done(struct link *l)
{
    for (size_t i = 0; i < l->listen_count; i++)
        mem_free(l->listens[i]);
    (void)pthread_mutex_destroy(&l->lock);
    (void)pthread_cond_destroy(&l->changed);
}

static bool link_is_up(const struct link *l)
{
    return atomic_load(&l->ups) != atomic_load(&l->downs);
}

/* Calls made on a connection below this number have lost it. */
static uint64_t link_number(struct link *l)
{
    pthread_mutex_lock(&l->lock);
    uint64_t number = atomic_load(&l->ups) + (l->nc ? 0 : 1);
    pthread_mutex_unlock(&l->lock);
    return number;
}

/* What goes out. `reply` and `id` may be NULL. */
struct letter {
    const char *subject, *reply, *id;
    struct str payload;
};

static natsStatus publish(natsConnection *nc, const struct letter *p)
{
    natsMsg *msg = NULL;
    natsStatus s;
    if (!p->id && !p->reply)
        return natsConnection_Publish(nc, p->subject, p->payload.p, (int)p->payload.n);
    if (!p->id)
        return natsConnection_PublishRequest(nc, p->subject, p->reply, p->payload.p,
                                             (int)p->payload.n);
    s = natsMsg_Create(&msg, p->subject, p->reply, p->payload.p, (int)p->payload.n);
    s = s ? s : natsMsgHeader_Set(msg, "Nats-Msg-Id", p->id);
    s = s ? s : natsConnection_PublishMsg(nc, msg);
    natsMsg_Destroy(msg);
    return s;
}

static enum rc link_send(struct link *l, const struct letter *p)
{
    pthread_mutex_lock(&l->lock);
    natsStatus s = l->nc ? publish(l->nc, p) : NATS_CONNECTION_DISCONNECTED;
    pthread_mutex_unlock(&l->lock);
    return rc_of(s);
}

/* What the caller begins ----------------------------------------------------------------------- */

static struct bus_nats *of(struct bus *bus)
{
    return (struct bus_nats *)(void *)bus;
}

static void arm(struct bus_nats *b)
{
    uint64_t next = open_calls_next_ms(b->calls);
    if (next >= b->armed_ms)
        return;
    struct itimerspec at = {.it_value = {.tv_sec = (time_t)(next / 1000),
                                         .tv_nsec = (long)(next % 1000) * 1000000 + 1}};
    if (timerfd_settime(b->timer_fd, TFD_TIMER_ABSTIME, &at, NULL) == 0)
        b->armed_ms = next;
}

/* Sends something that will be answered; the answer's subject leads back to the call. */
static enum rc begin(struct bus_nats *b, enum open_call_kind kind, uint64_t ticket,
                     uint64_t timeout_ms, struct letter p)
{
    char reply[sizeof b->inbox + 1 + KEY_BYTES + 1];
    struct open_call call = {.ticket = ticket, .kind = kind, .link = link_number(b->say)};
    uint64_t key;
    if (!link_is_up(b->say))
        return RC_AGAIN;
    enum rc rc = open_calls_begin(b->calls, &call, clock_now_ms(clock_real()) + timeout_ms, &key);
    if (rc)
        return rc;
    (void)snprintf(reply, sizeof reply, "%s.%llx", b->inbox, (unsigned long long)key);
    p.reply = reply;
    rc = link_send(b->say, &p);
    if (rc) {
        bool was_open = open_calls_end(b->calls, key, &call);
        assert(was_open);
        return rc;
    }
    arm(b);
    return RC_OK;
}

static bool is_letter(struct str subject, struct str payload, char *ret_subject)
{
    return post_subject_is_good(subject, false) && payload.n <= BUS_MAX_PAYLOAD_BYTES &&
           copy_text(ret_subject, BUS_MAX_SUBJECT_BYTES + 1, subject);
}

static enum rc nats_say(struct bus *bus, struct str subject, struct str payload)
{
    char to[BUS_MAX_SUBJECT_BYTES + 1];
    if (!is_letter(subject, payload, to))
        return RC_INVALID;
    return link_send(of(bus)->say, &(struct letter){.subject = to, .payload = payload});
}

/* Why not the id itself: see bus_nats.h. */
static enum rc hide_id(struct bus_nats *b, struct str subject, uint64_t id, char *ret)
{
    char room[sizeof b->say->password + BUS_MAX_SUBJECT_BYTES + 8];
    struct buf in = buf_on(room, sizeof room), out = buf_on(ret, ID_TEXT_BYTES);
    struct digest digest;
    buf_le64(&in, id);
    buf_add(&in, str_c(b->say->password));
    buf_byte(&in, ' ');
    buf_add(&in, subject);
    enum rc rc = digest_of(DIGEST_SHA256, buf_str(&in), &digest);
    if (rc)
        return rc;
    buf_hex(&out, digest.bytes, ID_BYTES);
    ret[ID_TEXT_BYTES] = '\0';
    return RC_OK;
}

static enum rc nats_append(struct bus *bus, uint64_t ticket, struct str subject, uint64_t id,
                           struct str payload)
{
    struct bus_nats *b = of(bus);
    char to[BUS_MAX_SUBJECT_BYTES + 1], hidden[ID_TEXT_BYTES + 1];
    if (!is_letter(subject, payload, to))
        return RC_INVALID;
    enum rc rc = hide_id(b, subject, id, hidden);
    struct letter p = {.subject = to, .id = hidden, .payload = payload};
    return rc ? rc : begin(b, OPEN_APPEND, ticket, b->timeout_ms, p);
}

static enum rc nats_get(struct bus *bus, uint64_t ticket, struct str stream, uint64_t sequence,
                        struct str subject)
{
    struct bus_nats *b = of(bus);
    char to[BUS_MAX_SUBJECT_BYTES + 1], room[3 * BUS_MAX_SUBJECT_BYTES];
    struct buf json = buf_on(room, sizeof room);
    struct jsonw j = jsonw_to(&json);
    if (!post_stream_is_good(stream) || (subject.n && !post_subject_is_good(subject, true)))
        return RC_INVALID;
    (void)snprintf(to, sizeof to, "$JS.API.DIRECT.GET." STR_FMT, STR_ARG(stream));
    jsonw_object(&j);
    jsonw_u64_field(&j, "seq", sequence ? sequence : 1);
    jsonw_text_field(&j, "next_by_subj", subject.n ? subject : STR(">"));
    jsonw_end(&j);
    struct letter p = {.subject = to, .payload = buf_str(&json)};
    enum rc rc = buf_rc(&json);
    return rc ? rc : begin(b, OPEN_GET, ticket, b->timeout_ms, p);
}

static enum rc nats_ask(struct bus *bus, uint64_t ticket, struct str subject, struct str payload,
                        uint64_t timeout_ms)
{
    char to[BUS_MAX_SUBJECT_BYTES + 1];
    if (!is_letter(subject, payload, to))
        return RC_INVALID;
    struct letter p = {.subject = to, .payload = payload};
    return begin(of(bus), OPEN_ASK, ticket, timeout_ms, p);
}

static enum rc nats_answer(struct bus *bus, uint64_t reply, struct str payload)
{
    struct bus_nats *b = of(bus);
    struct asked *a = &b->asked[reply % BUS_NATS_MAX_REPLIES];
    if (reply == 0 || a->handle != reply)
        return RC_NOT_FOUND;
    if (payload.n > BUS_MAX_PAYLOAD_BYTES)
        return RC_INVALID;
    a->handle = 0;
    return link_send(b->hear, &(struct letter){.subject = a->subject, .payload = payload});
}

static enum rc nats_listen(struct bus *bus, struct str subject)
{
    struct link *l = of(bus)->hear;
    enum rc rc = RC_OK;
    if (!post_subject_is_good(subject, true))
        return RC_INVALID;
    char *copy = mem_alloc(subject.n + 1);
    if (!copy)
        return RC_NOMEM;
    memcpy(copy, subject.p, subject.n);
    copy[subject.n] = '\0';
    pthread_mutex_lock(&l->lock);
    if (l->listen_count == BUS_NATS_MAX_LISTENS)
        rc = RC_AGAIN;
    else if (l->nc)
        rc = rc_of(subscribe(l, l->nc, copy, on_heard));
    if (rc == RC_OK) {
        l->listens[l->listen_count++] = copy;
        l->listening += l->nc != NULL; /* else whoever connects sees to it */
    }
    pthread_mutex_unlock(&l->lock);
    if (rc)
        mem_free(copy);
    return rc;
}

/* What comes of it ----------------------------------------------------------------------------- */

static struct str text_of(const natsMsg *m)
{
    return str_make(natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m));
}

/* The last value of that name, borrowed from the message: the servers put theirs behind the
 * writer's. RC_NOT_FOUND; RC_CORRUPT: the header is no header. */
static enum rc last_header(natsMsg *m, const char *name, struct str *ret)
{
    const char **values = NULL;
    int count = 0;
    natsStatus s = natsMsgHeader_Values(m, name, &values, &count);
    if (s == NATS_NOT_FOUND || (s == NATS_OK && count == 0))
        return RC_NOT_FOUND;
    if (s != NATS_OK)
        return s == NATS_NO_MEMORY ? RC_NOMEM : RC_CORRUPT;
    *ret = str_c(values[count - 1]);
    free((void *)values);
    return RC_OK;
}

static void read_got(natsMsg *m, struct bus_event *e)
{
    struct str number = STR_NONE, stamp = STR_NONE, status = STR_NONE;
    enum rc rc = last_header(m, "Nats-Sequence", &number);
    if (rc == RC_NOT_FOUND) {
        rc = last_header(m, "Status", &status);
        e->rc = str_eq(status, STR("404"))   ? RC_NOT_FOUND
                : str_eq(status, STR("503")) ? RC_AGAIN
                : rc == RC_OK                ? RC_INVALID
                                             : RC_CORRUPT;
        return;
    }
    rc = rc ? rc : last_header(m, "Nats-Subject", &e->subject);
    rc = rc ? rc : last_header(m, "Nats-Time-Stamp", &stamp);
    if (rc || str_to_u64(number, &e->sequence) || post_stamp_read(stamp, &e->stamp_ms)) {
        e->rc = rc == RC_NOMEM ? RC_NOMEM : RC_CORRUPT;
        return;
    }
    e->payload = text_of(m);
}

static void read_ack(natsMsg *m, struct bus_event *e)
{
    struct post_ack ack = {.rc = RC_AGAIN}; /* nobody there: no leader, no stream, not allowed */
    if (!natsMsg_IsNoResponders(m))
        ack = post_ack_read(text_of(m));
    e->rc = ack.rc;
    e->sequence = ack.sequence;
    e->is_repeat = ack.is_repeat;
}

static void read_answer(natsMsg *m, struct bus_event *e)
{
    if (natsMsg_IsNoResponders(m)) {
        e->rc = RC_NOT_FOUND;
    } else {
        e->payload = text_of(m);
    }
}

static uint64_t key_of(struct bus_nats *b, const natsMsg *m)
{
    struct str token = str_from(str_c(natsMsg_GetSubject(m)), strlen(b->inbox) + 1);
    uint64_t key = 0;
    for (size_t i = 0; i < token.n && i < KEY_BYTES; i++) {
        int digit = ascii_hex(token.p[i]);
        key = key << 4 | (uint64_t)(digit < 0 ? 0 : digit);
    }
    return key;
}

/* False: nobody waits for it any more. */
static bool show_reply(struct bus_nats *b, natsMsg *m, struct bus_event *e)
{
    struct open_call call;
    if (!open_calls_end(b->calls, key_of(b, m), &call))
        return false;
    *e = (struct bus_event){.kind = BUS_DONE, .ticket = call.ticket};
    switch (call.kind) {
    case OPEN_APPEND:
        read_ack(m, e);
        break;
    case OPEN_GET:
        read_got(m, e);
        break;
    case OPEN_ASK:
        read_answer(m, e);
        break;
    }
    return true;
}

/* The handle of an answer's subject; 0 without memory. */
static uint64_t remember_asker(struct bus_nats *b, struct str reply)
{
    uint64_t handle = b->last_handle + 1;
    struct asked *a = &b->asked[handle % BUS_NATS_MAX_REPLIES];
    char *copy = mem_alloc(reply.n + 1);
    if (!copy)
        return 0;
    memcpy(copy, reply.p, reply.n);
    copy[reply.n] = '\0';
    mem_free(a->subject);
    *a = (struct asked){.handle = handle, .subject = copy};
    b->last_handle = handle;
    return handle;
}

/* Without memory for the asker's subject it is only heard, and the asker's time runs out. */
static void show_heard(struct bus_nats *b, natsMsg *m, struct bus_event *e)
{
    struct str reply = str_c(natsMsg_GetReply(m));
    *e = (struct bus_event){
        .kind = BUS_HEARD, .subject = str_c(natsMsg_GetSubject(m)), .payload = text_of(m)};
    if (reply.n > 0 && reply.n <= BUS_MAX_SUBJECT_BYTES)
        e->reply = remember_asker(b, reply);
    if (e->reply)
        e->kind = BUS_ASKED;
}

/* The next of a queue, kept until poll returns. */
static struct note *pop(struct bus_nats *b, struct mpsc *queue)
{
    struct note *n = mpsc_pop(queue);
    if (!n)
        return NULL;
    n->next = b->shown;
    b->shown = n;
    return n;
}

/* Passes over answers that nobody waits for any more. */
static bool next_reply(struct bus_nats *b, struct bus_event *e)
{
    for (size_t i = 0; i < REPLIES_MAX; i++) {
        struct note *n = pop(b, b->replies);
        if (!n)
            return false;
        atomic_fetch_sub(&b->reply_count, 1);
        if (show_reply(b, n->msg, e))
            return true;
    }
    return false;
}

static bool next_heard(struct bus_nats *b, struct bus_event *e)
{
    struct note *n = pop(b, b->heard);
    if (!n)
        return false;
    atomic_fetch_sub(&b->heard_count, 1);
    atomic_fetch_sub(&b->heard_bytes, (size_t)natsMsg_GetDataLength(n->msg));
    show_heard(b, n->msg, e);
    return true;
}

static void forget_shown(struct bus_nats *b)
{
    while (b->shown) {
        struct note *n = b->shown;
        b->shown = n->next;
        natsMsg_Destroy(n->msg);
        mem_free(n);
    }
}

/* How often connections were made, while all are there; else 0. */
static uint64_t state_of(struct bus_nats *b)
{
    uint64_t ups = 0;
    for (size_t i = 0; i < b->link_count; i++) {
        if (!link_is_up(&b->links[i]))
            return 0;
        ups += atomic_load(&b->links[i].ups);
    }
    return ups;
}

/* Going away and coming back between two polls is told as both. */
static bool next_down(struct bus_nats *b, struct bus_event *e)
{
    if (b->told == 0 || state_of(b) == b->told)
        return false;
    b->told = 0;
    *e = (struct bus_event){.kind = BUS_DOWN};
    return true;
}

static bool next_up(struct bus_nats *b, struct bus_event *e)
{
    uint64_t state = state_of(b);
    if (b->told != 0 || state == 0)
        return false;
    b->told = state;
    *e = (struct bus_event){.kind = BUS_UP};
    return true;
}

static bool next_lost(struct bus_event *e, bool found, const struct open_call *call)
{
    if (found)
        *e = (struct bus_event){.kind = BUS_DONE, .ticket = call->ticket, .rc = RC_AGAIN};
    return found;
}

/* Loss is told before what ended by it; an answer that is here counts, however late it is looked
 * at; what others say comes last, so that no flood of it delays the end of a call. */
static bool next_event(struct bus_nats *b, uint64_t now_ms, struct bus_event *e)
{
    struct open_call call;
    return next_down(b, e) || next_reply(b, e) ||
           next_lost(e, open_calls_due(b->calls, now_ms, &call), &call) ||
           next_lost(e, open_calls_older(b->calls, link_number(b->say), &call), &call) ||
           next_up(b, e) || next_heard(b, e);
}

static void drain(struct bus_nats *b)
{
    uint64_t count;
    (void)!read(b->event_fd, &count, sizeof count);
    atomic_store(&b->is_awake, false);
    if (read(b->timer_fd, &count, sizeof count) > 0)
        b->armed_ms = OPEN_CALLS_NEVER;
}

static size_t nats_poll(struct bus *bus, void (*each)(void *ctx, const struct bus_event *e),
                        void *ctx, size_t most)
{
    struct bus_nats *b = of(bus);
    uint64_t now_ms = clock_now_ms(clock_real());
    struct bus_event e;
    size_t given = 0;
    drain(b);
    while (given < most && next_event(b, now_ms, &e)) {
        each(ctx, &e);
        given++;
    }
    forget_shown(b);
    if (given == most)
        wake(b); /* there may be more */
    arm(b);
    return given;
}

static void nats_anew(struct bus *bus)
{
    struct link *l = of(bus)->hear;
    pthread_mutex_lock(&l->lock);
    l->is_given_up = l->nc != NULL;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

static int nats_fd(struct bus *bus)
{
    return of(bus)->epoll_fd;
}

/* Opening and closing -------------------------------------------------------------------------- */

static void close_fd(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

static void nats_free(struct bus_nats *b)
{
    while ((b->replies && pop(b, b->replies)) || (b->heard && pop(b, b->heard)))
        ;
    forget_shown(b);
    for (size_t i = 0; i < BUS_NATS_MAX_REPLIES; i++)
        mem_free(b->asked[i].subject);
    for (size_t i = 0; i < b->link_count; i++)
        link_done(&b->links[i]);
    mpsc_close(b->replies);
    mpsc_close(b->heard);
    open_calls_close(b->calls);
    close_fd(b->epoll_fd);
    close_fd(b->timer_fd);
    close_fd(b->event_fd);
    mem_free(b);
}

static void nats_close(struct bus *bus)
{
    struct bus_nats *b = of(bus);
    bool stuck = false;
    for (size_t i = 0; i < b->link_count; i++) {
        link_stop(&b->links[i]);
        stuck = stuck || b->links[i].stuck;
    }
    if (!stuck) /* else a thread of the library may still call us: better a leak */
        nats_free(b);
}

static const struct bus_ops nats_ops = {
    .name = "nats",
    .close = nats_close,
    .listen = nats_listen,
    .say = nats_say,
    .append = nats_append,
    .get = nats_get,
    .ask = nats_ask,
    .answer = nats_answer,
    .poll = nats_poll,
    .fd = nats_fd,
    .anew = nats_anew,
};

static enum rc open_fds(struct bus_nats *b)
{
    struct epoll_event in = {.events = EPOLLIN};
    b->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    b->timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    b->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    bool good = b->event_fd >= 0 && b->timer_fd >= 0 && b->epoll_fd >= 0 &&
                epoll_ctl(b->epoll_fd, EPOLL_CTL_ADD, b->event_fd, &in) == 0 &&
                epoll_ctl(b->epoll_fd, EPOLL_CTL_ADD, b->timer_fd, &in) == 0;
    return good ? RC_OK : RC_IO;
}

static enum rc open_links(struct bus_nats *b, const struct bus_nats_options *o)
{
    link_init(&b->links[b->link_count++], b, "say");
    b->say = b->hear = &b->links[0];
    if (o->hear.user.n) {
        link_init(&b->links[b->link_count++], b, "hear");
        b->hear = &b->links[1];
    }
    if (!copy_text(b->url, sizeof b->url, o->url) ||
        !copy_text(b->say->user, sizeof b->say->user, o->say.user) ||
        !copy_text(b->say->password, sizeof b->say->password, o->say.password))
        return RC_INVALID;
    if (b->hear != b->say &&
        (!copy_text(b->hear->user, sizeof b->hear->user, o->hear.user) ||
         !copy_text(b->hear->password, sizeof b->hear->password, o->hear.password)))
        return RC_INVALID;
    return RC_OK;
}

static enum rc open_rest(struct bus_nats *b, const struct bus_nats_options *o)
{
    natsInbox *inbox = NULL;
    enum rc rc = open_links(b, o);
    rc = rc ? rc : open_fds(b);
    b->calls = open_calls_open(BUS_MAX_OPEN);
    b->replies = mpsc_open(REPLIES_MAX);
    b->heard = mpsc_open(BUS_NATS_HEARD_MAX);
    if (!rc && (!b->calls || !b->replies || !b->heard || natsInbox_Create(&inbox) != NATS_OK))
        rc = RC_NOMEM;
    if (!rc && !copy_text(b->inbox, sizeof b->inbox, str_c(inbox)))
        rc = RC_INVALID;
    natsInbox_Destroy(inbox);
    return rc;
}

enum rc bus_nats_open(const struct bus_nats_options *o, struct bus **ret)
{
    struct bus_nats *b = mem_zero(1, sizeof *b);
    if (!b)
        return RC_NOMEM;
    b->bus.ops = &nats_ops;
    b->log = o->log;
    b->timeout_ms = o->timeout_ms ? o->timeout_ms : USUAL_TIMEOUT_MS;
    b->event_fd = b->timer_fd = b->epoll_fd = -1;
    b->armed_ms = OPEN_CALLS_NEVER;
    sigset_t all, before; /* signals are for the program's own threads */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    enum rc rc = open_rest(b, o);
    for (size_t i = 0; !rc && i < b->link_count; i++)
        rc = link_start(&b->links[i]);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc) {
        nats_close(&b->bus);
        return rc;
    }
    *ret = &b->bus;
    return RC_OK;
}

struct bus_nats_counts bus_nats_counts(const struct bus *bus)
{
    const struct bus_nats *b = (const struct bus_nats *)(const void *)bus;
    struct bus_nats_counts c = {.heard_lost = atomic_load(&b->heard_lost),
                                .replies_lost = atomic_load(&b->replies_lost),
                                .refused = atomic_load(&b->refused)};
    for (size_t i = 0; i < b->link_count; i++)
        c.connected += atomic_load(&b->links[i].ups);
    return c;
}

void bus_nats_end(void)
{
    (void)nats_CloseAndWait(FAREWELL_MS);
}
