/* SPDX-License-Identifier: Apache-2.0 */
#include "bus/bus_sim.h"

#include "base/heap.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/rng.h"

#include <assert.h>

enum {
    MAX_STREAMS = 4096,
    MAX_EVENTS = 1 << 22,
    MAX_LISTENS = 8,
    REPEAT_WINDOW = 256,
    MAX_HEARD = 1 << 17,
    TIMEOUT_MS = 2000,
    LAG_MS = 700,
    THOUSAND = 1000,
};

const char *const post_fault_names[POST_FAULTS] = {"request lost",     "acknowledgement lost",
                                                   "request late",     "stale read",
                                                   "lags long",        "said in vain",
                                                   "said twice",       "said late",
                                                   "overtaken",        "repeated",
                                                   "connection cut",   "no leader",
                                                   "server power cut", "another copy"};

struct stream {
    struct str name, prefix;
    struct post_message *messages;
    size_t count, cap;
    uint64_t split_at, more; /* of the copy that differs; 0: none does */
    uint64_t hole;           /* 0: none */
    bool leads;
};

enum travel { TO_SERVER_APPEND, TO_SERVER_GET, TO_CLIENT, TO_RECONNECT };

/* Something on its way. Owns its text: subject, then payload. */
struct parcel_sim {
    struct heap_node node;
    enum travel travel;
    struct client *client;
    uint64_t life;
    struct bus_event event;
    int stream;
    uint64_t id;
    bool is_answerless; /* its acknowledgement is lost */
    struct parcel_sim *next;
    char text[];
};

/* Said once, heard by many. Owns its text, as above. */
struct said {
    size_t refs;
    struct str subject, payload;
    char text[];
};

struct client {
    struct bus bus;
    void *owner;
    struct said **heard; /* gathered, in order */
    size_t heard_count, heard_cap;
    struct post *post;
    struct client *next;
    uint64_t life;
    bool is_closed, is_up, is_cut;
    struct str listens[MAX_LISTENS];
    size_t listen_count;
    uint64_t open[BUS_MAX_OPEN];
    size_t open_count;
    struct parcel_sim *ready, **ready_tail;
    uint64_t last_ms;                   /* arrival of the latest thing sent to it */
    uint64_t lag_from_ms, lag_until_ms; /* reads nothing that is younger */
    int lag_stream;
};

struct post {
    struct rng rng;
    struct heap heap;
    uint64_t serial, now_ms, wall_ms, leaderless_ms;
    struct stream streams[MAX_STREAMS];
    int stream_count;
    struct map by_name, by_prefix; /* places in streams, plus one */
    bool gathers;
    struct client *clients;
    struct post_odds odds;
    uint64_t faults[POST_FAULTS];
    void (*taken)(void *ctx, int stream, uint64_t sequence);
    void *taken_ctx;
};

static const struct bus_ops ops;

static struct client *client_of(struct bus *b)
{
    return (struct client *)b;
}

static struct str copy(struct str s)
{
    char *p = mem_alloc(s.n + 1);
    if (p)
        memcpy(p, s.p, s.n);
    return p ? str_make(p, s.n) : STR_NONE;
}

static bool chance(struct post *o, unsigned of_thousand)
{
    return of_thousand && rng_below(&o->rng, THOUSAND) < of_thousand;
}

/* ---- streams ---- */

struct post *post_open(uint64_t seed, uint64_t wall_ms)
{
    struct post *o = mem_zero(1, sizeof *o);
    if (!o)
        return NULL;
    rng_init(&o->rng, seed);
    heap_init(&o->heap, MAX_EVENTS);
    map_init(&o->by_name, MAX_STREAMS);
    map_init(&o->by_prefix, MAX_STREAMS);
    o->wall_ms = wall_ms;
    return o;
}

static void message_free(struct post_message *m)
{
    mem_free((void *)(uintptr_t)m->subject.p);
    mem_free((void *)(uintptr_t)m->payload.p);
}

