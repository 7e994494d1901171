/* SPDX-License-Identifier: Apache-2.0 */
/* cluster/nats: makes this process one agent of a crawl, which reaches the others through NATS
 * (docs/cluster-crawl.md). Without the address of a server it crawls alone. */
#include "agent/agent_internal.h"
#include "roles/addresses.h"
#include "roles/budget.h"
#include "roles/ledger.h"
#include "roles/scope.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "cluster/protocol/view.h"
#include "cluster/wire/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <unistd.h>

enum { NEED_LEDGER, NEED_SCOPE, NEED_BUDGET, NEED_ADDRESSES };

enum { GAP_MS = 5000, MAX_PATH_BYTES = 4096 };

#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct cluster_settings, field, __VA_ARGS__)
static const struct option cluster_options[] = {
    ROW(TEXT, cluster, "cluster", NULL, "a NATS server of the cluster; none: crawl alone",
        .arg = "URL"),
    ROW(TEXT, agent, "agent", NULL, "this agent's name; default: that of the only login",
        .arg = "NAME"),
    ROW(TEXT, credentials, "cluster-credentials", ".",
        "the folder with NAME.login, as `cluster init` made it", .arg = "DIR"),
    ROW(COUNT, weight, "agent-weight", "64", "this agent's capacity; an ordinary agent has 64",
        .min = 1, .max = 4096, .live = true),
    ROW(SIZE, quota_bytes, "disk-quota", "0",
        "room for archive and journal; 0: the whole disk. With little room left it takes fewer "
        "hosts",
        .live = true),
    ROW(DURATION, look_ms, "disk-look", "5s", "time between two checks of the room left",
        .min = 10),
    ROW(DURATION, poll_ms, "cluster-poll", "100ms",
        "time between two polls of a stream without news", .min = 1),
    ROW(COUNT, untold_most, "untold-pages", "512",
        "most pages that are done and not acknowledged by the cluster; 0: no bound"),
    ROW(DURATION, wait_ms, "cluster-wait", "1m",
        "longest wait for a server at the start, then exit code 5; 0: for ever"),
    ROW(BOOL, refetch_lost, "refetch-lost", "no",
        "fetch captures again that were lost with an agent's disk", .live = true),
    ROW(BOOL, leave, "leave", "no", "hand over all hosts and end", .live = true),
    {0},
};
#undef ROW

enum { PHASE_LOOK_MS = 1000 };

static struct cluster_part *part_of(struct cluster_service *s)
{
    return EVENT_OF(s, struct cluster_part, service);
}

/* Operations of roles/cluster.h ---------------------------------------------------------------- */

/* Links of one page often have the same host. */
static bool cluster_owns(struct cluster_service *s, const uint64_t *host_hashes, size_t step,
                         size_t count, bool *ret)
{
    struct cluster_part *c = part_of(s);
    const char *at = (const char *)host_hashes;
    uint64_t last = 0;
    (void)pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < count; i++, at += step) {
        uint64_t host_hash;
        memcpy(&host_hash, at, sizeof host_hash);
        ret[i] = i && host_hash == last ? ret[i - 1] : agent_owns(c->agent, host_hash);
        last = host_hash;
    }
    (void)pthread_mutex_unlock(&c->lock);
    return false;
}

/* Other agents may bring work until all have ended. */
static enum cluster_phase cluster_phase_now(struct cluster_service *s, bool is_idle,
                                            enum budget_verdict *ret_limit)
{
    struct cluster_part *c = part_of(s);
    bool is_limited = atomic_load(&s->is_limited);
    (void)is_idle;
    *ret_limit = BUDGET_OK;
    if (!atomic_load(&s->is_over))
        return is_limited ? CLUSTER_PAUSES : CLUSTER_CRAWLS;
    if (!is_limited)
        return CLUSTER_ENDS;
    *ret_limit = budget_state(c->budget, run_clock_elapsed_ms(&c->ledger->run));
    return CLUSTER_LIMITED;
}

/* The agent's thread says when the crawl is over. */
static uint64_t phase_lasts_ms(struct cluster_service *s)
{
    (void)s;
    return PHASE_LOOK_MS;
}

