/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/roster/roster_internal.h"

#include "cluster/wire/names.h"

/* The log's own time ------------------------------------------------------------------------- */

static uint64_t longest_step(const struct roster_timings *t)
{
    uint64_t sixth = t->dead_ms / 6, renewals = UINT64_C(2) * t->renew_ms;
    return sixth > renewals ? sixth : renewals;
}

uint64_t roster_time_at(const struct roster *r, uint64_t stamp_ms)
{
    if (!r->is_founded || stamp_ms <= r->last_stamp_ms)
        return r->time;
    uint64_t step = stamp_ms - r->last_stamp_ms, most = longest_step(&r->timings);
    return r->time + (step < most ? step : most);
}

static uint64_t old_enough_ms(const struct roster *r)
{
    return UINT64_C(5) * r->timings.dead_ms / 6;
}

static bool was_heard_throughout(const struct roster *r, const struct member *m, uint64_t time)
{
    return time - m->heard_time <= r->timings.dead_ms / 2 &&
           time - m->heard_since >= old_enough_ms(r);
}

/* The rules ---------------------------------------------------------------------------------- */

/* The fence must close before any agent may say `dead`, and a single missed renewal must not close
 * it. */
static const char *why_not_found(const struct roster *r, const struct roster_entry *e)
{
    const struct roster_timings *t = &e->timings;
    if (r->is_founded)
        return "the roster has been founded already";
    if (!t->heartbeat_ms || !t->renew_ms || t->renew_ms >= t->fence_ms / 2 ||
        t->heartbeat_ms >= t->suspect_ms)
        return "its heartbeat or renew is 0, or too long for its other timings";
    if (t->suspect_ms >= t->fence_ms || t->fence_ms >= t->abort_ms || t->abort_ms > t->dead_ms ||
        t->fence_ms >= UINT64_C(5) * t->dead_ms / 6)
        return "its timings are not suspect < fence < abort <= dead, fence < 5/6 dead";
    if (!e->points || e->points > ROSTER_MAX_POINTS || !e->probes || e->probes > ASSIGN_MAX_PROBES)
        return "its ring has too few or too many points or probes";
    return NULL;
}

static bool is_ring_empty(const struct roster *r)
{
    return !r->rows[r->row_count - 1].ring;
}

static const char *why_not_next(const struct roster *r, const struct roster_entry *e)
{
    return e->epoch == r->epoch + 1 ? NULL : "its epoch is not the next";
}

/* Whether the entry puts an agent into an empty ring. Without this rule no agent could adopt the
 * dead ones, and no epoch would ever be settled. */
static bool fills_ring(const struct roster *r, const struct roster_entry *e)
{
    return is_ring_empty(r) && e->weight > 0;
}

static const char *why_wait(const struct roster *r, const struct roster_entry *e)
{
    return roster_is_open(r) && !fills_ring(r, e) ? "a transition is open" : NULL;
}

static const char *why_not_own(const struct roster *r, const struct roster_stand *at,
                               const struct roster_entry *e)
{
    struct member *m = member_living(r, at->writer);
    return m && m->is.inc == e->inc ? NULL : "its incarnation is not living";
}

static const char *why_not_renew(const struct roster *r, const struct roster_stand *at,
                                 const struct roster_entry *e)
{
    const char *why = why_not_own(r, at, e);
    if (why || e->is_start)
        return why;
    return member_living(r, at->writer)->is.boot == e->boot ? NULL : "its boot is not the roster's";
}

static const char *why_not_join(const struct roster *r, const struct roster_stand *at,
                                const struct roster_entry *e)
{
    const struct member *former = member_youngest(r, at->writer);
    if (former && member_is_living(former))
        return "that name is living";
    if (e->inc != (former ? former->is.inc : 0) + 1)
        return "its incarnation is not its former one plus 1";
    if (former && former->is.state == ROSTER_DEAD_NOW && !fills_ring(r, e))
        return "its former incarnation is not adopted yet";
    const char *why = why_not_next(r, e);
    return why ? why : why_wait(r, e);
}

