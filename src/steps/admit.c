/* SPDX-License-Identifier: Apache-2.0 */
/* admit: puts links of this shard's hosts into the queues of their hosts, unless another agent owns
 * the host now (admission/ownership.h) or there is no room (admission/room.h). The links are in the
 * journal already, so a crash now loses none of them. The links that stay out are journalled too,
 * so that they stay out after a crash. Where seed paths are compared (discovery/depth_index.h),
 * pages and origins to which a shorter path leads go to rejudge (admission/shorter.h). */
#include "admission/fingerprints.h"
#include "admission/ownership.h"
#include "admission/room.h"
#include "admission/shorter.h"
#include "flow/part.h"
#include "roles/budget.h"
#include "roles/cluster.h"
#include "roles/counters.h"
#include "roles/ledger.h"
#include "visit/links.h"

#include "base/mem.h"

enum { NEED_LEDGER, NEED_BUDGET, NEED_CLUSTER };

enum { AT_ONCE = 512, LEFT_OUT_MAX_BYTES = 64 << 20 };

enum { OUT, AGAIN };

struct admit {
    struct ledger_service *ledger;
    struct cluster_service *cluster;
    struct room room;
    struct shorter_index depths; /* without `depths`: paths are not compared */
    struct buf left_out;         /* fingerprints of the links at hand that stay out */
};

static enum rc admit_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct admit *a = mem_zero(1, sizeof *a);
    if (!a)
        return RC_NOMEM;
    struct ledger_service *l = part_provider(self, NEED_LEDGER);
    struct frontier *f = ledger_frontier(l->ledger, self->shard);
    unsigned shards = self->shard_count;
    a->ledger = l;
    a->cluster = part_provider(self, NEED_CLUSTER);
    a->room = (struct room){.frontier = f,
                            .budget = part_provider(self, NEED_BUDGET),
                            .sent = l->sent,
                            .shards = shards < CRAWL_MAX_SHARDS ? shards : CRAWL_MAX_SHARDS,
                            .told = l->told};
    a->depths = (struct shorter_index){f, l->depth_index ? l->depth_index[self->shard] : NULL};
    buf_init(&a->left_out, LEFT_OUT_MAX_BYTES);
    self->state = a;
    return RC_OK;
}

static void admit_close(struct instance *self)
{
    struct admit *a = self->state;
    buf_done(&a->left_out);
    mem_free(a);
}

/* Sends pages, or origins, to rejudge. */
static void send_to_rejudge(struct instance *self, struct links *links,
                            const struct candidate *const *list, size_t count, bool is_origins)
{
    struct admit *a = self->state;
    struct links *l = links_open(list, count, STR(""), 0, 0);
    if (!l) {
        part_fail(self, RC_NOMEM, "no memory for links");
        return;
    }
    l->is_origins = is_origins;
    for (size_t i = 0; i < count; i++)
        a->cluster->ops->begin(a->cluster);
    part_derive(self, &links->head, &l->head);
    part_emit(self, AGAIN, &l->head);
}

static void remember(struct instance *self, const struct candidate *c)
{
    struct admit *a = self->state;
    enum rc rc = shorter_remember(a->ledger->ledger, self->shard, c);
    if (rc)
        part_fail(self, rc, "cannot note a shorter path: %s", rc_text(rc));
}

/* Notes the depth of these links. Done pages to which a shorter path leads go to rejudge,
 * and so do origins to whose sitemaps a shorter path leads. */
static void note_depths(struct instance *self, struct links *links, const struct candidate *list,
                        size_t count)
{
    struct admit *a = self->state;
    const struct candidate *pages[AT_ONCE];
    struct candidate origin;
    const struct candidate *origins = &origin;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        enum shorter is = shorter_to_page(&a->depths, &list[i]);
        if (is == SHORTER_DONE)
            pages[n++] = &list[i];
        if (is != SHORTER_NOT)
            remember(self, &list[i]);
        if (shorter_to_sitemaps(&a->depths, &list[i], &origin))
            send_to_rejudge(self, links, &origins, 1, true);
    }
    if (n)
        send_to_rejudge(self, links, pages, n, false);
}

