/* SPDX-License-Identifier: Apache-2.0 */
/* fetch: asks, and waits for the answer without anybody waiting for it.
 *
 * What follows an answer runs within the call that brings it, up to settle: the answer's bytes are
 * the engine's and are copied by nobody. */
#include "components/cluster.h"
#include "components/judge.h"

#include "base/clock.h"
#include "base/mem.h"
#include "fetch/type_set.h"
#include "net/head.h"

enum { PAGE, ROBOTS, FAILED };

enum {
    ROBOTS_BODY_BYTES = ROBOTS_BODY_MAX + 1, /* one more shows that it was longer */
    TYPE_MAX_BYTES = 64 << 10,               /* of a Content-Type over several lines */
    PUT_OFF_MS = 200,
};

struct fetch_settings {
    struct str user_agent, contact, encodings;
    uint64_t body_bytes;
    uint64_t retry_after_most_ms;
    struct option_list types;
};

#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct fetch_settings, field, __VA_ARGS__)
static const struct option fetch_options[] = {
    ROW(TEXT, user_agent, "user-agent", "orbweaver", "who asks"),
    ROW(TEXT, contact, "contact", NULL, "where a site's operator can write to", .arg = "URL|MAIL"),
    ROW(TEXT, encodings, "encodings", REQUEST_ENCODINGS,
        "what a body may be coded in; archives keep it so, and replays may not know zstd"),
    ROW(SIZE, body_bytes, "body-size", "100M", "a body is cut behind so many bytes", .min = 1),
    ROW(DURATION, retry_after_most_ms, "retry-after-most", "24h", "the longest Retry-After kept"),
    ROW(LIST, types, "types", NULL, "answers of other types are left where they are",
        .arg = "TYPE,..."),
    {0},
};
#undef ROW

struct fetch {
    struct instance *self;
    struct ledger_service *ledger; /* NULL at a place without one, */
    struct clock *clock;
    struct http *http;
    struct guard *guard;
    struct pace_service *pace;
    struct cluster_service *cluster;
    struct rng rng;
    struct arena *arena; /* of the identity */
    struct request_identity identity;
    struct type_set *types; /* NULL: all */
    struct list running;
    struct message *early, **early_end; /* at a place of its own: until it may ask */
    struct timer may_begin;
    uint64_t session, begun_ms; /* of who sends visits, and when its first came */
    struct buf request;         /* the last one written */
};

static void fetch_close(struct instance *self)
{
    struct fetch *f = self->state;
    arena_close(f->arena);
    buf_done(&f->request);
    type_set_close(f->types);
    mem_free(f);
}

static void begin(struct timer *t, uint64_t now_ms);

static enum rc fetch_open(struct instance *self, struct buf *why)
{
    const struct fetch_settings *s = self->settings;
    struct fetch *f = mem_zero(1, sizeof *f);
    if (!f)
        return RC_NOMEM;
    self->state = f;
    f->self = self;
    f->ledger = part_provider(self, 0);
    f->http = part_provider(self, 1);
    f->guard = part_provider(self, 2);
    f->pace = part_provider(self, 3);
    f->cluster = part_provider(self, 4);
    if (!f->cluster)
        f->cluster = cluster_absent();
    buf_init(&f->request, URL_MAX_BYTES + (64 << 10));
    f->clock = part_clock(self);
    f->early_end = &f->early;
    f->may_begin.due = begin;
    rng_init(&f->rng, clock_wall_ms(f->clock) ^ self->shard);
    f->arena = arena_open(1024, 64 << 10);
    enum rc rc =
        f->arena ? identity_make(s->user_agent, s->contact, f->arena, &f->identity, why) : RC_NOMEM;
    f->identity.encodings = s->encodings;
    if (rc == RC_OK && s->types.count)
        rc = type_set_open(s->types.items, s->types.count, &f->types, why);
    if (rc)
        fetch_close(self);
    return rc;
}

/* What is running ------------------------------------------------------------------------------ */

static void running_add(struct fetch *f, struct visit *v)
{
    list_add_first(&f->running, &v->running);
    if (f->ledger)
        count_add(&f->ledger->counts.open, 1);
}

static void running_remove(struct fetch *f, struct visit *v)
{
    list_remove(&f->running, &v->running);
    if (f->ledger)
        atomic_fetch_sub_explicit(&f->ledger->counts.open, 1, memory_order_relaxed);
}

/* The answer ----------------------------------------------------------------------------------- */

/* Only if it changed since it was captured. What was modified after it was asked for says nothing
 * (F92). */
