/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/outcome_lines.h"

#include "visit/visit_lines.h"

void outcome_lines_init(struct outcome_lines *l, struct ledger_service *ledger, unsigned shard,
                        bool has_graph)
{
    line_batch_init(&l->batch);
    l->ledger = ledger;
    l->shard = shard;
    l->has_graph = has_graph;
}

void outcome_lines_done(struct outcome_lines *l)
{
    line_batch_done(&l->batch);
}

/* A robots.txt that was archived has its own result before that of its page. */
static enum rc end_page(struct outcome_lines *l, struct visit *v, const struct ending *e,
                        int64_t wall_ms)
{
    if (v->stored.is_kept)
        visit_lines_result(&l->batch, v, v->answer.end.status, l->shard, wall_ms);
    return ending_make_page(e, v);
}

static void result_lines(struct outcome_lines *l, struct visit *v, int code, int64_t wall_ms)
{
    if (!v->stored.via.p && l->has_graph) /* a visit that failed did not pass write-warc */
        v->stored.via = ledger_service_url(l->ledger, v->turn.checkout.via, v->arena);
    visit_lines_result(&l->batch, v, code, l->shard, wall_ms);
}

enum rc outcome_lines_of_visit(struct outcome_lines *l, struct visit *v, const struct ending *e,
                               const struct new_links *new, int64_t wall_ms)
{
    enum rc rc = RC_OK;
    line_batch_clear(&l->batch);
    if (ending_is_page(e, v))
        rc = end_page(l, v, e, wall_ms);
    if (e->host.is_final)
        result_lines(l, v, e->host.verdict.code, wall_ms);
    if (l->has_graph) {
        node_lines(&l->batch, new->list, new->count);
        visit_lines_arcs(&l->batch, v);
    }
    seed_lines(&l->batch, &v->judged.links, url_href(&v->turn.url));
    return rc;
}

void outcome_lines_of_redirect(struct outcome_lines *l, const struct visit *v, int64_t wall_ms)
{
    line_batch_clear(&l->batch);
    visit_lines_result(&l->batch, v, v->answer.end.status, l->shard, wall_ms);
}

void outcome_lines_of_list(struct outcome_lines *l, const struct url_list *list,
                           const struct new_links *new)
{
    line_batch_clear(&l->batch);
    if (list->origin != LIST_REQUEUED)
        node_lines(&l->batch, new->list, new->count);
    seed_lines(&l->batch, &list->links, STR_NONE);
}

enum rc outcome_lines_take(struct outcome_lines *l, struct ledger_outcome *o)
{
    static const enum ledger_file files[OUTPUT_FILES_] = {
        [OUTPUT_CDXJ] = LEDGER_CDXJ,
        [OUTPUT_PAGES] = LEDGER_PAGES,
        [OUTPUT_EXTRA_PAGES] = LEDGER_EXTRA_PAGES,
        [OUTPUT_LOG] = LEDGER_CRAWL_LOG,
        [OUTPUT_ARCS] = LEDGER_ARCS,
        [OUTPUT_SKIPPED] = LEDGER_SKIPPED,
        [OUTPUT_SEEDS] = LEDGER_SEEDS,
    };
    const struct line_batch *b = &l->batch;
    for (size_t i = 0; i < b->count; i++)
        l->list[i] = (struct ledger_line){files[b->rows[i].file], line_batch_text(b, i)};
    o->lines = l->list;
    o->line_count = b->count;
    o->names = line_batch_names(b);
    return line_batch_rc(b);
}