void post_close(struct post *o)
{
    if (!o)
        return;
    for (struct heap_node *n; (n = heap_first(&o->heap));) {
        heap_remove(&o->heap, n);
        mem_free(n);
    }
    heap_done(&o->heap);
    map_done(&o->by_name);
    map_done(&o->by_prefix);
    for (int i = 0; i < o->stream_count; i++) {
        struct stream *s = &o->streams[i];
        for (size_t k = 0; k < s->count; k++)
            message_free(&s->messages[k]);
        mem_free(s->messages);
        mem_free((void *)(uintptr_t)s->name.p);
        mem_free((void *)(uintptr_t)s->prefix.p);
    }
    for (struct client *c; (c = o->clients);) {
        o->clients = c->next;
        mem_free(c);
    }
    mem_free(o);
}

void post_set_odds(struct post *o, const struct post_odds *odds)
{
    o->odds = *odds;
}

const uint64_t *post_faults(const struct post *o)
{
    return o->faults;
}

int post_stream(struct post *o, struct str name, struct str prefix)
{
    if (o->stream_count == MAX_STREAMS)
        return -1;
    struct stream *s = &o->streams[o->stream_count];
    s->name = copy(name);
    s->prefix = copy(prefix);
    void *place = (void *)(uintptr_t)(o->stream_count + 1);
    if (!s->name.p || !s->prefix.p || map_put(&o->by_name, s->name, place) ||
        map_put(&o->by_prefix, s->prefix, place)) {
        mem_free((void *)(uintptr_t)s->name.p);
        mem_free((void *)(uintptr_t)s->prefix.p);
        return -1;
    }
    return o->stream_count++;
}

uint64_t post_length(const struct post *o, int stream)
{
    return o->streams[stream].count;
}

const struct post_message *post_at(const struct post *o, int stream, uint64_t sequence)
{
    const struct stream *s = &o->streams[stream];
    return sequence && sequence <= s->count ? &s->messages[sequence - 1] : NULL;
}

void post_watch(struct post *o, void (*taken)(void *ctx, int stream, uint64_t sequence), void *ctx)
{
    o->taken = taken;
    o->taken_ctx = ctx;
}

/* Prefixes end with a dot. */
static int stream_of_subject(const struct post *o, struct str subject)
{
    for (size_t n = 1; n <= subject.n; n++) {
        void *place =
            subject.p[n - 1] == '.' ? map_get(&o->by_prefix, str_first(subject, n)) : NULL;
        if (place)
            return (int)(uintptr_t)place - 1;
    }
    return -1;
}

static int stream_of_name(const struct post *o, struct str name)
{
    return (int)(uintptr_t)map_get(&o->by_name, name) - 1;
}

static enum rc stream_add(struct post *o, int stream, struct str subject, struct str payload,
                          uint64_t id)
{
    struct stream *s = &o->streams[stream];
    if (s->count == s->cap) {
        size_t cap = s->cap ? s->cap * 2 : 64;
        struct post_message *more = mem_resize(s->messages, cap * sizeof *more);
        if (!more)
            return RC_NOMEM;
        s->messages = more;
        s->cap = cap;
    }
    struct post_message m = {o->wall_ms + o->now_ms, id, copy(subject), copy(payload)};
    if (!m.subject.p || !m.payload.p) {
        message_free(&m);
        return RC_NOMEM;
    }
    s->messages[s->count++] = m;
    if (o->taken)
        o->taken(o->taken_ctx, stream, s->count);
    return RC_OK;
}

enum rc post_append(struct post *o, struct str subject, struct str payload, uint64_t now_ms)
{
    int stream = stream_of_subject(o, subject);
    o->now_ms = now_ms;
    return stream < 0 ? RC_NOT_FOUND : stream_add(o, stream, subject, payload, rng_next(&o->rng));
}

/* ---- on the way ---- */

static struct parcel_sim *parcel_make(enum travel travel, struct client *c, struct str subject,
                                      struct str payload)
{
    struct parcel_sim *p = mem_zero(1, sizeof *p + subject.n + payload.n + 1);
    if (!p)
        return NULL;
    p->travel = travel;
    p->client = c;
    p->life = c->life;
    if (subject.n)
        memcpy(p->text, subject.p, subject.n);
    if (payload.n)
        memcpy(p->text + subject.n, payload.p, payload.n);
    p->event.subject = str_make(p->text, subject.n);
    p->event.payload = str_make(p->text + subject.n, payload.n);
    return p;
}

