/* SPDX-License-Identifier: Apache-2.0 */
#include "host/host_turn.h"

#include "base/hash.h"
#include "host/host_guest.h"
#include "host/host_robots.h"

uint64_t host_trial(struct str path)
{
    return hash64(path) | 1;
}

int host_dead_code(const struct host_request *r)
{
    if (r->record->dead_code)
        return r->record->dead_code;
    const struct host_origin *o = host_origin_of(r->record, r->is_https, r->port, false);
    return o ? o->dead_code : 0;
}

/* The origin is left alone, or another URL of it is on trial. */
static bool must_wait(const struct host_origin *o, const struct host_request *r, uint64_t now_ms)
{
    if (!o || o->dead_code)
        return false;
    return o->next_ms > now_ms || (o->trial && o->trial != host_trial(r->path));
}

/* False: the URL is asked for after all. */
static bool put_back(const struct host_request *r, uint32_t queued, uint64_t now_ms,
                     uint64_t *ret_due_ms)
{
    struct host_record *c = r->record;
    struct host_origin *o = host_origin_of(c, r->is_https, r->port, false);
    if (!must_wait(o, r, now_ms)) {
        c->put_back = 0;
        return false;
    }
    bool is_round = ++c->put_back > queued;
    if (is_round)
        c->put_back = 0;
    if (is_round && o->next_ms <= now_ms) { /* the URL on trial is not in the queue */
        o->trial = 0;
        return false;
    }
    *ret_due_ms = is_round ? o->next_ms : now_ms;
    c->wait = HOST_WAIT_ORIGIN;
    return true;
}

struct host_turn host_turn_next(const struct host_request *r, uint32_t queued,
                                const struct host_turn_settings *s, uint64_t now_ms,
                                int64_t wall_ms)
{
    uint64_t due_ms;
    host_guest_passed(r->record);
    if (put_back(r, queued, now_ms, &due_ms))
        return (struct host_turn){.ask = HOST_ASK_LATER, .due_ms = due_ms};
    int code = host_dead_code(r);
    if (code)
        return (struct host_turn){.ask = HOST_ASK_NEVER, .code = code};
    return (struct host_turn){.ask = host_robots_is_due(r, s, wall_ms) ? HOST_ASK_ROBOTS
                                                                       : HOST_ASK_PAGE};
}
