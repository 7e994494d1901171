/* SPDX-License-Identifier: Apache-2.0 */
/* finish: detects the end of the whole crawl without a coordinator.
 *
 * Finish rounds are numbered. An agent begins the next round when all agents say that they were
 * idle in this one, or when it hears of a later one. An agent is idle in a round if it has read its
 * stream to an end that it appended in that round, nothing is queued or open, and its receivers
 * have confirmed all that it sent. `quiet` counts the successive rounds in which the agent was idle
 * and admitted nothing in between. If all living agents report the same round with quiet >= 2, then
 * all of them were idle at once at the moment at which that round began, and no message was on its
 * way: no new work can appear. */
#include "cluster/protocol/agent_internal.h"

enum {
    LAST_WORDS = 3,
    FIRST_HEARTBEATS =
        /* an agent that has admitted nothing waits this long before it believes that there is no
         * work */
    10,
};

static bool is_steady(const struct agent *a)
{
    return a->epoch == roster_epoch(a->roster) && !roster_is_open(a->roster) && a->gates.are_open &&
           agent_is_living(a) && roster_log_is_whole(a) && a->inbox.is_verified &&
           a->is_connected && recrawls_is_in(a);
}

bool finish_is_idle(struct agent *a)
{
    struct port_counts c = port_counts(a->port);
    return is_steady(a) && !c.queued && !c.open && outbox_is_empty(a) && !a->republish.is_wanted &&
           !a->inbox.count;
}

static void begin_round(struct agent *a, uint64_t round)
{
    struct finish *f = &a->finish;
    if (!f->is_said)
        f->quiet = 0;
    f->round = round;
    f->is_said = false;
    f->end = inbox_want_end(a);
}

static void look_whether_idle(struct agent *a)
{
    struct finish *f = &a->finish;
    uint64_t admitted = port_counts(a->port).admitted;
    if (f->is_said && (f->admitted != admitted || !finish_is_idle(a))) {
        /* What this agent said of this round does not hold for the next. */
        f->is_said = false;
        f->quiet = 0;
        f->end = inbox_want_end(a);
    }
    if (f->is_said || a->inbox.end_read < f->end || !finish_is_idle(a))
        return;
    f->quiet = f->quiet && f->admitted == admitted ? f->quiet + 1 : 1;
    f->admitted = admitted;
    f->is_said = true;
}

/* Compares what the others say of this round. A later round begins as soon as one is heard of. */
static void compare_rounds(struct agent *a, bool *ret_all_said, bool *ret_all_quiet)
{
    struct finish *f = &a->finish;
    *ret_all_said = f->is_said;
    *ret_all_quiet = f->is_said && f->quiet >= 2;
    for (size_t i = 0; *ret_all_said && i < a->peers.count; i++) {
        const struct peer *p = &a->peers.list[i];
        if (p->inc == a->inc && strcmp(p->name, a->name) == 0)
            continue;
        bool said = p->is_heard && p->last.epoch == a->epoch && p->last.finish_round == f->round &&
                    p->last.quiet >= 1;
        *ret_all_said = said;
        *ret_all_quiet = *ret_all_quiet && said && p->last.quiet >= 2;
    }
    if (a->peers.most_finish_round > f->round)
        begin_round(a, a->peers.most_finish_round);
}

/* Whether all living agents have said that the crawl is finished, or (is_home) that they have heard
 * that from all. */
static bool have_all_said(const struct agent *a, bool is_home)
{
    if (!a->finish.is_finished)
        return false;
    for (size_t i = 0; i < a->peers.count; i++) {
        const struct peer *p = &a->peers.list[i];
        bool is_me = p->inc == a->inc && strcmp(p->name, a->name) == 0;
        bool said = p->is_heard && (is_home ? p->last.is_home : p->last.is_finished);
        if (!is_me && !said)
            return false;
    }
    return true;
}

bool finish_is_everywhere(const struct agent *a)
{
    return have_all_said(a, false);
}

static void look_home(struct agent *a)
{
    struct finish *f = &a->finish;
    bool is_everywhere = have_all_said(a, false);
    bool is_home = is_everywhere && have_all_said(a, true);
    f->everywhere_ms = !is_everywhere ? 0 : f->everywhere_ms ? f->everywhere_ms : a->now_ms;
    f->home_ms = !is_home ? 0 : f->home_ms ? f->home_ms : a->now_ms;
}

/* If an agent ended its process at once, those that have not yet heard would wait until it counts
 * as dead. So it ends when all know that all know, and has said so some times; or some heartbeats
 * after all know, if the others' heartbeats are lost. */
bool finish_may_go(const struct agent *a, uint64_t now_ms)
{
    const struct finish *f = &a->finish;
    uint64_t heartbeats_ms = LAST_WORDS * (uint64_t)roster_timings(a->roster).heartbeat_ms;
    return f->everywhere_ms &&
           (now_ms - f->everywhere_ms >= heartbeats_ms ||
            (f->home_ms && now_ms - f->home_ms >= LAST_WORDS * rhythm_soon_ms(a)));
}

/* The agent that has the seeds may join last. */
static bool has_begun(struct agent *a)
{
    uint64_t first_ms = FIRST_HEARTBEATS * (uint64_t)roster_timings(a->roster).heartbeat_ms;
    bool has = a->finish.admitted > 0 || a->now_ms - a->start_ms >= first_ms;
    for (size_t i = 0; !has && i < a->peers.count; i++)
        has = (a->peers.list[i].is_heard && a->peers.list[i].last.admitted > 0);
    return has;
}

void finish_turn(struct agent *a)
{
    struct finish *f = &a->finish;
    bool all_said, all_quiet;
    if (!is_steady(a)) {
        f->is_finished = false;
        f->is_said = false;
        f->quiet = 0;
        f->everywhere_ms = f->home_ms = 0;
        return;
    }
    if (!f->end)
        begin_round(a, f->round ? f->round : 1);
    look_whether_idle(a);
    compare_rounds(a, &all_said, &all_quiet);
    f->is_finished = all_quiet && has_begun(a);
    if (all_said && !all_quiet)
        begin_round(a, f->round + 1);
    look_home(a);
}
