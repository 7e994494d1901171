/* SPDX-License-Identifier: Apache-2.0 */
/* judge-links: makes URLs of references, unless make-urls has, and decides which of them belong to the
 * crawl (scope/link_judge.h). Pages come by inlet `in`; lists of seeds, of URLs that are requeued, and of
 * links that are judged again come by inlet `lists`. */
#include "discovery/seed_path.h"
#include "ledger/host_records.h"
#include "roles/budget.h"
#include "roles/counters.h"
#include "roles/ledger.h"
#include "roles/scope.h"
#include "scope/link_judge.h"
#include "visit/frontier_bringing.h"
#include "visit/url_list.h"
#include "visit/visit.h"

#include "base/hash.h"
#include "base/mem.h"

_Static_assert((int)SEED_PATH_MAX == (int)FRONTIER_MAX_SEED_PATH, "the frontier keeps what fits");

enum { NEED_LEDGER, NEED_SCOPE, NEED_BUDGET };

enum { PAGES, LISTS };

struct judge_links {
    struct ledger_service *ledger;
    struct budget *budget;
    struct frontier *frontier;
    struct link_judge *judge;
};

static void judge_links_close(struct instance *self)
{
    struct judge_links *j = self->state;
    link_judge_close(j->judge);
    mem_free(j);
}

static enum rc judge_links_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct judge_links *j = mem_zero(1, sizeof *j);
    if (!j)
        return RC_NOMEM;
    self->state = j;
    j->ledger = part_provider(self, NEED_LEDGER);
    j->budget = part_provider(self, NEED_BUDGET);
    j->frontier = ledger_frontier(j->ledger->ledger, self->shard);
    const struct scope_service *scope = part_provider(self, NEED_SCOPE);
    j->judge = link_judge_open(&(struct link_judge_settings){
        .scope = scope->scope,
        .idn = scope->idn,
        .log = part_log(self),
        .host_bytes = FRONTIER_MAX_HOST_BYTES,
        .path_bytes = FRONTIER_MAX_PATH_BYTES,
        .link_bytes = VISIT_MAX_LINK_BYTES,
    });
    if (j->judge)
        return RC_OK;
    judge_links_close(self);
    return RC_NOMEM;
}

static void count_all(struct judge_links *j, const struct found_links *links,
                      const struct link_tally *t)
{
    struct crawl_counts *c = &j->ledger->counts;
    uint64_t left_out = 0;
    for (size_t i = 0; i < BRING_VERDICTS_; i++)
        left_out += links->left_out[i];
    count_add(&c->links, links->count + left_out);
    count_add(&c->off_topic, t->off_topic);
    for (size_t i = 0; i < SCOPE_VERDICTS_; i++)
        count_add(&c->rejected[i], t->rejected[i]);
}

/* Pages ---------------------------------------------------------------------------------------- */

static void judge_references(struct judge_links *j, const struct visit_parsed *p, bool is_unwanted)
{
    for (size_t i = 0; i < p->reference_count; i++)
        if (p->references[i].is_unwanted == is_unwanted)
            link_judge_reference(j->judge, &p->references[i]);
}

static void judge_page(struct judge_links *j, struct visit *v)
{
    struct frontier_bringing bringing;
    struct bring_limits limits = budget_bring(j->budget);
    visit_bringing_init(&bringing, j->frontier, &limits, v);
    struct link_source source = {
        .origin = LINK_OF_PAGE,
        .arena = v->arena,
        .page = &v->turn.url,
        .base = v->parsed.base,
        .charset = v->parsed.charset,
        .has_urls = v->parsed.has_urls,
        .seed_path = v->turn.origin_path.p ? v->turn.origin_path : v->turn.checkout.seed_path,
        .fingerprint = v->turn.fingerprint,
        .bringing = &bringing.bringing,
    };
    if (link_judge_begin(j->judge, &source, v->parsed.reference_count, &v->judged.links)) {
        v->parsed.note = "no memory for its links";
        v->parsed.is_cut = true;
        return;
    }
    judge_references(j, &v->parsed, false); /* first: a URL that one of two references wants */
    if (v->judged.unwanted_count)           /* is wanted */
        judge_references(j, &v->parsed, true);
    struct link_tally tally = link_judge_end(j->judge);
    v->parsed.is_cut |= tally.is_cut;
    count_all(j, &v->judged.links, &tally);
}

