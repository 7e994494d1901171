/* SPDX-License-Identifier: Apache-2.0 */
/* schedule: checks the next URL out of the frontier and sends a visit on its way.
 *
 * asking/turn.h says what the visit asks for: the URL, or the robots.txt of its origin first, with
 * the same claim to the host. schedule is the source of visits: it waits for credits, and no step
 * behind it does. A `links` message says that there may be something to check out again: links
 * were admitted, or a host came back. */
#include "asking/crawl_watch.h"
#include "asking/turn.h"
#include "ledger/host_records.h"
#include "roles/call_queue.h"
#include "roles/http.h"
#include "roles/members.h"
#include "visit/links.h"

#include "base/mem.h"

enum { NEED_LEDGER, NEED_BUDGET, NEED_CLUSTER, NEED_HTTP, NEED_MEMBERS };

enum {
    GAUGES_EVERY = 64,
    CREDITS_EACH = 4, /* the visit, and its links to a few shards */
    VISITS_OPEN = 512,
    LOOK_AGAIN_MS = 2,
    DISK_LOOK_MS = 1000,
    NO_MEMORY_MS = 1000,
    HTTP_PORT = 80,
    HTTPS_PORT = 443,
};

struct schedule_settings {
    struct host_turn_settings turn;
    bool recrawl;
    uint64_t gate_wait_ms;
};

#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct schedule_settings, field, __VA_ARGS__)
static const struct option schedule_options[] = {
    ROW(BOOL, turn.ignore_robots, "ignore-robots", "no", "do not ask for robots.txt"),
    ROW(BOOL, recrawl, "recrawl", "no", "ask for known pages only if they changed"),
    ROW(DURATION, turn.robots_fresh_ms, "robots-fresh", "24h", "how long a robots.txt is used",
        .min = 1),
    ROW(DURATION, turn.robots_again_ms, "robots-again", "5m",
        "wait before a robots.txt that fails is asked for again", .min = 1),
    ROW(DURATION, gate_wait_ms, "gate-wait", "200ms",
        "wait before a host is tried again that the cluster does not release yet", .min = 1),
    {0},
};
#undef ROW

struct schedule {
    struct instance *self;
    struct ledger_service *ledger;
    struct frontier *frontier;
    struct http *http;               /* NULL: it is at another place */
    struct members_service *members; /* NULL: the wiring has no pool */
    uint64_t quiet_until_ms;         /* members of an earlier process may ask until then */
    struct turn_maker turns;
    struct crawl_watch watch;
    struct call_queue calls; /* for questions about what this shard knows */
    uint64_t asked;          /* times, for the gauges */
};

/* No host is ready. If one will be, the timer says so; if not, only a message can change it. */
static enum produced wait_for_host(struct schedule *s)
{
    uint64_t due_ms = frontier_due_ms(s->frontier), now_ms = part_now_ms(s->self);
    enum produced ended;
    ledger_service_gauge_frontier(s->ledger, s->self->shard);
    if (!crawl_watch_goes_on(&s->watch, due_ms == UINT64_MAX, &ended))
        return ended;
    if (due_ms <= now_ms) /* a swapped bucket has work, and the ledger loads it in its turn */
        due_ms = now_ms + LOOK_AGAIN_MS;
    return due_ms == UINT64_MAX ? PRODUCED_WAIT : crawl_watch_wait(&s->watch, due_ms);
}

/* Sends the URL that is checked out on its way, or puts it back. */
static enum produced take_turn(struct schedule *s, struct checkout *checkout, uint64_t now_ms)
{
    const struct schedule_settings *set = s->self->settings;
    struct host_record *record = host_record_of(checkout->host);
    struct host_turn turn = turn_next(checkout, record, &set->turn, now_ms,
                                      (int64_t)clock_wall_ms(s->ledger->run.clock));
    uint64_t host_claim;
    if (turn.ask == HOST_ASK_LATER) {
        ledger_put_last(s->ledger->ledger, s->self->shard, checkout, turn.due_ms);
        return PRODUCED_MORE;
    }
    switch (turn_claim(&s->turns, checkout, now_ms, set->gate_wait_ms, &host_claim)) {
    case CLUSTER_CLAIMED:
        break;
    case CLUSTER_NOT_THIS:
        return PRODUCED_MORE;
    case CLUSTER_NOTHING_NOW:
        return crawl_watch_wait(&s->watch, now_ms + set->gate_wait_ms);
    }
    struct visit *v = turn_visit(&s->turns, checkout, record, &turn, set->recrawl);
    if (!v) { /* without memory it goes back; other visits may end meanwhile */
        ledger_return(s->ledger->ledger, s->self->shard, checkout, now_ms + NO_MEMORY_MS);
        s->turns.cluster->ops->give_back(s->turns.cluster, host_claim);
        return PRODUCED_MORE;
    }
    v->answer.begun_ms = now_ms;
    v->turn.host_claim = host_claim;
    part_emit(s->self, 0, &v->head);
    return PRODUCED_MORE;
}

