/* SPDX-License-Identifier: Apache-2.0 */
#include "bus/sim_internal.h"

#include "base/mem.h"

enum {
    MAX_HEARD = 1 << 17,
    TIMEOUT_MS = 2000,
};

/* A message that was said once and is heard by many. Owns its text, as a parcel does. */
struct said {
    size_t refs;
    struct str subject, payload;
    char text[];
};

static const struct bus_ops ops;

static struct client *client_of(struct bus *b)
{
    return (struct client *)b;
}

static void ready_put(struct client *c, struct parcel_sim *p)
{
    p->next = NULL;
    *c->ready_tail = p;
    c->ready_tail = &p->next;
}

static void ready_event(struct client *c, const struct bus_event *e)
{
    struct parcel_sim *p = sim_parcel_make(TO_CLIENT, c, STR(""), STR(""));
    if (!p)
        return;
    struct str none = p->event.subject;
    p->event = *e;
    p->event.subject = p->event.payload = none;
    ready_put(c, p);
}

/* ---- connections ---- */

struct bus *nats_sim_connect(struct nats_sim *o, uint64_t now_ms)
{
    struct client *c = mem_zero(1, sizeof *c);
    if (!c)
        return NULL;
    c->bus.ops = &ops;
    c->servers = o;
    c->next = o->clients;
    c->ready_tail = &c->ready;
    o->clients = c;
    o->now_ms = now_ms;
    struct parcel_sim *p = sim_parcel_make(TO_RECONNECT, c, STR(""), STR(""));
    if (p)
        sim_parcel_send(o, p, 1 + rng_below(&o->rng, 50));
    return &c->bus;
}

void nats_sim_set_owner(struct bus *b, void *owner)
{
    client_of(b)->owner = owner;
}

void *nats_sim_owner(struct bus *b)
{
    return client_of(b)->owner;
}

void nats_sim_gather(struct nats_sim *o)
{
    o->gathers = true;
}

static void said_give(struct said *s)
{
    if (--s->refs == 0)
        mem_free(s);
}

static void client_close(struct bus *b)
{
    struct client *c = client_of(b);
    for (size_t i = 0; i < c->heard_count; i++)
        said_give(c->heard[i]);
    mem_free(c->heard);
    c->heard = NULL;
    c->heard_count = c->heard_cap = 0;
    for (struct parcel_sim *p; (p = c->ready);) {
        c->ready = p->next;
        mem_free(p);
    }
    for (size_t i = 0; i < c->listen_count; i++)
        mem_free((void *)(uintptr_t)c->listens[i].p);
    c->listen_count = 0;
    c->ready_tail = &c->ready;
    c->is_closed = true; /* what the client has sent may still arrive */
}

void sim_client_go_down(struct client *c)
{
    if (!c->is_up)
        return;
    c->is_up = false;
    c->life++;
    ready_event(c, &(struct bus_event){.kind = BUS_DOWN});
    for (size_t i = 0; i < c->open_count; i++)
        ready_event(c, &(struct bus_event){.kind = BUS_DONE, .ticket = c->open[i], .rc = RC_AGAIN});
    c->open_count = 0;
}

void sim_client_come_back(struct nats_sim *o, struct client *c, uint64_t ms)
{
    struct parcel_sim *p = sim_parcel_make(TO_RECONNECT, c, STR(""), STR(""));
    if (p)
        sim_parcel_send(o, p, ms);
}

void sim_client_reconnect(struct client *c)
{
    if (c->is_closed || c->is_cut || c->is_up)
        return;
    c->is_up = true;
    c->life++;
    ready_event(c, &(struct bus_event){.kind = BUS_UP});
}

void nats_sim_cut(struct nats_sim *o, struct bus *b, bool is_cut, uint64_t now_ms)
{
    struct client *c = client_of(b);
    o->now_ms = now_ms;
    if (is_cut == c->is_cut)
        return;
    c->is_cut = is_cut;
    if (is_cut) {
        o->faults[NATS_SIM_CUT]++;
        sim_client_go_down(c);
    } else {
        sim_client_come_back(o, c, 100 + rng_below(&o->rng, 200));
    }
}

void nats_sim_lag(struct nats_sim *o, struct bus *b, int stream, uint64_t until_ms, uint64_t now_ms)
{
    struct client *c = client_of(b);
    c->lag_stream = stream;
    c->lag_from_ms = now_ms;
    c->lag_until_ms = until_ms;
    o->faults[NATS_SIM_LAGS]++;
}

/* ---- calls ---- */

static bool may_open(struct client *c)
{
    return c->is_up && c->open_count < BUS_MAX_OPEN;
}

