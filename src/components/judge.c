/* SPDX-License-Identifier: Apache-2.0 */
#include "components/judge.h"

/* The Crawl-delay that the origin's robots.txt asks for, 0 = none. */
static uint64_t crawl_delay_ms(const struct visit *v)
{
    const struct card_robots *r = card_robots_of(v->card, v->lent.is_https, v->lent.port);
    uint32_t ms = 0;
    return r && r->rules && robots_delay_ms(r->rules, &ms) ? ms : 0;
}

void visit_judge(struct visit *v, struct pace_service *pace, struct rng *rng)
{
    if (v->has_verdict)
        return;
    struct pace_settings now = pace->now(pace);
    v->verdict =
        pace_judge(&now, &v->end, v->card->tries, v->card->failures, crawl_delay_ms(v), rng);
    v->has_verdict = true;
}
