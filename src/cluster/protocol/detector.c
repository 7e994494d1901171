/* SPDX-License-Identifier: Apache-2.0 */
/* detector: what other agents say of themselves, and which of them are silent.
 *
 * Heartbeats carry receipts, gates and epochs. Of a peer only the newest heartbeat of its present
 * boot counts, and after a reconnection only those heard since: servers that lost a stream were
 * down meanwhile, so an acked_through heard since describes the streams as they are now. The roster
 * alone decides death: no renewal for `dead`, as counted by an agent that renewed all that time. */
#include "base/hash.h"
#include "base/mem.h"
#include "cluster/protocol/agent_internal.h"
#include "cluster/wire/names.h"

enum { FEW = 16 }; /* up to this many agents may accuse at the same time */

static bool is_at(const struct peer *p, const char *name, uint64_t inc)
{
    return p->inc == inc && strcmp(p->name, name) == 0;
}

static bool is_me(const struct agent *a, const struct peer *p)
{
    return is_at(p, a->name, a->inc);
}

/* The peer of that name: a name is living at most once. */
static struct peer *find_name(const struct agent *a, struct str name)
{
    size_t low = 0, high = a->peers.count;
    uint64_t head = cluster_name_head(name);
    while (low < high) {
        size_t mid = (low + high) / 2;
        if (a->peers.heads[mid] < head)
            low = mid + 1;
        else
            high = mid;
    }
    for (; low < a->peers.count && a->peers.heads[low] == head; low++)
        if (str_eq(str_c(a->peers.list[low].name), name))
            return &a->peers.list[low];
    return NULL;
}

struct peer *detector_find(struct agent *a, const char *name, uint64_t inc)
{
    struct peer *p = find_name(a, str_c(name));
    return p && p->inc == inc ? p : NULL;
}

static bool is_living(const struct roster_agent *r)
{
    return r->state == ROSTER_LIVING || r->state == ROSTER_LEAVING;
}

static void renew_row(struct agent *a, struct peer *p, const struct roster_agent *r)
{
    if (p->boot != r->boot) {
        if (p->boot)
            link_renew(a, p);
        p->boot = r->boot;
        p->is_heard = p->has_acked_through = false;
        p->last = (struct heartbeat){0};
    }
    if (p->lease_number != r->lease_number) {
        p->lease_number = r->lease_number;
        p->lease_seen_ms = a->now_ms;
        if (a->state != AGENT_START && !p->has_renewed) {
            p->has_renewed = true;
            a->peers.accuse_look_ms = 0; /* the peer may be too old earlier than computed */
        }
    }
}

static void look_at_finish_rounds(struct agent *a)
{
    a->peers.most_finish_round = 0;
    for (size_t i = 0; i < a->peers.count; i++)
        if (a->peers.list[i].is_heard &&
            a->peers.list[i].last.finish_round > a->peers.most_finish_round)
            a->peers.most_finish_round = a->peers.list[i].last.finish_round;
}

/* Whether the table has exactly one row for each living agent. */
static bool is_table_right(const struct agent *a, size_t *ret_living)
{
    const struct peers *p = &a->peers;
    size_t at = 0;
    bool right = true;
    for (size_t i = 0; i < roster_count(a->roster); i++) {
        const struct roster_agent *r = roster_at(a->roster, i);
        if (is_living(r)) {
            right = right && at < p->count && is_at(&p->list[at], r->name, r->inc);
            at++;
        }
    }
    *ret_living = at;
    return right && at == p->count;
}

/* Makes a row for each living agent, in the roster's order. Known peers keep what was heard of
 * them. */
static void make_table(struct agent *a, size_t living)
{
    struct peer *list = mem_alloc((living + 1) * sizeof *list);
    uint64_t *heads = mem_alloc((living + 1) * sizeof *heads);
    size_t at = 0;
    if (!list || !heads) {
        mem_free(list);
        mem_free(heads);
        agent_fail(a, RC_NOMEM, "no memory for another agent");
        return;
    }
    a->peers.me = living;
    for (size_t i = 0; i < roster_count(a->roster); i++) {
        const struct roster_agent *r = roster_at(a->roster, i);
        if (!is_living(r))
            continue;
        if (strcmp(r->name, a->name) == 0)
            a->peers.me = at;
        const struct peer *was = detector_find(a, r->name, r->inc);
        list[at] = was ? *was : (struct peer){.inc = r->inc, .heard_ms = a->now_ms};
        heads[at] = cluster_name_head(str_c(r->name));
        memcpy(list[at++].name, r->name, sizeof list->name);
    }
    mem_free(a->peers.list);
    mem_free(a->peers.heads);
    a->peers.list = list;
    a->peers.heads = heads;
    a->peers.count = living;
}

