/* SPDX-License-Identifier: Apache-2.0 */
/* detector: what others say of themselves, and who has gone silent.
 *
 * Heartbeats carry floors, gates and epochs; of a peer only the newest of its present boot counts,
 * and after a reconnection only what is heard anew (servers that lost a stream have gone down with
 * their heartbeats, so a floor heard since is a floor of what they have now). Death is decided by
 * the roster alone: no renewal for `dead`, counted by somebody who renewed all the while itself. */
#include "base/mem.h"
#include "cluster/inside.h"

static bool is_at(const struct peer *p, const char *name, uint64_t inc)
{
    return p->inc == inc && strcmp(p->name, name) == 0;
}

static bool is_me(const struct agent *a, const struct peer *p)
{
    return is_at(p, a->name, a->inc);
}

struct peer *detector_find(struct agent *a, const char *name, uint64_t inc)
{
    for (size_t i = 0; i < a->peers.count; i++)
        if (is_at(&a->peers.list[i], name, inc))
            return &a->peers.list[i];
    return NULL;
}

static struct peer *add(struct agent *a, const struct roster_agent *r)
{
    struct peers *p = &a->peers;
    if (p->count == p->cap) {
        size_t cap = p->cap ? p->cap * 2 : 8;
        struct peer *more = mem_resize(p->list, cap * sizeof *more);
        if (!more)
            return NULL;
        p->list = more;
        p->cap = cap;
    }
    struct peer *new = &p->list[p->count++];
    *new = (struct peer){.inc = r->inc, .heard_ms = a->now_ms};
    memcpy(new->name, r->name, sizeof new->name);
    return new;
}

static bool is_living(const struct roster_agent *r)
{
    return r->state == ROSTER_LIVING || r->state == ROSTER_LEAVING;
}

static void renew_row(struct agent *a, const struct roster_agent *r)
{
    struct peer *p = detector_find(a, r->name, r->inc);
    if (!p)
        p = add(a, r);
    if (!p) {
        agent_fail(a, RC_NOMEM, "no memory for another agent");
        return;
    }
    p->is_here = true;
    if (p->boot != r->boot) {
        p->boot = r->boot;
        p->is_heard = p->has_floor = false;
        p->last = (struct heartbeat){0};
    }
    if (p->lease_number != r->lease_number) {
        p->lease_number = r->lease_number;
        p->lease_seen_ms = a->now_ms;
    }
}

void detector_roster(struct agent *a)
{
    struct peers *p = &a->peers;
    for (size_t i = 0; i < p->count; i++)
        p->list[i].is_here = false;
    for (size_t i = 0; i < roster_count(a->roster); i++)
        if (is_living(roster_at(a->roster, i)))
            renew_row(a, roster_at(a->roster, i));
    for (size_t i = 0; i < p->count;)
        if (p->list[i].is_here)
            i++;
        else
            p->list[i] = p->list[--p->count];
}

void detector_reconnected(struct agent *a)
{
    for (size_t i = 0; i < a->peers.count; i++)
        a->peers.list[i].is_heard = a->peers.list[i].has_floor = false;
}

void detector_heard(struct agent *a, struct str name, struct str payload)
{
    struct heartbeat h;
    if (heartbeat_read(payload, &h)) {
        a->junk++;
        return;
    }
    if (h.roster > roster_length(a->roster))
        roster_log_heard(a, h.roster);
    a->outbox.has_floors = true;
    for (size_t i = 0; i < a->peers.count; i++) {
        struct peer *p = &a->peers.list[i];
        if (p->inc != h.inc || p->boot != h.boot || !str_eq(str_c(p->name), name))
            continue;
        if (p->last.beat >= h.beat)
            return;
        if (!is_me(a, p))
            pace_heard(a, &p->last, &h);
        p->last = h;
        p->is_heard = true;
        p->has_floor = h.has_floor;
        p->heard_ms = a->now_ms;
        tally_heard(a, p->name, &p->last);
    }
}

bool detector_all_at(struct agent *a, uint64_t epoch)
{
    for (size_t i = 0; i < a->peers.count; i++) {
        const struct peer *p = &a->peers.list[i];
        if (!is_me(a, p) && (!p->is_heard || p->last.epoch < epoch))
            return false;
    }
    return a->epoch >= epoch;
}