static enum cluster_claim cluster_claim_host(struct cluster_service *s, uint64_t host_hash,
                                             uint64_t *ret_host_claim)
{
    struct cluster_part *c = part_of(s);
    uint64_t now = clock_now_ms(c->ledger->run.clock);
    (void)pthread_mutex_lock(&c->lock);
    bool is_ready = atomic_load(&s->peers->is_ready) && agent_is_fetching(c->agent, now) &&
                    !atomic_load(&s->emptying);
    enum cluster_claim may = !is_ready || !agent_may_claim(c->agent)      ? CLUSTER_NOTHING_NOW
                             : !agent_may_fetch(c->agent, host_hash, now) ? CLUSTER_NOT_THIS
                                                                          : CLUSTER_CLAIMED;
    c->claims.now += may == CLUSTER_CLAIMED;
    *ret_host_claim = atomic_load(&s->generation);
    (void)pthread_mutex_unlock(&c->lock);
    return may;
}

static bool cluster_may_ask(struct cluster_service *s, uint64_t host_hash)
{
    struct cluster_part *c = part_of(s);
    uint64_t now = clock_now_ms(c->ledger->run.clock);
    (void)pthread_mutex_lock(&c->lock);
    bool may = agent_may_fetch(c->agent, host_hash, now);
    (void)pthread_mutex_unlock(&c->lock);
    return may;
}

static void cluster_give_back(struct cluster_service *s, uint64_t host_claim)
{
    struct cluster_part *c = part_of(s);
    (void)pthread_mutex_lock(&c->lock);
    if (host_claim == atomic_load(&s->generation))
        c->claims.now--;
    else
        c->claims.before--;
    (void)pthread_mutex_unlock(&c->lock);
}

static void begin_list(struct cluster_service *s)
{
    atomic_fetch_add(&part_of(s)->lists, 1);
}

static void end_list(struct cluster_service *s)
{
    atomic_fetch_sub(&part_of(s)->lists, 1);
}

static void break_with(struct cluster_service *s, unsigned shard, struct cluster_breaker b)
{
    s->breakers[shard] = b;
}

static void join_scope(struct cluster_service *s, struct str url)
{
    peer_requests_join(s->peers, url);
}

/* The agent's thread says so when all agents have (loop.c). */
static void recrawl_requeued(struct cluster_service *s)
{
    (void)s;
}

static void stop_loop(struct cluster_service *s)
{
    cluster_loop_stop(part_of(s));
}

static bool ask_guest(struct cluster_service *s, struct cluster_guest *g)
{
    return guests_ask(part_of(s)->guests, g);
}

static void end_guest(struct cluster_service *s, const struct cluster_guest_end *e)
{
    guests_end(part_of(s)->guests, e);
}

static const struct cluster_ops ops = {
    .phase = cluster_phase_now,
    .phase_lasts_ms = phase_lasts_ms,
    .owns = cluster_owns,
    .claim = cluster_claim_host,
    .may_ask = cluster_may_ask,
    .give_back = cluster_give_back,
    .ask_guest = ask_guest,
    .end_guest = end_guest,
    .begin = begin_list,
    .end = end_list,
    .break_with = break_with,
    .join = join_scope,
    .requeued = recrawl_requeued,
    .forward = cluster_forward,
    .stop = stop_loop,
    .view = cluster_view,
    .former = cluster_former,
    .owner = cluster_owner,
    .others = cluster_others,
    .leave = cluster_ask_leave,
    .first = cluster_first_of,
    .is_suspect = cluster_is_suspect,
};

/* Opening -------------------------------------------------------------------------------------- */

static enum rc read_file(const char *path, char *room, size_t bytes, size_t *ret_n, struct buf *why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, room, bytes);
    if (n < 0)
        buf_printf(why, "cluster-credentials: cannot read the agent's login %s: %s", path,
                   strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    *ret_n = n < 0 ? 0 : (size_t)n;
    return n < 0 ? RC_NOT_FOUND : RC_OK;
}

static enum rc read_login(const struct cluster_settings *s, struct cluster_part *c, struct buf *why)
{
    char path[MAX_PATH_BYTES], room[NATS_LOGIN_MAX_BYTES];
    size_t n = 0;
    if (!cluster_name_ok(s->agent)) {
        buf_add(
            why,
            STR("agent: expected the name of one of the cluster's agents, NAME as in NAME.login"));
        return RC_INVALID;
    }
    int bytes = snprintf(path, sizeof path, STR_FMT "/" STR_FMT ".login", STR_ARG(s->credentials),
                         STR_ARG(s->agent));
    if (bytes < 0 || (size_t)bytes >= sizeof path)
        return RC_LIMIT;
    enum rc rc = read_file(path, room, sizeof room, &n, why);
    if (rc == RC_OK && nats_login_read(str_make(room, n), &c->login)) {
        buf_printf(
            why,
            "cluster-credentials: %s is not an agent's login; `orbweaver cluster add` makes one",
            path);
        rc = RC_INVALID;
    }
    explicit_bzero(room, sizeof room);
    return rc;
}

