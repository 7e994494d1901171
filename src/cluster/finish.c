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

/* What the others say: the least round in which all were idle, the greatest, the least quiet. */
static void compare(struct agent *a, bool *ret_all_said, bool *ret_all_quiet)
{
    struct finish *f = &a->finish;
    uint64_t most = f->round;
    *ret_all_said = f->is_said;
    *ret_all_quiet = f->is_said && f->quiet >= 2;
    for (size_t i = 0; i < a->peers.count; i++) {
        const struct peer *p = &a->peers.list[i];
        if (p->inc == a->inc && strcmp(p->name, a->name) == 0)
            continue;
        bool said = p->is_heard && p->last.epoch == a->epoch && p->last.round == f->round &&
                    p->last.quiet >= 1;
        *ret_all_said = *ret_all_said && said;
        *ret_all_quiet = *ret_all_quiet && said && p->last.quiet >= 2;
        if (p->is_heard && p->last.round > most)
            most = p->last.round;
    }
    if (most > f->round)
        begin(a, most);
}

/* Whether everybody living has said that it knows. */
bool finish_is_everywhere(const struct agent *a)
{
    for (size_t i = 0; i < a->peers.count; i++) {
        const struct peer *p = &a->peers.list[i];
        bool is_me = p->inc == a->inc && strcmp(p->name, a->name) == 0;
        if (!is_me && (!p->is_heard || !p->last.is_finished))
            return false;
    }
    return a->finish.is_finished;
}

void finish_turn(struct agent *a)
{
    struct finish *f = &a->finish;
    bool all_said, all_quiet;
    if (!is_settled(a)) {
        f->is_finished = false;
        f->is_said = false;
        f->quiet = 0;
        return;
    }
    if (!f->end)
        begin(a, f->round ? f->round : 1);
    look(a);
    compare(a, &all_said, &all_quiet);
    f->is_finished = all_quiet;
    if (all_said && !all_quiet)
        begin(a, f->round + 1);
}