static struct request_condition condition_of(const struct visit *v)
{
    struct request_condition c = {0};
    int64_t modified_ms;
    if (!v->has_past || !v->past.has_digest)
        return c;
    c.etag = v->past.etag;
    if (v->past.last_modified.p &&
        http_date_read(v->past.last_modified, v->past.captured_ms, &modified_ms) == RC_OK &&
        modified_ms <= v->past.captured_ms)
        c.last_modified = v->past.last_modified;
    return c;
}

/* What the pace of the host depends on. */
static struct pace_end end_of(struct fetch *f, const struct visit *v, const struct http_answer *a)
{
    const struct fetch_settings *s = f->self->settings;
    struct pace_end end = {.dns = DNS_FOUND, .http = a->outcome, .status = a->status};
    if (v->heads.retry_after.p)
        end.has_retry_after =
            retry_after_read(v->heads.retry_after, (int64_t)clock_wall_ms(f->clock),
                             s->retry_after_most_ms, &end.retry_after_ms);
    end.is_unasked_304 =
        a->status == 304 && !condition_of(v).etag.p && !condition_of(v).last_modified.p;
    return end;
}

/* Redirects have a body that nobody reads, a 304 has none, and sitemaps are asked for by us. */
static bool wants_type(struct http_ask *ask, uint16_t status, struct str head)
{
    struct visit *v = EVENT_OF(ask, struct visit, ask);
    const struct fetch *f = v->fetch;
    struct str hops = v->lent.hops;
    bool is_ours = hops.n && hops.p[hops.n - 1] == HOP_PREREQUISITE;
    bool has_body = status < 300 || status >= 400;
    struct buf scratch = {.max = TYPE_MAX_BYTES};
    v->has_other_type =
        has_body && !is_ours &&
        !type_set_has(f->types, media_type(head_get(head, STR("Content-Type"), &scratch)));
    buf_done(&scratch);
    return !v->has_other_type;
}

static void on_answer(struct http_ask *ask, const struct http_answer *answer)
{
    struct visit *v = EVENT_OF(ask, struct visit, ask);
    struct fetch *f = v->fetch;
    running_remove(f, v);
    v->state = VISIT_ENDED;
    v->answer = answer->head.n ? answer : NULL;
    v->why = answer->why;
    if (v->answer)
        visit_read_heads(v);
    v->end = end_of(f, v, answer);
    v->uncounted_bytes += answer->bytes_in;
    struct str mime = media_type(v->heads.type);
    v->mime = mime.p ? arena_dup(v->arena, mime) : STR_NONE;
    if (v->kind == VISIT_ROBOTS) { /* judged when its Crawl-delay is known */
        part_emit(f->self, ROBOTS, &v->head);
        return;
    }
    visit_warm(v);
    visit_judge(v, f->pace, &f->rng);
    part_emit(f->self, visit_has_result(v) ? PAGE : FAILED, &v->head);
}

/* Asking --------------------------------------------------------------------------------------- */

static struct str request_of(struct fetch *f, struct visit *v)
{
    struct request_condition condition = condition_of(v);
    buf_clear(&f->request);
    request_write(&f->request, &v->url, &f->identity, &condition);
    return buf_rc(&f->request) == RC_OK ? arena_dup(v->arena, buf_str(&f->request)) : STR_NONE;
}

/* The name of its host took its time: the cluster may have given the host to another by now. */
static bool may_ask(struct fetch *f, const struct visit *v)
{
    return !v->lent.host || /* a copy: the place that sent it has asked */
           f->cluster->ops->may_ask(f->cluster, host_position(v->lent.host));
}

/* Back to its queue, as if it had never been lent. */
static void put_off(struct fetch *f, struct visit *v)
{
    v->state = VISIT_LATER;
    v->due_ms = part_now_ms(f->self) + PUT_OFF_MS;
    part_emit(f->self, FAILED, &v->head);
}

/* Everything that is open ends now: the hosts may be another agent's. */
static void break_off(void *ctx)
{
    struct fetch *f = ctx;
    while (f->running.first) {
        struct visit *v = LIST_OF(f->running.first, struct visit, running);
        http_cancel(f->http, &v->ask);
        running_remove(f, v);
        put_off(f, v);
    }
}