static void admit_some(struct instance *self, struct links *links, const struct candidate *list,
                       size_t count)
{
    struct admit *a = self->state;
    enum admitted became[AT_ONCE];
    if (a->depths.depths)
        note_depths(self, links, list, count);
    enum rc rc = ledger_admit(a->ledger->ledger, self->shard, links->epoch, list, count,
                              part_now_ms(self), became);
    if (rc)
        part_fail(self, rc, "cannot admit links: %s", rc_text(rc));
    else
        count_admitted(&a->ledger->counts, became, count);
}

/* Journals that the links in `left_out` stay out, after a crash too. */
static void journal_left_out(struct instance *self, const struct links *links)
{
    struct admit *a = self->state;
    enum rc rc = buf_rc(&a->left_out);
    rc = rc ? rc
            : ledger_drop(a->ledger->ledger, self->shard, links->epoch, links->batch,
                          fingerprints_of(&a->left_out), fingerprints_count(&a->left_out));
    if (rc)
        part_fail(self, rc, "cannot journal which links were left out: %s", rc_text(rc));
}

static bool owns(void *ctx, uint64_t host_hash)
{
    struct cluster_service *cluster = ctx;
    bool is_mine;
    return cluster->ops->owns(cluster, &host_hash, 0, 1, &is_mine) || is_mine;
}

static void leave_out_foreign(struct instance *self, struct links *links)
{
    struct admit *a = self->state;
    size_t count = links->count;
    buf_clear(&a->left_out);
    links->count = ownership_choose((struct ownership_asks){owns, a->cluster}, links->list, count,
                                    &a->left_out);
    if (links->count < count)
        journal_left_out(self, links);
}

static void admit_all(struct instance *self, struct message *m)
{
    struct admit *a = self->state;
    struct links *links = links_of(m);
    buf_clear(&a->left_out);
    struct room_chosen chosen =
        room_choose(&a->room, links->list, links->count, links->from, &a->left_out);
    if (chosen.kept < links->count) {
        count_add(&a->ledger->counts.over_budget, links->count - chosen.kept - chosen.full);
        count_over_limit(&a->ledger->counts, BRING_QUEUE, chosen.full);
        journal_left_out(self, links);
    }
    for (size_t at = 0; at < chosen.kept; at += AT_ONCE)
        admit_some(self, links, &links->list[at],
                   chosen.kept - at < AT_ONCE ? chosen.kept - at : AT_ONCE);
    part_emit(self, OUT, m);
}

/* More pages link to these, as the shards that read them say. */
static void count_repeats(const struct instance *self, const struct links *links)
{
    const struct admit *a = self->state;
    struct frontier *f = ledger_frontier(a->ledger->ledger, self->shard);
    const struct candidate *c = &links->list[links->count];
    for (size_t i = 0; i < links->repeats; i++)
        frontier_linked_again(f, c[i].host_hash, c[i].fingerprint, c[i].pages);
}

/* The links count as work until the gauge says that they are queued. Otherwise the cluster could
 * see a moment without work and end the crawl (cluster/protocol/finish.c). */
static void admit_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct admit *a = self->state;
    struct links *links = links_of(m);
    bool is_old = links->generation != atomic_load(&a->cluster->generation);
    a->cluster->ops->begin(a->cluster);
    count_repeats(self, links);
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
                                           "pages to which a shorter path was found", true},
                                          {0}},
    .needs =
        (const struct part_need[]){
            [NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "has the frontier"},
            [NEED_BUDGET] = {"budget", BUDGET_INTERFACE, "limits what the crawl takes"},
            [NEED_CLUSTER] = {"cluster", CLUSTER_INTERFACE, "knows which hosts are ours"},
            {0}},
    .open = admit_open,
    .close = admit_close,
    .handle = admit_handle,
};
