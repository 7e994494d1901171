/* SPDX-License-Identifier: Apache-2.0 */
/* admit: links of this shard's hosts enter the frontier, unless they are known, or there is no room
 * for more of their kind: hosts of one domain, queries of one path. They are in the journal
 * already, so a crash now loses none of them; which of them had no room is journalled too, so that
 * they stay out. Budgets are asked here because only the owner of a host can tell what is new;
 * where the host rests on disk, they are asked when it is loaded (ledger_here.c). */
#include "components/cluster.h"
#include "components/links.h"
#include "components/services.h"
#include "components/visit.h"

#include "base/mem.h"
#include "flow/part.h"
#include "frontier/rest.h"

enum { AT_ONCE = 512, DROPPED_MAX_BYTES = 64 << 20 };

enum { OUT, AGAIN };

struct admit {
    struct ledger_service *ledger;
    struct depths *depths; /* or NULL */
    struct budget *budget;
    struct cluster_service *cluster;
    struct frontier *frontier;
    unsigned shards;
    struct buf dropped; /* fingerprints of the links at hand that have no room */
    struct admit_room { /* of the links at hand, a row to one host that were let through */
        uint64_t position, count, bytes;
    } row;
    uint64_t full; /* of the links at hand: their host's queue is full */
};

static enum rc admit_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct admit *a = mem_zero(1, sizeof *a);
    if (!a)
        return RC_NOMEM;
    a->ledger = part_provider(self, 0);
    a->budget = part_provider(self, 1);
    a->cluster = part_provider(self, 2);
    a->frontier = ledger_frontier(a->ledger->ledger, self->shard);
    a->depths = a->ledger->depths ? a->ledger->depths[self->shard] : NULL;
    a->shards = self->shard_count;
    buf_init(&a->dropped, DROPPED_MAX_BYTES);
    self->state = a;
    return RC_OK;
}

static void admit_close(struct instance *self)
{
    struct admit *a = self->state;
    buf_done(&a->dropped);
    mem_free(a);
}

/* The domain may get more hosts with a link of yet another domain, and the queue of a host may get
 * shorter: a shard that sees this link again sends it again. */
static void forget_sent(struct ledger_service *l, unsigned shards, uint64_t fingerprint)
{
    for (unsigned i = 0; i < shards && i < CRAWL_MAX_SHARDS; i++) {
        _Atomic uint64_t *slot = l->sent[i] ? &l->sent[i]->slots[fingerprint % SENT_SLOTS] : NULL;
        if (slot && atomic_load_explicit(slot, memory_order_relaxed) - fingerprint <= UINT8_MAX)
            atomic_store_explicit(slot, 0, memory_order_relaxed); /* it has the depth added */
    }
}

/* Whether one more URL may wait for the host, behind those of this page that come before it. */
static bool queue_has_room(struct admit *a, const struct host *h, const struct candidate *c)
{
    if (a->row.position != c->position)
        a->row = (struct admit_room){.position = c->position};
    bool is_full = frontier_host_is_full(a->frontier, h, a->row.count, a->row.bytes);
    a->full += is_full;
    a->row.count += !is_full;
    a->row.bytes += is_full ? 0 : c->path.n + c->hops.n;
    return !is_full;
}

/* Only what nobody knows is counted against budgets. */
static bool has_room(struct admit *a, struct candidate *c, struct str from, unsigned *new_hosts)
{
    if (frontier_rests(a->frontier, c->position)) {
        c->from = from;
        return true;
    }
    if (frontier_knows(a->frontier, c->position, c->fingerprint))
        return true;
    const struct host *h = frontier_host(a->frontier, c->position, c->host);
    if (h && !queue_has_room(a, h, c)) {
        forget_sent(a->ledger, a->shards, c->fingerprint);
        return false;
    }
    if (!h) {
        if (!budget_new_host(a->budget, c->host, from, *new_hosts)) {
            forget_sent(a->ledger, a->shards, c->fingerprint);
            return false;
        }
        ++*new_hosts;
    }
    return budget_query(a->budget, c->position, c->path);
}

/* A shorter way to a page that waits, and the frontier has the one it was found by; or to one that
 * is done: until its links have been judged again a crash must not forget it (depths_recall.h). */