static void parcel_send(struct post *o, struct parcel_sim *p, uint64_t after_ms)
{
    p->node.key = o->now_ms + after_ms;
    p->node.order = ++o->serial;
    if (heap_add(&o->heap, &p->node))
        mem_free(p);
}

static uint64_t travel_ms(struct post *o)
{
    uint64_t ms = 1 + rng_below(&o->rng, 8);
    return rng_below(&o->rng, 20) ? ms : ms + rng_below(&o->rng, 200);
}

static void to_client(struct post *o, struct client *c, const struct bus_event *e, uint64_t ms)
{
    struct parcel_sim *p = parcel_make(TO_CLIENT, c, e->subject, e->payload);
    if (!p)
        return;
    struct str subject = p->event.subject, payload = p->event.payload;
    p->event = *e;
    p->event.subject = subject;
    p->event.payload = payload;
    if (o->now_ms + ms < c->last_ms)
        o->faults[POST_REORDERED]++;
    else
        c->last_ms = o->now_ms + ms;
    parcel_send(o, p, ms);
}

static void ready_put(struct client *c, struct parcel_sim *p)
{
    p->next = NULL;
    *c->ready_tail = p;
    c->ready_tail = &p->next;
}

static void ready_event(struct client *c, const struct bus_event *e)
{
    struct parcel_sim *p = parcel_make(TO_CLIENT, c, STR(""), STR(""));
    if (!p)
        return;
    struct str none = p->event.subject;
    p->event = *e;
    p->event.subject = p->event.payload = none;
    ready_put(c, p);
}

/* ---- connections ---- */

struct bus *post_connect(struct post *o, uint64_t now_ms)
{
    struct client *c = mem_zero(1, sizeof *c);
    if (!c)
        return NULL;
    c->bus.ops = &ops;
    c->post = o;
    c->next = o->clients;
    c->ready_tail = &c->ready;
    o->clients = c;
    o->now_ms = now_ms;
    struct parcel_sim *p = parcel_make(TO_RECONNECT, c, STR(""), STR(""));
    if (p)
        parcel_send(o, p, 1 + rng_below(&o->rng, 50));
    return &c->bus;
}

void post_set_owner(struct bus *b, void *owner)
{
    client_of(b)->owner = owner;
}

void *post_owner(struct bus *b)
{
    return client_of(b)->owner;
}

void post_gather(struct post *o)
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
    c->is_closed = true; /* what it has sent may still arrive */
}

static void go_down(struct client *c)
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

static void come_back(struct post *o, struct client *c, uint64_t ms)
{
    struct parcel_sim *p = parcel_make(TO_RECONNECT, c, STR(""), STR(""));
    if (p)
        parcel_send(o, p, ms);
}

void post_cut(struct post *o, struct bus *b, bool is_cut, uint64_t now_ms)
{
    struct client *c = client_of(b);
    o->now_ms = now_ms;
    if (is_cut == c->is_cut)
        return;
    c->is_cut = is_cut;
    if (is_cut) {
        o->faults[POST_CUT]++;
        go_down(c);
    } else {
        come_back(o, c, 100 + rng_below(&o->rng, 200));
    }
}

void post_lag(struct post *o, struct bus *b, int stream, uint64_t until_ms, uint64_t now_ms)
{
    struct client *c = client_of(b);
    c->lag_stream = stream;
    c->lag_from_ms = now_ms;
    c->lag_until_ms = until_ms;
    o->faults[POST_LAGS]++;
}

void post_no_leader(struct post *o, uint64_t until_ms)
{
    if (until_ms > o->leaderless_ms)
        o->leaderless_ms = until_ms;
    o->faults[POST_NO_LEADER]++;
}

/* It travels on, to nobody. */
static void lose(struct parcel_sim *p)
{
    p->travel = TO_CLIENT;
    p->life = UINT64_MAX;
}

