/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/turn.h"

#include "asking/robots_redirect.h"
#include "ledger/host_records.h"
#include "visit/visit_host.h"

struct host_turn turn_next(const struct checkout *checkout, struct host_record *record,
                           const struct host_turn_settings *s, uint64_t now_ms, int64_t wall_ms)
{
    if (!record)
        return (struct host_turn){0};
    struct host_request r = host_request_of(checkout, record);
    return host_turn_next(&r, host_queued(checkout->host), s, now_ms, wall_ms);
}

enum cluster_claim turn_claim(struct turn_maker *m, struct checkout *checkout, uint64_t now_ms,
                              uint64_t wait_ms, uint64_t *ret_host_claim)
{
    enum cluster_claim may =
        m->cluster->ops->claim(m->cluster, host_hash(checkout->host), ret_host_claim);
    if (may == CLUSTER_CLAIMED)
        return may;
    struct host_record *record = host_record_of(checkout->host);
    if (record)
        record->wait = HOST_WAIT_CLUSTER;
    ledger_return(m->ledger->ledger, m->shard, checkout,
                  may == CLUSTER_NOT_THIS ? now_ms + wait_ms : now_ms);
    return may;
}

/* Reads the history of the URL: for the request's condition, and so that a 304 can be understood.
 */
static void recall(struct turn_maker *m, struct visit *v, bool recrawls)
{
    struct history *h = ledger_history(m->ledger->ledger);
    if (h && (recrawls || m->ledger->opened.is_recrawl) && v->kind == VISIT_PAGE)
        v->turn.has_history =
            history_get(h, v->turn.fingerprint, v->arena, &v->turn.history) == RC_OK;
}

/* No page will be asked for where the share is used up, so neither is its robots.txt. */
static void refuse(struct visit *v, enum budget_verdict share, const struct host_turn *turn)
{
    if (share != BUDGET_OK)
        visit_refuse(v, FETCH_QUOTA, budget_verdict_text(share));
    else if (turn->ask == HOST_ASK_NEVER)
        visit_refuse(v, turn->code, "its host was given up");
}

struct visit *turn_visit(struct turn_maker *m, const struct checkout *checkout,
                         struct host_record *record, const struct host_turn *turn, bool recrawls)
{
    if (!record)
        return NULL;
    bool wants_robots = turn->ask == HOST_ASK_ROBOTS;
    enum budget_verdict share =
        wants_robots ? budget_share(m->budget, checkout->host_name, record->pages, record->bytes)
                     : BUDGET_OK;
    struct visit *v = visit_open(wants_robots && !share ? VISIT_ROBOTS : VISIT_PAGE, &m->pool);
    if (!v)
        return NULL;
    v->turn.checkout = *checkout;
    v->turn.record = record;
    v->turn.is_compared = m->ledger->compares;
    refuse(v, share, turn);
    enum rc rc = visit_name(v, v->kind);
    if (rc == RC_OK && v->kind == VISIT_ROBOTS)
        rc = robots_redirect_name(v);
    if (rc == RC_OK) {
        recall(m, v, recrawls);
        return v;
    }
    message_end(&v->head);
    return NULL;
}
