/* SPDX-License-Identifier: Apache-2.0 */
/* fetch: sends the request of a visit, and goes on with it when the answer is there.
 *
 * The steps behind fetch, up to disposition, run within the call that brings the answer: its bytes
 * belong to the HTTP engine, and no step copies them. */
#include "asking/asker.h"
#include "asking/early.h"
#include "reading/peek.h"
#include "roles/cluster.h"
#include "roles/guard.h"
#include "roles/http.h"
#include "roles/ledger.h"
#include "roles/pace.h"
#include "visit/visit_host.h"

#include "base/mem.h"

enum { NEED_LEDGER, NEED_HTTP, NEED_GUARD, NEED_PACE, NEED_CLUSTER };

enum { PAGE, ROBOTS, FAILED };

enum { PUT_OFF_MS = 200, PEEK_TEXT_BYTES = 4 << 20 };

#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct asker_settings, field, __VA_ARGS__)
static const struct option fetch_options[] = {
    ROW(TEXT, user_agent, "user-agent", "orbweaver", "the crawler's name, in requests"),
    ROW(TEXT, contact, "contact", NULL, "where a site's operator can write to", .arg = "URL|MAIL"),
    ROW(TEXT, encodings, "encodings", REQUEST_ENCODINGS,
        "codings that a body may have; archives keep them, and replay tools may not know zstd"),
    ROW(SIZE, body_bytes, "body-size", "100M", "most bytes of a body; the rest is cut off",
        .min = 1),
    ROW(LIST, types, "types", NULL, "media types to fetch; bodies of other types are not fetched",
        .arg = "TYPE,..."),
    ROW(LIST, keywords, "keywords", NULL, "with peek: the topic", .arg = "WORD,..."),
    ROW(REAL, keep_score, "keep-score", "0.1", "with peek: a start that fits less is a miss"),
    ROW(SIZE, peek_bytes, "peek", "0",
        "give a page up if its first bytes do not fit the keywords; 0: take all of it",
        .max = 1 << 20),
    {0},
};
#undef ROW

struct fetch {
    struct instance *self;
    struct asker asker;
    struct early early; /* visits that wait until they may be asked, at a place without a ledger */
    struct pace_service *pace;
    struct cluster_service *cluster;
    struct rng rng;
    struct topic *topic; /* the next two with peek alone */
    struct reading_tools *tools;
};

/* Sends the visit back to its queue, without a result. The clock of the place that a copy came from
 * is another one, and its server may have been asked. */
static void put_off(struct fetch *f, struct visit *v, uint64_t wait_ms)
{
    v->state = VISIT_LATER;
    v->route.due_ms = part_now_ms(f->self) + wait_ms;
    if (!v->turn.checkout.host) {
        struct pace_settings pace = f->pace->now(f->pace);
        uint64_t delay_ms = pace_delay_ms(&pace, v->turn.standing.crawl_delay_ms);
        v->route.later_ms = delay_ms > wait_ms ? delay_ms : wait_ms;
    }
    part_emit(f->self, FAILED, &v->head);
}

/* The host's next turn asks the next address: disposition tells the record which one refused. */
static void ask_other_address(struct fetch *f, struct visit *v)
{
    struct pace_settings pace = f->pace->now(f->pace);
    put_off(f, v, pace_delay_ms(&pace, visit_standing(v).crawl_delay_ms) + 1);
}

/* Whether the rest of the page is taken. A miss is neither read nor archived. */
static bool on_start(struct instance *self, struct visit *v, const struct answer_start *start)
{
    struct fetch *f = self->state;
    const struct asker_settings *s = self->settings;
    const struct peek_start p = {start->type, start->encoding, start->body, start->is_chunked};
    double score = peek_score(f->tools, f->topic, &p, v->arena);
    reading_tools_shrink(f->tools);
    if (!peek_misses(score, s->keep_score))
        return true;
    v->judged.score = score;
    v->judged.is_unkept = true;
    return false;
}

static void on_answer(struct instance *self, struct visit *v)
{
    struct fetch *f = self->state;
    if (ask_has_other_address(v)) {
        ask_other_address(f, v);
        return;
    }
    if (v->kind == VISIT_ROBOTS) { /* judged when its Crawl-delay is known */
        part_emit(self, ROBOTS, &v->head);
        return;
    }
    visit_warm(v);
    struct pace_settings pace = f->pace->now(f->pace);
    if (!v->answer.has_verdict)
        visit_judge(v, &pace, &f->rng);
    part_emit(self, visit_has_result(v) ? PAGE : FAILED, &v->head);
}

/* Resolving may have taken long: the cluster may have given the host to another agent by now, and
 * the lease of a member of a pool may be over. */
