/* SPDX-License-Identifier: Apache-2.0 */
#include "bus/bus_nats.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "bus/nats_link.h"
#include "bus/nats_mail.h"
#include "bus/nats_reply.h"
#include "bus/open_calls.h"

#include <assert.h>
#include <nats/nats.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum {
    USUAL_TIMEOUT_MS = 5000,
    KEY_BYTES = 16,
    ID_BYTES = 16,      /* of the digest that is sent for an id */
    ID_TEXT_BYTES = 32, /* the digest in hexadecimal */
};

struct asked {
    uint64_t handle; /* 0: the entry is free */
    char *subject;
};

struct bus_nats {
    struct bus bus;
    char inbox[64], answers[66];
    uint64_t timeout_ms;
    struct nats_link links[2]; /* say, hear */
    size_t link_count;
    struct nats_link *say, *hear;
    struct nats_mail mail; /* messages from the library's threads */

    /* Only the caller's thread uses the rest. */
    int timer_fd, epoll_fd;
    uint64_t armed_ms; /* the time that timer_fd is set to; OPEN_CALLS_NEVER: none */
    struct open_calls *calls;
    struct asked asked[BUS_NATS_MAX_REPLIES];
    uint64_t last_handle;
    uint64_t told; /* state_of() when the caller was last told */
};

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

/* Sends a message that will be answered; the subject of the answer leads back to the call. */
static enum rc begin(struct bus_nats *b, enum open_call_kind kind, uint64_t ticket,
                     uint64_t timeout_ms, struct letter p)
{
    char reply[sizeof b->inbox + 1 + KEY_BYTES + 1];
    struct open_call call = {.ticket = ticket, .kind = kind, .link = nats_link_number(b->say)};
    uint64_t key;
    if (!nats_link_is_up(b->say))
        return RC_AGAIN;
    enum rc rc = open_calls_begin(b->calls, &call, clock_now_ms(clock_real()) + timeout_ms, &key);
    if (rc)
        return rc;
    (void)snprintf(reply, sizeof reply, "%s.%llx", b->inbox, (unsigned long long)key);
    p.reply = reply;
    rc = nats_link_send(b->say, &p);
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
    return nats_subject_is_good(subject, false) && payload.n <= BUS_MAX_PAYLOAD_BYTES &&
           nats_text(ret_subject, BUS_MAX_SUBJECT_BYTES + 1, subject);
}

static enum rc nats_say(struct bus *bus, struct str subject, struct str payload)
{
    char to[BUS_MAX_SUBJECT_BYTES + 1];
    if (!is_letter(subject, payload, to))
        return RC_INVALID;
    return nats_link_send(of(bus)->say, &(struct letter){.subject = to, .payload = payload});
}

/* bus_nats.h says why the id itself is not sent. */
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
    if (!nats_stream_is_good(stream) || (subject.n && !nats_subject_is_good(subject, true)))
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
    return nats_link_send(b->hear, &(struct letter){.subject = a->subject, .payload = payload});
}

static enum rc nats_listen(struct bus *bus, struct str subject)
{
    if (!nats_subject_is_good(subject, true))
        return RC_INVALID;
    return nats_link_listen(of(bus)->hear, subject);
}

/* What comes of it ----------------------------------------------------------------------------- */

static struct str text_of(const natsMsg *m)
{
    return str_make(natsMsg_GetData(m), (size_t)natsMsg_GetDataLength(m));
}

/* The last value of that header, borrowed from the message: the servers append theirs behind the
 * writer's. RC_NOT_FOUND; RC_CORRUPT: the header cannot be read. */
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
    if (rc || str_to_u64(number, &e->sequence) || nats_reply_stamp_read(stamp, &e->stamp_ms)) {
        e->rc = rc == RC_NOMEM ? RC_NOMEM : RC_CORRUPT;
        return;
    }
    e->payload = text_of(m);
}

