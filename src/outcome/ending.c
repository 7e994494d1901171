/* SPDX-License-Identifier: Apache-2.0 */
#include "outcome/ending.h"

#include "visit/visit_host.h"

/* The settings matter only if an origin is at fault. */
static uint64_t due_of(const struct host_ending *host, struct pace_service *pace, uint64_t now_ms)
{
    struct pace_settings settings = host->origin ? pace->now(pace) : (struct pace_settings){0};
    return host_end_due_ms(host, &settings, now_ms);
}

struct ending ending_of_visit(struct visit *v, struct pace_service *pace, struct rng *rng,
                              uint64_t now_ms)
{
    if (v->state != VISIT_REFUSED && !v->answer.has_verdict) {
        struct pace_settings settings = pace->now(pace);
        visit_judge(v, &settings, rng);
    }
    struct ending e = {.request = visit_request(v), .outcome = visit_outcome(v), .now_ms = now_ms};
    e.host = host_end(&e.request, &e.outcome);
    e.due_ms = due_of(&e.host, pace, now_ms);
    return e;
}

static enum checkin checkin_of(enum host_return how)
{
    return how == HOST_RETURN_DONE    ? CHECKIN_DONE
           : how == HOST_RETURN_AGAIN ? CHECKIN_AGAIN
                                      : CHECKIN_LAST;
}

static uint64_t answer_bytes(const struct visit *v)
{
    return v->answer.http ? v->answer.http->bytes_in : 0;
}

struct ledger_outcome ending_outcome(const struct ending *e, struct visit *v)
{
    return (struct ledger_outcome){
        .checkout = &v->turn.checkout,
        .how = checkin_of(e->host.how),
        .due_ms = e->due_ms,
        .robots_changed = v->parsed.robots_changed,
        .location = v->stored.is_kept ? &v->stored.location : NULL,
        .capture = v->stored.is_kept ? &v->stored.capture : NULL,
        .pages = e->host.is_taken,
        .bytes = v->route.is_charged ? answer_bytes(v) : 0,
    };
}

bool ending_is_page(const struct ending *e, const struct visit *v)
{
    return v->kind == VISIT_ROBOTS && e->host.how == HOST_RETURN_DONE;
}

enum rc ending_make_page(const struct ending *e, struct visit *v)
{
    if (e->host.verdict.code == FETCH_NO_ROBOTS)
        v->why = "its robots.txt cannot be had";
    v->stored.is_kept = false;
    v->answer.http = NULL;
    v->answer.mime = STR_NONE;
    v->answer.date_ms = 0;
    return visit_name(v, VISIT_PAGE);
}

void ending_keep(const struct ending *e, const struct visit *v, struct budget *budget)
{
    host_end_keep(&e->request, &e->outcome, &e->host, e->now_ms);
    if (v->route.is_charged)
        budget_used(budget, v->turn.checkout.host_name, e->host.is_taken, answer_bytes(v));
}
