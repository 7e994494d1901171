/* SPDX-License-Identifier: Apache-2.0 */
/* Captures that were lost with another agent's disk, or with our own: counts those of hosts that
 * are ours now, and with refetch-lost fetches them again.
 *
 * The owner of a host has been told all that was done of it, and where it was archived
 * (cluster/wire/elsewhere.h). The agents themselves say whether those archives still exist: each
 * knows with which incarnation its directory began. So the search begins anew when an epoch is
 * settled and when more was told: it asks the other agents, then sorts the lines (outputs/lost.h).
 * With refetch-lost an agent is not idle before it has searched: the crawl must not end while a
 * lost capture could be fetched again. It has a thread of its own, since it waits for other agents
 * and for the disk. */
#include "agent/agent_internal.h"
#include "ledger/refetch.h"

#include "base/arena.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "outputs/lost.h"
#include "url/normalise.h"

#include <jansson.h>
#include <signal.h>
#include <time.h>

enum {
    LOOK_MS = 200,
    ASK_MS = 3000,
    COUNT_MS = 2000,
    MOST_OTHERS = 1024,
    AT_ONCE_BYTES = 128 << 10
};

/* The state at the last search: if it has changed, the search begins anew. */
struct moment {
    uint64_t epoch, bytes;
    bool refetch;
    uint64_t first; /* first incarnation of our own directory */
};

struct cluster_lost {
    struct cluster_part *c;
    pthread_t thread;
    bool has_thread;
    _Atomic bool ends;
    pthread_mutex_t lock; /* guards all up to the blank line */
    struct moment looked;
    bool has_looked;
    uint64_t count;
    struct lost_agents agents;

    uint64_t counted_ms; /* only the thread uses it, and the rest */
    struct buf batch;
    struct arena *arena;
    uint64_t found, asked;
};

/* First incarnations of directories ------------------------------------------------------------ */

static bool is_same(const struct moment *a, const struct moment *b)
{
    return a->epoch == b->epoch && a->bytes == b->bytes && a->refetch == b->refetch;
}

static enum rc note_first(struct cluster_lost *l, struct str name, uint64_t first)
{
    (void)pthread_mutex_lock(&l->lock);
    enum rc rc = first ? lost_agents_add(&l->agents, name, first) : RC_AGAIN;
    (void)pthread_mutex_unlock(&l->lock);
    return rc;
}

static enum rc note_answer(struct cluster_lost *l, const struct peer_ask *a)
{
    json_t *j = a->rc ? NULL : json_loadb(a->answer.p, a->answer.n, JSON_REJECT_DUPLICATES, NULL);
    json_int_t first = json_integer_value(json_object_get(j, "first"));
    json_decref(j);
    return note_first(l, str_c(a->to), first > 0 ? (uint64_t)first : 0);
}

/* RC_AGAIN: an agent has not answered. */
static enum rc ask_others(struct cluster_lost *l)
{
    struct cluster_service *s = &l->c->service;
    char(*names)[PEER_NAME_BYTES + 1] = mem_zero(MOST_OTHERS, sizeof *names);
    struct peer_ask *asks = mem_zero(MOST_OTHERS, sizeof *asks);
    size_t count = names && asks ? s->ops->others(s, names, MOST_OTHERS) : 0;
    enum rc rc = names && asks ? RC_OK : RC_NOMEM;
    for (size_t i = 0; i < count; i++)
        memcpy(asks[i].to, names[i], sizeof asks[i].to);
    if (count)
        peer_requests_ask(s->peers, STR("{\"do\":\"agent\"}"), asks, count, ASK_MS);
    for (size_t i = 0; i < count; i++) {
        rc = rc ? rc : note_answer(l, &asks[i]);
        buf_done(&asks[i].answer);
    }
    mem_free(names);
    mem_free(asks);
    return rc;
}

/* Fetching again ------------------------------------------------------------------------------- */

static void begin_batch(struct cluster_lost *l)
{
    buf_clear(&l->batch);
    record_batch_begin(
        &l->batch, &(struct record_batch){.is = BATCH_IS_RECORDS, .src = str_c(l->c->login.name)});
}

