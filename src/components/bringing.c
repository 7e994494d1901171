/* SPDX-License-Identifier: Apache-2.0 */
#include "components/bringing.h"

#include "base/hash.h"
#include "base/log.h"

enum { QUEUED_BYTES = 24 }; /* of a URL in its queue, beside its path and hops (url_queue.h) */

/* The record of the host that names the links. A visit of deepen has no loan: its host may be in
 * memory or not. */
static struct brought *record_of(struct visit *v, const struct frontier *f)
{
    struct card *c = v->card;
    if (!c && v->kind == VISIT_DEEPER) {
        struct host *h = frontier_host(f, hash64(v->lent.host_name), v->lent.host_name);
        c = h ? card_of(h) : NULL;
    }
    return c ? &c->brought : NULL;
}

struct bringing bringing_of(struct visit *v, struct frontier *f, struct budget *budget)
{
    return (struct bringing){
        .limits = budget_bring(budget), .frontier = f, .host = record_of(v, f)};
}

static bool allowed(struct visit *v, enum bring_verdict verdict)
{
    v->left_out[verdict] += verdict != BRING_OK;
    return verdict == BRING_OK;
}

static bool is_robots(const struct visit *v)
{
    return v->kind == VISIT_ROBOTS ||
           (v->kind == VISIT_DEEPER && str_eq(v->lent.path, STR("/robots.txt")));
}

/* A sitemap that a page names as its feed is a link of a page. */
static bool is_listed(const struct visit *v, const struct visit_link *l)
{
    if (l->hop == HOP_LISTED)
        return true;
    return l->hop == HOP_PREREQUISITE &&
           (is_robots(v) || visit_is_sitemap(v) || bring_level(l->hops) > 1);
}

/* robots.txt is read every day. Whether a sitemap of another host is new only that host's shard can
 * tell, so each reading has an allowance of its own for these. */
static struct brought *account_of(struct bringing *b, const struct visit *v,
                                  const struct visit_link *l)
{
    bool is_own = str_eq(l->host, v->lent.host_name);
    return b->host && (is_own || !is_robots(v)) ? b->host : &b->once;
}

bool bringing_listed(struct bringing *b, struct visit *v, const struct visit_link *l)
{
    if (v->kind == VISIT_KNOWN || v->kind == VISIT_SEEDS || !is_listed(v, l))
        return true;
    if (frontier_is_mine(b->frontier, l->position) &&
        frontier_knows(b->frontier, l->position, l->fingerprint))
        return true;
    return allowed(v, bring_listed(&b->limits, account_of(b, v, l), l->hops));
}

bool bringing_new(struct bringing *b, struct visit *v, const struct visit_link *l)
{
    if (visit_is_list(v) || !b->host)
        return true;
    bool is_own = str_eq(l->host, v->lent.host_name);
    if (is_own && frontier_host_is_full(b->frontier, v->lent.host, b->own, b->own_bytes))
        return allowed(v, BRING_QUEUE);
    if (!allowed(v, bring_url(&b->limits, b->host, l->href.n)))
        return false;
    b->own += is_own;
    b->own_bytes += is_own ? l->path.n + l->hops.n + QUEUED_BYTES : 0;
    return true;
}

void bringing_tell(struct visit *v, struct crawl_counts *counts, struct log *log)
{
    for (int why = BRING_OK + 1; why < BRING_VERDICTS_; why++) {
        uint8_t bit = (uint8_t)(1u << why);
        count_over_limit(counts, (enum bring_verdict)why, v->left_out[why]);
        if (!v->left_out[why] || !v->card || v->card->told_limits & bit)
            continue;
        v->card->told_limits |= bit;
        log_warn(log, "host.limit_reached", LOG_STR("host", v->lent.host_name),
                 LOG_C("limit", bring_verdict_key((enum bring_verdict)why)),
                 LOG_U64("left_out", v->left_out[why]));
    }
}
