/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_end.h"

#include "host/host_addresses.h"
#include "host/host_redirect.h"
#include "host/host_tries.h"

/* What happened -------------------------------------------------------------------------------- */

struct pace_end host_end_of_answer(const struct http_answer *a, struct str retry_after,
                                   bool had_condition, int64_t wall_ms)
{
    struct pace_end end = {.dns = DNS_FOUND, .http = a->outcome, .status = a->status};
    if (retry_after.p)
        end.has_retry_after =
            retry_after_read(retry_after, wall_ms, PACE_MOST_WAIT_MS, &end.retry_after_ms);
    end.is_unasked_304 = a->status == 304 && !had_condition;
    end.http_version = host_http_end(a);
    return end;
}

struct pace_end host_end_of_name(enum dns_outcome outcome, bool is_elsewhere)
{
    if (is_elsewhere)
        return (struct pace_end){.dns = DNS_FOUND, .http = HTTP_NO_CONNECT};
    return (struct pace_end){.dns = outcome};
}

/* The verdict ---------------------------------------------------------------------------------- */

static const struct host_robots *robots_of(const struct host_request *r)
{
    return host_robots_of(r->record, r->is_https, r->port);
}

static uint64_t crawl_delay_ms(const struct host_robots *robots)
{
    uint32_t ms = 0;
    return robots && robots->rules && robots_delay_ms(robots->rules, &ms) ? ms : 0;
}

/* Nothing of the host has ever been had; of a host with several origins, nothing of this one. */
static bool is_stranger(const struct host_request *r, const struct host_robots *robots)
{
    if (robots && robots->had_wall_ms)
        return false;
    return r->record->pages == 0 || r->has_several_origins;
}

struct host_standing host_standing(const struct host_request *r)
{
    const struct host_record *c = r->record;
    const struct host_robots *robots = robots_of(r);
    const struct host_origin *o = host_origin_of(r->record, r->is_https, r->port, false);
    return (struct host_standing){
        .is_stranger = is_stranger(r, robots),
        .has_several_origins =
            r->has_several_origins && (o || c->origin_count < HOST_RECORD_MAX_ORIGINS),
        .origin_failures = o ? o->failures : 0,
        .failures = c->failures,
        .tries = host_tries_get(r),
        .crawl_delay_ms = crawl_delay_ms(robots),
        .http = c->http,
    };
}

/* The connection failed, not the name of the host, nor what a robots.txt redirected to, and another
 * version of HTTP would not help. */
static bool is_silent(const struct pace_end *end, bool is_elsewhere)
{
    bool is_down = end->http == HTTP_NO_CONNECT || end->http == HTTP_NO_TLS ||
                   end->http == HTTP_TIMEOUT || end->http == HTTP_CLOSED;
    return end->dns == DNS_FOUND && is_down && !is_elsewhere && !end->asks_other_version;
}

struct pace_verdict host_judge(const struct host_standing *s, struct pace_end *end,
                               bool is_elsewhere, const struct pace_settings *pace, struct rng *rng)
{
    end->is_stranger = s->is_stranger;
    end->asks_other_version = host_http_asks_again(s->http, &end->http_version);
    bool is_origins = s->has_several_origins && is_silent(end, is_elsewhere);
    return pace_judge(pace, end, s->tries, is_origins ? s->origin_failures : s->failures,
                      s->crawl_delay_ms, rng);
}

/* The ending ----------------------------------------------------------------------------------- */

/* A request that was refused asks for no wait. */
static struct pace_verdict verdict_of(const struct host_request *r, const struct host_outcome *o)
{
    if (!o->is_refused)
        return o->verdict;
    return (struct pace_verdict){
        .next = PACE_DONE, .code = o->code, .failures = r->record->failures};
}

/* NULL: the fault is the whole host's, or there is none. */
static struct host_origin *faulty_origin(const struct host_request *r, const struct host_outcome *o)
{
    if (o->is_refused || !r->has_several_origins || !is_silent(&o->end, r->is_elsewhere))
        return NULL;
    return host_origin_of(r->record, r->is_https, r->port, true);
}

/* Robots.txt is not what the URL was checked out for, so the URL stays, unless there never were any
 * rules: then it has its result too. */
static enum host_return how_of(const struct host_request *r, const struct host_outcome *o,
                               struct pace_verdict *verdict)
{
    const struct host_robots *robots = robots_of(r);
    if (verdict->next == PACE_AGAIN)
        return HOST_RETURN_AGAIN;
    if (!r->is_robots)
        return HOST_RETURN_DONE;
    if (robots && robots->rules && verdict->next != PACE_DEAD)
        return HOST_RETURN_AGAIN;
    if (o->has_answer || r->is_elsewhere || verdict->code == FETCH_RETRIES)
        verdict->code = FETCH_NO_ROBOTS;
    return HOST_RETURN_DONE;
}

struct host_ending host_end(const struct host_request *r, const struct host_outcome *o)
{
    struct host_ending e = {.verdict = verdict_of(r, o), .origin = faulty_origin(r, o)};
    e.how = how_of(r, o, &e.verdict);
    if (e.origin && e.how == HOST_RETURN_AGAIN) /* the host's other origins go on meanwhile */
        e.how = HOST_RETURN_LAST;
    bool ends_for_robots = r->is_robots && e.how == HOST_RETURN_DONE;
    e.is_final = e.verdict.next != PACE_AGAIN;
    e.is_taken = !r->is_robots && o->has_answer && e.is_final && e.verdict.code >= 100;
    e.is_well = o->has_answer && !e.origin && !r->is_elsewhere && !ends_for_robots;
    e.crawl_delay_ms = e.origin ? host_record_delay_ms(r->record) : 0;
    return e;
}

uint64_t host_end_due_ms(const struct host_ending *e, const struct pace_settings *s,
                         uint64_t now_ms)
{
    uint64_t wait_ms = e->origin ? pace_delay_ms(s, e->crawl_delay_ms) : e->verdict.wait_ms;
    return now_ms + wait_ms + (wait_ms > 0);
}

static void keep_origin(struct host_origin *o, const struct host_request *r,
                        const struct pace_verdict *verdict, uint64_t now_ms)
{
    o->trial = verdict->tries ? host_trial(r->path) : 0;
    o->failures = verdict->failures;
    o->next_ms = now_ms + verdict->wait_ms;
    o->dead_code = verdict->next == PACE_DEAD ? verdict->code : 0;
}

static void keep_tries(const struct host_request *r, const struct host_ending *e)
{
    if (e->how == HOST_RETURN_DONE)
        host_tries_forget(r);
    else
        host_tries_set(r, e->verdict.tries, e->how == HOST_RETURN_AGAIN);
}

void host_end_keep(const struct host_request *r, const struct host_outcome *o,
                   const struct host_ending *e, uint64_t now_ms)
{
    struct host_record *c = r->record;
    host_addresses_settled(c);
    if (r->is_robots)
        host_redirect_forget(c);
    c->wait = e->origin ? HOST_WAIT_DELAY : e->verdict.why;
    c->wait_code = e->verdict.code;
    if (!o->is_refused)
        c->http = (uint8_t)host_http_next(c->http, &o->end.http_version);
    keep_tries(r, e);
    if (e->origin) {
        keep_origin(e->origin, r, &e->verdict, now_ms);
        return;
    }
    c->failures = e->verdict.failures;
    if (e->is_well)
        host_origin_is_well(c, r->is_https, r->port);
    if (e->is_taken) {
        c->pages++;
        c->bytes += o->answer_bytes;
    }
    if (e->verdict.next == PACE_DEAD)
        c->dead_code = e->verdict.code;
}
