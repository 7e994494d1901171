/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/peer_request_internal.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "cluster/wire/subjects.h"

#include <errno.h>
#include <time.h>
#include <unistd.h>

enum {
    SUBJECT_ROOM = BUS_MAX_SUBJECT_BYTES,
    CONTROL_POLL_MS = 500,
    SAY_MS = 10000,
    JOIN_MS = 2000,
    CLOSED_MS = 10,
};

/* Ticket bits: below the control log's, above the agent's serials. */
#define ASK_TICKET (UINT64_C(1) << 62)
#define JOIN_TICKET (UINT64_C(1) << 61)

static void lock(struct peer_requests *t)
{
    (void)pthread_mutex_lock(&t->lock);
}

static void unlock(struct peer_requests *t)
{
    (void)pthread_mutex_unlock(&t->lock);
}

static void wake_agent(struct peer_requests *t)
{
    static const uint64_t one = 1;
    (void)!write(t->wake, &one, sizeof one);
}

static struct timespec after(uint64_t ms)
{
    struct timespec at;
    (void)clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += (time_t)(ms / 1000);
    at.tv_nsec += (long)(ms % 1000) * 1000000L;
    at.tv_sec += at.tv_nsec / 1000000000L;
    at.tv_nsec %= 1000000000L;
    return at;
}

/* False: the time is over. */
static bool wait_until(struct peer_requests *t, const struct timespec *at)
{
    return pthread_cond_timedwait(&t->changed, &t->lock, at) != ETIMEDOUT;
}

void peer_item_done(struct peer_item *i)
{
    buf_done(&i->text);
    *i = (struct peer_item){0};
}

/* Requests from other agents ------------------------------------------------------------------- */

static bool take_control(struct peer_requests *t, struct peer_item *ret)
{
    if (!t->has_control || t->is_control_out || t->is_control_done)
        return false;
    *ret = (struct peer_item){.kind = PEER_CONTROL, .is_old = t->is_control_old};
    memcpy(ret->from, t->control_from, sizeof ret->from);
    buf_init(&ret->text, BUS_MAX_PAYLOAD_BYTES);
    buf_add(&ret->text, buf_str(&t->control_text));
    t->is_control_out = true;
    return true;
}

static bool take_question(struct peer_requests *t, struct peer_item *ret)
{
    if (!t->question_count)
        return false;
    *ret = t->questions[0];
    t->question_count--;
    memmove(t->questions, t->questions + 1, t->question_count * sizeof *t->questions);
    return true;
}

enum peer_kind peer_requests_next(struct peer_requests *t, uint64_t wait_ms, struct peer_item *ret)
{
    struct timespec end = after(wait_ms);
    *ret = (struct peer_item){0};
    lock(t);
    /* there is one taker; it has finished with the last one, or will take it again */
    t->is_control_out = false;
    bool was_closed = t->is_closed;
    if (was_closed) /* no more requests come, but the taker may call again and again */
        end = after(CLOSED_MS);
    while (t->is_closed == was_closed && !take_question(t, ret) && !take_control(t, ret))
        if (!wait_until(t, &end))
            break;
    unlock(t);
    return ret->kind;
}

void peer_requests_answer(struct peer_requests *t, const struct peer_item *q, struct str answer)
{
    struct peer_reply r = {.reply = q->reply};
    buf_init(&r.text, BUS_MAX_PAYLOAD_BYTES);
    buf_add(&r.text, answer);
    lock(t);
    bool fits = buf_rc(&r.text) == RC_OK && t->reply_count < PEER_QUESTIONS && !t->is_closed;
    if (fits)
        t->replies[t->reply_count++] = r;
    unlock(t);
    if (!fits)
        buf_done(&r.text);
    wake_agent(t);
}

void peer_requests_done(struct peer_requests *t)
{
    lock(t);
    t->is_control_done = t->has_control;
    unlock(t);
    wake_agent(t);
}

/* Requests to other agents --------------------------------------------------------------------- */

