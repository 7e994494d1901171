/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/outcome.h"

#include "outcome/left_out.h"
#include "outcome/shorter_path.h"

void outcome_shard_init(struct outcome_shard *s)
{
    struct ledger_service *l = s->ledger;
    struct depth_index *depth = l->depth_index ? l->depth_index[s->shard] : NULL;
    s->finder = (struct link_finder){
        .known = {ledger_frontier(l->ledger, s->shard), depth, &s->sent, l->order, &s->bands},
        .cluster = s->cluster,
        .budget = s->budget,
        .counts = &l->counts};
    outcome_lines_init(&s->lines, l, s->shard, s->has_graph);
    if (s->shard < CRAWL_MAX_SHARDS)
        l->sent[s->shard] = &s->sent;
}

void outcome_shard_done(struct outcome_shard *s)
{
    if (s->shard < CRAWL_MAX_SHARDS)
        s->ledger->sent[s->shard] = NULL;
    outcome_lines_done(&s->lines);
}

static void put_links(struct outcome *o)
{
    o->batch.links = o->fresh.new.list;
    o->batch.link_count = o->fresh.new.count;
    o->batch.foreign_count = o->fresh.new.foreign;
}

static void put_history(struct outcome *o, struct depth_index *depth, const struct visit *v,
                        int code, int64_t wall_ms)
{
    visit_history(v, code, wall_ms, depth != NULL, &o->history);
    o->has_shorter_path = shorter_path_found(depth, v, &o->history, &o->page);
    o->batch.fingerprint = v->turn.fingerprint;
    o->batch.history = &o->history;
}

/* How many links the page has, for its history; and the frontier learns what other pages of its
 * directory may have. A 304 does not say it, nor do redirects and failures. */
static void note_forward(const struct outcome_shard *s, const struct visit *v, int code,
                         struct history_entry *p)
{
    const struct found_links *links = &v->judged.links;
    uint32_t count = 0;
    if (s->ledger->order != ORDER_PRIORITY)
        return;
    p->forward = v->turn.history.forward;
    if (code / 100 != 2 && code / 100 != 4)
        return;
    for (size_t i = 0; i < links->count; i++)
        count += hop_is_deeper(links->list[i].hop);
    p->forward = (uint16_t)(count < UINT16_MAX ? count + 1 : UINT16_MAX);
    frontier_learn(s->finder.known.frontier, host_hash(v->turn.checkout.host),
                   v->turn.checkout.path, count);
}

/* The links come first: the lines name them, and the lines make a robots.txt that ends its page the
 * visit of the page. What the visit brings is its own until then. */
enum rc outcome_of_visit(struct outcome_shard *s, struct visit *v, const struct ending *e,
                         int64_t wall_ms, struct outcome *ret)
{
    struct host_record *record = v->turn.record;
    ret->batch = ending_outcome(e, v);
    ret->has_shorter_path = false;
    enum rc rc = fresh_links_of_visit(&s->finder, v, &ret->fresh);
    if (rc == RC_OK)
        rc = outcome_lines_of_visit(&s->lines, v, e, &ret->fresh.new, wall_ms);
    left_out_tell(&v->judged.links, v->turn.checkout.host_name,
                  record ? &record->told_limits : NULL, &s->ledger->counts, s->log);
    if (rc == RC_OK)
        rc = outcome_lines_take(&s->lines, &ret->batch);
    if (rc)
        return rc;
    if (e->host.how == HOST_RETURN_DONE) {
        put_history(ret, s->finder.known.depth_index, v, e->host.verdict.code, wall_ms);
        note_forward(s, v, e->host.verdict.code, &ret->history);
    }
    put_links(ret);
    return RC_OK;
}

enum rc outcome_of_redirect(struct outcome_shard *s, struct visit *v, int64_t wall_ms,
                            struct outcome *ret)
{
    *ret = (struct outcome){.batch = {.location = v->stored.is_kept ? &v->stored.location : NULL,
                                      .capture = v->stored.is_kept ? &v->stored.capture : NULL}};
    outcome_lines_of_redirect(&s->lines, v, wall_ms);
    return outcome_lines_take(&s->lines, &ret->batch);
}

enum rc outcome_of_list(struct outcome_shard *s, struct url_list *l, struct outcome *ret)
{
    *ret = (struct outcome){0};
    enum rc rc = fresh_links_of_list(&s->finder, l, &ret->fresh);
    if (rc)
        return rc;
    left_out_tell(&l->links, STR(""), NULL, &s->ledger->counts, s->log);
    put_links(ret);
    shorter_path_keep(l, &ret->batch);
    outcome_lines_of_list(&s->lines, l, &ret->fresh.new);
    return outcome_lines_take(&s->lines, &ret->batch);
}

static bool says_something(const struct ledger_outcome *o)
{
    return o->checkout || o->location || o->line_count || o->link_count || o->history;
}

enum rc outcome_record(struct outcome_shard *s, struct outcome *o)
{
    if (!says_something(&o->batch))
        return RC_OK;
    enum rc rc = ledger_record_outcome(s->ledger->ledger, s->shard, &o->batch, &o->fresh.epoch);
    o->fresh.batch = ledger_outcome_at(s->ledger->ledger, s->shard);
    return rc;
}
