/* SPDX-License-Identifier: Apache-2.0 */
/* visit_host: a visit's fields, as host/ wants them. What is decided is in host/ (host_turn.h). */
#ifndef VISIT_VISIT_HOST_H
#define VISIT_VISIT_HOST_H

#include "host/host_turn.h"
#include "visit/visit.h"

/* Borrows the path from the checkout. */
static inline struct host_request host_request_of(const struct checkout *c,
                                                  struct host_record *record)
{
    return (struct host_request){.record = record,
                                 .path = c->path,
                                 .port = c->port,
                                 .is_https = c->is_https,
                                 .has_several_origins = host_origins(c->host) > 1};
}

/* Of a visit with a record. */
struct host_request visit_request(const struct visit *v);

/* How it went so far; the verdict only if it has one. */
struct host_outcome visit_outcome(const struct visit *v);

/* What the record says of earlier tries; of a copy at another place what came with it. */
struct host_standing visit_standing(const struct visit *v);

/* The request goes to the host that is checked out, and not to where its robots.txt redirects. */
bool visit_asks_own_host(const struct visit *v);

/* Which version of HTTP its host wants. */
enum host_http visit_http(const struct visit *v);

/* Sets v->answer.verdict from v->answer.end. */
void visit_judge(struct visit *v, const struct pace_settings *pace, struct rng *rng);

#endif
