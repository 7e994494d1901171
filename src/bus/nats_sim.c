/* SPDX-License-Identifier: Apache-2.0 */
#include "bus/sim_internal.h"

#include "base/mem.h"

enum {
    MAX_EVENTS = 1 << 22,
    REPEAT_WINDOW = 256,
    LAG_MS = 700,
    THOUSAND = 1000,
};

const char *const nats_sim_fault_names[NATS_SIM_FAULTS] = {
    "request lost",     "acknowledgement lost",
    "request late",     "stale read",
    "lags long",        "heartbeat lost",
    "heartbeat twice",  "heartbeat late",
    "overtaken",        "repeated",
    "connection cut",   "no leader",
    "server power cut", "store wiped",
    "another copy"};

struct str sim_copy(struct str s)
{
    char *p = mem_alloc(s.n + 1);
    if (p)
        memcpy(p, s.p, s.n);
    return p ? str_make(p, s.n) : STR_NONE;
}

bool sim_chance(struct nats_sim *o, unsigned of_thousand)
{
    return of_thousand && rng_below(&o->rng, THOUSAND) < of_thousand;
}

/* ---- streams ---- */

struct nats_sim *nats_sim_open(uint64_t seed, uint64_t wall_ms)
{
    struct nats_sim *o = mem_zero(1, sizeof *o);
    if (!o)
        return NULL;
    rng_init(&o->rng, seed);
    heap_init(&o->heap, MAX_EVENTS);
    map_init(&o->by_name, MAX_STREAMS);
    map_init(&o->by_prefix, MAX_STREAMS);
    o->wall_ms = wall_ms;
    return o;
}

static void message_free(struct nats_sim_message *m)
{
    mem_free((void *)(uintptr_t)m->subject.p);
    mem_free((void *)(uintptr_t)m->payload.p);
}

void nats_sim_close(struct nats_sim *o)
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

void nats_sim_set_odds(struct nats_sim *o, const struct nats_sim_odds *odds)
{
    o->odds = *odds;
}

const uint64_t *nats_sim_faults(const struct nats_sim *o)
{
    return o->faults;
}

int nats_sim_stream(struct nats_sim *o, struct str name, struct str prefix)
{
    if (o->stream_count == MAX_STREAMS)
        return -1;
    struct stream *s = &o->streams[o->stream_count];
    s->name = sim_copy(name);
    s->prefix = sim_copy(prefix);
    void *index_plus_one = (void *)(uintptr_t)(o->stream_count + 1);
    if (!s->name.p || !s->prefix.p || map_put(&o->by_name, s->name, index_plus_one) ||
        map_put(&o->by_prefix, s->prefix, index_plus_one)) {
        mem_free((void *)(uintptr_t)s->name.p);
        mem_free((void *)(uintptr_t)s->prefix.p);
        return -1;
    }
    return o->stream_count++;
}

uint64_t nats_sim_length(const struct nats_sim *o, int stream)
{
    return o->streams[stream].count;
}

const struct nats_sim_message *nats_sim_at(const struct nats_sim *o, int stream, uint64_t sequence)
{
    const struct stream *s = &o->streams[stream];
    return sequence && sequence <= s->count ? &s->messages[sequence - 1] : NULL;
}

void nats_sim_watch(struct nats_sim *o, void (*taken)(void *ctx, int stream, uint64_t sequence),
                    void *ctx)
{
    o->taken = taken;
    o->taken_ctx = ctx;
}

/* Prefixes end with a dot. */
int sim_stream_of_subject(const struct nats_sim *o, struct str subject)
{
    for (size_t n = 1; n <= subject.n; n++) {
        void *index_plus_one =
            subject.p[n - 1] == '.' ? map_get(&o->by_prefix, str_first(subject, n)) : NULL;
        if (index_plus_one)
            return (int)(uintptr_t)index_plus_one - 1;
    }
    return -1;
}

int sim_stream_of_name(const struct nats_sim *o, struct str name)
{
    return (int)(uintptr_t)map_get(&o->by_name, name) - 1;
}

/* A "*" stands for one token, ">" for the rest. */
bool sim_subject_matches(struct str subject, struct str filter)
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