static enum rc send_batch(struct cluster_lost *l)
{
    enum rc rc = buf_rc(&l->batch);
    rc = rc ? rc : cluster_port_again(l->c, buf_str(&l->batch));
    begin_batch(l);
    return rc;
}

static enum rc ask_again(struct cluster_lost *l, const struct url *u, const struct lost_capture *c)
{
    record_put(&l->batch, &(struct record){.kind = RECORD_URL,
                                           .host = url_host(u),
                                           .fingerprint = url_fingerprint(u),
                                           .path = url_path_query(u),
                                           .seed_path = c->seed_path,
                                           .port = u->port,
                                           .is_https = u->kind == URL_HTTPS,
                                           .class = c->class,
                                           .is_again = true});
    l->asked++;
    return l->batch.n > AT_ONCE_BYTES ? send_batch(l) : RC_OK;
}

static enum rc take_lost(void *ctx, const struct lost_capture *c)
{
    struct cluster_lost *l = ctx;
    struct url_parser parser = {.idn = l->c->scope->idn};
    char room[URL_ROOM_BYTES];
    struct url u;
    bool is_mine = false;
    if (url_parse(&parser, c->url, NULL, (struct url_room){room, sizeof room}, &u))
        return RC_OK;
    uint64_t host_hash = hash64(url_host(&u));
    (void)l->c->service.ops->owns(&l->c->service, &host_hash, 0, 1, &is_mine);
    l->found += is_mine;
    if (!is_mine || c->is_asked || !atomic_load(&l->c->refetch_lost))
        return atomic_load(&l->ends) ? RC_CLOSED : RC_OK;
    struct lost_capture known = *c;
    arena_clear(l->arena);
    if (!c->seed_path.n) /* a file of our own: the history has the seed path */
        known.seed_path = refetch_seed_path(l->c->ledger->ledger, url_fingerprint(&u), l->arena);
    return ask_again(l, &u, &known);
}

/* Searching ------------------------------------------------------------------------------------ */

/* False: hosts are changing owners, or this agent does not take part now. */
static bool moment_now(struct cluster_part *c, struct moment *ret)
{
    struct agent_status s;
    (void)pthread_mutex_lock(&c->lock);
    agent_status(c->agent, clock_now_ms(c->ledger->run.clock), &s);
    (void)pthread_mutex_unlock(&c->lock);
    *ret = (struct moment){.epoch = s.epoch,
                           .bytes = ledger_lines_bytes(c->ledger->ledger, LEDGER_ELSEWHERE),
                           .refetch = atomic_load(&c->refetch_lost),
                           .first = s.first_inc};
    return s.state == AGENT_UP && s.epoch && s.epoch == s.settled && s.first_inc;
}

/* Lines that were told a moment ago may not be in the file yet. */
static enum rc is_written(struct disk *d, uint64_t bytes)
{
    uint64_t there = 0;
    enum rc rc = crawl_dir_bytes(d, ELSEWHERE_PATH, &there);
    return rc ? rc : there < bytes ? RC_AGAIN : RC_OK;
}

static enum rc look_for_lost(struct cluster_lost *l, const struct moment *m)
{
    struct disk *d = ledger_disk(l->c->ledger->ledger);
    struct lost_counts counts;
    l->found = l->asked = 0;
    enum rc rc = is_written(d, m->bytes);
    if (rc || (!m->bytes && !ledger_has_lost(l->c->ledger->ledger)))
        return rc;
    rc = note_first(l, str_c(l->c->login.name), m->first);
    rc = rc ? rc : ask_others(l);
    begin_batch(l);
    rc = rc ? rc : lost_find(crawl_set_one(&d), &l->agents, "state/lost", take_lost, l, &counts);
    return rc || !l->asked ? rc : send_batch(l);
}