bool detector_all_open(struct agent *a, uint64_t epoch)
{
    for (size_t i = 0; i < a->peers.count; i++) {
        const struct peer *p = &a->peers.list[i];
        if (!is_me(a, p) && (!p->is_heard || p->last.epoch != epoch || !p->last.gates_open))
            return false;
    }
    return a->epoch == epoch && a->gates.are_open;
}

static uint64_t later_of(uint64_t x, uint64_t y)
{
    return x > y ? x : y;
}

static void accuse(struct agent *a, const struct peer *p)
{
    struct roster_entry e = {.kind = ROSTER_DEAD,
                             .victim = str_c(p->name),
                             .inc = p->inc,
                             .lease = p->lease_number,
                             .epoch = roster_epoch(a->roster) + 1};
    if (roster_log_append(a, &e))
        a->peers.accuse_ms = a->now_ms + agent_jitter(a, roster_timings(a->roster).renew_ms);
}

/* Who is silent for `dead` is accused by somebody who was there all the while. */
void detector_turn(struct agent *a)
{
    struct roster_timings t = roster_timings(a->roster);
    bool may = a->state == AGENT_RETURN ||
               ((a->state == AGENT_UP || a->state == AGENT_JOINING || a->state == AGENT_LEAVING) &&
                lease_is_good(a, a->now_ms));
    if (!may || !t.dead_ms || a->now_ms < a->start_ms + 2 * (uint64_t)t.dead_ms ||
        a->now_ms < a->peers.accuse_ms)
        return;
    for (size_t i = 0; i < a->peers.count; i++) {
        const struct peer *p = &a->peers.list[i];
        if (is_me(a, p) && a->state != AGENT_RETURN)
            continue;
        uint64_t since = later_of(p->lease_seen_ms, a->lease.calm_ms);
        if (a->now_ms - since >= t.dead_ms) {
            accuse(a, p);
            return;
        }
    }
}

uint64_t detector_suspects(const struct agent *a, uint64_t now_ms)
{
    uint64_t count = 0;
    for (size_t i = 0; i < a->peers.count; i++) {
        const struct peer *p = &a->peers.list[i];
        count += !is_me(a, p) && now_ms - p->heard_ms >= roster_timings(a->roster).suspect_ms;
    }
    return count;
}

/* Everybody hears itself, too: if we do not, we hear nobody. */
bool detector_is_deaf(const struct agent *a, uint64_t now_ms)
{
    for (size_t i = 0; a->is_connected && agent_is_living(a) && i < a->peers.count; i++)
        if (is_me(a, &a->peers.list[i]))
            return now_ms - a->peers.list[i].heard_ms >= roster_timings(a->roster).fence_ms;
    return false;
}

void detector_listen(struct agent *a)
{
    if (!detector_is_deaf(a, a->now_ms) || a->now_ms < a->peers.anew_ms)
        return;
    a->peers.anew_ms = a->now_ms + roster_timings(a->roster).fence_ms;
    bus_anew(a->bus);
}

void detector_say(struct agent *a)
{
    if (!a->is_connected || !agent_is_living(a))
        return;
    struct heartbeat h = {.inc = a->inc,
                          .boot = a->boot,
                          .beat = a->beat + 1,
                          .epoch = a->epoch,
                          .roster = roster_length(a->roster),
                          .gates_open = a->gates.are_open && a->epoch == roster_epoch(a->roster),
                          .has_floor = a->inbox.is_verified &&
                                       port_durable(a->port) >= a->inbox.generation_position,
                          .generation = a->inbox.generation,
                          .floor = a->inbox.floor,
                          .round = a->finish.round,
                          .quiet = a->finish.quiet,
                          .is_finished = a->finish.is_finished,
                          .is_home = a->finish.everywhere_ms > 0,
                          .admitted = a->finish.admitted,
                          .sent = a->outbox.sent};
    if (!pace_may_say(a, &h))
        return;
    a->beat++;
    h.pages = port_counts(a->port).pages;
    tally_say(a, &h);
    char room[HEARTBEAT_MAX_BYTES], subject[AGENT_MAX_SUBJECT];
    struct buf out = buf_on(room, sizeof room);
    heartbeat_write(&h, &out);
    if (bus_say(a->bus, str_c(agent_subject_heartbeat(a, a->name, subject)), buf_str(&out)) ==
        RC_OK)
        a->says++;
    pace_said(a, &h);
    a->next_beat_ms = a->now_ms + roster_timings(a->roster).beat_ms;
    agent_wake(a, a->next_beat_ms);
}
