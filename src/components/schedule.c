/* SPDX-License-Identifier: Apache-2.0 */
/* schedule: which host may be asked now, and for what.
 *
 * The only source of visits and the only place that feels back pressure. It borrows the next URL
 * from the frontier; where the host's robots.txt is not known, or too old, that is what is visited
 * first, with the same loan. Links that were admitted and loans that came back arrive as `links`
 * messages: they only say that there may be something to lend again. */
#include "components/cluster.h"
#include "components/judge.h"
#include "components/links.h"
#include "components/services.h"
#include "components/visit.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"

enum {
    GAUGES_EVERY = 64,
    CREDITS_EACH = 4, /* the visit, and its links to a few shards */
    VISITS_OPEN = 512,
    LOOK_AGAIN_MS = 2,
    LIMIT_LOOK_MS = 1000,
};

struct schedule_settings {
    bool ignore_robots;
    bool recrawl;
    uint64_t robots_fresh_ms; /* RFC 9309, 2.4 */
    uint64_t robots_again_ms;
    uint64_t gate_wait_ms;
};

#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct schedule_settings, field, __VA_ARGS__)
static const struct option schedule_options[] = {
    ROW(BOOL, ignore_robots, "ignore-robots", "no", "do not ask robots.txt"),
    ROW(BOOL, recrawl, "recrawl", "no", "ask for known pages with conditions"),
    ROW(DURATION, robots_fresh_ms, "robots-fresh", "24h", "a robots.txt is used for so long",
        .min = 1),
    ROW(DURATION, robots_again_ms, "robots-again", "5m", "one that fails is asked for again after",
        .min = 1),
    ROW(DURATION, gate_wait_ms, "gate-wait", "200ms",
        "a host that the cluster does not let ask yet is looked at again after", .min = 1),
    {0},
};
#undef ROW

struct schedule {
    struct timer timer;
    struct timer limit; /* looks whether the crawl's time is over */
    bool limit_set;
    struct desk desk; /* for questions about what this shard knows */
    struct instance *self;
    struct ledger_service *ledger;
    struct frontier *frontier;
    struct budget *budget;
    struct cluster_service *cluster;
    struct visit_pool pool;
    uint64_t asked; /* times, for the gauges */
};

static void gauges(struct schedule *s)
{
    struct frontier_counts c = frontier_counts(s->frontier);
    struct crawl_shard_counts *to = &s->ledger->counts.shards[s->self->shard % CRAWL_MAX_SHARDS];
    atomic_store_explicit(&to->hosts, c.hosts, memory_order_relaxed);
    atomic_store_explicit(&to->known, c.known, memory_order_relaxed);
    atomic_store_explicit(&to->out, c.out, memory_order_relaxed);
    atomic_store_explicit(&to->waiting, c.waiting, memory_order_relaxed);
    atomic_store_explicit(&to->ready, c.ready, memory_order_relaxed);
    atomic_store_explicit(&to->resting, c.resting, memory_order_relaxed);
    atomic_store_explicit(&to->memory_bytes, c.bytes, memory_order_relaxed);
    atomic_store_explicit(&to->due_ms, frontier_due_ms(s->frontier), memory_order_relaxed);
    ledger_service_gauge(s->ledger, s->self->shard);
}

static void on_due(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    part_ready(EVENT_OF(t, struct schedule, timer)->self);
}

static void on_limit(struct timer *t, uint64_t now_ms);

static enum rc schedule_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct schedule *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    s->self = self;
    s->timer.due = on_due;
    s->limit.due = on_limit;
    s->ledger = part_provider(self, 0);
    s->budget = part_provider(self, 1);
    s->cluster = part_provider(self, 2);
    s->frontier = ledger_frontier(s->ledger->ledger, self->shard);
    self->state = s;
    return RC_OK;
}

static void schedule_close(struct instance *self)
{
    struct schedule *s = self->state;
    visit_pool_done(&s->pool);
    mem_free(s);
}

/* Lending -------------------------------------------------------------------------------------- */

/* Whether the origin's robots.txt must be asked for before anything else. */
static bool needs_robots(const struct schedule *s, struct card *c, const struct lent *l)
{
    const struct schedule_settings *set = s->self->settings;
    const struct card_origin *o = card_origin_of(c, l->is_https, l->port, false);
    if (set->ignore_robots || c->dead_code || (o && o->dead_code))
        return false;
    const struct card_robots *r = card_robots_of(c, l->is_https, l->port);
    if (!r || !r->rules) /* how often it is tried, and how long it is waited, is the pace's word */
        return true;
    int64_t age_ms = (int64_t)clock_wall_ms(s->ledger->clock) - r->asked_wall_ms;
    uint64_t good_ms = r->is_failing ? set->robots_again_ms : set->robots_fresh_ms;
    return age_ms < 0 || (uint64_t)age_ms > good_ms;
}