/* Takes a row in the table of asks; the agent's thread begins it. */
static bool put_ask(struct peer_requests *t, struct peer_ask *a, struct str question,
                    uint64_t most_ms)
{
    for (size_t i = 0; i < PEER_ASKS; i++)
        if (!t->asks[i].is) {
            uint64_t ms = a->most_ms && a->most_ms < most_ms ? a->most_ms : most_ms;
            t->asks[i] = (struct peer_open_ask){.is = a, .question = question, .most_ms = ms};
            return true;
        }
    return false;
}

static bool have_all_ended(const struct peer_ask *asks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!asks[i].has_ended)
            return false;
    return true;
}

/* Gives the asks back to their caller. */
static void forget_asks(struct peer_requests *t, struct peer_ask *asks, size_t count)
{
    for (size_t i = 0; i < PEER_ASKS; i++)
        if (t->asks[i].is >= asks && t->asks[i].is < asks + count)
            t->asks[i] = (struct peer_open_ask){0};
}

void peer_requests_ask(struct peer_requests *t, struct str question, struct peer_ask *asks,
                       size_t count, uint64_t most_ms)
{
    struct timespec end = after(most_ms);
    size_t begun = 0;
    for (size_t i = 0; i < count; i++) {
        asks[i].rc = RC_AGAIN;
        asks[i].has_ended = false;
        buf_init(&asks[i].answer, BUS_MAX_PAYLOAD_BYTES);
    }
    lock(t);
    while (!t->is_closed && !have_all_ended(asks, count)) {
        while (begun < count && put_ask(t, &asks[begun], question, most_ms))
            begun++;
        wake_agent(t);
        if (!wait_until(t, &end))
            break;
    }
    forget_asks(t, asks, count);
    for (size_t i = 0; t->is_closed && i < count; i++)
        if (!asks[i].has_ended)
            asks[i].rc = RC_CLOSED;
    unlock(t);
}

void peer_requests_join(struct peer_requests *t, struct str url)
{
    struct peer_join *j = mem_alloc(sizeof *j + url.n);
    if (!j)
        return; /* the owner of that URL knows it anyway */
    *j = (struct peer_join){.bytes = url.n};
    memcpy(j->url, url.p, url.n);
    lock(t);
    bool fits = t->join_count < PEER_MAX_JOINS;
    if (fits) {
        j->next = t->joins;
        t->joins = j;
        t->join_count++;
    }
    unlock(t);
    if (!fits)
        mem_free(j);
    wake_agent(t);
}

/* The agent's thread --------------------------------------------------------------------------- */

static void drop_join(struct peer_requests *t, struct peer_join **at)
{
    struct peer_join *gone = *at;
    *at = gone->next;
    mem_free(gone);
    t->join_count--;
}

/* The log has the URL, from this agent or another: it need not be appended again. */
static void join_is_known(struct peer_requests *t, struct str url)
{
    for (struct peer_join **at = &t->joins; *at;) {
        if (str_eq(str_make((*at)->url, (*at)->bytes), url))
            drop_join(t, at);
        else
            at = &(*at)->next;
    }
}

static void join_scope(struct peer_requests *t, struct str text)
{
    struct url_parser parser = {.idn = t->scope->idn};
    char room[URL_ROOM_BYTES];
    struct url u;
    join_is_known(t, text);
    if (url_parse(&parser, text, NULL, (struct url_room){room, sizeof room}, &u) ||
        !url_is_http(&u) || scope_add_seed(t->scope->scope, &u))
        log_warn_limited(t->log, "cluster.scope_refused", LOG_STR("url", str_first(text, 200)));
    else
        log_info_limited(t->log, "cluster.scope_extended", LOG_STR("url", text));
}

