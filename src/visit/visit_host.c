/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/visit_host.h"

static bool is_elsewhere(const struct visit *v)
{
    return v->turn.robots_redirects > 0;
}

struct host_request visit_request(const struct visit *v)
{
    struct host_request r = host_request_of(&v->turn.checkout, v->turn.record);
    r.is_robots = v->kind == VISIT_ROBOTS;
    r.is_elsewhere = is_elsewhere(v);
    return r;
}

struct host_outcome visit_outcome(const struct visit *v)
{
    return (struct host_outcome){
        .is_refused = v->state == VISIT_REFUSED,
        .code = v->code,
        .end = v->answer.end,
        .verdict = v->answer.verdict,
        .has_answer = v->answer.http != NULL,
        .answer_bytes = v->answer.http ? v->answer.http->bytes_in : 0,
    };
}

struct host_standing visit_standing(const struct visit *v)
{
    if (!v->turn.record)
        return v->turn.standing;
    struct host_request r = visit_request(v);
    return host_standing(&r);
}

bool visit_asks_own_host(const struct visit *v)
{
    return !is_elsewhere(v) || str_eq(url_host(&v->turn.url), v->turn.checkout.host_name);
}

enum host_http visit_http(const struct visit *v)
{
    return v->turn.record ? v->turn.record->http : v->turn.standing.http;
}

void visit_judge(struct visit *v, const struct pace_settings *pace, struct rng *rng)
{
    struct host_standing s = visit_standing(v);
    v->answer.verdict = host_judge(&s, &v->answer.end, is_elsewhere(v), pace, rng);
    v->answer.has_verdict = true;
    if (v->answer.verdict.is_dropped)
        v->why = pace_dropped_text(v->answer.verdict.code);
}