/* What is known of it: for a condition, and so that a 304 can be understood. */
static void recall(struct schedule *s, struct visit *v)
{
    const struct schedule_settings *set = s->self->settings;
    struct history *h = ledger_history(s->ledger->ledger);
    if (h && (set->recrawl || s->ledger->opened.is_recrawl) && v->kind == VISIT_PAGE)
        v->has_past = history_get(h, v->fingerprint, v->arena, &v->past) == RC_OK;
}

static struct visit *borrow(struct schedule *s, struct lent *lent)
{
    struct card *card = card_of(lent->host);
    if (!card)
        return NULL;
    bool wants_robots = needs_robots(s, card, lent);
    enum budget_verdict share =
        wants_robots ? budget_share(s->budget, lent->host_name, card->pages, card->bytes)
                     : BUDGET_OK;
    struct visit *v = visit_open(wants_robots && !share ? VISIT_ROBOTS : VISIT_PAGE, &s->pool);
    if (!v)
        return NULL;
    v->lent = *lent;
    v->card = card;
    v->is_compared = s->ledger->compares;
    if (share) /* no page will be asked for, so neither is its robots.txt */
        visit_refuse(v, FETCH_QUOTA, budget_verdict_text(share));
    if (visit_name(v, v->kind) == RC_OK) {
        recall(s, v);
        return v;
    }
    message_end(&v->head);
    return NULL;
}

/* An origin of the host that did not answer is left alone for a while: its URLs go behind the
 * others. Once all of the queue has gone round, the host itself waits. And it has one URL on trial,
 * so that the tries of each are its own: the others of that origin wait for its result. Where that
 * URL is nowhere in the queue, another takes its place. */
static bool put_back(struct schedule *s, struct lent *lent, uint64_t now_ms)
{
    struct card *c = card_of(lent->host);
    struct card_origin *o = c ? card_origin_of(c, lent->is_https, lent->port, false) : NULL;
    bool is_early = o && o->next_ms > now_ms;
    bool is_other = o && !is_early && o->trial && o->trial != origin_trial(lent);
    if (!o || o->dead_code || (!is_early && !is_other)) {
        if (c)
            c->put_back = 0;
        return false;
    }
    bool is_round = ++c->put_back > host_queued(lent->host);
    if (is_round)
        c->put_back = 0;
    if (is_round && is_other) {
        o->trial = 0;
        return false;
    }
    ledger_put_last(s->ledger->ledger, s->self->shard, lent, is_round ? o->next_ms : now_ms);
    return true;
}

static enum produced wait_until(struct schedule *s, uint64_t due_ms)
{
    if (part_timer(s->self, &s->timer, due_ms))
        part_fail(s->self, RC_NOMEM, "no memory for a timer");
    return PRODUCED_WAIT;
}

static enum produced end_crawl(struct schedule *s, enum budget_verdict limit)
{
    if (ledger_conclude(s->ledger->ledger))
        log_info(part_log(s->self), "crawl.limit", LOG_C("reached", budget_verdict_text(limit)));
    part_drain(s->self);
    return PRODUCED_IDLE;
}

/* False: the crawl has ended, or pauses, and *ret is what to return. */
static bool goes_on(struct schedule *s, bool is_idle, enum produced *ret)
{
    const struct schedule_settings *set = s->self->settings;
    enum budget_verdict limit;
    switch (s->cluster->ops->phase(s->cluster, is_idle, &limit)) {
    case CLUSTER_CRAWLS:
        return true;
    case CLUSTER_PAUSES:
        *ret = wait_until(s, part_now_ms(s->self) + set->gate_wait_ms);
        return false;
    case CLUSTER_LIMITED:
        *ret = end_crawl(s, limit);
        return false;
    case CLUSTER_ENDS:
        break;
    }
    *ret = PRODUCED_IDLE;
    return false;
}

/* The end comes at its time also while all credits are with hosts that do not answer: then schedule
 * is not asked to produce anything. */
static void watch_limit(struct schedule *s)
{
    uint64_t left = s->limit_set ? UINT64_MAX : s->cluster->ops->phase_lasts_ms(s->cluster);
    if (left == UINT64_MAX)
        return;
    uint64_t wait_ms = left && left < LIMIT_LOOK_MS ? left : LIMIT_LOOK_MS;
    s->limit_set = part_timer(s->self, &s->limit, part_now_ms(s->self) + wait_ms) == RC_OK;
}