void post_power_cut(struct post *o, int stream, uint64_t messages, uint64_t now_ms)
{
    struct stream *s = &o->streams[stream];
    o->now_ms = now_ms;
    o->faults[POST_POWER_CUT]++;
    /* Nothing that was on its way outlives the servers. */
    for (struct client *c = o->clients; c; c = c->next) {
        if (c->is_closed)
            continue;
        go_down(c);
        c->life++;
        if (!c->is_cut)
            come_back(o, c, 200 + rng_below(&o->rng, 800));
    }
    for (size_t i = o->heap.count; i > 0; i--) {
        struct parcel_sim *p = (struct parcel_sim *)o->heap.nodes[i - 1];
        if (p->travel == TO_SERVER_APPEND || p->travel == TO_SERVER_GET)
            lose(p);
    }
    for (; messages && s->count; messages--)
        message_free(&s->messages[--s->count]);
    if (s->split_at > s->count)
        s->more = s->hole = 0;
}

void post_hole(struct post *o, int stream, uint64_t ahead)
{
    struct stream *s = &o->streams[stream];
    s->split_at = s->count;
    s->hole = s->count ? s->count + ahead : 0;
}

void post_split(struct post *o, int stream, uint64_t more, bool leads)
{
    struct stream *s = &o->streams[stream];
    s->more = more < s->count ? more : s->count;
    s->split_at = s->count;
    s->leads = leads;
}

uint64_t post_split_at(const struct post *o, int stream)
{
    const struct stream *s = &o->streams[stream];
    return s->more || s->hole ? s->split_at : UINT64_MAX;
}

/* ---- calls ---- */

static bool may_open(struct client *c)
{
    return c->is_up && c->open_count < BUS_MAX_OPEN;
}

static void time_out(struct post *o, struct client *c, uint64_t ticket)
{
    to_client(o, c, &(struct bus_event){.kind = BUS_DONE, .ticket = ticket, .rc = RC_AGAIN},
              TIMEOUT_MS);
}

static enum rc begin(struct client *c, enum travel travel, uint64_t ticket, int stream,
                     struct str subject, struct str payload, uint64_t id, uint64_t sequence)
{
    struct post *o = c->post;
    if (!may_open(c))
        return RC_AGAIN;
    struct parcel_sim *p = parcel_make(travel, c, subject, payload);
    if (!p)
        return RC_NOMEM;
    p->event.ticket = ticket;
    p->event.sequence = sequence;
    p->stream = stream;
    p->id = id;
    c->open[c->open_count++] = ticket;
    if (chance(o, o->odds.request_lost)) {
        o->faults[POST_REQUEST_LOST]++;
        mem_free(p);
        time_out(o, c, ticket);
        return RC_OK;
    }
    if (chance(o, o->odds.ack_lost)) {
        o->faults[POST_ACK_LOST]++;
        p->is_answerless = true;
        time_out(o, c, ticket);
    } else if (travel == TO_SERVER_APPEND && chance(o, o->odds.slow)) {
        o->faults[POST_SLOW]++;
        time_out(o, c, ticket);
        parcel_send(o, p, TIMEOUT_MS + rng_below(&o->rng, 3 * TIMEOUT_MS));
        return RC_OK;
    }
    parcel_send(o, p, travel_ms(o));
    return RC_OK;
}

static enum rc client_append(struct bus *b, uint64_t ticket, struct str subject, uint64_t id,
                             struct str payload)
{
    struct client *c = client_of(b);
    if (subject.n > BUS_MAX_SUBJECT_BYTES || payload.n > BUS_MAX_PAYLOAD_BYTES)
        return RC_LIMIT;
    return begin(c, TO_SERVER_APPEND, ticket, stream_of_subject(c->post, subject), subject, payload,
                 id, 0);
}

static enum rc client_get(struct bus *b, uint64_t ticket, struct str stream, uint64_t sequence,
                          struct str subject)
{
    struct client *c = client_of(b);
    return begin(c, TO_SERVER_GET, ticket, stream_of_name(c->post, stream), subject, STR(""), 0,
                 sequence);
}

