/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/robots_redirect.h"

#include "host/host_redirect.h"
#include "host/host_robots.h"

enum { ROOM_BEHIND_URL = 32 };

bool robots_redirect_url(struct visit *v, const struct url_idn *idn, struct url_room room)
{
    struct str location = v->answer.heads.location;
    struct url_parser parser = {.idn = idn};
    struct url to;
    if (!location.p || !host_robots_follows(v->turn.robots_redirects) ||
        url_parse(&parser, location, &v->turn.url, room, &to) || !url_is_http(&to) ||
        port_is_bad(url_port(&to)))
        return false;
    char *copy = arena_alloc(v->arena, (size_t)to.n + 1);
    return copy && url_copy(&to, (struct url_room){copy, (size_t)to.n + 1}, &v->turn.url) == RC_OK;
}

struct visit *robots_redirect_hop(const struct visit *v, const struct url *from)
{
    struct visit *hop = visit_open(VISIT_ROBOTS_REDIRECT, NULL);
    if (!hop)
        return NULL;
    hop->state = VISIT_ENDED;
    hop->turn.url = *from;
    hop->turn.checkout = v->turn.checkout;
    hop->turn.record = v->turn.record;
    hop->answer.request = v->answer.request;
    hop->answer.begun_ms = v->answer.begun_ms;
    hop->answer.date_ms = v->answer.date_ms;
    hop->answer.http = v->answer.http;
    hop->answer.heads = v->answer.heads;
    hop->answer.end = v->answer.end;
    hop->answer.mime = v->answer.mime;
    return hop;
}

void robots_redirect_later(struct visit *v, uint64_t due_ms)
{
    const struct checkout *c = &v->turn.checkout;
    host_redirect_set(v->turn.record, c->is_https, c->port, url_href(&v->turn.url),
                      v->turn.robots_redirects + 1);
    v->state = VISIT_LATER;
    v->route.due_ms = due_ms;
    v->answer.heads = (struct visit_heads){0};
    v->answer.http = NULL;
}

/* What came from a file or from another agent is checked like a Location. */
static bool may_lead_to(const struct url *to, unsigned count)
{
    return url_is_http(to) && !port_is_bad(url_port(to)) && count && host_robots_follows(count - 1);
}

enum rc robots_redirect_name(struct visit *v)
{
    const struct checkout *c = &v->turn.checkout;
    const struct host_redirect *r = host_redirect_of(v->turn.record, c->is_https, c->port);
    struct url_parser parser = {0}; /* it is normalised */
    struct url to;
    if (!r)
        return RC_OK;
    size_t bytes = (size_t)r->url_bytes + ROOM_BEHIND_URL;
    char *room = arena_alloc(v->arena, bytes);
    if (!room)
        return RC_NOMEM;
    enum rc rc = url_parse(&parser, str_make(r->url, r->url_bytes), NULL,
                           (struct url_room){room, bytes}, &to);
    if (rc == RC_NOMEM)
        return rc;
    if (rc || !may_lead_to(&to, r->count)) {
        host_redirect_forget(v->turn.record);
        return RC_OK;
    }
    v->turn.robots_redirects = r->count;
    v->turn.url = to;
    return RC_OK;
}