void detector_roster(struct agent *a)
{
    size_t living, at = 0;
    if (!is_table_right(a, &living))
        make_table(a, living);
    for (size_t i = 0; i < roster_count(a->roster) && !a->failure; i++)
        if (is_living(roster_at(a->roster, i)))
            renew_row(a, &a->peers.list[at++], roster_at(a->roster, i));
    a->peers.accuse_look_ms = 0;
    look_at_finish_rounds(a);
}

void detector_renewed(struct agent *a, struct str name)
{
    struct peer *p = find_name(a, name);
    const struct roster_agent *r = p ? roster_find_inc(a->roster, name, p->inc) : NULL;
    if (!r)
        return;
    bool is_new = p->boot != r->boot;
    renew_row(a, p, r);
    if (is_new)
        look_at_finish_rounds(a);
}

void detector_reconnected(struct agent *a)
{
    for (size_t i = 0; i < a->peers.count; i++)
        a->peers.list[i].is_heard = a->peers.list[i].has_acked_through = false;
    a->peers.most_finish_round = 0;
}

void detector_heard(struct agent *a, struct str name, struct str payload)
{
    struct heartbeat h;
    struct heartbeat_lists lists;
    if (heartbeat_read(payload, &h, &lists)) {
        a->traffic.junk++;
        return;
    }
    if (h.roster > roster_length(a->roster))
        roster_log_heard(a, h.roster);
    a->outbox.has_receipt_news = true;
    struct peer *p = find_name(a, name);
    if (!p || p->inc != h.inc || p->boot != h.boot || p->last.number >= h.number)
        return;
    if (!is_me(a, p))
        rhythm_heard(a, &p->last, &h);
    p->last = h;
    p->is_heard = true;
    p->has_acked_through = h.has_acked_through;
    p->heard_ms = a->now_ms;
    if (h.finish_round > a->peers.most_finish_round)
        a->peers.most_finish_round = h.finish_round;
    link_heard(a, p, &lists);
    tally_heard(a, p->name, &p->last, &lists);
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

static bool is_open(const struct agent *a, const struct peer *p, uint64_t epoch)
{
    return is_me(a, p) || (p->is_heard && p->last.epoch == epoch && p->last.gates_open);
}

bool detector_all_open(struct agent *a, uint64_t epoch)
{
    struct peers *p = &a->peers;
    if (a->epoch != epoch || !a->gates.are_open ||
        (p->closed < p->count && !is_open(a, &p->list[p->closed], epoch)))
        return false;
    for (size_t i = 0; i < p->count; i++)
        if (!is_open(a, &p->list[i], epoch)) {
            p->closed = i;
            return false;
        }
    return true;
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

/* Among many agents, one accuses a little earlier than the next, so that the others read its entry
 * first. Otherwise a thousand agents would read a thousand entries that do not count. */
static uint64_t my_turn_ms(const struct agent *a, const struct peer *p)
{
    uint64_t spread = a->peers.count * a->settings.poll_ms / 4;
    if (a->peers.count <= FEW)
        return 0;
    return hash64_mix(hash64(str_c(a->name)) ^ p->lease_number) % spread;
}

/* A peer that was silent when we started may also be about to start, after an outage of the whole
 * cluster: it gets twice the time. A peer that has renewed since then was running. Our former
 * incarnation cannot start any more, since we are the process of its name. */
static uint64_t grace_ends_ms(const struct agent *a, const struct peer *p)
{
    bool was_running = p->has_renewed || strcmp(p->name, a->name) == 0;
    return was_running ? 0 : a->start_ms + 2 * (uint64_t)roster_timings(a->roster).dead_ms;
}

/* An agent that is silent for `dead` is accused by one that was there all that time. */
void detector_turn(struct agent *a)
{
    struct roster_timings t = roster_timings(a->roster);
    /* An agent outside the roster needs no lease, but the log must have heard it all that time. The
     * agents that it waits for may all be gone for good. */
    bool is_outside = a->state == AGENT_JOINING && !agent_is_living(a);
    bool may = a->state == AGENT_RETURN || is_outside ||
               ((a->state == AGENT_UP || a->state == AGENT_JOINING || a->state == AGENT_LEAVING) &&
                lease_is_good(a, a->now_ms));
    if (!may || !t.dead_ms || a->now_ms < a->peers.accuse_ms || a->now_ms < a->peers.accuse_look_ms)
        return;
    uint64_t next = UINT64_MAX; /* leases only get younger: no peer is too old before this */
    for (size_t i = 0; i < a->peers.count; i++) {
        const struct peer *p = &a->peers.list[i];
        if (is_me(a, p) && a->state != AGENT_RETURN)
            continue;
        uint64_t since_ms = later_of(p->lease_seen_ms, a->lease.calm_ms);
        uint64_t old_ms = later_of(since_ms + t.dead_ms, grace_ends_ms(a, p)) + my_turn_ms(a, p);
        if (a->now_ms >= old_ms) {
            accuse(a, p);
            return;
        }
        next = old_ms < next ? old_ms : next;
    }
    a->peers.accuse_look_ms = next;
}

static bool is_suspect(const struct agent *a, const struct peer *p, uint64_t now_ms)
{
    return !is_me(a, p) && now_ms - p->heard_ms >= roster_timings(a->roster).suspect_ms;
}

uint64_t agent_suspects(const struct agent *a, uint64_t now_ms)
{
    uint64_t count = 0;
    for (size_t i = 0; i < a->peers.count; i++)
        count += is_suspect(a, &a->peers.list[i], now_ms);
    return count;
}

bool agent_is_suspect(const struct agent *a, struct str name, uint64_t now_ms)
{
    const struct peer *p = find_name(a, name);
    return p && is_suspect(a, p, now_ms);
}

/* Every agent hears its own heartbeats. If we do not, we hear no other agent's either. */
bool detector_has_no_loopback(const struct agent *a, uint64_t now_ms)
{
    if (!a->is_connected || !agent_is_living(a))
        return false;
    const struct peers *p = &a->peers;
    const struct peer *me = p->me < p->count ? &p->list[p->me] : NULL;
    return me && is_me(a, me) && now_ms - me->heard_ms >= roster_timings(a->roster).fence_ms;
}

void detector_listen(struct agent *a)
{
    if (!detector_has_no_loopback(a, a->now_ms) || a->now_ms < a->peers.anew_ms)
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
                          .number = a->traffic.heartbeats + 1,
                          .epoch = a->epoch,
                          .roster = roster_length(a->roster),
                          .gates_open = a->gates.are_open && a->epoch == roster_epoch(a->roster),
                          .has_acked_through =
                              a->inbox.is_verified &&
                              port_durable(a->port) >= a->inbox.generation_position,
                          .generation = a->inbox.generation,
                          .acked_through = a->inbox.acked_through,
                          .finish_round = a->finish.round,
                          .quiet = a->finish.is_said ? a->finish.quiet : 0,
                          .is_finished = a->finish.is_finished,
                          .is_home = a->finish.everywhere_ms > 0,
                          .admitted = a->finish.admitted,
                          .sent = a->outbox.sent};
    if (!rhythm_may_say(a, &h))
        return;
    struct heartbeat_lists lists = {0};
    a->traffic.heartbeats++;
    h.pages = port_counts(a->port).pages;
    tally_say(a, &h, &lists);
    receipts_say(a, &lists);
    char room[HEARTBEAT_MAX_BYTES], subject[AGENT_MAX_SUBJECT];
    struct buf out = buf_on(room, sizeof room);
    heartbeat_write(&h, &lists, &out);
    if (bus_say(a->bus, str_c(agent_subject_heartbeat(a, a->name, subject)), buf_str(&out)) ==
        RC_OK)
        a->traffic.says++;
    rhythm_said(a, &h);
    a->traffic.next_heartbeat_ms = a->now_ms + roster_timings(a->roster).heartbeat_ms;
    agent_wake(a, a->traffic.next_heartbeat_ms);
}