static void remember(struct instance *self, const struct candidate *c)
{
    struct admit *a = self->state;
    char room[FRONTIER_MAX_PATH_BYTES + FRONTIER_MAX_HOST_BYTES + 32];
    struct buf url = buf_on(room, sizeof room);
    unsigned epoch;
    candidate_print(c, &url);
    struct past past = {.url = buf_str(&url), .via = c->via, .hops = c->hops};
    struct ledger_outcome o = {.fingerprint = depths_note(c->fingerprint), .past = &past};
    enum rc rc = ledger_settle(a->ledger->ledger, self->shard, &o, &epoch);
    if (rc)
        part_fail(self, rc, "cannot remember a shorter way: %s", rc_text(rc));
}

/* To deepen. */
static void look_again(struct instance *self, struct links *links,
                       const struct candidate *const *list, size_t count)
{
    struct admit *a = self->state;
    struct links *l = links_open(list, count, STR(""), 0, 0);
    if (!l) {
        part_fail(self, RC_NOMEM, "no memory for links");
        return;
    }
    for (size_t i = 0; i < count; i++)
        a->cluster->ops->begin(a->cluster);
    part_derive(self, &links->head, &l->head);
    part_emit(self, AGAIN, &l->head);
}

/* Whether the origin names sitemaps that the crawl reads. Of a host that rests nobody knows. */
static bool is_listed(const struct admit *a, const struct candidate *c)
{
    const struct host *h = frontier_host(a->frontier, c->position, c->host);
    const struct card *card = h ? card_if(h) : NULL;
    const struct card_robots *r = card ? card_robots_of(card, c->is_https, c->port) : NULL;
    struct str url;
    if (frontier_rests(a->frontier, c->position))
        return true;
    return r && r->rules && card->is_listed && robots_sitemap(r->rules, 0, &url);
}

/* A way to a URL is one to its origin, and to the sitemaps that this names. While its robots.txt is
 * not known the way waits for that (robots.c). In a cluster the card may come with the host. */
static void note_origin(struct instance *self, struct links *links, const struct candidate *c)
{
    struct admit *a = self->state;
    uint64_t origin = depths_origin(c->position, c->is_https, c->port);
    struct candidate robots = *c;
    const struct candidate *list = &robots;
    depths_waits(a->depths, origin);
    enum nearer is = depths_found(a->depths, origin, visit_depth(c->hops), c->hops);
    if (!is_listed(a, c) || (is != NEARER_DONE && !depths_take(a->depths, origin, &robots.hops)))
        return;
    robots.path = STR("/robots.txt");
    robots.fingerprint = 0;
    look_again(self, links, &list, 1);
}

/* Pages that are done, and to which these links are a shorter way. */
static void note_depths(struct instance *self, struct links *links, const struct candidate *list,
                        size_t count)
{
    struct admit *a = self->state;
    const struct candidate *nearer[AT_ONCE];
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        const struct candidate *c = &list[i];
        if (frontier_knows(a->frontier, c->position, c->fingerprint))
            depths_waits(a->depths, c->fingerprint);
        enum nearer is = depths_found(a->depths, c->fingerprint, visit_depth(c->hops), c->hops);
        if (is == NEARER_DONE)
            nearer[n++] = c;
        if (is != NEARER_NOT)
            remember(self, c);
        note_origin(self, links, c);
    }
    if (n)
        look_again(self, links, nearer, n);
}

static void admit_some(struct instance *self, struct links *links, const struct candidate *list,
                       size_t count)
{
    struct admit *a = self->state;
    enum admitted became[AT_ONCE];
    uint64_t fresh = 0, later = 0, full = 0;
    if (a->depths)
        note_depths(self, links, list, count);
    enum rc rc = ledger_admit(a->ledger->ledger, self->shard, links->epoch, list, count,
                              part_now_ms(self), became);
    if (rc) {
        part_fail(self, rc, "cannot admit links: %s", rc_text(rc));
        return;
    }
    for (size_t i = 0; i < count; i++) {
        fresh += became[i] == ADMITTED_NEW;
        later += became[i] == ADMITTED_LATER;
        full += became[i] == ADMITTED_HOST_FULL;
    }
    count_add(&a->ledger->counts.admitted, fresh);
    count_add(&a->ledger->counts.known, count - fresh - later - full);
    count_over_limit(&a->ledger->counts, BRING_QUEUE, full);
}

