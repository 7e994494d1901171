/* SPDX-License-Identifier: Apache-2.0 */
/* host_end: what the end of a request means. The fourth moment of a checkout (host_turn.h).
 *
 *     struct pace_end end = host_end_of_answer(...)      what happened
 *     struct pace_verdict verdict = host_judge(...)      is that the result, or is it tried again?
 *     struct host_ending e = host_end(...)               whose fault is it, where does the URL go?
 *     due_ms = host_end_due_ms(...)                      when may the host be asked next?
 *     host_end_keep(...)                                 writes that to the record
 *
 * host_judge() needs no record, only what it says (struct host_standing): a request may run at a
 * place that has none (docs/remote.md). The others run where the record is. */
#ifndef HOST_HOST_END_H
#define HOST_HOST_END_H

#include "host/host_turn.h"
#include "host/pace.h"

/* What the record says of earlier tries. Nothing changes it while the host is checked out. */
struct host_standing {
    bool is_stranger;         /* see struct pace_end */
    bool has_several_origins; /* a connection that fails is then the fault of the origin: */
    uint32_t origin_failures;
    uint32_t failures;       /* of the host */
    uint32_t tries;          /* of the URL, or of robots.txt on its behalf (host_tries.h) */
    uint64_t crawl_delay_ms; /* of the origin's robots.txt; 0 = none */
    enum host_http http;
};
struct host_standing host_standing(const struct host_request *r);

/* An answer, or how the request failed. `retry_after` is the header's value, which may be absent;
 * `had_condition`: the request asked for a 304. */
struct pace_end host_end_of_answer(const struct http_answer *a, struct str retry_after,
                                   bool had_condition, int64_t wall_ms);

/* The name has no address. `is_elsewhere`: a robots.txt redirects to that name. That says nothing
 * about the host that has the robots.txt, except that its robots.txt cannot be had. */
struct pace_end host_end_of_name(enum dns_outcome outcome, bool is_elsewhere);

/* Judges the end of a request; sets end->is_stranger and end->asks_other_version. `is_elsewhere` as
 * in struct host_request. */
struct pace_verdict host_judge(const struct host_standing *s, struct pace_end *end,
                               bool is_elsewhere, const struct pace_settings *pace,
                               struct rng *rng);

/* How a request went. */
struct host_outcome {
    bool is_refused; /* nothing was asked: `code` is the result, `end` and `verdict` mean nothing */
    int code;
    struct pace_end end;
    struct pace_verdict verdict; /* host_judge's */
    bool has_answer;             /* a head came */
    uint64_t answer_bytes;
};

/* Where the URL goes. */
enum host_return {
    HOST_RETURN_DONE,  /* it has its result */
    HOST_RETURN_AGAIN, /* it stays at the head of the host's queue */
    HOST_RETURN_LAST,  /* it goes behind the host's others */
};

struct host_ending {
    struct pace_verdict verdict; /* of the request; FETCH_NO_ROBOTS if the URL ends without rules */
    struct host_origin *origin;  /* the one at fault, and not its host; or NULL */
    enum host_return how;
    bool is_final;           /* what was asked for has its result: the URL, or its robots.txt */
    bool is_taken;           /* it counts as a page in the budgets */
    bool is_well;            /* the origin has answered: its earlier failures are forgotten */
    uint64_t crawl_delay_ms; /* the longest that robots.txt of an origin asks for; 0 = none */
};

/* Makes the host_origin of an origin that is at fault for the first time; changes nothing else. */
struct host_ending host_end(const struct host_request *r, const struct host_outcome *o);

/* The moment before which nothing of the host is asked. A millisecond more than the wait, for the
 * clock counts whole ones; now for a request that was never sent. If an origin is at fault the host
 * waits for the delay or its Crawl-delay, no longer: its other origins go on. */
uint64_t host_end_due_ms(const struct host_ending *e, const struct pace_settings *s,
                         uint64_t now_ms);

/* Writes to the record what the ending means. */
void host_end_keep(const struct host_request *r, const struct host_outcome *o,
                   const struct host_ending *e, uint64_t now_ms);

#endif