static enum rc client_listen(struct bus *b, struct str subject)
{
    struct client *c = client_of(b);
    if (c->listen_count == MAX_LISTENS)
        return RC_LIMIT;
    struct str s = copy(subject);
    if (!s.p)
        return RC_NOMEM;
    c->listens[c->listen_count++] = s;
    return RC_OK;
}

/* One "*" stands for a token, ">" for the rest. */
static bool subject_matches(struct str subject, struct str filter)
{
    if (!filter.n)
        return true;
    while (filter.p && subject.p) {
        struct str f = str_take_until(&filter, '.'), s = str_take_until(&subject, '.');
        if (str_eq(f, STR(">")))
            return true;
        if (!str_eq(f, STR("*")) && !str_eq(f, s))
            return false;
    }
    return !filter.p && !subject.p;
}

static bool listens(const struct client *c, struct str subject)
{
    for (size_t i = 0; i < c->listen_count; i++)
        if (subject_matches(subject, c->listens[i]))
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

/* Whoever does not poll for so long misses what comes then. */
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

static enum rc say_gathered(struct post *o, struct str subject, struct str payload)
{
    struct bus_event e = {.kind = BUS_HEARD, .subject = subject, .payload = payload};
    struct said *s = said_make(subject, payload);
    struct str asked = STR_NONE; /* nearly all listen to the same */
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
        bool is_lost = chance(o, o->odds.say_lost), is_late = chance(o, o->odds.say_late);
        bool is_doubled = !is_lost && chance(o, o->odds.say_doubled);
        o->faults[POST_SAY_LOST] += is_lost;
        o->faults[POST_SAY_LATE] += is_late && !is_lost;
        o->faults[POST_SAY_DOUBLED] += is_doubled;
        if (is_doubled || (is_late && !is_lost))
            to_client(o, c, &e, travel_ms(o) + rng_below(&o->rng, 8000));
        if (!is_lost && !is_late)
            heard_put(c, s);
    }
    said_give(s);
    return RC_OK;
}

static enum rc client_say(struct bus *b, struct str subject, struct str payload)
{
    struct client *from = client_of(b);
    struct post *o = from->post;
    struct bus_event e = {.kind = BUS_HEARD, .subject = subject, .payload = payload};
    if (!from->is_up)
        return RC_AGAIN;
    if (o->gathers)
        return say_gathered(o, subject, payload);
    for (struct client *c = o->clients; c; c = c->next) {
        if (c->is_closed || !c->is_up || !listens(c, subject))
            continue;
        if (chance(o, o->odds.say_lost)) {
            o->faults[POST_SAY_LOST]++;
            continue;
        }
        if (chance(o, o->odds.say_doubled)) {
            o->faults[POST_SAY_DOUBLED]++;
            to_client(o, c, &e, travel_ms(o));
        }
        bool is_late = chance(o, o->odds.say_late);
        o->faults[POST_SAY_LATE] += is_late;
        to_client(o, c, &e, travel_ms(o) + (is_late ? rng_below(&o->rng, 8000) : 0));
    }
    return RC_OK;
}

static enum rc client_ask(struct bus *b, uint64_t ticket, struct str subject, struct str payload,
                          uint64_t timeout_ms)
{
    (void)b, (void)ticket, (void)subject, (void)payload, (void)timeout_ms;
    return RC_UNSUPPORTED; /* no part of the protocol that is simulated */
}

static enum rc client_answer(struct bus *b, uint64_t reply, struct str payload)
{
    (void)b, (void)reply, (void)payload;
    return RC_UNSUPPORTED;
}

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

/* ---- the servers ---- */

static uint64_t find_repeat(const struct stream *s, uint64_t id)
{
    for (size_t i = s->count; i > 0 && i + REPEAT_WINDOW > s->count; i--)
        if (s->messages[i - 1].id == id)
            return i;
    return 0;
}

static void serve_append(struct post *o, struct parcel_sim *p, struct bus_event *e)
{
    if (p->stream < 0) {
        e->rc = RC_NOT_FOUND;
        return;
    }
    if (o->now_ms < o->leaderless_ms) {
        e->rc = RC_AGAIN;
        return;
    }
    struct stream *s = &o->streams[p->stream];
    e->sequence = find_repeat(s, p->id);
    e->is_repeat = e->sequence > 0;
    o->faults[POST_REPEAT] += e->is_repeat;
    if (e->is_repeat)
        return;
    e->rc = stream_add(o, p->stream, p->event.subject, p->event.payload, p->id);
    e->sequence = s->count + (s->leads ? s->more : 0);
}

