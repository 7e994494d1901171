/* SPDX-License-Identifier: Apache-2.0 */
#include "components/cluster_talk_inside.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "cluster/subjects.h"

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

/* Both marks below the control log's, above the agent's serials. */
#define ASK_TICKET (UINT64_C(1) << 62)
#define JOIN_TICKET (UINT64_C(1) << 61)

static void lock(struct cluster_talk *t)
{
    (void)pthread_mutex_lock(&t->lock);
}

static void unlock(struct cluster_talk *t)
{
    (void)pthread_mutex_unlock(&t->lock);
}

static void wake_agent(struct cluster_talk *t)
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

/* False: that moment is over. */
static bool wait_until(struct cluster_talk *t, const struct timespec *at)
{
    return pthread_cond_timedwait(&t->changed, &t->lock, at) != ETIMEDOUT;
}

void talk_item_done(struct talk_item *i)
{
    buf_done(&i->text);
    *i = (struct talk_item){0};
}

/* Whoever answers and does ----------------------------------------------------------------------
 */

static bool take_control(struct cluster_talk *t, struct talk_item *ret)
{
    if (!t->has_control || t->is_control_out || t->is_control_done)
        return false;
    *ret = (struct talk_item){.kind = TALK_CONTROL, .is_old = t->is_control_old};
    memcpy(ret->from, t->control_from, sizeof ret->from);
    buf_init(&ret->text, BUS_MAX_PAYLOAD_BYTES);
    buf_add(&ret->text, buf_str(&t->control_text));
    t->is_control_out = true;
    return true;
}

static bool take_question(struct cluster_talk *t, struct talk_item *ret)
{
    if (!t->question_count)
        return false;
    *ret = t->questions[0];
    t->question_count--;
    memmove(t->questions, t->questions + 1, t->question_count * sizeof *t->questions);
    return true;
}

enum talk_kind cluster_talk_next(struct cluster_talk *t, uint64_t wait_ms, struct talk_item *ret)
{
    struct timespec end = after(wait_ms);
    *ret = (struct talk_item){0};
    lock(t);
    t->is_control_out = false; /* one taker, who comes back when the last was done or not */
    bool was_closed = t->is_closed;
    if (was_closed) /* nothing comes any more, but the taker may, again and again */
        end = after(CLOSED_MS);
    while (t->is_closed == was_closed && !take_question(t, ret) && !take_control(t, ret))
        if (!wait_until(t, &end))
            break;
    unlock(t);
    return ret->kind;
}

void cluster_talk_answer(struct cluster_talk *t, const struct talk_item *q, struct str answer)
{
    struct talk_reply r = {.reply = q->reply};
    buf_init(&r.text, BUS_MAX_PAYLOAD_BYTES);
    buf_add(&r.text, answer);
    lock(t);
    bool fits = buf_rc(&r.text) == RC_OK && t->reply_count < TALK_QUESTIONS && !t->is_closed;
    if (fits)
        t->replies[t->reply_count++] = r;
    unlock(t);
    if (!fits)
        buf_done(&r.text);
    wake_agent(t);
}

void cluster_talk_done(struct cluster_talk *t)
{
    lock(t);
    t->is_control_done = t->has_control;
    unlock(t);
    wake_agent(t);
}

/* Whoever asks ----------------------------------------------------------------------------------
 */

/* A place in the table of asks; the agent's thread begins it. */
static bool put_ask(struct cluster_talk *t, struct talk_ask *a, struct str question,
                    uint64_t most_ms)
{
    for (size_t i = 0; i < TALK_ASKS; i++)
        if (!t->asks[i].is) {
            uint64_t ms = a->most_ms && a->most_ms < most_ms ? a->most_ms : most_ms;
            t->asks[i] = (struct talk_slot){.is = a, .question = question, .most_ms = ms};
            return true;
        }
    return false;
}

static bool have_all_ended(const struct talk_ask *asks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!asks[i].has_ended)
            return false;
    return true;
}

/* They are the caller's again. */
static void forget_asks(struct cluster_talk *t, struct talk_ask *asks, size_t count)
{
    for (size_t i = 0; i < TALK_ASKS; i++)
        if (t->asks[i].is >= asks && t->asks[i].is < asks + count)
            t->asks[i] = (struct talk_slot){0};
}

