/* SPDX-License-Identifier: Apache-2.0 */
/* recrawls: the first crawl has number 0; each recrawl, which fetches all known pages again, has
 * the next one.
 *
 * A crawl that was begun anew (port_recrawl) has forgotten what is done. Its recrawl number is the
 * one behind its last, or the roster's if other agents have already begun. An agent that is ahead
 * of the roster appends the new number there, and neither fetches nor sends until it has read it
 * back. So the epoch of everything that it sends tells its reader of the recrawl. An agent that is
 * behind, with a crawl that was not begun anew, stops: it would take pages as known that are to be
 * fetched again. An empty crawl takes the roster's number.
 *
 * Streams hold what was done in all recrawls. A done record of an earlier one only says that there
 * is such a URL; url records belong to all. So an agent reads its own stream again from the first
 * message: it holds what was found and done by agents that have left since, and no other agent
 * could fetch that. */
#include "cluster/protocol/agent_internal.h"

#define BEHIND "the other agents have begun a recrawl: start this agent with --recrawl, too"

bool recrawls_is_in(const struct agent *a)
{
    return a->recrawl.number == roster_recrawl(a->roster);
}

bool agent_is_behind(const struct agent *a)
{
    return a->failure && a->recrawl.number < roster_recrawl(a->roster);
}

static void begin_recrawl(struct agent *a, uint64_t number, const struct port_recrawl *r,
                          uint64_t wall_ms)
{
    a->recrawl = (struct recrawl){.number = number,
                                  .before = a->recrawl.number,
                                  .id = r->id,
                                  .wall_ms = wall_ms,
                                  .position = port_end(a->port)};
}

void recrawls_start(struct agent *a)
{
    struct port_recrawl r = port_recrawl(a->port);
    struct buf fact = {.max = PORT_MAX_FACT_BYTES};
    uint64_t next = a->recrawl.number + 1, others = roster_recrawl(a->roster);
    if (r.id <= a->recrawl.id)
        return;
    begin_recrawl(a, next > others ? next : others, &r, r.wall_ms);
    inbox_read_again(a);
    fact_recrawl(&fact, &a->recrawl);
    fact_cursor(&fact, &a->inbox);
    enum rc rc = buf_rc(&fact);
    rc = rc ? rc : agent_note(a, buf_str(&fact));
    buf_done(&fact);
    if (rc)
        agent_fail(a, rc, "cannot journal a new recrawl");
    a->inbox.generation_position = port_end(a->port);
}

void recrawls_anew(struct agent *a, struct buf *fact)
{
    struct port_recrawl r = port_recrawl(a->port);
    uint64_t number = roster_recrawl(a->roster);
    begin_recrawl(a, number, &r, number ? r.now_wall_ms : 0);
    fact_recrawl(fact, &a->recrawl);
}

void recrawls_join(struct agent *a)
{
    struct buf fact = {.max = PORT_MAX_FACT_BYTES};
    if (recrawls_is_in(a))
        return;
    recrawls_anew(a, &fact);
    enum rc rc = buf_rc(&fact);
    rc = rc ? rc : agent_note(a, buf_str(&fact));
    buf_done(&fact);
    if (rc)
        agent_fail(a, rc, "cannot journal the recrawl of the other agents");
}

void recrawls_recall(struct agent *a, uint64_t position, uint64_t number, uint64_t id,
                     uint64_t wall_ms)
{
    a->recrawl = (struct recrawl){.number = number,
                                  .before = a->recrawl.number,
                                  .id = id,
                                  .wall_ms = wall_ms,
                                  .position = position};
}

void recrawls_turn(struct agent *a)
{
    if (a->recrawl.number <= roster_recrawl(a->roster))
        return;
    if (a->entries.next_ms > a->now_ms) {
        agent_wake(a, a->entries.next_ms);
        return;
    }
    (void)roster_log_append(a, &(struct roster_entry){.kind = ROSTER_RECRAWL,
                                                      .inc = a->inc,
                                                      .n = a->recrawl.number,
                                                      .epoch = roster_epoch(a->roster) + 1});
    a->entries.next_ms = a->now_ms + agent_jitter(a, roster_timings(a->roster).renew_ms / 2);
    agent_wake(a, a->entries.next_ms);
}

void recrawls_look(struct agent *a)
{
    if (a->recrawl.number < roster_recrawl(a->roster))
        agent_fail(a, RC_EXISTS, BEHIND);
}

void recrawls_stamp(const struct agent *a, struct record *r, uint64_t position)
{
    const struct recrawl *t = &a->recrawl;
    if (r->kind == RECORD_DONE)
        r->recrawl_number =
            (uint32_t)(position < t->position || r->time_ms < t->wall_ms ? t->before : t->number);
}

/* If a host was last asked in an earlier recrawl, that time still counts. All else that was
 * known of the host is dropped, as in a crawl of one machine. */
bool recrawls_takes(const struct agent *a, struct record *r)
{
    if (r->kind == RECORD_HOST && r->time_ms < a->recrawl.wall_ms)
        r->state = STR("");
    if (r->kind != RECORD_DONE || r->recrawl_number >= a->recrawl.number)
        return true;
    /* a done record of an earlier recrawl still names a URL */
    *r = (struct record){.kind = RECORD_URL,
                         .host_hash = r->host_hash,
                         .host = r->host,
                         .fingerprint = r->fingerprint,
                         .path = r->path,
                         .seed_path = r->seed_path,
                         .port = r->port,
                         .is_https = r->is_https,
                         .class = r->class};
    return r->path.n > 0;
}
