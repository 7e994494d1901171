/* SPDX-License-Identifier: Apache-2.0 */
/* rounds: the first crawl, then its recrawls, in which everything known is asked for once more.
 *
 * A crawl that was begun anew (port_restart) has forgotten what is done and is of the round behind
 * its last, or of the roster's if others have begun already. Whoever is ahead of the roster says so
 * there, and asks for nothing and sends nothing until that is read: so whatever it sends is of an
 * epoch at which its reader knows of the round. Whoever is behind, with a crawl that was not begun
 * anew, stops: it would take what is to be asked for again as known. An empty crawl is of whichever
 * round there is.
 *
 * Streams hold what was done in all rounds. A done of an earlier one only says that there is such a
 * URL; URLs are of all rounds. So our own stream is read again from its first message: it has what
 * those found and did who are out of the crawl by now, and nobody else could ask for it. */
#include "cluster/inside.h"

#define BEHIND "others ask again for everything that is known: start this agent with --recrawl too"

bool rounds_is_in(const struct agent *a)
{
    return a->round.number == roster_round(a->roster);
}

bool agent_is_behind(const struct agent *a)
{
    return a->failure && a->round.number < roster_round(a->roster);
}

static void begin(struct agent *a, uint64_t number, const struct port_restart *r, uint64_t wall_ms)
{
    a->round = (struct time_around){.number = number,
                                    .before = a->round.number,
                                    .id = r->id,
                                    .wall_ms = wall_ms,
                                    .position = port_end(a->port)};
}

void rounds_start(struct agent *a)
{
    struct port_restart r = port_restart(a->port);
    struct buf fact = {.max = PORT_MAX_FACT_BYTES};
    uint64_t next = a->round.number + 1, others = roster_round(a->roster);
    if (r.id <= a->round.id)
        return;
    begin(a, next > others ? next : others, &r, r.wall_ms);
    inbox_read_again(a);
    fact_round(&fact, &a->round);
    fact_cursor(&fact, &a->inbox);
    enum rc rc = buf_rc(&fact);
    rc = rc ? rc : agent_note(a, buf_str(&fact));
    buf_done(&fact);
    if (rc)
        agent_fail(a, rc, "a new round cannot be journalled");
    a->inbox.generation_position = port_end(a->port);
}

void rounds_anew(struct agent *a, struct buf *fact)
{
    struct port_restart r = port_restart(a->port);
    uint64_t number = roster_round(a->roster);
    begin(a, number, &r, number ? r.now_wall_ms : 0);
    fact_round(fact, &a->round);
}

void rounds_join(struct agent *a)
{
    struct buf fact = {.max = PORT_MAX_FACT_BYTES};
    if (rounds_is_in(a))
        return;
    rounds_anew(a, &fact);
    enum rc rc = buf_rc(&fact);
    rc = rc ? rc : agent_note(a, buf_str(&fact));
    buf_done(&fact);
    if (rc)
        agent_fail(a, rc, "the others' round cannot be journalled");
}

void rounds_recall(struct agent *a, uint64_t position, uint64_t number, uint64_t id,
                   uint64_t wall_ms)
{
    a->round = (struct time_around){.number = number,
                                    .before = a->round.number,
                                    .id = id,
                                    .wall_ms = wall_ms,
                                    .position = position};
}

void rounds_turn(struct agent *a)
{
    if (a->round.number <= roster_round(a->roster))
        return;
    if (a->entry_ms > a->now_ms) {
        agent_wake(a, a->entry_ms);
        return;
    }
    (void)roster_log_append(a, &(struct roster_entry){.kind = ROSTER_ROUND,
                                                      .inc = a->inc,
                                                      .n = a->round.number,
                                                      .epoch = roster_epoch(a->roster) + 1});
    a->entry_ms = a->now_ms + agent_jitter(a, roster_timings(a->roster).renew_ms / 2);
    agent_wake(a, a->entry_ms);
}

void rounds_look(struct agent *a)
{
    if (a->round.number < roster_round(a->roster))
        agent_fail(a, RC_EXISTS, BEHIND);
}

void rounds_stamp(const struct agent *a, struct record *r, uint64_t position)
{
    const struct time_around *t = &a->round;
    if (r->kind == RECORD_DONE)
        r->round =
            (uint32_t)(position < t->position || r->time_ms < t->wall_ms ? t->before : t->number);
}

/* Of a host that was asked in an earlier round the moment still counts; what else was known of it
 * begins anew, as it does on a machine alone. */
bool rounds_takes(const struct agent *a, struct record *r)
{
    if (r->kind == RECORD_HOST && r->time_ms < a->round.wall_ms)
        r->state = STR("");
    if (r->kind != RECORD_DONE || r->round >= a->round.number)
        return true;
    *r = (struct record){.kind = RECORD_URL, /* that one at least is known */
                         .position = r->position,
                         .host = r->host,
                         .fingerprint = r->fingerprint,
                         .path = r->path,
                         .hops = r->hops,
                         .port = r->port,
                         .is_https = r->is_https,
                         .class = r->class};
    return r->path.n > 0;
}