/* Moves those with room to the front; how many there are. The fingerprints of the others go into
 * `dropped`. */
static size_t choose(struct admit *a, struct links *links, struct buf *dropped)
{
    unsigned new_hosts = 0;
    size_t kept = 0;
    a->row = (struct admit_room){0};
    a->full = 0;
    for (size_t i = 0; i < links->count; i++) {
        uint64_t fingerprint = links->list[i].fingerprint;
        if (has_room(a, &links->list[i], links->from, &new_hosts))
            links->list[kept++] = links->list[i];
        else
            buf_add(dropped, str_make((const char *)&fingerprint, sizeof fingerprint));
    }
    return kept;
}

/* Those in `dropped` stay out, after a crash too. */
static void drop(struct instance *self, const struct links *links, size_t count)
{
    struct admit *a = self->state;
    enum rc rc = buf_rc(&a->dropped);
    rc = rc ? rc
            : ledger_drop(a->ledger->ledger, self->shard, links->epoch, links->batch,
                          (const uint64_t *)(const void *)a->dropped.p, count);
    if (rc)
        part_fail(self, rc, "cannot remember which links were left out: %s", rc_text(rc));
}

/* Ownership has changed since they were journalled: what is another's now goes to it out of the
 * journal, like all that is journalled. */
static void leave_out_foreign(struct instance *self, struct links *links)
{
    struct admit *a = self->state;
    size_t kept = 0, count = links->count;
    buf_clear(&a->dropped);
    for (size_t i = 0; i < count; i++) {
        bool is_mine;
        if (a->cluster->ops->owns(a->cluster, &links->list[i].position, 0, 1, &is_mine) || is_mine)
            links->list[kept++] = links->list[i];
        else
            buf_add(&a->dropped, str_make((const char *)&links->list[i].fingerprint,
                                          sizeof links->list[i].fingerprint));
    }
    links->count = kept;
    if (kept < count)
        drop(self, links, count - kept);
}

static void admit_all(struct instance *self, struct message *m)
{
    struct admit *a = self->state;
    struct links *links = links_of(m);
    buf_clear(&a->dropped);
    size_t kept = choose(a, links, &a->dropped);
    if (kept < links->count) {
        count_add(&a->ledger->counts.over_budget, links->count - kept - a->full);
        count_over_limit(&a->ledger->counts, BRING_QUEUE, a->full);
        drop(self, links, links->count - kept);
    }
    for (size_t at = 0; at < kept; at += AT_ONCE)
        admit_some(self, links, &links->list[at], kept - at < AT_ONCE ? kept - at : AT_ONCE);
    part_emit(self, OUT, m);
}

/* Between the journal's word that something is pending and the gauge's that it is queued it must
 * not look as if there were nothing: the whole crawl might end (cluster/finish.c). */
static void admit_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct admit *a = self->state;
    struct links *links = links_of(m);
    bool is_old = links->generation != atomic_load(&a->cluster->generation);
    a->cluster->ops->begin(a->cluster);
    if (!links->is_told && is_old)
        leave_out_foreign(self, links);
    admit_all(self, m);
    ledger_service_gauge(a->ledger, self->shard);
    a->cluster->ops->end(a->cluster);
}

const struct part part_admit = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "admit",
    .help = "puts links that are new into their host's queue",
    .inlets = (const struct part_port[]){{"in", LINKS_TYPE, "links of this shard", false}, {0}},
    .outlets = (const struct part_port[]){{"out", LINKS_TYPE, "the same, admitted", false},
                                          {"again", LINKS_TYPE,
                                           "pages that are nearer than it seemed", true},
                                          {0}},
    .needs = (const struct part_need[]){{"ledger", LEDGER_INTERFACE, "has the frontier"},
                                        {"budget", BUDGET_INTERFACE, "knows how much may be had"},
                                        {"cluster", CLUSTER_INTERFACE, "knows what is ours"},
                                        {0}},
    .open = admit_open,
    .close = admit_close,
    .handle = admit_handle,
};
