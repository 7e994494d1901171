/* SPDX-License-Identifier: Apache-2.0 */
/* cluster/alone: one machine crawls and owns every host. */
#include "roles/budget.h"
#include "roles/cluster.h"
#include "roles/ledger.h"

#include "base/mem.h"

enum { NEED_LEDGER, NEED_BUDGET };

struct cluster_alone {
    struct cluster_service service;
    struct ledger_service *ledger;
    struct budget *budget;
};

static struct cluster_alone *alone_of(struct cluster_service *s)
{
    return EVENT_OF(s, struct cluster_alone, service);
}

/* The last pages may be under way; if one of them fails, another is wanted. */
static enum cluster_phase phase(struct cluster_service *s, bool is_idle,
                                enum budget_verdict *ret_limit)
{
    const struct cluster_alone *a = alone_of(s);
    *ret_limit = budget_state(a->budget, run_clock_elapsed_ms(&a->ledger->run));
    bool is_over =
        *ret_limit == BUDGET_PAGES ? budget_is_spent(a->budget) : *ret_limit != BUDGET_OK;
    if (is_over)
        return CLUSTER_LIMITED;
    return is_idle ? CLUSTER_ENDS : CLUSTER_CRAWLS;
}

static uint64_t phase_lasts_ms(struct cluster_service *s)
{
    const struct cluster_alone *a = alone_of(s);
    return budget_left_ms(a->budget, run_clock_elapsed_ms(&a->ledger->run));
}

static bool owns(struct cluster_service *s, const uint64_t *host_hashes, size_t step, size_t count,
                 bool *ret)
{
    (void)s, (void)host_hashes, (void)step, (void)count, (void)ret;
    return true;
}

static enum cluster_claim claim(struct cluster_service *s, uint64_t host_hash,
                                uint64_t *ret_host_claim)
{
    (void)s, (void)host_hash;
    *ret_host_claim = 0;
    return CLUSTER_CLAIMED;
}

static bool may_ask(struct cluster_service *s, uint64_t host_hash)
{
    (void)s, (void)host_hash;
    return true;
}

static void give_back(struct cluster_service *s, uint64_t host_claim)
{
    (void)s, (void)host_claim;
}

static bool ask_guest(struct cluster_service *s, struct cluster_guest *g)
{
    (void)s, (void)g;
    return false;
}

static void end_guest(struct cluster_service *s, const struct cluster_guest_end *e)
{
    (void)s, (void)e;
}

static void break_with(struct cluster_service *s, unsigned shard, struct cluster_breaker b)
{
    (void)s, (void)shard, (void)b;
}

static void nothing(struct cluster_service *s)
{
    (void)s;
}

static void join(struct cluster_service *s, struct str url)
{
    (void)s, (void)url;
}

static void requeued(struct cluster_service *s)
{
    ledger_requeued(alone_of(s)->ledger->ledger);
}

static enum rc forward(struct cluster_service *s, const struct candidate *c, struct str agent)
{
    (void)s, (void)c, (void)agent;
    return RC_NOT_FOUND;
}

static void view(struct cluster_service *s, struct jsonw *j)
{
    (void)s, (void)j;
}

static void former(struct cluster_service *s, struct str name, struct jsonw *j)
{
    (void)s, (void)name, (void)j;
}

static bool owner(struct cluster_service *s, uint64_t host_hash, char *name)
{
    (void)s, (void)host_hash, (void)name;
    return false;
}

static size_t others(struct cluster_service *s, char (*names)[PEER_NAME_BYTES + 1], size_t most)
{
    (void)s, (void)names, (void)most;
    return 0;
}

static uint64_t first(struct cluster_service *s, struct str name)
{
    (void)s, (void)name;
    return 0;
}

static bool is_suspect(struct cluster_service *s, struct str name)
{
    (void)s, (void)name;
    return false;
}

#define COMMON                                                                                  \
    .owns = owns, .claim = claim, .may_ask = may_ask, .give_back = give_back,                   \
    .ask_guest = ask_guest, .end_guest = end_guest, .break_with = break_with, .begin = nothing, \
    .end = nothing, .join = join, .forward = forward, .stop = nothing, .view = view,            \
    .former = former, .owner = owner, .others = others, .leave = nothing, .first = first,       \
    .is_suspect = is_suspect

static const struct cluster_ops alone_ops = {
    COMMON, .phase = phase, .phase_lasts_ms = phase_lasts_ms, .requeued = requeued};

struct cluster_service *cluster_alone_open(struct ledger_service *ledger, struct budget *budget)
{
    struct cluster_alone *a = mem_zero(1, sizeof *a);
    if (!a)
        return NULL;
    a->service.ops = &alone_ops;
    a->ledger = ledger;
    a->budget = budget;
    return &a->service;
}

void cluster_alone_close(struct cluster_service *s)
{
    if (s)
        mem_free(alone_of(s));
}

/* A place without a ledger --------------------------------------------------------------------- */

/* The place that has the ledger ends the crawl. */
static enum cluster_phase goes_on(struct cluster_service *s, bool is_idle,
                                  enum budget_verdict *ret_limit)
{
    (void)s, (void)is_idle;
    *ret_limit = BUDGET_OK;
    return CLUSTER_CRAWLS;
}

static uint64_t for_ever(struct cluster_service *s)
{
    (void)s;
    return UINT64_MAX;
}

static const struct cluster_ops absent_ops = {COMMON, .phase = goes_on, .phase_lasts_ms = for_ever,
                                              .requeued = nothing};

struct cluster_service *cluster_absent(void)
{
    static struct cluster_service absent = {.ops = &absent_ops}; /* constant */
    return &absent;
}

/* The part ------------------------------------------------------------------------------------- */

static enum rc alone_open(struct instance *self, struct buf *why)
{
    (void)why;
    self->state =
        cluster_alone_open(part_provider(self, NEED_LEDGER), part_provider(self, NEED_BUDGET));
    return self->state ? RC_OK : RC_NOMEM;
}

static void alone_close(struct instance *self)
{
    cluster_alone_close(self->state);
}

static void *alone_provide(struct instance *self)
{
    return self->state;
}

const struct part part_cluster_alone = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "alone",
    .help = "one machine crawls and owns every host",
    .where = PART_ON_ONE_SHARD,
    .provides = CLUSTER_INTERFACE,
    .is_of_one_place = true,
    .needs =
        (const struct part_need[]){
            [NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "knows the crawl's time"},
            [NEED_BUDGET] = {"budget", BUDGET_INTERFACE, "says when a limit ends the crawl"},
            {0}},
    .open = alone_open,
    .close = alone_close,
    .provide = alone_provide,
};