static bool may_ask(struct fetch *f, const struct visit *v)
{
    if (!v->turn.checkout.host) /* a copy: the place that sent it has asked the cluster */
        return part_may_go_on(f->self, &v->head);
    return f->cluster->ops->may_ask(f->cluster, host_hash(v->turn.checkout.host));
}

static void fetch_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct fetch *f = self->state;
    struct visit *v = visit_of(m);
    struct pace_settings pace = f->pace->now(f->pace);
    if (early_keeps(&f->early, v, &pace))
        return;
    if (!may_ask(f, v))
        put_off(f, v, PUT_OFF_MS);
    else if (!asker_send(&f->asker, v))
        part_emit(self, v->kind == VISIT_ROBOTS ? ROBOTS : FAILED, m);
}

/* Ends every open request now: the hosts may belong to another agent. */
static void break_off(void *ctx)
{
    struct fetch *f = ctx;
    struct visit *v;
    while ((v = asker_cancel(&f->asker)))
        put_off(f, v, PUT_OFF_MS);
}

static enum rc open_peek(struct fetch *f, const struct asker_settings *s, struct buf *why)
{
    if (!s->peek_bytes)
        return RC_OK;
    if (!s->keywords.count) {
        buf_add(why, STR("peek: it needs keywords, by which the first bytes are judged"));
        return RC_INVALID;
    }
    f->asker.on_start = on_start;
    enum rc rc = topic_open(s->keywords.items, s->keywords.count, &f->topic, why);
    rc = rc ? rc : reading_tools_open(PEEK_TEXT_BYTES, &f->tools);
    return rc == RC_LIMIT ? RC_INVALID : rc;
}

static void close_peek(struct fetch *f)
{
    topic_close(f->topic);
    reading_tools_close(f->tools);
}

/* The same for the requests of a member whose lease is over. */
static void fetch_give_up(struct instance *self)
{
    struct fetch *f = self->state;
    struct visit *v;
    while ((v = asker_cancel_stopped(&f->asker)))
        put_off(f, v, PUT_OFF_MS);
}

static enum rc fetch_open(struct instance *self, struct buf *why)
{
    struct ledger_service *ledger = part_provider(self, NEED_LEDGER);
    struct fetch *f = mem_zero(1, sizeof *f);
    if (!f)
        return RC_NOMEM;
    self->state = f;
    f->self = self;
    f->pace = part_provider(self, NEED_PACE);
    f->cluster = part_provider(self, NEED_CLUSTER);
    if (!f->cluster)
        f->cluster = cluster_absent();
    f->asker = (struct asker){.self = self,
                              .settings = self->settings,
                              .clock = part_clock(self),
                              .http = part_provider(self, NEED_HTTP),
                              .guard = part_provider(self, NEED_GUARD),
                              .on_answer = on_answer,
                              .running.open = ledger ? &ledger->counts.open : NULL};
    early_init(&f->early, self, fetch_handle);
    rng_init(&f->rng, clock_wall_ms(f->asker.clock) ^ self->shard);
    enum rc rc = open_peek(f, self->settings, why);
    rc = rc ? rc : asker_open(&f->asker, why);
    if (rc) {
        close_peek(f);
        mem_free(f);
    }
    return rc;
}

static void fetch_close(struct instance *self)
{
    struct fetch *f = self->state;
    asker_done(&f->asker);
    close_peek(f);
    mem_free(f);
}

static void fetch_start(struct instance *self)
{
    struct fetch *f = self->state;
    f->cluster->ops->break_with(f->cluster, self->shard, (struct cluster_breaker){break_off, f});
}

static void fetch_stop(struct instance *self)
{
    struct fetch *f = self->state;
    struct visit *v;
    f->cluster->ops->break_with(f->cluster, self->shard, (struct cluster_breaker){0});
    early_stop(&f->early);
    while ((v = asker_cancel(&f->asker)))
        part_end(self, &v->head);
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
    .needs =
        (const struct part_need[]){
            [NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "counts open requests"},
            [NEED_HTTP] = {"http", HTTP_INTERFACE, "sends requests"},
            [NEED_GUARD] = {"guard", GUARD_INTERFACE, "knows private addresses"},
            [NEED_PACE] = {"pace", PACE_INTERFACE, "says whether to ask again"},
            [NEED_CLUSTER] = {"cluster", CLUSTER_INTERFACE, "knows which hosts are ours"},
            {0}},
    .spares = (const char *const[]){"ledger", "cluster", NULL},
    .options = fetch_options,
    .settings_bytes = sizeof(struct asker_settings),
    .open = fetch_open,
    .close = fetch_close,
    .handle = fetch_handle,
    .start = fetch_start,
    .stop = fetch_stop,
    .give_up = fetch_give_up,
};
