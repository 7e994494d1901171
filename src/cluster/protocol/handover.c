/* SPDX-License-Identifier: Apache-2.0 */
/* handover: hands over the hosts that we held since the last settled epoch and that now belong to
 * other agents.
 *
 *   DRAIN      no page of these hosts is open any more
 *   END        we have read our stream to an end that we appended after we saw the epoch: what
 *              others sent us for these hosts is on its way to the owners
 *   FLUSH      the receivers have confirmed all that was journalled until then, outcomes included
 *   END_AGAIN  we have read an end behind those outcomes
 *   SCAN       sends the done, seed path and host records of these hosts from our own stream, up
 *              to that end (the crawl itself knows pages that are done only by fingerprints). A
 *              leaving agent also sends the URLs: a recrawl needs them, and no agent will read its
 *              stream or history then
 *   WALK       sends their queued URLs and host records from the crawl
 *   CONFIRM    the gainers have confirmed all that, and so have the receivers of what is published
 *              again because the servers had lost it
 *   MARKS      sends a handover mark to each agent that may have gained hosts. When these are
 *              acknowledged, the crawl forgets the hosts
 *
 * A new epoch begins it anew, and so does a crash; merging makes both harmless. */
#include "base/hash.h"
#include "cluster/protocol/agent_internal.h"

enum { PARCELS_AT_A_TIME = 64 };

static bool is_gainer(const struct agent *a, const struct roster_agent *me,
                      const struct roster_agent *r)
{
    return r != me && agent_is_in_ring(a, r->name, r->inc) &&
           roster_held_for(a->roster, me, r, a->epoch);
}

static bool has_gainers(const struct agent *a)
{
    const struct roster_agent *me = agent_me(a);
    for (size_t i = 0; me && i < roster_count(a->roster); i++)
        if (is_gainer(a, me, roster_at(a->roster, i)))
            return true;
    return false;
}

void handover_epoch(struct agent *a)
{
    struct handover *h = &a->handover;
    bool is_open = h->is_open;
    passes_done(&h->passes);
    outbox_forget_source(a, &h->source);
    outbox_forget_source(a, &h->handover_marks);
    *h = (struct handover){.epoch = a->epoch, .is_open = is_open};
    bool needed = agent_is_living(a) && roster_is_open(a->roster) && has_gainers(a);
    h->stage = needed ? HANDOVER_DRAIN : HANDOVER_NONE;
}

static void ask_for_scan(struct agent *a)
{
    struct handover *h = &a->handover;
    char stream[AGENT_MAX_SUBJECT], filter[AGENT_MAX_SUBJECT];
    if (h->is_open || h->retry_ms > a->now_ms || h->source.unconfirmed >= PARCELS_AT_A_TIME ||
        !outbox_has_room(a)) {
        agent_wake(a, h->retry_ms);
        return;
    }
    if (agent_call_get(a, CALL_SCAN, agent_subject_stream(a, a->name, stream), h->scan + 1,
                       agent_subject_all_of(a, a->name, a->inc, filter)) == RC_OK) {
        h->is_open = true;
        h->asked = h->scan + 1;
    } else {
        h->retry_ms = a->now_ms + a->settings.poll_ms;
    }
}

static void forward_message(struct agent *a, struct str payload)
{
    struct record_batch b;
    struct record r;
    if (record_batch_read(payload, &b) || b.is != BATCH_IS_RECORDS)
        return;
    while (records_next(&b.records, &r)) {
        bool is_needed =
            r.kind == RECORD_URL ? a->state == AGENT_LEAVING : r.kind != RECORD_SHORTER;
        if (is_needed && !agent_owns(a, r.host_hash))
            outbox_put(a, &r, &a->handover.source);
    }
}

/* The end that we read may have had its number in a copy that is gone: append another one. */
static void scan_dry(struct agent *a)
{
    struct handover *h = &a->handover;
    passes_nothing(&h->passes);
    if (agent_is_dry(a, &h->dry_ms))
        h->stage = HANDOVER_FLUSH;
}

static void walk_next(struct agent *a)
{
    passes_done(&a->handover.passes);
    a->handover.stage = HANDOVER_WALK;
}

void handover_done(struct agent *a, const struct bus_event *e)
{
    struct handover *h = &a->handover;
    h->is_open = false;
    if (h->stage != HANDOVER_SCAN || h->asked != h->scan + 1 || !roster_log_is_whole(a) ||
        !roster_has_owners(a->roster))
        return;
    if (e->rc == RC_NOT_FOUND)
        scan_dry(a);
    else
        h->dry_ms = 0;
    if (e->rc != RC_OK || e->sequence <= h->scan) {
        h->retry_ms = a->now_ms + a->settings.poll_ms;
        return;
    }
    h->scan = e->sequence;
    if (e->sequence <= h->scan_end &&
        passes_see(&h->passes, agent_has_copies(a), e->sequence, hash64(e->payload)))
        forward_message(a, e->payload);
    if (e->sequence < h->scan_end)
        return;
    if (passes_probe(&h->passes, agent_has_copies(a)))
        h->scan = h->scan_end - 1;
    else if (passes_again(&h->passes, agent_has_copies(a)))
        h->scan = 0;
    else
        walk_next(a);
}