static enum rc open_bus(const struct cluster_settings *s, struct cluster_part *c, struct buf *why)
{
    struct bus_nats_options o = {
        .url = s->cluster,
        .say = {str_c(c->login.say_user), str_c(c->login.say.text)},
        .hear = {str_c(c->login.hear_user), str_c(c->login.hear.text)},
        .log = c->log,
    };
    enum rc rc = bus_nats_open(&o, &c->bus);
    if (rc)
        buf_printf(why, "cluster: " STR_FMT ": %s", STR_ARG(s->cluster), rc_text(rc));
    return rc;
}

static void set_room(const struct cluster_settings *s, struct cluster_part *c)
{
    c->room.quota_bytes = s->quota_bytes;
    c->room.every_ms = s->look_ms;
    c->room.ordinary = (uint32_t)s->weight;
}

static enum rc open_agent(const struct cluster_settings *s, struct cluster_part *c, struct buf *why)
{
    struct agent_settings a = {.crawl = str_c(c->login.crawl),
                               .name = str_c(c->login.name),
                               .weight = (uint32_t)s->weight,
                               .gap_ms = GAP_MS,
                               .poll_ms = s->poll_ms,
                               .untold_most = s->untold_most,
                               .copies = c->login.copies};
    set_room(s, c);
    c->room.capacity.step = CAPACITY_STEPS;
    if (getrandom(&a.seed, sizeof a.seed, 0) != sizeof a.seed)
        return RC_IO;
    enum rc rc = agent_open(&a, c->bus, &c->port, clock_now_ms(c->ledger->run.clock), &c->agent);
    if (rc)
        buf_printf(why, "cannot read what agent %s has journalled: %s", c->login.name, rc_text(rc));
    return rc;
}

/* On the agent's thread, with the lock. */
static bool other_owner(void *ctx, uint64_t host_hash, char *name)
{
    struct cluster_part *c = ctx;
    const struct roster_agent *owner = agent_view_owner(c->agent, host_hash);
    bool is_other = owner && !agent_owns(c->agent, host_hash);
    if (is_other)
        memcpy(name, owner->name, sizeof owner->name);
    return is_other;
}

static enum rc open_guests(struct cluster_part *c)
{
    const struct guests_setup s = {.bus = c->bus,
                                   .ledger = c->ledger,
                                   .cluster = &c->service,
                                   .log = c->log,
                                   .crawl = str_c(c->login.crawl),
                                   .name = str_c(c->login.name),
                                   .shards = c->shards,
                                   .wake = c->thread.wake,
                                   .owner = other_owner,
                                   .ctx = c};
    return guests_open(&s, &c->guests);
}

static enum rc open_peer_requests(const struct cluster_settings *s, struct cluster_part *c)
{
    c->thread.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (c->thread.wake < 0)
        return RC_IO;
    struct peer_requests_setup t = {.bus = c->bus,
                                    .scope = c->scope,
                                    .log = c->log,
                                    .crawl = str_c(c->login.crawl),
                                    .name = str_c(c->login.name),
                                    .wake = c->thread.wake,
                                    .poll_ms = s->poll_ms};
    c->service.name = t.name;
    c->service.login = s->credentials;
    enum rc rc = peer_requests_open(&t, &c->service.peers);
    struct str rest = rc ? STR_NONE : buf_str(&c->ledger->joined);
    while (rest.n)
        peer_requests_join(c->service.peers, str_take_until(&rest, '\n'));
    return rc;
}

static enum rc count_fact(void *ctx, uint64_t position, struct str fact)
{
    (void)position;
    (void)fact;
    ++*(uint64_t *)ctx;
    return RC_OK;
}

/* A crawl that was begun alone has not told any agent what it found. */
static enum rc check_directory(struct cluster_part *c, struct buf *why)
{
    uint64_t facts = 0;
    enum rc rc = ledger_facts(c->ledger->ledger, count_fact, &facts);
    if (rc || facts || c->ledger->opened.is_new || cluster_port_is_founded(c))
        return rc ? rc : cluster_port_found(c);
    buf_add(why, STR("the directory has a crawl of one machine, which cannot join a cluster: use "
                     "another one"));
    return RC_INVALID;
}

static enum rc make_boxes(struct cluster_part *c)
{
    c->service.mail = mem_zero(c->shards, sizeof *c->service.mail);
    c->service.breakers = mem_zero(c->shards, sizeof *c->service.breakers);
    for (unsigned i = 0; c->service.mail && i < c->shards; i++)
        mailbox_init(&c->service.mail[i]);
    return c->service.mail && c->service.breakers ? RC_OK : RC_NOMEM;
}

