/* SPDX-License-Identifier: Apache-2.0 */
#include "agent/guests.h"

#include "asking/guest.h"
#include "cluster/wire/subjects.h"
#include "frontier/frontier.h"

#include "base/jsonw.h"
#include "base/log.h"
#include "base/mem.h"

#include <jansson.h>
#include <pthread.h>
#include <unistd.h>

enum {
    ASK_MS = 3000,     /* for an answer */
    AGAIN_MS = 1000,   /* after none came */
    BUSY_MS = 250,     /* another guest has the host */
    WORDS_BYTES = 1024 /* of a request or an answer */
};

/* Ticket bit: below the namesake's, above the agent's serials. */
#define GUEST_TICKET (UINT64_C(1) << 59)

enum borrowed_state { BORROWED_NOT, BORROWED_ASKED, BORROWED_HELD, BORROWED_ENDS };

/* A host of another agent. */
struct borrowed {
    enum borrowed_state state;
    bool is_open; /* a request is under way */
    uint64_t ticket, next_ms;
    uint64_t id; /* of the loan, so that a late word is about no other one */
    unsigned tries;
    uint64_t host_hash;
    struct cluster_guest *asker; /* of BORROWED_ASKED */
    struct cluster_guest_end end;
    char owner[PEER_NAME_BYTES + 1];
    char host[FRONTIER_MAX_HOST_BYTES + 1];
};

/* A host of ours. */
struct lent {
    struct guest *guest; /* NULL: the place is free */
    bool is_decided;     /* the shard has said so */
    bool is_answered;
    uint64_t reply, until_ms, id;
    char to[PEER_NAME_BYTES + 1];
    char host[FRONTIER_MAX_HOST_BYTES + 1];
};

struct guests {
    struct guests_setup setup;
    struct guest_lender lender;
    uint64_t serial;      /* the agent's thread's */
    pthread_mutex_t lock; /* guards all below */
    struct borrowed borrowed[GUESTS_MOST];
    struct lent lent[GUESTS_MOST];
};

static void lock(struct guests *g)
{
    (void)pthread_mutex_lock(&g->lock);
}

static void unlock(struct guests *g)
{
    (void)pthread_mutex_unlock(&g->lock);
}

static void wake(const struct guests *g)
{
    static const uint64_t one = 1;
    (void)!write(g->setup.wake, &one, sizeof one);
}

static bool copy(char *room, size_t bytes, struct str text)
{
    if (!text.n || text.n >= bytes)
        return false;
    memcpy(room, text.p, text.n);
    room[text.n] = '\0';
    return true;
}

static uint64_t json_u64_of(const json_t *j, const char *key)
{
    json_int_t n = json_integer_value(json_object_get(j, key));
    return n < 0 ? 0 : (uint64_t)n > PACE_MOST_WAIT_MS ? PACE_MOST_WAIT_MS : (uint64_t)n;
}

/* Borrowing -------------------------------------------------------------------------------------- */

static struct borrowed *borrowed_find(struct guests *g, enum borrowed_state state, struct str host)
{
    for (size_t i = 0; i < GUESTS_MOST; i++)
        if (g->borrowed[i].state == state &&
            (state == BORROWED_NOT || str_eq(str_c(g->borrowed[i].host), host)))
            return &g->borrowed[i];
    return NULL;
}

bool guests_ask(struct guests *g, struct cluster_guest *guest)
{
    lock(g);
    struct borrowed *b = borrowed_find(g, BORROWED_NOT, STR(""));
    bool is_taken = b && copy(b->host, sizeof b->host, guest->host);
    if (is_taken) {
        b->state = BORROWED_ASKED;
        b->is_open = false;
        b->host_hash = guest->host_hash;
        b->asker = guest;
    }
    unlock(g);
    wake(g);
    return is_taken;
}

static void end_it(struct borrowed *b, const struct cluster_guest_end *e)
{
    b->state = BORROWED_ENDS;
    b->is_open = false; /* an answer to an earlier request means nothing any more */
    b->ticket = 0;
    b->tries = 0;
    b->next_ms = 0;
    b->end = *e;
}