static void on_limit(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct schedule *s = EVENT_OF(t, struct schedule, limit);
    enum produced unused;
    s->limit_set = false;
    (void)goes_on(s, false, &unused);
    watch_limit(s);
}

/* Nobody is ready. If somebody will be, the timer says so; if not, only a message can change it. */
static enum produced wait_for_host(struct schedule *s)
{
    uint64_t due_ms = frontier_due_ms(s->frontier), now_ms = part_now_ms(s->self);
    enum produced ended;
    gauges(s);
    if (!goes_on(s, due_ms == UINT64_MAX, &ended))
        return ended;
    if (due_ms <= now_ms) /* what rests has work: it is loaded in turns, by others */
        due_ms = now_ms + LOOK_AGAIN_MS;
    return due_ms == UINT64_MAX ? PRODUCED_WAIT : wait_until(s, due_ms);
}

/* Whether the cluster lets us ask that host now; else the loan goes back for a while. */
static bool may_lend(struct schedule *s, struct lent *lent, uint64_t now_ms, uint64_t *ret_loan,
                     enum produced *ret)
{
    const struct schedule_settings *set = s->self->settings;
    enum cluster_lend may = s->cluster->ops->lend(s->cluster, host_position(lent->host), ret_loan);
    if (may == CLUSTER_LENT)
        return true;
    bool is_this = may == CLUSTER_NOT_THIS;
    ledger_return(s->ledger->ledger, s->self->shard, lent,
                  is_this ? now_ms + set->gate_wait_ms : now_ms);
    *ret = is_this ? PRODUCED_MORE : wait_until(s, now_ms + set->gate_wait_ms);
    return false;
}

static enum produced schedule_produce(struct instance *self)
{
    struct schedule *s = self->state;
    uint64_t now_ms = part_now_ms(self);
    struct lent lent;
    uint64_t loan;
    enum produced refused;
    if (s->asked++ % GAUGES_EVERY == 0)
        gauges(s);
    watch_limit(s);
    if (!goes_on(s, false, &refused))
        return refused;
    if (ledger_is_short(
            s->ledger->ledger)) /* looks again in a second, and until then lends nobody */
        return wait_until(s, now_ms + 1000);
    if (now_ms < s->ledger->not_before_ms)
        return wait_until(s, s->ledger->not_before_ms);
    enum rc rc = frontier_lend(s->frontier, 0, now_ms, &lent);
    if (rc == RC_AGAIN)
        return wait_for_host(s);
    if (rc) {
        part_fail(self, rc, "cannot lend a URL: %s", rc_text(rc));
        return PRODUCED_IDLE;
    }
    if (put_back(s, &lent, now_ms))
        return PRODUCED_MORE;
    if (!may_lend(s, &lent, now_ms, &loan, &refused))
        return refused;
    struct visit *v = borrow(s, &lent);
    if (!v) { /* without memory it goes back, and others may end meanwhile */
        ledger_return(s->ledger->ledger, self->shard, &lent, now_ms + 1000);
        s->cluster->ops->give_back(s->cluster, loan);
        return PRODUCED_MORE;
    }
    v->begun_ms = now_ms;
    v->loan = loan;
    part_emit(self, 0, &v->head);
    return PRODUCED_MORE;
}

static void schedule_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    part_ready(self);
    part_end(self, m);
}

static void schedule_start(struct instance *self)
{
    struct schedule *s = self->state;
    desk_open(&s->desk, &s->ledger->calls, self->shard, self);
}

static void schedule_stop(struct instance *self)
{
    struct schedule *s = self->state;
    desk_close(&s->desk, self->shard);
    part_timer_stop(self, &s->timer);
    part_timer_stop(self, &s->limit);
    gauges(s);
}

const struct part part_schedule = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "schedule",
    .help = "says which host may be asked now, and for what",
    .inlets = (const struct part_port[]){{"news", LINKS_TYPE, "something may be lent", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "a URL to visit", false}, {0}},
    .needs = (const struct part_need[]){{"ledger", LEDGER_INTERFACE, "has the frontier"},
                                        {"budget", BUDGET_INTERFACE, "knows when it is over"},
                                        {"cluster", CLUSTER_INTERFACE, "knows what is ours"},
                                        {0}},
    .options = schedule_options,
    .settings_bytes = sizeof(struct schedule_settings),
    .credits_each = CREDITS_EACH,
    .credits_default = CREDITS_EACH * VISITS_OPEN,
    .open = schedule_open,
    .close = schedule_close,
    .produce = schedule_produce,
    .handle = schedule_handle,
    .start = schedule_start,
    .stop = schedule_stop,
};