static enum rc stream_add(struct nats_sim *o, int stream, struct str subject, struct str payload,
                          uint64_t id)
{
    struct stream *s = &o->streams[stream];
    struct nats_sim_message *messages = mem_grow(s->messages, s->count, &s->cap, sizeof *messages);
    if (!messages)
        return RC_NOMEM;
    s->messages = messages;
    struct nats_sim_message m = {o->wall_ms + o->now_ms, id, sim_copy(subject), sim_copy(payload)};
    if (!m.subject.p || !m.payload.p) {
        message_free(&m);
        return RC_NOMEM;
    }
    s->messages[s->count++] = m;
    if (o->taken)
        o->taken(o->taken_ctx, stream, s->count);
    return RC_OK;
}

enum rc nats_sim_append(struct nats_sim *o, struct str subject, struct str payload, uint64_t now_ms)
{
    int stream = sim_stream_of_subject(o, subject);
    o->now_ms = now_ms;
    return stream < 0 ? RC_NOT_FOUND : stream_add(o, stream, subject, payload, rng_next(&o->rng));
}

/* ---- messages that travel ---- */

struct parcel_sim *sim_parcel_make(enum travel travel, struct client *c, struct str subject,
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

void sim_parcel_send(struct nats_sim *o, struct parcel_sim *p, uint64_t after_ms)
{
    p->node.key = o->now_ms + after_ms;
    p->node.order = ++o->serial;
    if (heap_add(&o->heap, &p->node))
        mem_free(p);
}

uint64_t sim_travel_ms(struct nats_sim *o)
{
    uint64_t ms = 1 + rng_below(&o->rng, 8);
    return rng_below(&o->rng, 20) ? ms : ms + rng_below(&o->rng, 200);
}

void sim_to_client(struct nats_sim *o, struct client *c, const struct bus_event *e, uint64_t ms)
{
    struct parcel_sim *p = sim_parcel_make(TO_CLIENT, c, e->subject, e->payload);
    if (!p)
        return;
    struct str subject = p->event.subject, payload = p->event.payload;
    p->event = *e;
    p->event.subject = subject;
    p->event.payload = payload;
    if (o->now_ms + ms < c->last_ms)
        o->faults[NATS_SIM_REORDERED]++;
    else
        c->last_ms = o->now_ms + ms;
    sim_parcel_send(o, p, ms);
}

/* ---- what befalls the servers ---- */

void nats_sim_no_leader(struct nats_sim *o, uint64_t until_ms)
{
    if (until_ms > o->leaderless_ms)
        o->leaderless_ms = until_ms;
    o->faults[NATS_SIM_NO_LEADER]++;
}

/* The parcel travels on, and has no effect. */
static void lose(struct parcel_sim *p)
{
    p->travel = TO_CLIENT;
    p->life = UINT64_MAX;
}

/* All servers are down for a moment. */
static void servers_go_down(struct nats_sim *o, uint64_t now_ms)
{
    o->now_ms = now_ms;
    /* Messages on their way are lost with the servers. */
    for (struct client *c = o->clients; c; c = c->next) {
        if (c->is_closed)
            continue;
        sim_client_go_down(c);
        c->life++;
        if (!c->is_cut)
            sim_client_come_back(o, c, 200 + rng_below(&o->rng, 800));
    }
    for (size_t i = o->heap.count; i > 0; i--) {
        struct parcel_sim *p = (struct parcel_sim *)o->heap.nodes[i - 1];
        if (p->travel == TO_SERVER_APPEND || p->travel == TO_SERVER_GET)
            lose(p);
    }
}

static void lose_end(struct stream *s, uint64_t messages)
{
    for (; messages && s->count; messages--)
        message_free(&s->messages[--s->count]);
    if (s->split_at > s->count)
        s->more = s->hole = 0;
}

void nats_sim_power_cut(struct nats_sim *o, int stream, uint64_t messages, uint64_t now_ms)
{
    o->faults[NATS_SIM_POWER_CUT]++;
    servers_go_down(o, now_ms);
    lose_end(&o->streams[stream], messages);
}

void nats_sim_wipe(struct nats_sim *o, uint64_t until_ms, uint64_t now_ms)
{
    o->faults[NATS_SIM_WIPE]++;
    servers_go_down(o, now_ms);
    o->missing_ms = until_ms;
    for (int i = 0; i < o->stream_count; i++)
        lose_end(&o->streams[i], UINT64_MAX);
}

void nats_sim_hole(struct nats_sim *o, int stream, uint64_t ahead)
{
    struct stream *s = &o->streams[stream];
    s->split_at = s->count;
    s->hole = s->count ? s->count + ahead : 0;
}

void nats_sim_split(struct nats_sim *o, int stream, uint64_t more, bool leads)
{
    struct stream *s = &o->streams[stream];
    s->more = more < s->count ? more : s->count;
    s->split_at = s->count;
    s->leads = leads;
}

uint64_t nats_sim_split_at(const struct nats_sim *o, int stream)
{
    const struct stream *s = &o->streams[stream];
    return s->more || s->hole ? s->split_at : UINT64_MAX;
}

/* ---- the servers ---- */

static uint64_t find_repeat(const struct stream *s, uint64_t id)
{
    for (size_t i = s->count; i > 0 && i + REPEAT_WINDOW > s->count; i--)
        if (s->messages[i - 1].id == id)
            return i;
    return 0;
}

static void serve_append(struct nats_sim *o, struct parcel_sim *p, struct bus_event *e)
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
    o->faults[NATS_SIM_REPEAT] += e->is_repeat;
    if (e->is_repeat)
        return;
    e->rc = stream_add(o, p->stream, p->event.subject, p->event.payload, p->id);
    e->sequence = s->count + (s->leads ? s->more : 0);
}