/* Lists ---------------------------------------------------------------------------------------- */

/* The page of a list is not checked out: its host may be in memory or not. */
static void list_bringing_init(struct judge_links *j, const struct url_list_page *page,
                               struct frontier_bringing *b)
{
    struct bring_limits limits = budget_bring(j->budget);
    struct host *h = frontier_host(j->frontier, hash64(page->host_name), page->host_name);
    struct host_record *record = h ? host_record_of(h) : NULL;
    frontier_bringing_init(b, j->frontier, h, page->host_name, &limits,
                           record ? &record->brought : NULL);
    b->bringing.is_robots = page->is_origin;
    b->bringing.is_sitemap = seed_path_is_prerequisite(page->seed_path);
}

static struct link_source source_of(struct url_list *l)
{
    static const enum link_origin origins[] = {[LIST_SEEDS] = LINK_IS_SEED,
                                               [LIST_REQUEUED] = LINK_IS_REQUEUED,
                                               [LIST_REJUDGED] = LINK_IS_REJUDGED};
    return (struct link_source){
        .origin = origins[l->origin],
        .arena = l->arena,
        .page = l->origin == LIST_REJUDGED ? &l->page.url : NULL,
        .seed_path = l->page.seed_path,
        .fingerprint = l->page.fingerprint,
    };
}

static void judge_item(struct judge_links *j, const struct url_list *l,
                       const struct url_list_item *item)
{
    if (l->origin == LIST_REQUEUED)
        link_judge_requeued(j->judge, item->url, item->seed_path, item->via, item->forward);
    else
        link_judge_reference(j->judge,
                             &(struct link_reference){.raw = item->url, .hop = item->hop});
}

static enum rc judge_list(struct judge_links *j, struct url_list *l)
{
    struct frontier_bringing bringing;
    struct link_source source = source_of(l);
    if (l->origin == LIST_REJUDGED) {
        list_bringing_init(j, &l->page, &bringing);
        source.bringing = &bringing.bringing;
    }
    enum rc rc = link_judge_begin(j->judge, &source, l->count, &l->links);
    if (rc)
        return rc;
    for (size_t i = 0; i < l->count; i++)
        judge_item(j, l, &l->items[i]);
    struct link_tally tally = link_judge_end(j->judge);
    count_all(j, &l->links, &tally);
    return RC_OK;
}

static void judge_links_handle(struct instance *self, unsigned inlet, struct message *m)
{
    struct judge_links *j = self->state;
    if (inlet == LISTS) {
        enum rc rc = judge_list(j, url_list_of(m));
        if (rc)
            part_fail(self, rc, "cannot judge a list of URLs: %s", rc_text(rc));
    } else if (visit_of(m)->parsed.reference_count) {
        judge_page(j, visit_of(m));
    }
    part_emit(self, inlet, m);
}

const struct part part_judge_links = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "judge-links",
    .former_name = "intake",
    .help = "makes references URLs, and says which belong to the crawl",
    .inlets = (const struct part_port[]){[PAGES] = {"in", VISIT_TYPE, "with references", false},
                                         [LISTS] = {"lists", URL_LIST_TYPE, "URLs", false},
                                         {0}},
    .outlets = (const struct part_port[]){[PAGES] = {"out", VISIT_TYPE, "with links", false},
                                          [LISTS] = {"lists", URL_LIST_TYPE, "with links", false},
                                          {0}},
    .needs =
        (const struct part_need[]){
            [NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "has the counters"},
            [NEED_SCOPE] = {"scope", SCOPE_INTERFACE, "decides which URLs belong"},
            [NEED_BUDGET] = {"budget", BUDGET_INTERFACE, "limits what a host may bring"},
            {0}},
    .open = judge_links_open,
    .close = judge_links_close,
    .handle = judge_links_handle,
};