static void walk_moved(struct agent *a)
{
    struct handover *h = &a->handover;
    struct record list[PORT_MAX_WALK];
    while (h->source.unconfirmed < PARCELS_AT_A_TIME && outbox_has_room(a) && !a->failure) {
        size_t count = 0;
        enum rc rc = port_walk(a->port, PORT_WALK_MOVED, &h->walk_at, list, PORT_MAX_WALK, &count);
        if (rc == RC_AGAIN) {
            agent_wake(a, a->now_ms + PORT_WALK_MS);
            return;
        }
        if (rc)
            agent_fail(a, rc, "cannot walk over the hosts that moved");
        if (rc || !count) {
            h->stage = HANDOVER_CONFIRM;
            return;
        }
        for (size_t i = 0; i < count; i++)
            outbox_put(a, &list[i], &h->source);
    }
}

static void send_handover_marks(struct agent *a)
{
    const struct roster_agent *me = agent_me(a);
    for (size_t i = 0; me && i < roster_count(a->roster); i++) {
        const struct roster_agent *r = roster_at(a->roster, i);
        if (is_gainer(a, me, r))
            outbox_handover_mark(a, r->name, r->inc, str_c(a->name), a->inc,
                                 &a->handover.handover_marks);
    }
    a->handover.stage = HANDOVER_MARKS;
}

static void forget_moved(struct agent *a)
{
    enum rc rc = port_forget(a->port);
    if (rc)
        agent_fail(a, rc, "cannot forget the hosts that moved");
    a->handover.stage = HANDOVER_DONE;
}

static bool is_end_read(const struct agent *a)
{
    return a->inbox.end_read >= a->handover.end;
}

/* The servers had lost part of the scanned stream: what is missing in it is on its way from
 * here. */
static bool republish_is_open(const struct agent *a)
{
    return a->republish.is_wanted || a->republish.source.unconfirmed;
}

void handover_turn(struct agent *a)
{
    struct handover *h = &a->handover;
    if (h->epoch != a->epoch || !agent_is_living(a) || !roster_log_is_whole(a) ||
        !roster_has_owners(a->roster))
        return;
    if (h->stage == HANDOVER_DRAIN && port_counts(a->port).moving == 0) {
        h->end = inbox_want_end(a);
        h->stage = HANDOVER_END;
    }
    if (h->stage == HANDOVER_END && is_end_read(a)) {
        h->position = port_counts(a->port).last;
        h->stage = HANDOVER_FLUSH;
    }
    if (h->stage == HANDOVER_FLUSH && outbox_released_through(a) >= h->position) {
        h->end = inbox_want_end(a);
        h->stage = HANDOVER_END_AGAIN;
    }
    if (h->stage == HANDOVER_END_AGAIN && is_end_read(a)) {
        h->scan_end = a->inbox.end_sequence;
        h->stage = HANDOVER_SCAN;
    }
    if (h->stage == HANDOVER_SCAN)
        ask_for_scan(a);
    if (h->stage == HANDOVER_WALK)
        walk_moved(a);
    if (h->stage == HANDOVER_CONFIRM && !h->source.unconfirmed && !republish_is_open(a))
        send_handover_marks(a);
    if (h->stage == HANDOVER_MARKS && !h->handover_marks.unacked)
        forget_moved(a);
}

/* Publishes our own records again, into the stream that the servers lost. */
void republish_turn(struct agent *a)
{
    struct republish *p = &a->republish;
    struct record list[PORT_MAX_WALK];
    if (!p->is_wanted || !agent_is_living(a) || !roster_log_is_whole(a))
        return;
    while (p->source.unconfirmed < PARCELS_AT_A_TIME && outbox_has_room(a) && !a->failure) {
        size_t count = 0;
        enum rc rc = port_walk(a->port, PORT_WALK_OWN, &p->walk_at, list, PORT_MAX_WALK, &count);
        if (rc == RC_AGAIN) {
            agent_wake(a, a->now_ms + PORT_WALK_MS);
            return;
        }
        if (rc)
            agent_fail(a, rc, "cannot walk over this agent's records");
        if (rc || !count) {
            p->is_wanted = false;
            return;
        }
        for (size_t i = 0; i < count; i++) {
            recrawls_stamp(a, &list[i], UINT64_MAX);
            outbox_put(a, &list[i], &p->source);
        }
    }
}
