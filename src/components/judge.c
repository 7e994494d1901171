/* SPDX-License-Identifier: Apache-2.0 */
#include "components/judge.h"

#include "base/hash.h"

bool visit_enter(struct visit *v, struct addresses_service *a, uint64_t now_ms, uint64_t *ret_ms)
{
    v->host_position = hash64(url_host(&v->url));
    *ret_ms = address_table_ask(a->addresses, v->address_group, now_ms);
    if (*ret_ms)
        return false;
    *ret_ms = address_table_ask(a->hosts, v->host_position, now_ms);
    if (*ret_ms) /* rare: somebody else's robots.txt is asked for there */
        address_table_done(a->addresses, v->address_group, now_ms);
    v->has_slot = *ret_ms == 0;
    return v->has_slot;
}

void visit_leave(struct visit *v, struct addresses_service *a, uint64_t now_ms)
{
    if (!v->has_slot)
        return;
    address_table_done(a->hosts, v->host_position, now_ms);
    address_table_done(a->addresses, v->address_group, now_ms);
    v->has_slot = false;
}

/* The Crawl-delay that the origin's robots.txt asks for, 0 = none. */
static uint64_t crawl_delay_ms(const struct visit *v)
{
    const struct card_robots *r = card_robots_of(v->card, v->lent.is_https, v->lent.port);
    uint32_t ms = 0;
    return r && r->rules && robots_delay_ms(r->rules, &ms) ? ms : 0;
}

/* Its connection failed, not the name of its host, nor what it was sent to by a robots.txt. */
static bool is_silent(const struct visit *v)
{
    bool is_down = v->end.http == HTTP_NO_CONNECT || v->end.http == HTTP_NO_TLS ||
                   v->end.http == HTTP_TIMEOUT || v->end.http == HTTP_CLOSED;
    return v->state == VISIT_ENDED && v->end.dns == DNS_FOUND && is_down && !v->robots_hops;
}

struct card_origin *visit_faulty_origin(const struct visit *v)
{
    if (!is_silent(v) || host_origins(v->lent.host) < 2)
        return NULL;
    return card_origin_of(v->card, v->lent.is_https, v->lent.port, true);
}

/* Nothing of the host has ever been had; of a host with several origins, nothing of this one. */
static bool is_stranger(const struct visit *v)
{
    const struct card_robots *r = card_robots_of(v->card, v->lent.is_https, v->lent.port);
    if (r && r->had_wall_ms)
        return false;
    return v->card->pages == 0 || host_origins(v->lent.host) > 1;
}

uint64_t origin_trial(const struct lent *l)
{
    return hash64(l->path) | 1;
}

struct visit_standing visit_standing(const struct visit *v)
{
    if (!v->card)
        return v->standing;
    const struct card_origin *o = card_origin_of(v->card, v->lent.is_https, v->lent.port, false);
    bool is_on_trial = o && o->trial == origin_trial(&v->lent);
    return (struct visit_standing){
        .is_stranger = is_stranger(v),
        .has_several_origins =
            host_origins(v->lent.host) > 1 && (o || v->card->origin_count < CARD_MAX_ORIGINS),
        .origin_tries = is_on_trial ? o->tries : 0,
        .origin_failures = o ? o->failures : 0,
        .tries = v->card->tries,
        .failures = v->card->failures,
        .crawl_delay_ms = crawl_delay_ms(v),
    };
}

void visit_judge(struct visit *v, struct pace_service *pace, struct rng *rng)
{
    if (v->has_verdict)
        return;
    struct visit_standing s = visit_standing(v);
    struct pace_settings now = pace->now(pace);
    v->end.is_stranger = s.is_stranger;
    bool is_origins = is_silent(v) && s.has_several_origins;
    v->verdict = pace_judge(&now, &v->end, is_origins ? s.origin_tries : s.tries,
                            is_origins ? s.origin_failures : s.failures, s.crawl_delay_ms, rng);
    v->has_verdict = true;
}
