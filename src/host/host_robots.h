/* SPDX-License-Identifier: Apache-2.0 */
/* host_robots: the robots.txt of an origin: when it is asked for, what its rules allow, and what an
 * answer for it means. The second moment of a checkout (host_turn.h).
 *
 *     asked for before the first page ──► rules ──► asked for again after 24 h (robots_fresh_ms)
 *                                     └─► fails ──► asked for again after 5 min (robots_again_ms)
 *
 * While it fails the last rules that were had go on to hold, for thirty days; then everything is
 * allowed. Where rules were never had no page is asked for, and the tries of robots.txt are counted
 * like those of a page (host_end.h): the last one ends the URL with FETCH_NO_ROBOTS. */
#ifndef HOST_HOST_ROBOTS_H
#define HOST_HOST_ROBOTS_H

#include "host/host_turn.h"
#include "host/pace.h"

/* Bytes of a body that are asked for; one more than is read shows which line was cut. */
enum { HOST_ROBOTS_BODY_BYTES = ROBOTS_BODY_MAX + 1 };

/* How long the last rules hold while their robots.txt fails. */
#define HOST_ROBOTS_GIVE_UP_MS (INT64_C(30) * 24 * 3600 * 1000)

/* Whether robots.txt must be asked for before the URL. */
bool host_robots_is_due(const struct host_request *r, const struct host_turn_settings *s,
                        int64_t wall_ms);

/* 0: the rules of the request's origin allow the page. Else FETCH_ROBOTS, or FETCH_NO_ROBOTS if
 * there are none. */
int host_robots_check(const struct host_request *r, struct str path_and_query);

/* What the answer means for the origin. `status` is 0 if there was none; `is_cut`: the server did not
 * send all of the body, and a rule may be missing. ROBOTS_REDIRECT: follow
 * it, if host_robots_follows() says so and it leads to a URL that may be asked. */
enum robots_status_meaning host_robots_meaning(const struct host_request *r, int status,
                                               bool is_cut);

/* Whether one more redirect is followed after `redirects` of them (RFC 9309, 2.3.1.2). */
static inline bool host_robots_follows(unsigned redirects)
{
    return redirects < ROBOTS_REDIRECTS_MAX;
}

/* The wait before a redirect is followed, since most lead to the same host: the delay, or the
 * longest Crawl-delay of the host's earlier rules; a millisecond more, for the clock counts whole
 * ones. */
static inline uint64_t host_robots_hop_ms(const struct host_record *c,
                                          const struct pace_settings *s)
{
    return pace_delay_ms(s, host_record_delay_ms(c)) + 1;
}

/* Puts what the answer means on the record. `body` are the rules of a ROBOTS_USE_BODY, NULL for all
 * other meanings; they are taken, also on failure: RC_NOMEM. A redirect that is not followed allows
 * everything. */
MUST_CHECK enum rc host_robots_learn(const struct host_request *r,
                                     enum robots_status_meaning meaning, const struct robots *body,
                                     int64_t wall_ms);

#endif