static void ask(struct instance *self, struct message *m)
{
    struct fetch *f = self->state;
    const struct fetch_settings *s = self->settings;
    struct visit *v = visit_of(m);
    v->fetch = f;
    if (!may_ask(f, v)) {
        put_off(f, v);
        return;
    }
    v->begun_ms = part_now_ms(self);
    v->date_ms = (int64_t)clock_wall_ms(f->clock);
    v->request = request_of(f, v);
    v->ask = (struct http_ask){
        .is_https = v->url.kind == URL_HTTPS,
        .host = url_host(&v->url),
        .port = url_port(&v->url),
        .addresses = v->addresses,
        .address_count = v->address_count,
        .guard = f->guard,
        .request = v->request,
        .body_bytes = v->kind == VISIT_ROBOTS ? ROBOTS_BODY_BYTES : s->body_bytes,
        .wants = f->types && v->kind == VISIT_PAGE ? wants_type : NULL,
        .done = on_answer,
    };
    running_add(f, v);
    if (v->request.p && http_start(f->http, &v->ask) == RC_OK)
        return;
    running_remove(f, v);
    v->state = VISIT_ENDED;
    v->end = (struct pace_end){.dns = DNS_FOUND, .http = HTTP_FAILED};
    v->why = "no memory";
    part_emit(self, v->kind == VISIT_ROBOTS ? ROBOTS : FAILED, m);
}

/* Where the ledger is, schedule is polite after a restart. At a place of its own, either this
 * process or the one with the ledger may have been killed while a host was asked, and the host is
 * lent again by one that does not know when: so nobody is asked until a delay has passed since the
 * first visit of that process came here. (What an earlier one had sent has ended by then:
 * flow/remote.h.) */
static bool is_early(struct fetch *f, const struct visit *v, uint64_t *ret_ms)
{
    uint64_t session = part_session(&v->head), now_ms = part_now_ms(f->self);
    struct pace_settings pace = f->pace->now(f->pace);
    if (session != f->session) {
        f->session = session;
        f->begun_ms = now_ms;
    }
    uint64_t delay_ms = v->standing.crawl_delay_ms;
    delay_ms = delay_ms > pace.delay_most_ms ? pace.delay_most_ms : delay_ms;
    delay_ms = delay_ms < pace.delay_ms ? pace.delay_ms : delay_ms;
    *ret_ms = f->begun_ms + delay_ms;
    return session && now_ms < *ret_ms;
}

static void wait_early(struct fetch *f, struct message *m, uint64_t moment_ms)
{
    m->next = NULL;
    *f->early_end = m;
    f->early_end = &m->next;
    if (part_timer(f->self, &f->may_begin, moment_ms) != RC_OK)
        part_fail(f->self, RC_NOMEM, "no memory for a timer");
}

static void fetch_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    uint64_t moment_ms;
    if (is_early(self->state, visit_of(m), &moment_ms))
        wait_early(self->state, m, moment_ms);
    else
        ask(self, m);
}

static void begin(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct fetch *f = EVENT_OF(t, struct fetch, may_begin);
    struct message *list = f->early;
    f->early = NULL;
    f->early_end = &f->early;
    while (list) {
        struct message *m = list;
        list = m->next;
        fetch_handle(f->self, 0, m);
    }
}

static void fetch_start(struct instance *self)
{
    struct fetch *f = self->state;
    f->cluster->ops->break_with(f->cluster, self->shard, (struct cluster_breaker){break_off, f});
}

static void fetch_stop(struct instance *self)
{
    struct fetch *f = self->state;
    f->cluster->ops->break_with(f->cluster, self->shard, (struct cluster_breaker){0});
    part_timer_stop(self, &f->may_begin);
    while (f->early) {
        struct message *m = f->early;
        f->early = m->next;
        part_end(self, m);
    }
    while (f->running.first) {
        struct visit *v = LIST_OF(f->running.first, struct visit, running);
        http_cancel(f->http, &v->ask);
        running_remove(f, v);
        part_end(self, &v->head);
    }
}

const struct part part_fetch = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "fetch",
    .help = "asks a web server for the visit's URL",
    .inlets =
        (const struct part_port[]){{"in", VISIT_TYPE, "visits that may be asked", false}, {0}},
    .outlets = (const struct part_port[]){{"page", VISIT_TYPE, "with an answer", false},
                                          {"robots", VISIT_TYPE, "answers for robots.txt", false},
                                          {"failed", VISIT_TYPE, "without an answer", false},
                                          {0}},
    .needs = (const struct part_need[]){{"ledger", LEDGER_INTERFACE, "counts what is open"},
                                        {"http", HTTP_INTERFACE, "asks"},
                                        {"guard", GUARD_INTERFACE, "knows private addresses"},
                                        {"pace", PACE_INTERFACE, "says what is asked again"},
                                        {"cluster", CLUSTER_INTERFACE, "knows what is ours"},
                                        {0}},
    .spares = (const char *const[]){"ledger", "cluster", NULL},
    .options = fetch_options,
    .settings_bytes = sizeof(struct fetch_settings),
    .open = fetch_open,
    .close = fetch_close,
    .handle = fetch_handle,
    .start = fetch_start,
    .stop = fetch_stop,
};