static void cluster_nats_close(struct instance *self)
{
    struct cluster_part *c = self->state;
    if (!c->alone) {
        cluster_loop_stop(c);
        cluster_lost_close(c);
        guests_close(c->guests);
        peer_requests_free(c->service.peers);
        agent_close(c->agent);
        bus_close(c->bus);
        if (c->bus)
            bus_nats_end();
        cluster_port_close(c);
        address_peers_close(c->peers);
        if (c->thread.wake >= 0)
            (void)close(c->thread.wake);
    }
    for (unsigned i = 0; c->service.mail && i < c->shards; i++)
        mailbox_done(&c->service.mail[i]);
    mem_free(c->service.mail);
    mem_free(c->service.breakers);
    (void)pthread_mutex_destroy(&c->lock);
    (void)pthread_mutex_destroy(&c->thread.stopping);
    explicit_bzero(&c->login, sizeof c->login);
    cluster_alone_close(c->alone);
    mem_free(c);
}

static enum rc open_all(struct instance *self, struct cluster_part *c, struct buf *why)
{
    const struct cluster_settings *s = self->settings;
    c->start.wait_ms = s->wait_ms;
    atomic_store(&c->refetch_lost, s->refetch_lost);
    enum rc rc = address_peers_open(&c->peers);
    rc = rc ? rc : cluster_port_open(c);
    rc = rc ? rc : make_boxes(c);
    rc = rc ? rc : check_directory(c, why);
    rc = rc ? rc : read_login(s, c, why);
    rc = rc ? rc : open_bus(s, c, why);
    rc = rc ? rc : open_peer_requests(s, c);
    rc = rc ? rc : open_guests(c);
    rc = rc ? rc : open_agent(s, c, why);
    rc = rc ? rc : cluster_lost_open(c); /* before the thread that uses it */
    return rc ? rc : cluster_loop_start(c);
}

static enum rc cluster_nats_open(struct instance *self, struct buf *why)
{
    const struct cluster_settings *s = self->settings;
    struct cluster_part *c = mem_zero(1, sizeof *c);
    if (!c)
        return RC_NOMEM;
    self->state = c;
    c->service.ops = &ops;
    c->ledger = part_provider(self, NEED_LEDGER);
    c->scope = part_provider(self, NEED_SCOPE);
    c->budget = part_provider(self, NEED_BUDGET);
    c->addresses = part_provider(self, NEED_ADDRESSES);
    c->log = part_log(self);
    c->shards = self->shard_count;
    c->thread.wake = -1;
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_mutex_init(&c->thread.stopping, NULL);
    if (!s->cluster.n)
        c->alone = cluster_alone_open(c->ledger, c->budget);
    enum rc rc = s->cluster.n ? open_all(self, c, why) : c->alone ? RC_OK : RC_NOMEM;
    if (rc)
        cluster_nats_close(self);
    return rc;
}

static void *cluster_nats_provide(struct instance *self)
{
    struct cluster_part *c = self->state;
    return c->alone ? c->alone : &c->service;
}

static void cluster_nats_changed(struct instance *self, const void *old)
{
    const struct cluster_settings *s = self->settings;
    struct cluster_part *c = self->state;
    (void)old;
    if (c->alone)
        return;
    (void)pthread_mutex_lock(&c->lock);
    set_room(s, c);
    (void)pthread_mutex_unlock(&c->lock);
    atomic_store(&c->refetch_lost, s->refetch_lost);
    if (s->leave)
        cluster_ask_leave(&c->service);
}

const struct part part_cluster_nats = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "nats",
    .help = "makes several agents one crawl, through NATS; alone without a server",
    .where = PART_ON_ONE_SHARD,
    .provides = CLUSTER_INTERFACE,
    .is_of_one_place = true,
    .needs =
        (const struct part_need[]){
            [NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "journals the records of other agents"},
            [NEED_SCOPE] = {"scope", SCOPE_INTERFACE, "judges the URLs of other agents"},
            [NEED_BUDGET] = {"budget", BUDGET_INTERFACE, "adds what other agents have used"},
            [NEED_ADDRESSES] = {"addresses", ADDRESSES_INTERFACE,
                                "knows the addresses that they ask"},
            {0}},
    .options = cluster_options,
    .settings_bytes = sizeof(struct cluster_settings),
    .open = cluster_nats_open,
    .close = cluster_nats_close,
    .provide = cluster_nats_provide,
    .changed = cluster_nats_changed,
};