/* Appends one URL after the other, behind the whole log: most are there already. */
static void say_join(struct peer_requests *t, uint64_t now_ms)
{
    char room[SUBJECT_ROOM];
    struct buf subject = buf_on(room, sizeof room);
    if (!t->joins || t->is_join_open || now_ms < t->join_ms ||
        !control_log_is_read(&t->log_of_control) || control_log_entry(&t->log_of_control))
        return;
    struct str url = str_make(t->joins->url, t->joins->bytes);
    subject_write(&(struct subject){.kind = SUBJECT_SCOPE, .crawl = t->crawl, .from = t->name},
                  &subject);
    if (buf_rc(&subject))
        return;
    t->is_join_open = bus_append(t->bus, JOIN_TICKET, buf_str(&subject),
                                 hash64_seeded(url, hash64(t->name)), url) == RC_OK;
    t->join_ms = now_ms + JOIN_MS; /* by then it is read back */
}

static void show_control(struct peer_requests *t)
{
    const struct control_entry *e = control_log_entry(&t->log_of_control);
    if (t->is_control_done) {
        t->has_control = t->is_control_done = false;
        control_log_done(&t->log_of_control);
        return;
    }
    if (!e || t->has_control)
        return;
    if (!e->is_operators) {
        join_scope(t, e->text);
        control_log_done(&t->log_of_control);
        return;
    }
    buf_clear(&t->control_text);
    buf_add(&t->control_text, e->text);
    memcpy(t->control_from, e->writer, sizeof t->control_from);
    t->is_control_old = e->is_old;
    t->has_control = true;
    (void)pthread_cond_broadcast(&t->changed);
}

static void begin_ask(struct peer_requests *t, size_t at)
{
    struct peer_open_ask *s = &t->asks[at];
    char room[SUBJECT_ROOM];
    struct buf subject = buf_on(room, sizeof room);
    subject_write(
        &(struct subject){
            .kind = SUBJECT_ASK, .crawl = t->crawl, .to = str_c(s->is->to), .from = t->name},
        &subject);
    s->ticket = ASK_TICKET | (++t->serial * PEER_ASKS + at);
    enum rc rc = buf_rc(&subject);
    rc = rc ? rc : bus_ask(t->bus, s->ticket, buf_str(&subject), s->question, s->most_ms);
    s->is_begun = true;
    if (rc) {
        s->is->rc = rc;
        s->is->has_ended = true;
        *s = (struct peer_open_ask){0};
        (void)pthread_cond_broadcast(&t->changed);
    }
}

static void send_replies(struct peer_requests *t)
{
    for (size_t i = 0; i < t->reply_count; i++) {
        if (bus_answer(t->bus, t->replies[i].reply, buf_str(&t->replies[i].text)))
            log_info_limited(t->log, "cluster.answer_failed",
                             LOG_C("why", "cannot send the answer over the bus"));
        buf_done(&t->replies[i].text);
    }
    t->reply_count = 0;
}

void peer_requests_turn(struct peer_requests *t, uint64_t now_ms)
{
    lock(t);
    for (size_t i = 0; i < PEER_ASKS; i++)
        if (t->asks[i].is && !t->asks[i].is_begun)
            begin_ask(t, i);
    send_replies(t);
    show_control(t);
    control_log_turn(&t->log_of_control, now_ms);
    say_join(t, now_ms);
    bool is_read = control_log_is_read(&t->log_of_control) && !t->has_control;
    if (is_read && !atomic_load(&t->is_ready))
        atomic_store(&t->is_ready, true);
    if (!atomic_load(&t->is_ready) && now_ms - t->said_ms >= SAY_MS) {
        t->said_ms = now_ms;
        log_info(t->log, "cluster.control_unread", LOG_U64("next", t->log_of_control.next));
    }
    unlock(t);
}

static void asked(struct peer_requests *t, const struct bus_event *e)
{
    struct subject s;
    struct peer_item q = {.kind = PEER_QUESTION, .reply = e->reply};
    if (subject_read(e->subject, &s) || s.kind != SUBJECT_ASK || s.from.n > PEER_NAME_BYTES ||
        e->payload.n > PEER_QUESTION_BYTES || t->question_count == PEER_QUESTIONS)
        return;
    memcpy(q.from, s.from.p, s.from.n);
    buf_init(&q.text, PEER_QUESTION_BYTES + 1);
    buf_add(&q.text, e->payload);
    if (buf_rc(&q.text)) {
        buf_done(&q.text);
        return;
    }
    t->questions[t->question_count++] = q;
    (void)pthread_cond_broadcast(&t->changed);
}