static void read_ack(natsMsg *m, struct bus_event *e)
{
    struct nats_reply_ack ack = {
        .rc = RC_AGAIN}; /* no responder: no leader, no stream, or not allowed */
    if (!natsMsg_IsNoResponders(m))
        ack = nats_reply_ack_read(text_of(m));
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

/* False: the call has already ended. */
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

/* A handle for the subject of an answer; 0: no memory. */
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

/* Without memory for the asker's subject the request becomes BUS_HEARD, and the asker times out. */
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

/* Skips answers to calls that have already ended. */
static bool next_reply(struct bus_nats *b, struct bus_event *e)
{
    for (size_t i = 0; i < MAIL_MAX_REPLIES; i++) {
        natsMsg *m = mail_next_reply(&b->mail);
        if (!m)
            return false;
        if (show_reply(b, m, e))
            return true;
    }
    return false;
}

static bool next_heard(struct bus_nats *b, struct bus_event *e)
{
    natsMsg *m = mail_next_heard(&b->mail);
    if (m)
        show_heard(b, m, e);
    return m != NULL;
}

/* How often connections were made, while all of them are up; else 0. */
static uint64_t state_of(struct bus_nats *b)
{
    uint64_t ups = 0;
    for (size_t i = 0; i < b->link_count; i++) {
        if (!nats_link_is_up(&b->links[i]))
            return 0;
        ups += atomic_load(&b->links[i].ups);
    }
    return ups;
}

/* A connection that went and came back between two polls is reported as both. */
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

/* A lost connection is reported before the calls that it ended. An answer that has arrived counts,
 * however late it is polled. Messages of others come last, so that a flood of them does not delay
 * the end of a call. */
static bool next_event(struct bus_nats *b, uint64_t now_ms, struct bus_event *e)
{
    struct open_call call;
    return next_down(b, e) || next_reply(b, e) ||
           next_lost(e, open_calls_due(b->calls, now_ms, &call), &call) ||
           next_lost(e, open_calls_older(b->calls, nats_link_number(b->say), &call), &call) ||
           next_up(b, e) || next_heard(b, e);
}

static void drain(struct bus_nats *b)
{
    uint64_t count;
    mail_drain(&b->mail);
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
    mail_forget(&b->mail);
    if (given == most)
        mail_wake(&b->mail); /* there may be more */
    arm(b);
    return given;
}

static void nats_anew(struct bus *bus)
{
    nats_link_anew(of(bus)->hear);
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
    for (size_t i = 0; i < BUS_NATS_MAX_REPLIES; i++)
        mem_free(b->asked[i].subject);
    for (size_t i = 0; i < b->link_count; i++)
        nats_link_done(&b->links[i]);
    mail_close(&b->mail);
    open_calls_close(b->calls);
    close_fd(b->epoll_fd);
    close_fd(b->timer_fd);
    mem_free(b);
}

static void nats_close(struct bus *bus)
{
    struct bus_nats *b = of(bus);
    bool stuck = false;
    for (size_t i = 0; i < b->link_count; i++) {
        nats_link_stop(&b->links[i]);
        stuck = stuck || b->links[i].stuck;
    }
    if (!stuck) /* otherwise a thread of the library may still call us: a leak is safer */
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
    b->timer_fd = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
    b->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    bool good = b->timer_fd >= 0 && b->epoll_fd >= 0 &&
                epoll_ctl(b->epoll_fd, EPOLL_CTL_ADD, b->mail.event_fd, &in) == 0 &&
                epoll_ctl(b->epoll_fd, EPOLL_CTL_ADD, b->timer_fd, &in) == 0;
    return good ? RC_OK : RC_IO;
}

static enum rc open_links(struct bus_nats *b, const struct bus_nats_options *o)
{
    natsInbox *inbox = NULL;
    if (natsInbox_Create(&inbox) != NATS_OK)
        return RC_NOMEM;
    bool is_good = nats_text(b->inbox, sizeof b->inbox, str_c(inbox));
    natsInbox_Destroy(inbox);
    (void)snprintf(b->answers, sizeof b->answers, "%s.*", b->inbox);
    b->say = b->hear = &b->links[b->link_count++];
    nats_link_init(b->say, "say", &b->mail, o->log);
    b->say->answers = b->answers;
    is_good = nats_link_login(b->say, o->url, o->say.user, o->say.password) && is_good;
    if (o->hear.user.n) {
        b->hear = &b->links[b->link_count++];
        nats_link_init(b->hear, "hear", &b->mail, o->log);
        is_good = nats_link_login(b->hear, o->url, o->hear.user, o->hear.password) && is_good;
    }
    return is_good ? RC_OK : RC_INVALID;
}

static enum rc open_rest(struct bus_nats *b, const struct bus_nats_options *o)
{
    enum rc rc = open_links(b, o);
    rc = rc ? rc : mail_open(&b->mail);
    rc = rc ? rc : open_fds(b);
    b->calls = open_calls_open(BUS_MAX_OPEN);
    return rc || b->calls ? rc : RC_NOMEM;
}

enum rc bus_nats_open(const struct bus_nats_options *o, struct bus **ret)
{
    struct bus_nats *b = mem_zero(1, sizeof *b);
    if (!b)
        return RC_NOMEM;
    b->bus.ops = &nats_ops;
    b->timeout_ms = o->timeout_ms ? o->timeout_ms : USUAL_TIMEOUT_MS;
    b->mail.event_fd = b->timer_fd = b->epoll_fd = -1;
    b->armed_ms = OPEN_CALLS_NEVER;
    sigset_t all, before; /* signals are for the program's own threads */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    enum rc rc = open_rest(b, o);
    for (size_t i = 0; !rc && i < b->link_count; i++)
        rc = nats_link_start(&b->links[i]);
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
    struct bus_nats_counts c = {.heard_lost = atomic_load(&b->mail.heard_lost),
                                .replies_lost = atomic_load(&b->mail.replies_lost)};
    for (size_t i = 0; i < b->link_count; i++) {
        c.connected += atomic_load(&b->links[i].ups);
        c.refused += atomic_load(&b->links[i].refused);
    }
    return c;
}

const char *bus_nats_failure(const struct bus *bus)
{
    const struct bus_nats *b = (const struct bus_nats *)(const void *)bus;
    const char *failure = NULL;
    for (size_t i = 0; i < b->link_count && !failure; i++)
        failure = atomic_load(&b->links[i].failure);
    return failure ? failure : "no attempt has ended yet";
}

void bus_nats_end(void)
{
    (void)nats_CloseAndWait(NATS_LINK_FAREWELL_MS);
}