void guests_end(struct guests *g, const struct cluster_guest_end *e)
{
    lock(g);
    struct borrowed *b = borrowed_find(g, BORROWED_HELD, e->host);
    if (b)
        end_it(b, e);
    unlock(g);
    wake(g);
}

static void write_request(const struct borrowed *b, struct buf *out)
{
    static const char *const words[] = {
        [BORROWED_ASKED] = "guest", [BORROWED_HELD] = "guest-keep", [BORROWED_ENDS] = "guest-back"};
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_text_field(&j, "do", str_c(words[b->state]));
    jsonw_text_field(&j, "host", str_c(b->host));
    jsonw_u64_field(&j, "id", b->id);
    if (b->state == BORROWED_ENDS) {
        jsonw_u64_field(&j, "wait", b->end.wait_ms);
        jsonw_u64_field(&j, "delay", b->end.delay_ms);
        jsonw_u64_field(&j, "delay_most", b->end.delay_most_ms);
    }
    jsonw_end(&j);
}

static enum rc send_request(struct guests *g, struct borrowed *b)
{
    char subject_room[BUS_MAX_SUBJECT_BYTES], room[WORDS_BYTES];
    struct buf subject = buf_on(subject_room, sizeof subject_room);
    struct buf words = buf_on(room, sizeof room);
    subject_write(&(struct subject){.kind = SUBJECT_ASK,
                                    .crawl = g->setup.crawl,
                                    .to = str_c(b->owner),
                                    .from = g->setup.name},
                  &subject);
    if (b->state == BORROWED_ASKED)
        b->id = g->serial + 1;
    write_request(b, &words);
    b->ticket = GUEST_TICKET | (++g->serial * GUESTS_MOST + (size_t)(b - g->borrowed));
    enum rc rc = buf_rc(&subject);
    rc = rc ? rc : buf_rc(&words);
    return rc ? rc : bus_ask(g->setup.bus, b->ticket, buf_str(&subject), buf_str(&words), ASK_MS);
}

/* The visit hears of it; the lock is not held. */
static void tell(struct cluster_guest *asker, bool may, uint64_t wait_ms)
{
    if (!asker)
        return;
    asker->may = may;
    asker->wait_ms = wait_ms;
    asker->done(asker);
}

/* Sends what is due. Returns the asker of a host that has no other owner. */
static struct cluster_guest *borrowed_turn(struct guests *g, struct borrowed *b, uint64_t now_ms)
{
    if (b->state == BORROWED_NOT || b->is_open)
        return NULL;
    if (b->state == BORROWED_ASKED && !g->setup.owner(g->setup.ctx, b->host_hash, b->owner)) {
        b->state = BORROWED_NOT;
        return b->asker;
    }
    if (b->state != BORROWED_ASKED && now_ms < b->next_ms)
        return NULL;
    b->is_open = send_request(g, b) == RC_OK;
    b->next_ms = now_ms + AGAIN_MS;
    if (b->is_open || b->state != BORROWED_ASKED)
        return NULL;
    b->state = BORROWED_NOT; /* the bus is not there */
    return b->asker;
}

/* Not a number: a failure. */
static bool read_wait(const struct bus_event *e, uint64_t *ret)
{
    json_t *j = e->rc ? NULL : json_loadb(e->payload.p, e->payload.n, 0, NULL);
    const json_t *wait = json_object_get(j, "wait");
    bool is_there = json_is_integer(wait) && json_integer_value(wait) >= 0;
    *ret = is_there ? (uint64_t)json_integer_value(wait) : AGAIN_MS;
    json_decref(j);
    return is_there;
}

static struct cluster_guest *ask_answered(struct borrowed *b, const struct bus_event *e,
                                          uint64_t now_ms, bool *ret_may, uint64_t *ret_wait_ms)
{
    bool is_answer = read_wait(e, ret_wait_ms);
    *ret_may = is_answer && !*ret_wait_ms;
    b->state = *ret_may ? BORROWED_HELD : BORROWED_NOT;
    b->next_ms = now_ms + GUESTS_KEEP_MS;
    if (!is_answer) /* it may have been lent */
        end_it(b, &(struct cluster_guest_end){0});
    return b->asker;
}