static void look_if_due(struct cluster_lost *l)
{
    uint64_t now_ms = clock_now_ms(l->c->ledger->run.clock);
    struct moment m;
    if (!moment_now(l->c, &m))
        return;
    bool is_still = l->has_looked && is_same(&m, &l->looked);
    bool counts_again = l->count && m.refetch && now_ms - l->counted_ms >= COUNT_MS;
    if (is_still && !counts_again)
        return;
    enum rc rc = look_for_lost(l, &m);
    if (rc == RC_AGAIN || rc == RC_CLOSED)
        return;
    if (rc)
        log_warn(l->c->log, "cluster.lost_search_failed", LOG_RC(rc));
    if (!is_still && (l->found || l->asked))
        log_info(l->c->log, "cluster.captures_lost", LOG_U64("captures", l->found),
                 LOG_U64("asked_again", l->asked));
    l->counted_ms = now_ms;
    (void)pthread_mutex_lock(&l->lock);
    l->count = l->found;
    l->looked = m;
    l->has_looked = true;
    (void)pthread_mutex_unlock(&l->lock);
}

static void *lost_main(void *arg)
{
    struct cluster_lost *l = arg;
    struct timespec rest = {.tv_nsec = LOOK_MS * 1000000L};
    while (!atomic_load(&l->ends)) {
        look_if_due(l);
        (void)nanosleep(&rest, NULL);
    }
    return NULL;
}

/* Operations ----------------------------------------------------------------------------------- */

/* A leaving agent owns no hosts, so it does not search. */
static bool is_leaving(const struct cluster_part *c)
{
    const struct roster_agent *me = roster_find(agent_roster(c->agent), str_c(c->login.name));
    return me && me->state == ROSTER_LEAVING;
}

bool cluster_lost_waits(struct cluster_part *c)
{
    struct moment m = {.epoch = roster_epoch(agent_roster(c->agent)), .refetch = true};
    if (!c->lost || !atomic_load(&c->refetch_lost) || is_leaving(c))
        return false;
    m.bytes = ledger_lines_bytes(c->ledger->ledger, LEDGER_ELSEWHERE);
    (void)pthread_mutex_lock(&c->lost->lock);
    bool waits = !c->lost->has_looked || !is_same(&m, &c->lost->looked);
    (void)pthread_mutex_unlock(&c->lost->lock);
    return waits;
}

void cluster_lost_say(struct cluster_part *c, struct jsonw *j)
{
    if (!c->lost)
        return;
    (void)pthread_mutex_lock(&c->lost->lock);
    if (c->lost->has_looked)
        jsonw_u64_field(j, "lost_captures", c->lost->count);
    (void)pthread_mutex_unlock(&c->lost->lock);
    jsonw_bool_field(j, "refetch_lost", atomic_load(&c->refetch_lost));
}

uint64_t cluster_first_of(struct cluster_service *s, struct str name)
{
    struct cluster_lost *l = EVENT_OF(s, struct cluster_part, service)->lost;
    (void)pthread_mutex_lock(&l->lock);
    uint64_t first = lost_agents_first(&l->agents, name);
    (void)pthread_mutex_unlock(&l->lock);
    return first;
}

enum rc cluster_lost_open(struct cluster_part *c)
{
    sigset_t all, before;
    struct cluster_lost *l = c->lost = mem_zero(1, sizeof *l);
    if (!l)
        return RC_NOMEM;
    l->c = c;
    l->arena = arena_open(4096, 1 << 20);
    buf_init(&l->batch, RECORDS_MAX_BATCH_BYTES);
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    l->has_thread = l->arena && pthread_create(&l->thread, NULL, lost_main, l) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return l->has_thread ? RC_OK : RC_LIMIT;
}

void cluster_lost_stop(struct cluster_part *c)
{
    struct cluster_lost *l = c->lost;
    if (!l || !l->has_thread)
        return;
    atomic_store(&l->ends, true);
    (void)pthread_join(l->thread, NULL);
    l->has_thread = false;
}

void cluster_lost_close(struct cluster_part *c)
{
    struct cluster_lost *l = c->lost;
    if (!l)
        return;
    cluster_lost_stop(c);
    lost_agents_done(&l->agents);
    buf_done(&l->batch);
    arena_close(l->arena);
    (void)pthread_mutex_destroy(&l->lock);
    mem_free(l);
    c->lost = NULL;
}
