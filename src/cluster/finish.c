/* SPDX-License-Identifier: Apache-2.0 */
/* finish: whether the whole crawl has ended, found out without anybody who asks.
 *
 * Rounds are numbered; an agent goes to the next when all say that they were idle in this one, or
 * when it hears of a later one. Idle in a round: an end appended in that round was read in our
 * stream, nothing is queued or open, and nothing of ours is above a receiver's floor. `quiet`
 * counts successive rounds in which we were idle and admitted nothing in between. When everybody
 * living says the same round with quiet >= 2, then at the moment at which that round began all were
 * idle at once and no message was on its way: nothing can begin any more. */
#include "cluster/inside.h"

enum {
    LAST_WORDS = 3,
    FIRST_BEATS = 10, /* so long nobody who has had nothing yet believes that there is nothing */
};

static bool is_settled(const struct agent *a)
{
    return a->epoch == roster_epoch(a->roster) && !roster_is_open(a->roster) && a->gates.are_open &&
           agent_is_living(a) && roster_log_is_whole(a) && a->inbox.is_verified &&
           a->is_connected && rounds_is_in(a);
}

bool finish_is_idle(struct agent *a)
{
    struct port_counts c = port_counts(a->port);
    return is_settled(a) && !c.queued && !c.open && outbox_is_empty(a) && !a->republish.is_wanted &&
           !a->inbox.count;
}

static void begin(struct agent *a, uint64_t round)
{
    struct finish *f = &a->finish;
    if (!f->is_said)
        f->quiet = 0;
    f->round = round;
    f->is_said = false;
    f->end = inbox_want_end(a);
}

static void look(struct agent *a)
{
    struct finish *f = &a->finish;
    uint64_t admitted = port_counts(a->port).admitted;
    if (f->is_said && (f->admitted != admitted || !finish_is_idle(a))) {
        /* Not any more: what was said of this round does not hold for the next. */
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

/* What the others say of this round; whoever hears of a later one begins it. */
static void compare(struct agent *a, bool *ret_all_said, bool *ret_all_quiet)
{
    struct finish *f = &a->finish;
    *ret_all_said = f->is_said;
    *ret_all_quiet = f->is_said && f->quiet >= 2;
    for (size_t i = 0; *ret_all_said && i < a->peers.count; i++) {
        const struct peer *p = &a->peers.list[i];
        if (p->inc == a->inc && strcmp(p->name, a->name) == 0)
            continue;
        bool said = p->is_heard && p->last.epoch == a->epoch && p->last.round == f->round &&
                    p->last.quiet >= 1;
        *ret_all_said = said;
        *ret_all_quiet = *ret_all_quiet && said && p->last.quiet >= 2;
    }
    if (a->peers.most_round > f->round)
        begin(a, a->peers.most_round);
}

/* Whether everybody living has said that it knows, or even that everybody does. */
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

/* Who ends its process at once is missed by those who have not heard yet, and they would wait until
 * it counts as dead. So: when all know that all know, and that has been said some times; or some
 * beats after all know, whatever became of the others' words. */
bool finish_may_go(const struct agent *a, uint64_t now_ms)
{
    const struct finish *f = &a->finish;
    uint64_t beats_ms = LAST_WORDS * (uint64_t)roster_timings(a->roster).beat_ms;
    return f->everywhere_ms &&
           (now_ms - f->everywhere_ms >= beats_ms ||
            (f->home_ms && now_ms - f->home_ms >= LAST_WORDS * pace_soon_ms(a)));
}

/* Who has the seeds may join last. */
static bool has_begun(struct agent *a)
{
    uint64_t first_ms = FIRST_BEATS * (uint64_t)roster_timings(a->roster).beat_ms;
    bool has = a->finish.admitted > 0 || a->now_ms - a->start_ms >= first_ms;
    for (size_t i = 0; !has && i < a->peers.count; i++)
        has = (a->peers.list[i].is_heard && a->peers.list[i].last.admitted > 0);
    return has;
}

void finish_turn(struct agent *a)
{
    struct finish *f = &a->finish;
    bool all_said, all_quiet;
    if (!is_settled(a)) {
        f->is_finished = false;
        f->is_said = false;
        f->quiet = 0;
        f->everywhere_ms = f->home_ms = 0;
        return;
    }
    if (!f->end)
        begin(a, f->round ? f->round : 1);
    look(a);
    compare(a, &all_said, &all_quiet);
    f->is_finished = all_quiet && has_begun(a);
    if (all_said && !all_quiet)
        begin(a, f->round + 1);
    look_home(a);
}