static void answered(struct guests *g, const struct bus_event *e, uint64_t now_ms)
{
    struct borrowed *b = &g->borrowed[e->ticket % GUESTS_MOST];
    struct cluster_guest *asker = NULL;
    bool may = false;
    uint64_t wait_ms = 0;
    lock(g);
    bool is_current = b->is_open && b->ticket == e->ticket;
    if (is_current)
        b->is_open = false;
    if (is_current && b->state == BORROWED_ASKED)
        asker = ask_answered(b, e, now_ms, &may, &wait_ms);
    else if (is_current && b->state == BORROWED_HELD)
        b->next_ms = now_ms + (e->rc ? AGAIN_MS : GUESTS_KEEP_MS);
    else if (is_current && (!e->rc || ++b->tries >= GUESTS_TRIES))
        b->state = BORROWED_NOT;
    unlock(g);
    tell(asker, may, wait_ms);
}

/* Lending ---------------------------------------------------------------------------------------- */

static struct lent *lent_find(struct guests *g, struct str host)
{
    for (size_t i = 0; i < GUESTS_MOST; i++)
        if (g->lent[i].guest && str_eq(str_c(g->lent[i].host), host))
            return &g->lent[i];
    return NULL;
}

static struct lent *lent_free_one(struct guests *g)
{
    for (size_t i = 0; i < GUESTS_MOST; i++)
        if (!g->lent[i].guest)
            return &g->lent[i];
    return NULL;
}

static void take_back(struct lent *l, const struct cluster_guest_end *e)
{
    const struct pace_settings pace = {.delay_ms = e->delay_ms, .delay_most_ms = e->delay_most_ms};
    guest_take_back(l->guest, &pace, e->wait_ms);
    *l = (struct lent){0};
}

/* On the thread of the host's shard. */
static void on_lent(void *ctx, struct guest *guest)
{
    struct guests *g = ctx;
    lock(g);
    for (size_t i = 0; i < GUESTS_MOST; i++)
        if (g->lent[i].guest == guest)
            g->lent[i].is_decided = true;
    unlock(g);
    wake(g);
}

static void answer(struct guests *g, uint64_t reply, uint64_t wait_ms)
{
    char room[WORDS_BYTES];
    struct buf words = buf_on(room, sizeof room);
    struct jsonw j = jsonw_to(&words);
    jsonw_object(&j);
    jsonw_u64_field(&j, "wait", wait_ms);
    jsonw_end(&j);
    if (buf_rc(&words) || bus_answer(g->setup.bus, reply, buf_str(&words)))
        log_info_limited(g->setup.log, "cluster.answer_failed",
                         LOG_C("why", "the bus did not take the answer"));
}

static void lend(struct guests *g, const struct bus_event *e, uint64_t id, struct str from,
                 struct str host)
{
    struct lent *l = lent_free_one(g);
    if (lent_find(g, host)) {
        answer(g, e->reply, BUSY_MS);
        return;
    }
    if (!l || !copy(l->to, sizeof l->to, from) || !copy(l->host, sizeof l->host, host) ||
        !(l->guest = guest_lend(&g->lender, host))) {
        answer(g, e->reply, AGAIN_MS);
        return;
    }
    l->is_decided = l->is_answered = false;
    l->reply = e->reply;
    l->id = id;
}

/* Asked by another agent; the lock is held, so the shard's decision comes after this. */
static void asked(struct guests *g, const struct bus_event *e, json_t *j, struct str from,
                  uint64_t now_ms)
{
    const char *what = json_string_value(json_object_get(j, "do"));
    struct str host = str_c(json_string_value(json_object_get(j, "host")));
    struct lent *l = lent_find(g, host);
    json_int_t id = json_integer_value(json_object_get(j, "id"));
    bool is_theirs = l && l->is_answered && l->id == (uint64_t)id && str_eq(str_c(l->to), from);
    if (strcmp(what, "guest") == 0) {
        lend(g, e, (uint64_t)id, from, host);
        return;
    }
    if (is_theirs && strcmp(what, "guest-keep") == 0)
        l->until_ms = now_ms + GUESTS_LOAN_MS;
    if (is_theirs && strcmp(what, "guest-back") == 0)
        take_back(l, &(struct cluster_guest_end){
                         .wait_ms = json_u64_of(j, "wait"),
                         .delay_ms = json_u64_of(j, "delay"),
                         .delay_most_ms = json_u64_of(j, "delay_most"),
                     });
    answer(g, e->reply, 0);
}

