/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_robots.h"

static const struct host_robots *known_of(const struct host_request *r)
{
    return host_robots_of(r->record, r->is_https, r->port);
}

bool host_robots_is_due(const struct host_request *r, const struct host_turn_settings *s,
                        int64_t wall_ms)
{
    const struct host_robots *known = known_of(r);
    if (s->ignore_robots)
        return false;
    if (!known || !known->rules) /* the pace limits how often, and how soon */
        return true;
    int64_t age_ms = wall_ms - known->asked_wall_ms;
    uint64_t good_ms = known->is_failing ? s->robots_again_ms : s->robots_fresh_ms;
    return age_ms < 0 || (uint64_t)age_ms > good_ms;
}

int host_robots_check(const struct host_request *r, struct str path_and_query)
{
    const struct host_robots *known = known_of(r);
    if (!known || !known->rules)
        return FETCH_NO_ROBOTS;
    return robots_check(known->rules, path_and_query).allowed ? 0 : FETCH_ROBOTS;
}

enum robots_status_meaning host_robots_meaning(const struct host_request *r, int status,
                                               bool is_cut)
{
    const struct host_robots *known = known_of(r);
    enum robots_status_meaning meaning = robots_status(status);
    if (meaning == ROBOTS_UNCHANGED && (!known || !known->rules)) /* the request had no condition */
        return ROBOTS_RETRY;
    if (meaning == ROBOTS_USE_BODY && is_cut)
        return ROBOTS_RETRY;
    return meaning;
}

/* The rules that hold from now on; NULL: those that were known. */
static const struct robots *rules_of(const struct host_request *r,
                                     enum robots_status_meaning meaning, const struct robots *body,
                                     int64_t wall_ms)
{
    const struct host_robots *known = known_of(r);
    switch (meaning) {
    case ROBOTS_USE_BODY:
        return body;
    case ROBOTS_UNCHANGED:
        return NULL;
    case ROBOTS_RETRY:
        if (known && known->had_wall_ms && wall_ms - known->had_wall_ms > HOST_ROBOTS_GIVE_UP_MS)
            return robots_allow_all();
        return NULL;
    default:
        return robots_allow_all();
    }
}

enum rc host_robots_learn(const struct host_request *r, enum robots_status_meaning meaning,
                          const struct robots *body, int64_t wall_ms)
{
    return host_record_set_robots(r->record, r->is_https, r->port,
                                  rules_of(r, meaning, body, wall_ms), meaning == ROBOTS_RETRY,
                                  wall_ms);
}
