/* SPDX-License-Identifier: Apache-2.0 */
#include "bus/nats_link.h"

#include "base/mem.h"
#include "bus/bus.h"

#include <errno.h>
#include <time.h>

enum {
    CONNECT_MS = 1000,
    WRITE_MS = 1500,
    PING_MS = 1000,
    PINGS_OUT = 2,
    REST_MIN_MS = 100,
    REST_MAX_MS = 1600,
    BUFFER_BYTES = 1 << 20,     /* of a connection, in each direction */
    PENDING_MESSAGES = 1 << 16, /* in the library, before our callback */
    PENDING_BYTES = 64 << 20,
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

/* The library's threads ------------------------------------------------------------------------ */

static void on_reply(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *ctx)
{
    struct nats_link *l = ctx;
    (void)nc, (void)sub;
    mail_put_reply(l->mail, msg);
}

static void on_heard(natsConnection *nc, natsSubscription *sub, natsMsg *msg, void *ctx)
{
    struct nats_link *l = ctx;
    (void)nc, (void)sub;
    mail_put_heard(l->mail, msg);
}

static void on_delivered_all(void *ctx)
{
    struct nats_link *l = ctx;
    pthread_mutex_lock(&l->lock);
    l->delivering--;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

static void on_closed(natsConnection *nc, void *ctx)
{
    struct nats_link *l = ctx;
    (void)nc;
    pthread_mutex_lock(&l->lock);
    l->is_closed = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}

static void on_error(natsConnection *nc, natsSubscription *sub, natsStatus s, void *ctx)
{
    struct nats_link *l = ctx;
    const char *text = NULL;
    (void)sub;
    if (natsConnection_GetLastError(nc, &text) == NATS_OK && !text)
        text = "";
    atomic_fetch_add(s == NATS_SLOW_CONSUMER ? &l->mail->heard_lost : &l->refused, 1);
    log_warn_limited(l->log, "bus.refused", LOG_C("connection", l->what),
                     LOG_C("error", natsStatus_GetText(s)), LOG_C("said", text));
}

/* The keeper ----------------------------------------------------------------------------------- */

/* `lock` is held. */
static natsStatus subscribe(struct nats_link *l, natsConnection *nc, const char *subject,
                            natsMsgHandler handler)
{
    natsSubscription *sub = NULL;
    if (l->sub_count == NATS_LINK_MAX_SUBS)
        /* failed subscriptions count, too, until the connection ends */
        return NATS_INSUFFICIENT_BUFFER;
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

static natsStatus options_for(struct nats_link *l, natsOptions **ret)
{
    natsStatus s = natsOptions_Create(ret);
    natsOptions *o = *ret;
    s = s ? s : natsOptions_SetURL(o, l->url);
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

/* `lock` is held. Subscribes to the subjects that this connection does not listen to yet. */
static natsStatus listen_to_rest(struct nats_link *l, natsConnection *nc)
{
    natsStatus s = NATS_OK;
    for (; s == NATS_OK && l->listening < l->listen_count; l->listening += s == NATS_OK)
        s = subscribe(l, nc, l->listens[l->listening], on_heard);
    return s;
}

static natsStatus listen_first(struct nats_link *l, natsConnection *nc)
{
    pthread_mutex_lock(&l->lock);
    l->listening = 0;
    natsStatus s = l->answers ? subscribe(l, nc, l->answers, on_reply) : NATS_OK;
    s = s ? s : listen_to_rest(l, nc);
    pthread_mutex_unlock(&l->lock);
    return s ? s : natsConnection_FlushTimeout(nc, CONNECT_MS);
}

/* Subscribes to all subjects before the connection is reported as up; also to those that were added
 * since the flush began, when there was no connection yet. */
static natsStatus become_connected(struct nats_link *l, natsConnection *nc)
{
    natsStatus s = listen_first(l, nc);
    for (bool is_all = false; s == NATS_OK && !is_all;) { /* at most once for each subject */
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

static void wait_for_the_end(struct nats_link *l)
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
    mail_wake(l->mail);
}

/* `lock` is held. False: `ms` have passed since `from`. */
static bool wait_until(struct nats_link *l, const struct timespec *from, unsigned ms)
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

/* Destroys the connection once none of the library's threads can call us for it. */
static void disconnect(struct nats_link *l, natsConnection *nc)
{
    struct timespec from = monotonic_now();
    natsConnection_Close(nc);
    pthread_mutex_lock(&l->lock);
    while ((!l->is_closed || l->delivering > 0) && !l->stuck)
        l->stuck = !wait_until(l, &from, NATS_LINK_FAREWELL_MS);
    size_t count = l->sub_count;
    bool is_stuck = l->stuck;
    l->sub_count = 0;
    pthread_mutex_unlock(&l->lock);
    if (is_stuck) /* this link connects no more, and the log must say why */
        log_error(l->log, "bus.stuck", LOG_C("connection", l->what));
    for (size_t i = 0; i < count; i++)
        natsSubscription_Destroy(l->subs[i]);
    natsConnection_Destroy(nc);
}

/* Connects, and stays until the connection ends. True: it was connected. */
static bool stay_once(struct nats_link *l)
{
    natsOptions *o = NULL;
    natsConnection *nc = NULL;
    l->is_closed = false;
    natsStatus s = options_for(l, &o);
    s = s ? s : natsConnection_Connect(&nc, o);
    natsOptions_Destroy(o);
    if (s != NATS_OK) {
        atomic_store(&l->failure, natsStatus_GetText(s));
        log_debug(l->log, "bus.unreachable", LOG_C("connection", l->what),
                  LOG_C("error", natsStatus_GetText(s)));
        return false;
    }
    s = become_connected(l, nc);
    if (s == NATS_OK) {
        log_info(l->log, "bus.up", LOG_C("connection", l->what));
        mail_wake(l->mail);
        wait_for_the_end(l);
        log_info(l->log, "bus.down", LOG_C("connection", l->what));
    }
    if (s != NATS_OK)
        atomic_store(&l->failure, natsStatus_GetText(s));
    disconnect(l, nc);
    return s == NATS_OK;
}

static void wait_ms_or_stop(struct nats_link *l, unsigned ms)
{
    struct timespec from = monotonic_now();
    ms += (unsigned)from.tv_nsec % ms; /* so that not all agents come back at once */
    pthread_mutex_lock(&l->lock);
    while (!l->stopping && wait_until(l, &from, ms))
        ;
    pthread_mutex_unlock(&l->lock);
}

static bool is_stopping(struct nats_link *l)
{
    pthread_mutex_lock(&l->lock);
    bool stopping = l->stopping || l->stuck;
    pthread_mutex_unlock(&l->lock);
    return stopping;
}

static void *keep_connected(void *ctx)
{
    struct nats_link *l = ctx;
    unsigned ms = REST_MIN_MS;
    while (!is_stopping(l)) {
        ms = stay_once(l) ? REST_MIN_MS : ms < REST_MAX_MS ? ms * 2 : ms;
        wait_ms_or_stop(l, ms);
    }
    nats_ReleaseThreadMemory();
    return NULL;
}

/* Its owner ------------------------------------------------------------------------------------ */

bool nats_text(char *to, size_t bytes, struct str s)
{
    if (s.n == 0 || s.n >= bytes || str_find(s, '\0') < s.n)
        return false;
    memcpy(to, s.p, s.n);
    to[s.n] = '\0';
    return true;
}

void nats_link_init(struct nats_link *l, const char *what, struct nats_mail *mail, struct log *log)
{
    pthread_condattr_t attr;
    l->what = what;
    l->mail = mail;
    l->log = log;
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)pthread_condattr_init(&attr);
    (void)pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&l->changed, &attr);
    (void)pthread_condattr_destroy(&attr);
}

bool nats_link_login(struct nats_link *l, struct str url, struct str user, struct str password)
{
    return nats_text(l->url, sizeof l->url, url) && nats_text(l->user, sizeof l->user, user) &&
           nats_text(l->password, sizeof l->password, password);
}

enum rc nats_link_start(struct nats_link *l)
{
    if (pthread_create(&l->keeper, NULL, keep_connected, l))
        return RC_IO;
    l->has_keeper = true;
    return RC_OK;
}

void nats_link_stop(struct nats_link *l)
{
    pthread_mutex_lock(&l->lock);
    l->stopping = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
    if (l->has_keeper)
        (void)pthread_join(l->keeper, NULL);
}

void nats_link_done(struct nats_link *l)
{
    for (size_t i = 0; i < l->listen_count; i++)
        mem_free(l->listens[i]);
    (void)pthread_mutex_destroy(&l->lock);
    (void)pthread_cond_destroy(&l->changed);
}

bool nats_link_is_up(const struct nats_link *l)
{
    return atomic_load(&l->ups) != atomic_load(&l->downs);
}

uint64_t nats_link_number(struct nats_link *l)
{
    pthread_mutex_lock(&l->lock);
    uint64_t number = atomic_load(&l->ups) + (l->nc ? 0 : 1);
    pthread_mutex_unlock(&l->lock);
    return number;
}

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

enum rc nats_link_send(struct nats_link *l, const struct letter *p)
{
    pthread_mutex_lock(&l->lock);
    natsStatus s = l->nc ? publish(l->nc, p) : NATS_CONNECTION_DISCONNECTED;
    pthread_mutex_unlock(&l->lock);
    return rc_of(s);
}

enum rc nats_link_listen(struct nats_link *l, struct str subject)
{
    enum rc rc = RC_OK;
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
        l->listening += l->nc != NULL; /* otherwise the keeper subscribes when it connects */
    }
    pthread_mutex_unlock(&l->lock);
    if (rc)
        mem_free(copy);
    return rc;
}

void nats_link_anew(struct nats_link *l)
{
    pthread_mutex_lock(&l->lock);
    l->is_given_up = l->nc != NULL;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->lock);
}
