/* SPDX-License-Identifier: Apache-2.0 */
/* robots_answer: what the answer for a robots.txt brings: rules, and sitemaps. What the answer means
 * for its origin is in host/host_robots.h. */
#ifndef ASKING_ROBOTS_ANSWER_H
#define ASKING_ROBOTS_ANSWER_H

#include "discovery/depth_index.h"
#include "fetch/decode.h"
#include "host/host_robots.h"
#include "visit/visit.h"

/* What the answer means for the request's origin. An answer that broke off is none,
 * whether in its head or in a body that would be used. */
enum robots_status_meaning robots_answer_meaning(const struct visit *v,
                                                 const struct host_request *request);

/* The server refused the version of HTTP that it was asked with. That says nothing of the rules,
 * and robots.txt is asked for again. */
bool robots_answer_is_of_version(const struct visit *v);

/* Reads the rules of `user_agent` out of a body that is used (ROBOTS_USE_BODY). `text` is the
 * decoder's room: at most HOST_ROBOTS_BODY_BYTES. On RC_OK *ret is the caller's. RC_INVALID:
 * its coding is broken, and a rule may be missing; RC_NOMEM. */
MUST_CHECK enum rc robots_answer_rules(const struct visit *v, struct str user_agent,
                                       struct decoder *decoder, struct buf *text,
                                       const struct robots **ret);

/* Makes the sitemaps that the rules name references of the visit. A sitemap is as far from a seed
 * as the nearest URL of its origin, whichever is checked out first: `depths` (may be NULL) knows
 * it, and forgets it. */
void robots_answer_sitemaps(struct visit *v, const struct robots *rules,
                            struct depth_index *depths);

#endif