static enum produced schedule_produce(struct instance *self)
{
    struct schedule *s = self->state;
    uint64_t now_ms = part_now_ms(self);
    struct checkout checkout;
    enum produced refused;
    if (s->asked++ % GAUGES_EVERY == 0)
        ledger_service_gauge_frontier(s->ledger, self->shard);
    crawl_watch_set_limit(&s->watch);
    if (!crawl_watch_goes_on(&s->watch, false, &refused))
        return refused;
    if (ledger_is_short(s->ledger->ledger)) /* nothing is checked out until the disk has room */
        return crawl_watch_wait(&s->watch, now_ms + DISK_LOOK_MS);
    if (s->http && !http_has_room(s->http)) /* few descriptors: until a request ends */
        return crawl_watch_wait(&s->watch, now_ms + LOOK_AGAIN_MS);
    bool has_nothing = s->members && frontier_due_ms(s->frontier) == UINT64_MAX;
    if (has_nothing)
        return wait_for_host(s);
    if (now_ms < s->quiet_until_ms)
        return crawl_watch_wait(&s->watch, s->quiet_until_ms);
    if (s->members && !s->members->ops->has_room(s->members)) /* it wakes this part */
        return PRODUCED_WAIT;
    if (now_ms < s->ledger->run.not_before_ms)
        return crawl_watch_wait(&s->watch, s->ledger->run.not_before_ms);
    enum rc rc = frontier_checkout_next(s->frontier, now_ms, &checkout);
    if (rc == RC_AGAIN)
        return wait_for_host(s);
    if (rc) {
        part_fail(self, rc, "cannot check a URL out: %s", rc_text(rc));
        return PRODUCED_IDLE;
    }
    return take_turn(s, &checkout, now_ms);
}

static void schedule_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    part_ready(self);
    part_end(self, m);
}

/* Asking a host over a connection that waits costs no handshake. */
static bool is_warm(void *ctx, struct str host, uint16_t port, bool is_https)
{
    uint16_t own = is_https ? HTTPS_PORT : HTTP_PORT;
    const struct http_origin origin = {host, port ? port : own, is_https};
    return http_is_warm(ctx, &origin);
}

static enum rc schedule_open(struct instance *self, struct buf *why)
{
    (void)why;
    const struct schedule_settings *set = self->settings;
    struct schedule *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    s->self = self;
    s->ledger = part_provider(self, NEED_LEDGER);
    s->frontier = ledger_frontier(s->ledger->ledger, self->shard);
    s->http = part_provider(self, NEED_HTTP);
    if (s->http)
        frontier_prefer(s->frontier, (struct frontier_preference){is_warm, s->http});
    s->members = part_provider(self, NEED_MEMBERS);
    s->turns.shard = self->shard;
    s->turns.ledger = s->ledger;
    s->turns.budget = part_provider(self, NEED_BUDGET);
    s->turns.cluster = part_provider(self, NEED_CLUSTER);
    crawl_watch_init(&s->watch, self, s->ledger, s->turns.cluster, set->gate_wait_ms);
    self->state = s;
    return RC_OK;
}

static void schedule_close(struct instance *self)
{
    struct schedule *s = self->state;
    visit_pool_done(&s->turns.pool);
    mem_free(s);
}

/* A member has room again. */
static void on_room(void *ctx)
{
    part_ready(ctx);
}

static void schedule_start(struct instance *self)
{
    struct schedule *s = self->state;
    call_queue_open(&s->calls, &s->ledger->calls, self->shard, self);
    if (!s->members)
        return;
    s->members->ops->wake_with(s->members, on_room, self);
    if (!s->ledger->opened.is_new)
        s->quiet_until_ms = part_now_ms(self) + s->members->ops->quiet_ms(s->members);
}

static void schedule_stop(struct instance *self)
{
    struct schedule *s = self->state;
    call_queue_close(&s->calls, self->shard);
    crawl_watch_stop(&s->watch);
    frontier_prefer(s->frontier, (struct frontier_preference){0});
    ledger_service_gauge_frontier(s->ledger, self->shard);
}

const struct part part_schedule = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "schedule",
    .help = "says which host may be asked now, and for what",
    .inlets =
        (const struct part_port[]){{"news", LINKS_TYPE, "a host may be asked again", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "a URL to visit", false}, {0}},
    .needs =
        (const struct part_need[]){
            [NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "has the frontier"},
            [NEED_BUDGET] = {"budget", BUDGET_INTERFACE, "says when a limit ends the crawl"},
            [NEED_CLUSTER] = {"cluster", CLUSTER_INTERFACE, "knows which hosts are ours"},
            [NEED_HTTP] = {"http", HTTP_INTERFACE, "knows which hosts it is connected to"},
            [NEED_MEMBERS] = {"members", MEMBERS_INTERFACE,
                              "says whether a member of a pool has room", true},
            {0}},
    .spares = (const char *const[]){"http", NULL},
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