/* From whom lags for long. */
static bool is_hidden(const struct post *o, const struct parcel_sim *p,
                      const struct post_message *m)
{
    const struct client *c = p->client;
    return o->now_ms < c->lag_until_ms && (c->lag_stream < 0 || c->lag_stream == p->stream) &&
           m->stamp_ms > o->wall_ms + c->lag_from_ms;
}

static void serve_get(struct post *o, struct parcel_sim *p, struct bus_event *e)
{
    e->rc = RC_NOT_FOUND;
    if (p->stream < 0)
        return;
    const struct stream *s = &o->streams[p->stream];
    bool lags = chance(o, o->odds.stale);
    bool is_odd = (s->more || s->hole) && rng_below(&o->rng, 3) == 0;
    uint64_t more = is_odd ? s->more : 0;
    for (uint64_t i = p->event.sequence ? p->event.sequence : 1; i <= s->count + more; i++) {
        bool is_hole = is_odd && i == s->hole;
        bool is_other = is_hole || (more && i > s->split_at);
        const struct post_message *m = &s->messages[i - (is_hole ? 1 : is_other ? more : 0) - 1];
        if (lags && m->stamp_ms + LAG_MS > o->wall_ms + o->now_ms) {
            o->faults[POST_STALE]++;
            return;
        }
        if (is_hidden(o, p, m))
            return;
        if (!subject_matches(m->subject, p->event.subject))
            continue;
        o->faults[POST_OTHER_COPY] += is_other;
        e->rc = RC_OK;
        e->sequence = i;
        e->stamp_ms = m->stamp_ms;
        e->subject = m->subject;
        e->payload = m->payload;
        return;
    }
}

static void serve(struct post *o, struct parcel_sim *p)
{
    struct bus_event e = {.kind = BUS_DONE, .ticket = p->event.ticket};
    e.subject = e.payload = STR("");
    if (p->travel == TO_SERVER_APPEND)
        serve_append(o, p, &e);
    else
        serve_get(o, p, &e);
    struct client *c = p->client;
    if (!p->is_answerless && !c->is_closed && c->life == p->life)
        to_client(o, c, &e, travel_ms(o));
}

/* False: nobody waits for it any more. */
static bool close_call(struct client *c, uint64_t ticket)
{
    for (size_t i = 0; i < c->open_count; i++)
        if (c->open[i] == ticket) {
            c->open[i] = c->open[--c->open_count];
            return true;
        }
    return false;
}

static bool arrive(struct client *c, struct parcel_sim *p)
{
    if (c->is_closed || c->life != p->life || !c->is_up)
        return false;
    if (p->event.kind == BUS_DONE && !close_call(c, p->event.ticket))
        return false;
    ready_put(c, p);
    return true;
}

static void reconnect(struct client *c)
{
    if (c->is_closed || c->is_cut || c->is_up)
        return;
    c->is_up = true;
    c->life++;
    ready_event(c, &(struct bus_event){.kind = BUS_UP});
}

uint64_t post_next_ms(const struct post *o)
{
    const struct heap_node *n = heap_first(&o->heap);
    return n ? n->key : UINT64_MAX;
}

struct bus *post_step(struct post *o, uint64_t now_ms)
{
    struct heap_node *n = heap_first(&o->heap);
    if (!n || n->key > now_ms)
        return NULL;
    heap_remove(&o->heap, n);
    struct parcel_sim *p = (struct parcel_sim *)n;
    struct client *c = p->client;
    o->now_ms = now_ms;
    bool is_kept = false;
    if (p->travel == TO_CLIENT)
        is_kept = arrive(c, p);
    else if (p->travel == TO_RECONNECT)
        reconnect(c);
    else
        serve(o, p);
    if (!is_kept)
        mem_free(p);
    return c->is_closed || !c->ready ? NULL : &c->bus;
}