static void answered(struct peer_requests *t, const struct bus_event *e)
{
    struct peer_open_ask *s = &t->asks[e->ticket % PEER_ASKS];
    if (!s->is || s->ticket != e->ticket)
        return;
    s->is->rc = e->rc == RC_NOT_FOUND ? RC_AGAIN : e->rc;
    if (e->rc == RC_OK) {
        buf_add(&s->is->answer, e->payload);
        s->is->rc = buf_rc(&s->is->answer);
    }
    s->is->has_ended = true;
    *s = (struct peer_open_ask){0};
    (void)pthread_cond_broadcast(&t->changed);
}

bool peer_requests_event(struct peer_requests *t, const struct bus_event *e, uint64_t now_ms)
{
    bool is_ours = e->kind == BUS_ASKED;
    lock(t);
    if (e->kind == BUS_ASKED) {
        asked(t, e);
    } else if (e->kind == BUS_UP || e->kind == BUS_DOWN) {
        control_log_event(&t->log_of_control, e, now_ms);
    } else if (e->kind == BUS_DONE && control_log_is_mine(e->ticket)) {
        control_log_event(&t->log_of_control, e, now_ms);
        is_ours = true;
    } else if (e->kind == BUS_DONE && e->ticket & ASK_TICKET) {
        answered(t, e);
        is_ours = true;
    } else if (e->kind == BUS_DONE && e->ticket & JOIN_TICKET) {
        t->is_join_open = false; /* it is known once it is read back */
        is_ours = true;
    }
    unlock(t);
    return is_ours;
}

/* Opening -------------------------------------------------------------------------------------- */

enum rc peer_requests_open(const struct peer_requests_setup *s, struct peer_requests **ret)
{
    char room[SUBJECT_ROOM];
    struct buf subject = buf_on(room, sizeof room);
    struct peer_requests *t = mem_zero(1, sizeof *t);
    pthread_condattr_t clock;
    if (!t)
        return RC_NOMEM;
    t->bus = s->bus;
    t->scope = s->scope;
    t->log = s->log;
    t->crawl = s->crawl;
    t->name = s->name;
    t->wake = s->wake;
    buf_init(&t->control_text, BUS_MAX_PAYLOAD_BYTES);
    (void)pthread_mutex_init(&t->lock, NULL);
    (void)pthread_condattr_init(&clock);
    (void)pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    (void)pthread_cond_init(&t->changed, &clock);
    (void)pthread_condattr_destroy(&clock);
    subject_write(&(struct subject){.kind = SUBJECT_ASK, .crawl = t->crawl, .to = t->name},
                  &subject);
    uint64_t poll_ms = 5 * s->poll_ms < CONTROL_POLL_MS ? 5 * s->poll_ms : CONTROL_POLL_MS;
    enum rc rc = control_log_init(&t->log_of_control, t->bus, t->crawl, poll_ms);
    rc = rc ? rc : buf_rc(&subject);
    rc = rc ? rc : bus_listen(t->bus, buf_str(&subject));
    if (rc)
        peer_requests_free(t);
    else
        *ret = t;
    return rc;
}

void peer_requests_close(struct peer_requests *t)
{
    lock(t);
    t->is_closed = true;
    (void)pthread_cond_broadcast(&t->changed);
    unlock(t);
}

void peer_requests_free(struct peer_requests *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->question_count; i++)
        peer_item_done(&t->questions[i]);
    for (size_t i = 0; i < t->reply_count; i++)
        buf_done(&t->replies[i].text);
    while (t->joins)
        drop_join(t, &t->joins);
    control_log_free(&t->log_of_control);
    buf_done(&t->control_text);
    (void)pthread_cond_destroy(&t->changed);
    (void)pthread_mutex_destroy(&t->lock);
    mem_free(t);
}