/* What the shard has decided is answered; a loan that is not kept ends, and the host's own URLs wait
 * for their delay, as after any request. */
static void lent_turn(struct guests *g, struct lent *l, uint64_t now_ms)
{
    uint64_t wait_ms;
    if (!l->guest || !l->is_decided)
        return;
    bool is_lent = guest_is_lent(l->guest, &wait_ms);
    if (!l->is_answered)
        answer(g, l->reply, is_lent ? 0 : wait_ms ? wait_ms : 1);
    if (!l->is_answered && is_lent)
        l->until_ms = now_ms + GUESTS_LOAN_MS;
    l->is_answered = true;
    if (!is_lent)
        take_back(l, &(struct cluster_guest_end){0});
    else if (now_ms >= l->until_ms)
        take_back(l, &(struct cluster_guest_end){.wait_ms = AGAIN_MS,
                                                 .delay_ms = AGAIN_MS,
                                                 .delay_most_ms = PACE_MOST_WAIT_MS});
}

/* The agent's thread ----------------------------------------------------------------------------- */

static bool is_about_guest(const json_t *j)
{
    static const char *const all[] = {"guest", "guest-keep", "guest-back"};
    const char *what = json_string_value(json_object_get(j, "do"));
    bool is_one = false;
    for (size_t i = 0; what && i < sizeof all / sizeof *all; i++)
        is_one |= strcmp(what, all[i]) == 0;
    return is_one && json_string_value(json_object_get(j, "host"));
}

/* Other requests begin with other words, and are not parsed here. */
static bool take_request(struct guests *g, const struct bus_event *e, uint64_t now_ms)
{
    struct subject s;
    if (e->payload.n > WORDS_BYTES || !str_starts(e->payload, STR("{\"do\":\"guest")) ||
        subject_read(e->subject, &s) || s.kind != SUBJECT_ASK)
        return false;
    json_t *j = json_loadb(e->payload.p, e->payload.n, JSON_REJECT_DUPLICATES, NULL);
    bool is_taken = is_about_guest(j);
    if (is_taken) {
        lock(g);
        asked(g, e, j, s.from, now_ms);
        unlock(g);
    }
    json_decref(j);
    return is_taken;
}

bool guests_event(struct guests *g, const struct bus_event *e, uint64_t now_ms)
{
    if (e->kind == BUS_ASKED)
        return take_request(g, e, now_ms);
    if (e->kind != BUS_DONE || e->ticket >> 59 != 1)
        return false;
    answered(g, e, now_ms);
    return true;
}

void guests_turn(struct guests *g, uint64_t now_ms)
{
    for (size_t i = 0; i < GUESTS_MOST; i++) {
        lock(g);
        struct cluster_guest *refused = borrowed_turn(g, &g->borrowed[i], now_ms);
        lent_turn(g, &g->lent[i], now_ms);
        unlock(g);
        tell(refused, false, AGAIN_MS);
    }
}

enum rc guests_open(const struct guests_setup *s, struct guests **ret)
{
    struct guests *g = mem_zero(1, sizeof *g);
    if (!g)
        return RC_NOMEM;
    g->setup = *s;
    g->lender = (struct guest_lender){
        .ledger = s->ledger, .cluster = s->cluster, .shards = s->shards, .lent = on_lent, .ctx = g};
    (void)pthread_mutex_init(&g->lock, NULL);
    *ret = g;
    return RC_OK;
}

void guests_close(struct guests *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < GUESTS_MOST; i++) {
        if (g->borrowed[i].state == BORROWED_ASKED)
            tell(g->borrowed[i].asker, false, AGAIN_MS);
        if (g->lent[i].guest)
            take_back(&g->lent[i], &(struct cluster_guest_end){0});
    }
    (void)pthread_mutex_destroy(&g->lock);
    mem_free(g);
}