static void time_out(struct nats_sim *o, struct client *c, uint64_t ticket)
{
    sim_to_client(o, c, &(struct bus_event){.kind = BUS_DONE, .ticket = ticket, .rc = RC_AGAIN},
                  TIMEOUT_MS);
}

static enum rc begin_call(struct client *c, enum travel travel, uint64_t ticket, int stream,
                          struct str subject, struct str payload, uint64_t id, uint64_t sequence)
{
    struct nats_sim *o = c->servers;
    if (!may_open(c))
        return RC_AGAIN;
    struct parcel_sim *p = sim_parcel_make(travel, c, subject, payload);
    if (!p)
        return RC_NOMEM;
    p->event.ticket = ticket;
    p->event.sequence = sequence;
    p->stream = stream;
    p->id = id;
    c->open[c->open_count++] = ticket;
    if (sim_chance(o, o->odds.request_lost)) {
        o->faults[NATS_SIM_REQUEST_LOST]++;
        mem_free(p);
        time_out(o, c, ticket);
        return RC_OK;
    }
    if (sim_chance(o, o->odds.ack_lost)) {
        o->faults[NATS_SIM_ACK_LOST]++;
        p->is_answerless = true;
        time_out(o, c, ticket);
    } else if (travel == TO_SERVER_APPEND && sim_chance(o, o->odds.slow)) {
        o->faults[NATS_SIM_SLOW]++;
        time_out(o, c, ticket);
        sim_parcel_send(o, p, TIMEOUT_MS + rng_below(&o->rng, 3 * TIMEOUT_MS));
        return RC_OK;
    }
    sim_parcel_send(o, p, sim_travel_ms(o));
    return RC_OK;
}

static enum rc client_append(struct bus *b, uint64_t ticket, struct str subject, uint64_t id,
                             struct str payload)
{
    struct client *c = client_of(b);
    if (subject.n > BUS_MAX_SUBJECT_BYTES || payload.n > BUS_MAX_PAYLOAD_BYTES)
        return RC_LIMIT;
    return begin_call(c, TO_SERVER_APPEND, ticket, sim_stream_of_subject(c->servers, subject),
                      subject, payload, id, 0);
}

static enum rc client_get(struct bus *b, uint64_t ticket, struct str stream, uint64_t sequence,
                          struct str subject)
{
    struct client *c = client_of(b);
    return begin_call(c, TO_SERVER_GET, ticket, sim_stream_of_name(c->servers, stream), subject,
                      STR(""), 0, sequence);
}

/* False: the call has already ended. */
static bool close_call(struct client *c, uint64_t ticket)
{
    for (size_t i = 0; i < c->open_count; i++)
        if (c->open[i] == ticket) {
            c->open[i] = c->open[--c->open_count];
            return true;
        }
    return false;
}

bool sim_client_arrive(struct client *c, struct parcel_sim *p)
{
    if (c->is_closed || c->life != p->life || !c->is_up)
        return false;
    if (p->event.kind == BUS_DONE && !close_call(c, p->event.ticket))
        return false;
    ready_put(c, p);
    return true;
}

/* ---- saying and hearing ---- */

static enum rc client_listen(struct bus *b, struct str subject)
{
    struct client *c = client_of(b);
    if (c->listen_count == MAX_LISTENS)
        return RC_LIMIT;
    struct str s = sim_copy(subject);
    if (!s.p)
        return RC_NOMEM;
    c->listens[c->listen_count++] = s;
    return RC_OK;
}

static bool listens(const struct client *c, struct str subject)
{
    for (size_t i = 0; i < c->listen_count; i++)
        if (sim_subject_matches(subject, c->listens[i]))
            return true;
    return false;
}

static struct said *said_make(struct str subject, struct str payload)
{
    struct said *s = mem_alloc(sizeof *s + subject.n + payload.n + 1);
    if (!s)
        return NULL;
    s->refs = 1; /* the maker's */
    memcpy(s->text, subject.p, subject.n);
    memcpy(s->text + subject.n, payload.p, payload.n);
    s->subject = str_make(s->text, subject.n);
    s->payload = str_make(s->text + subject.n, payload.n);
    return s;
}

/* A client that does not poll for long misses what comes then. */
static void heard_put(struct client *c, struct said *s)
{
    if (c->heard_count == c->heard_cap) {
        size_t cap = c->heard_cap ? c->heard_cap * 2 : 64;
        struct said **more = cap <= MAX_HEARD ? mem_resize(c->heard, cap * sizeof(*more)) : NULL;
        if (!more)
            return;
        c->heard = more;
        c->heard_cap = cap;
    }
    s->refs++;
    c->heard[c->heard_count++] = s;
}