static const char *why_not_weight(const struct roster *r, const struct roster_stand *at,
                                  const struct roster_entry *e)
{
    const char *why = why_not_own(r, at, e);
    if (!why && member_living(r, at->writer)->is.state == ROSTER_LEAVING)
        why = "it is leaving";
    why = why ? why : why_not_next(r, e);
    return why ? why : why_wait(r, e);
}

static const char *why_not_leave(const struct roster *r, const struct roster_stand *at,
                                 const struct roster_entry *e)
{
    const char *why = why_not_own(r, at, e);
    if (!why && member_living(r, at->writer)->is.state == ROSTER_LEAVING)
        why = "it is leaving";
    why = why ? why : why_not_next(r, e);
    return why ? why : roster_is_open(r) ? "a transition is open" : NULL;
}

static const char *why_not_dead(const struct roster *r, const struct roster_stand *at,
                                uint64_t time, const struct roster_entry *e)
{
    const struct member *v = member_of(r, e->victim, e->inc);
    const struct member *writer = member_youngest(r, at->writer);
    if (!v || !member_is_living(v))
        return "the agent it names is not living";
    if (e->lease != v->is.lease_number)
        return "the lease it names is not the agent's last";
    if (time - v->lease_time < old_enough_ms(r))
        return "the lease is not old enough";
    if (!writer || !was_heard_throughout(r, writer, time))
        return "its writer was not heard throughout";
    return why_not_next(r, e);
}

static const char *why_not_adopted(const struct roster *r, const struct roster_stand *at,
                                   const struct roster_entry *e)
{
    const struct member *v = member_of(r, e->victim, e->inc);
    if (!v || v->is.state != ROSTER_DEAD_NOW)
        return "the agent it names is not dead";
    const struct roster_agent *adopter = roster_adopter(r, &v->is);
    return adopter && str_eq(str_c(adopter->name), at->writer) ? NULL
                                                               : "its writer is not the adopter";
}

static const char *why_not_gone(const struct roster *r, const struct roster_stand *at,
                                const struct roster_entry *e)
{
    const char *why = why_not_own(r, at, e);
    if (why)
        return why;
    return member_living(r, at->writer)->is.state == ROSTER_LEAVING ? NULL : "it is not leaving";
}

static const char *why_not_settled(const struct roster *r, const struct roster_stand *at,
                                   const struct roster_entry *e)
{
    if (!member_living(r, at->writer))
        return "its writer is not living";
    if (e->epoch != r->epoch)
        return "its epoch is not the last";
    if (!roster_is_open(r))
        return "that epoch is settled already";
    if (is_ring_empty(r))
        return "the ring is empty";
    return r->dead_count ? "a dead agent is not adopted yet" : NULL;
}

/* No host changes its owner, so a transition may be open. */
static const char *why_not_recrawl(const struct roster *r, const struct roster_stand *at,
                                   const struct roster_entry *e)
{
    const char *why = why_not_own(r, at, e);
    if (!why && (e->n <= r->recrawl_number || e->n > UINT32_MAX))
        why = "that recrawl has begun already";
    return why ? why : why_not_next(r, e);
}

const char *roster_why_not(const struct roster *r, const struct roster_stand *at, uint64_t time,
                           const struct roster_entry *e)
{
    if (!cluster_name_ok(at->writer))
        return "its writer's name is not valid";
    if (!r->is_founded && e->kind != ROSTER_FOUND)
        return "the roster has not been founded";
    switch (e->kind) {
    case ROSTER_FOUND:
        return why_not_found(r, e);
    case ROSTER_RENEW:
        return why_not_renew(r, at, e);
    case ROSTER_JOIN:
        return why_not_join(r, at, e);
    case ROSTER_WEIGHT:
        return why_not_weight(r, at, e);
    case ROSTER_LEAVE:
        return why_not_leave(r, at, e);
    case ROSTER_DEAD:
        return why_not_dead(r, at, time, e);
    case ROSTER_ADOPTED:
        return why_not_adopted(r, at, e);
    case ROSTER_GONE:
        return why_not_gone(r, at, e);
    case ROSTER_SETTLED:
        return why_not_settled(r, at, e);
    case ROSTER_RECRAWL:
        return why_not_recrawl(r, at, e);
    case ROSTER_RESTORE:
        break; /* a restore is no entry itself */
    }
    return "its kind is not known";
}