void cluster_talk_ask(struct cluster_talk *t, struct str question, struct talk_ask *asks,
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

void cluster_talk_join(struct cluster_talk *t, struct str url)
{
    struct talk_join *j = mem_alloc(sizeof *j + url.n);
    if (!j)
        return; /* the owner of that URL knows it all the same */
    *j = (struct talk_join){.bytes = url.n};
    memcpy(j->url, url.p, url.n);
    lock(t);
    bool fits = t->join_count < TALK_MAX_JOINS;
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

/* The agent's thread ----------------------------------------------------------------------------
 */

static void drop_join(struct cluster_talk *t, struct talk_join **at)
{
    struct talk_join *gone = *at;
    *at = gone->next;
    mem_free(gone);
    t->join_count--;
}

/* The log has it, from us or another: it need not be said again. */
static void join_is_known(struct cluster_talk *t, struct str url)
{
    for (struct talk_join **at = &t->joins; *at;) {
        if (str_eq(str_make((*at)->url, (*at)->bytes), url))
            drop_join(t, at);
        else
            at = &(*at)->next;
    }
}

static void join_scope(struct cluster_talk *t, struct str text)
{
    struct url_parser parser = {.idn = t->scope->idn};
    char room[URL_ROOM_BYTES];
    struct url u;
    join_is_known(t, text);
    if (url_parse(&parser, text, NULL, (struct url_room){room, sizeof room}, &u) ||
        !url_is_http(&u) || scope_add_seed(t->scope->scope, &u))
        log_warn_limited(t->log, "cluster.scope_refused", LOG_STR("url", str_first(text, 200)));
    else
        log_info_limited(t->log, "cluster.scope", LOG_STR("url", text));
}

/* One after the other, behind the whole log: most are there already. */
static void say_join(struct cluster_talk *t, uint64_t now_ms)
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
    t->join_ms = now_ms + JOIN_MS; /* until then it is read back, and known */
}

static void show_control(struct cluster_talk *t)
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

static void begin_ask(struct cluster_talk *t, size_t at)
{
    struct talk_slot *s = &t->asks[at];
    char room[SUBJECT_ROOM];
    struct buf subject = buf_on(room, sizeof room);
    subject_write(
        &(struct subject){
            .kind = SUBJECT_ASK, .crawl = t->crawl, .to = str_c(s->is->to), .from = t->name},
        &subject);
    s->ticket = ASK_TICKET | (++t->serial * TALK_ASKS + at);
    enum rc rc = buf_rc(&subject);
    rc = rc ? rc : bus_ask(t->bus, s->ticket, buf_str(&subject), s->question, s->most_ms);
    s->is_begun = true;
    if (rc) {
        s->is->rc = rc;
        s->is->has_ended = true;
        *s = (struct talk_slot){0};
        (void)pthread_cond_broadcast(&t->changed);
    }
}

static void send_replies(struct cluster_talk *t)
{
    for (size_t i = 0; i < t->reply_count; i++) {
        if (bus_answer(t->bus, t->replies[i].reply, buf_str(&t->replies[i].text)))
            log_info_limited(t->log, "cluster.no_answer", LOG_C("why", "the bus did not take it"));
        buf_done(&t->replies[i].text);
    }
    t->reply_count = 0;
}

void cluster_talk_turn(struct cluster_talk *t, uint64_t now_ms)
{
    lock(t);
    for (size_t i = 0; i < TALK_ASKS; i++)
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

static void asked(struct cluster_talk *t, const struct bus_event *e)
{
    struct subject s;
    struct talk_item q = {.kind = TALK_QUESTION, .reply = e->reply};
    if (subject_read(e->subject, &s) || s.kind != SUBJECT_ASK || s.from.n > TALK_NAME_BYTES ||
        e->payload.n > TALK_QUESTION_BYTES || t->question_count == TALK_QUESTIONS)
        return;
    memcpy(q.from, s.from.p, s.from.n);
    buf_init(&q.text, TALK_QUESTION_BYTES + 1);
    buf_add(&q.text, e->payload);
    if (buf_rc(&q.text)) {
        buf_done(&q.text);
        return;
    }
    t->questions[t->question_count++] = q;
    (void)pthread_cond_broadcast(&t->changed);
}

static void answered(struct cluster_talk *t, const struct bus_event *e)
{
    struct talk_slot *s = &t->asks[e->ticket % TALK_ASKS];
    if (!s->is || s->ticket != e->ticket)
        return;
    s->is->rc = e->rc == RC_NOT_FOUND ? RC_AGAIN : e->rc;
    if (e->rc == RC_OK) {
        buf_add(&s->is->answer, e->payload);
        s->is->rc = buf_rc(&s->is->answer);
    }
    s->is->has_ended = true;
    *s = (struct talk_slot){0};
    (void)pthread_cond_broadcast(&t->changed);
}

bool cluster_talk_event(struct cluster_talk *t, const struct bus_event *e, uint64_t now_ms)
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
        t->is_join_open = false; /* read back, it is known */
        is_ours = true;
    }
    unlock(t);
    return is_ours;
}

/* Opening -------------------------------------------------------------------------------------- */

enum rc cluster_talk_open(const struct cluster_talk_setup *s, struct cluster_talk **ret)
{
    char room[SUBJECT_ROOM];
    struct buf subject = buf_on(room, sizeof room);
    struct cluster_talk *t = mem_zero(1, sizeof *t);
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
        cluster_talk_free(t);
    else
        *ret = t;
    return rc;
}

void cluster_talk_close(struct cluster_talk *t)
{
    lock(t);
    t->is_closed = true;
    (void)pthread_cond_broadcast(&t->changed);
    unlock(t);
}

void cluster_talk_free(struct cluster_talk *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->question_count; i++)
        talk_item_done(&t->questions[i]);
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