static enum rc say_gathered(struct nats_sim *o, struct str subject, struct str payload)
{
    struct bus_event e = {.kind = BUS_HEARD, .subject = subject, .payload = payload};
    struct said *s = said_make(subject, payload);
    struct str asked = STR_NONE; /* nearly all clients listen to the same subject */
    bool is_heard = false;
    if (!s)
        return RC_NOMEM;
    for (struct client *c = o->clients; c; c = c->next) {
        if (c->is_closed || !c->is_up)
            continue;
        bool is_same = asked.p && c->listen_count == 1 && str_eq(asked, c->listens[0]);
        is_heard = is_same ? is_heard : listens(c, subject);
        asked = c->listen_count == 1 ? c->listens[0] : STR_NONE;
        if (!is_heard)
            continue;
        bool is_lost = sim_chance(o, o->odds.say_lost), is_late = sim_chance(o, o->odds.say_late);
        bool is_doubled = !is_lost && sim_chance(o, o->odds.say_doubled);
        o->faults[NATS_SIM_SAY_LOST] += is_lost;
        o->faults[NATS_SIM_SAY_LATE] += is_late && !is_lost;
        o->faults[NATS_SIM_SAY_DOUBLED] += is_doubled;
        if (is_doubled || (is_late && !is_lost)) {
            uint64_t more_ms = rng_below(&o->rng, 8000);
            sim_to_client(o, c, &e, sim_travel_ms(o) + more_ms);
        }
        if (!is_lost && !is_late)
            heard_put(c, s);
    }
    said_give(s);
    return RC_OK;
}

static enum rc client_say(struct bus *b, struct str subject, struct str payload)
{
    struct client *from = client_of(b);
    struct nats_sim *o = from->servers;
    struct bus_event e = {.kind = BUS_HEARD, .subject = subject, .payload = payload};
    if (!from->is_up)
        return RC_AGAIN;
    if (o->gathers)
        return say_gathered(o, subject, payload);
    for (struct client *c = o->clients; c; c = c->next) {
        if (c->is_closed || !c->is_up || !listens(c, subject))
            continue;
        if (sim_chance(o, o->odds.say_lost)) {
            o->faults[NATS_SIM_SAY_LOST]++;
            continue;
        }
        if (sim_chance(o, o->odds.say_doubled)) {
            o->faults[NATS_SIM_SAY_DOUBLED]++;
            sim_to_client(o, c, &e, sim_travel_ms(o));
        }
        bool is_late = sim_chance(o, o->odds.say_late);
        o->faults[NATS_SIM_SAY_LATE] += is_late;
        uint64_t more_ms = is_late ? rng_below(&o->rng, 8000) : 0;
        sim_to_client(o, c, &e, sim_travel_ms(o) + more_ms);
    }
    return RC_OK;
}

static enum rc client_ask(struct bus *b, uint64_t ticket, struct str subject, struct str payload,
                          uint64_t timeout_ms)
{
    (void)b, (void)ticket, (void)subject, (void)payload, (void)timeout_ms;
    return RC_UNSUPPORTED; /* the simulated protocol does not use it */
}

static enum rc client_answer(struct bus *b, uint64_t reply, struct str payload)
{
    (void)b, (void)reply, (void)payload;
    return RC_UNSUPPORTED;
}

/* ---- polling ---- */

static size_t poll_heard(struct client *c, void (*each)(void *ctx, const struct bus_event *e),
                         void *ctx, size_t most)
{
    size_t count = c->heard_count < most ? c->heard_count : most;
    for (size_t i = 0; i < count; i++) {
        struct said *s = c->heard[i];
        each(ctx,
             &(struct bus_event){.kind = BUS_HEARD, .subject = s->subject, .payload = s->payload});
        said_give(s);
    }
    c->heard_count -= count;
    memmove(c->heard, c->heard + count, c->heard_count * sizeof(*c->heard));
    return count;
}

static size_t client_poll(struct bus *b, void (*each)(void *ctx, const struct bus_event *e),
                          void *ctx, size_t most)
{
    struct client *c = client_of(b);
    size_t count = 0;
    while (c->ready && count < most) {
        struct parcel_sim *p = c->ready;
        c->ready = p->next;
        if (!c->ready)
            c->ready_tail = &c->ready;
        each(ctx, &p->event);
        mem_free(p);
        count++;
    }
    return c->heard_count ? count + poll_heard(c, each, ctx, most - count) : count;
}

static int client_fd(struct bus *b)
{
    (void)b;
    return -1;
}

static const struct bus_ops ops = {
    "simulated", client_close,  client_listen, client_say, client_append, client_get,
    client_ask,  client_answer, client_poll,   client_fd,  NULL,
};