/* Whether the message is hidden from a client that lags for long. */
static bool is_hidden(const struct nats_sim *o, const struct parcel_sim *p,
                      const struct nats_sim_message *m)
{
    const struct client *c = p->client;
    return o->now_ms < c->lag_until_ms && (c->lag_stream < 0 || c->lag_stream == p->stream) &&
           m->stamp_ms > o->wall_ms + c->lag_from_ms;
}

static void serve_get(struct nats_sim *o, struct parcel_sim *p, struct bus_event *e)
{
    e->rc = RC_NOT_FOUND;
    if (p->stream < 0)
        return;
    const struct stream *s = &o->streams[p->stream];
    bool lags = sim_chance(o, o->odds.stale);
    bool is_odd = (s->more || s->hole) && rng_below(&o->rng, 3) == 0;
    uint64_t more = is_odd ? s->more : 0;
    for (uint64_t i = p->event.sequence ? p->event.sequence : 1; i <= s->count + more; i++) {
        bool is_hole = is_odd && i == s->hole;
        bool is_other = is_hole || (more && i > s->split_at);
        const struct nats_sim_message *m = &s->messages[i -
                                                        (is_hole    ? 1
                                                         : is_other ? more
                                                                    : 0) -
                                                        1];
        if (lags && m->stamp_ms + LAG_MS > o->wall_ms + o->now_ms) {
            o->faults[NATS_SIM_STALE]++;
            return;
        }
        if (is_hidden(o, p, m))
            return;
        if (!sim_subject_matches(m->subject, p->event.subject))
            continue;
        o->faults[NATS_SIM_OTHER_COPY] += is_other;
        e->rc = RC_OK;
        e->sequence = i;
        e->stamp_ms = m->stamp_ms;
        e->subject = m->subject;
        e->payload = m->payload;
        return;
    }
}

static void serve(struct nats_sim *o, struct parcel_sim *p)
{
    struct bus_event e = {.kind = BUS_DONE, .ticket = p->event.ticket};
    e.subject = e.payload = STR("");
    if (o->now_ms < o->missing_ms)
        e.rc = RC_AGAIN;
    else if (p->travel == TO_SERVER_APPEND)
        serve_append(o, p, &e);
    else
        serve_get(o, p, &e);
    struct client *c = p->client;
    if (!p->is_answerless && !c->is_closed && c->life == p->life)
        sim_to_client(o, c, &e, sim_travel_ms(o));
}

uint64_t nats_sim_next_ms(const struct nats_sim *o)
{
    const struct heap_node *n = heap_first(&o->heap);
    return n ? n->key : UINT64_MAX;
}

struct bus *nats_sim_step(struct nats_sim *o, uint64_t now_ms)
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
        is_kept = sim_client_arrive(c, p);
    else if (p->travel == TO_RECONNECT)
        sim_client_reconnect(c);
    else
        serve(o, p);
    if (!is_kept)
        mem_free(p);
    return c->is_closed || !c->ready ? NULL : &c->bus;
}
