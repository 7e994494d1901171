/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/protocol/agent.h"

#include "base/mem.h"
#include "cluster/protocol/agent_internal.h"
#include "cluster/wire/subjects.h"

enum { MAX_LOG_BYTES = 1 << 30, RESTORE_HEAD_BYTES = 1024 };

const char *agent_state_text(enum agent_state s)
{
    static const char *const words[] = {"start",  "recover", "return", "joining", "up",
                                        "fenced", "leaving", "gone",   "stopped"};
    return (size_t)s < sizeof words / sizeof *words ? words[s] : "?";
}

/* ---- what others ask ---- */

bool agent_has_copies(const struct agent *a)
{
    return a->settings.copies > 1;
}

bool agent_is_dry(const struct agent *a, uint64_t *since_ms)
{
    if (!*since_ms)
        *since_ms = a->now_ms;
    if (!agent_has_copies(a) || a->now_ms - *since_ms <= DRY_POLLS * a->settings.poll_ms)
        return false;
    *since_ms = 0;
    return true;
}

void agent_fail(struct agent *a, enum rc rc, const char *why)
{
    if (a->failure)
        return;
    a->failure = rc;
    a->why = why;
    a->state = AGENT_STOPPED;
    port_abort(a->port);
}

enum rc agent_note(struct agent *a, struct str fact)
{
    return port_note(a->port, fact);
}

const struct roster_agent *agent_me(const struct agent *a)
{
    return a->me;
}

void agent_look_for_me(struct agent *a)
{
    a->me = a->inc ? roster_find_inc(a->roster, str_c(a->name), a->inc) : NULL;
}

static bool is_living(const struct roster_agent *r)
{
    return r && (r->state == ROSTER_LIVING || r->state == ROSTER_LEAVING);
}

bool agent_is_living(const struct agent *a)
{
    const struct roster_agent *me = agent_me(a);
    /* At the start, `boot` is the last process's. */
    return a->state != AGENT_START && a->state != AGENT_RETURN && is_living(me) &&
           me->boot == a->boot;
}

bool agent_is_in_ring(const struct agent *a, const char *name, uint64_t inc)
{
    const struct roster_agent *r = roster_find_inc(a->roster, str_c(name), inc);
    return r && r->state == ROSTER_LIVING && r->weight > 0;
}

const struct roster_agent *agent_owner(const struct agent *a, uint64_t host_hash)
{
    return roster_owner(a->roster, host_hash, roster_epoch(a->roster));
}

const struct roster_agent *agent_receiver(const struct agent *a, const struct record *r)
{
    const struct roster_agent *to =
        r->kind == RECORD_SHORTER ? roster_find(a->roster, r->where) : NULL;
    bool is_there = to && agent_is_in_ring(a, to->name, to->inc);
    return is_there ? to : agent_owner(a, r->host_hash);
}

bool agent_is_receiver(const struct agent *a, const struct record *r)
{
    const struct roster_agent *to = agent_receiver(a, r);
    return to && to->inc == a->inc && strcmp(to->name, a->name) == 0;
}

bool agent_owns(const struct agent *a, uint64_t host_hash)
{
    const struct roster_agent *owner = agent_owner(a, host_hash);
    return owner && owner->inc == a->inc && strcmp(owner->name, a->name) == 0;
}

bool agent_is_fetching(const struct agent *a, uint64_t now_ms)
{
    return (a->state == AGENT_UP || a->state == AGENT_FENCED) && roster_log_is_whole(a) &&
           lease_is_good(a, now_ms) && agent_is_living(a) && recrawls_is_in(a);
}

bool agent_may_fetch(const struct agent *a, uint64_t host_hash, uint64_t now_ms)
{
    return agent_is_fetching(a, now_ms) && agent_owns(a, host_hash) && gates_are_open(a, host_hash);
}

void agent_wake(struct agent *a, uint64_t at_ms)
{
    /* A task that is due and not done waits for an answer, whose event wakes us. */
    if (at_ms <= a->now_ms)
        at_ms = a->now_ms + a->settings.poll_ms;
    if (at_ms < a->due_ms)
        a->due_ms = at_ms;
}

uint64_t agent_jitter(struct agent *a, uint64_t ms)
{
    return ms + rng_below(&a->rng, ms + 1);
}

uint64_t agent_due_ms(const struct agent *a)
{
    return a->due_ms;
}

bool agent_has_time(const struct agent *a)
{
    return !a->rhythm.is_quick;
}

const char *agent_why(const struct agent *a)
{
    return a->why ? a->why : "";
}

const struct roster *agent_roster(const struct agent *a)
{
    return a->roster;
}

void agent_leave(struct agent *a)
{
    a->wishes.leave = true;
}

void agent_set_weight(struct agent *a, uint32_t weight)
{
    a->wishes.weight = weight;
    a->wishes.new_weight = true;
}

/* ---- opening ---- */

static bool copy_name(struct str from, bool is_good, char *to)
{
    if (!is_good || from.n > ROSTER_MAX_NAME_BYTES)
        return false;
    memcpy(to, from.p, from.n);
    to[from.n] = 0;
    return true;
}

static enum rc open_parts(struct agent *a)
{
    char subject[AGENT_MAX_SUBJECT];
    enum rc rc = roster_open_sharing(a->settings.rings, &a->roster);
    if (!rc)
        rc = inbox_init(a);
    a->is_recalling = true;
    if (!rc)
        rc = port_recall(a->port, facts_recall, a);
    a->is_recalling = false;
    if (!rc)
        rc = a->failure;
    if (!rc)
        rc = bus_listen(a->bus, str_c(agent_subject_heartbeat(a, NULL, subject)));
    return rc;
}

enum rc agent_open(const struct agent_settings *s, struct bus *b, struct port *p, uint64_t now_ms,
                   struct agent **ret)
{
    struct agent *a = mem_zero(1, sizeof *a);
    if (!a)
        return RC_NOMEM;
    a->settings = *s;
    a->settings.crawl = a->settings.name = STR_NONE; /* copied below */
    if (!a->settings.outbox_most)
        a->settings.outbox_most = OUTBOX_USUAL_MOST;
    if (!a->settings.restore_most)
        a->settings.restore_most = ROSTER_MAX_ENTRY_BYTES - RESTORE_HEAD_BYTES;
    a->bus = b;
    a->port = p;
    a->wishes.weight = s->weight;
    a->now_ms = a->start_ms = a->lease.last_now_ms = a->lease.calm_ms = now_ms;
    rng_init(&a->rng, s->seed);
    buf_init(&a->log.bytes, MAX_LOG_BYTES);
    buf_init(&a->log.pending, ROSTER_MAX_ENTRY_BYTES);
    bool named = copy_name(s->crawl, subject_crawl_ok(s->crawl), a->crawl) &&
                 copy_name(s->name, subject_agent_ok(s->name), a->name);
    enum rc rc = named ? open_parts(a) : RC_INVALID;
    if (rc) {
        agent_close(a);
        return rc;
    }
    outbox_reset(a);
    detector_roster(a);
    *ret = a;
    return RC_OK;
}

void agent_close(struct agent *a)
{
    if (!a)
        return;
    adoption_free(a);
    passes_done(&a->handover.passes);
    outbox_reset(a);
    inbox_free(a);
    gates_free(a);
    roster_log_free(a);
    mem_free(a->peers.list);
    mem_free(a->peers.heads);
    mem_free(a->tally.rows);
    roster_close(a->roster);
    mem_free(a);
}

/* ---- the roster has grown ---- */

static void act_on_epoch(struct agent *a)
{
    a->epoch = roster_epoch(a->roster);
    port_epoch(a->port);
    outbox_epoch(a);
    handover_epoch(a);
}

/* Drops everything of the incarnation that has ended. The outbox reads the journal again from where
 * it is kept, and sends it to the present owners. */
static void become_former(struct agent *a)
{
    a->state = AGENT_RETURN;
    a->lease.is_held = false;
    a->lease.calm_ms = a->now_ms;
    a->lease.next_ms = 0;
    a->peers.accuse_look_ms = 0; /* this agent may accuse its former incarnation */
    port_abort(a->port);
    outbox_reset(a);
    handover_epoch(a);
    a->republish.is_wanted = false;
    a->republish.source = (struct source){0};
    a->finish = (struct finish){0};
    a->namesake = (struct namesake){0};
}

bool agent_is_own_boot(const struct agent *a, uint64_t boot)
{
    for (size_t i = 0; i < a->boots.count; i++)
        if (a->boots.list[i] == boot)
            return true;
    return false;
}

static void look_at_me(struct agent *a)
{
    const struct roster_agent *me = agent_me(a);
    if (a->state == AGENT_START || a->state == AGENT_RETURN || a->state == AGENT_GONE || !me)
        return;
    if (!is_living(me)) {
        if (a->state == AGENT_LEAVING && me->state == ROSTER_FORGOTTEN)
            a->state = AGENT_GONE;
        else
            become_former(a);
    } else if (!agent_is_own_boot(a, me->boot)) {
        agent_fail(a, RC_LOCKED, AGENT_NAMESAKE);
    } else if (me->state == ROSTER_LEAVING && a->state != AGENT_RECOVER) {
        a->state = AGENT_LEAVING;
    }
    if (agent_is_living(a))
        recrawls_look(a);
}

static void roster_changed(struct agent *a)
{
    a->outbox.has_receipt_news = true;
    detector_roster(a);
    look_at_me(a);
    a->is_acted = false;
    if (a->failure || !roster_log_is_whole(a))
        return;
    if (roster_epoch(a->roster) != a->epoch)
        act_on_epoch(a);
    adoption_roster(a);
    gates_look_anew(a);
    a->is_acted = true;
}

/* Most entries are renewals: they change at most one row, and no host moves. */
static void roster_renewed(struct agent *a, struct str writer)
{
    detector_renewed(a, writer);
    look_at_me(a);
}

static bool is_by_me(const struct agent *a, const struct roster_entry *e, struct str writer)
{
    return str_eq(writer, str_c(a->name)) && e->inc == a->inc && e->boot == a->boot;
}

void agent_roster_taken(struct agent *a, const struct roster_entry *e, struct str writer,
                        bool is_valid)
{
    if (is_valid)
        gates_roster(a, e);
    if (a->is_recalling)
        return;
    if (is_valid && e->kind != ROSTER_RENEW) {
        /* Entries of ours before this one did not count, or had their effect. */
        uint64_t soon_ms = a->now_ms + rng_below(&a->rng, rhythm_soon_ms(a) + 1);
        a->entries.next_ms = soon_ms < a->entries.next_ms ? soon_ms : a->entries.next_ms;
        a->rhythm.news++;
        rhythm_inbox_soon(a);
    }
    namesake_taken(a, e, writer, is_valid);
    if (is_valid && e->kind == ROSTER_RENEW && is_by_me(a, e, writer))
        lease_read_back(a, e->n);
    if (is_valid && e->kind == ROSTER_JOIN && is_by_me(a, e, writer))
        lease_joined(a);
    bool is_small = !is_valid || e->kind == ROSTER_RENEW;
    if (is_small && a->is_acted && roster_log_is_whole(a))
        roster_renewed(a, writer);
    else
        roster_changed(a);
}

/* ---- events ---- */

static void reconnected(struct agent *a)
{
    a->is_connected = true;
    a->is_log_read = a->is_log_read && a->state != AGENT_START;
    lease_fence(a);
    detector_reconnected(a);
    roster_log_reconnected(a);
    inbox_reconnected(a);
    outbox_reconnected(a);
}

static void call_ended(struct agent *a, const struct bus_event *e)
{
    void *what = NULL;
    enum call_kind kind = agent_call_end(a, e->ticket, &what);
    switch (kind) {
    case CALL_NONE:
        break;
    case CALL_LOG_NEXT:
        if (e->rc == RC_NOT_FOUND)
            a->is_log_read = true;
        roster_log_done(a, kind, e);
        break;
    case CALL_LOG_VERIFY:
    case CALL_LOG_BACK:
    case CALL_LOG_APPEND:
        roster_log_done(a, kind, e);
        break;
    case CALL_PARCEL:
        outbox_done(a, what, e);
        break;
    case CALL_INBOX_NEXT:
    case CALL_INBOX_VERIFY:
    case CALL_INBOX_END:
        inbox_done(a, kind, e);
        break;
    case CALL_SCAN:
        handover_done(a, e);
        break;
    case CALL_ADOPT_NEXT:
    case CALL_ADOPT_END:
        adoption_done(a, kind, e);
        break;
    }
}

void agent_event(struct agent *a, const struct bus_event *e, uint64_t now_ms)
{
    if (a->failure)
        return;
    a->now_ms = now_ms;
    (void)lease_look(a, now_ms);
    a->due_ms = now_ms;
    switch (e->kind) {
    case BUS_UP:
        reconnected(a);
        break;
    case BUS_DOWN:
        a->is_connected = false;
        break;
    case BUS_HEARD:
        detector_heard(a, agent_subject_last(e->subject), e->payload);
        break;
    case BUS_ASKED:
        break;
    case BUS_DONE:
        call_ended(a, e);
        break;
    }
}

/* ---- states ---- */

static void note_or_fail(struct agent *a, struct buf *fact, bool is_aside)
{
    struct str bytes = buf_str(fact);
    enum rc rc = buf_rc(fact);
    if (!rc)
        rc = is_aside ? port_aside(a->port, bytes) : port_note(a->port, bytes);
    if (rc)
        agent_fail(a, rc, "cannot journal this agent's incarnation");
    a->boots.position = port_end(a->port);
    buf_done(fact);
}

static void new_boot(struct agent *a)
{
    a->boot = rng_next(&a->rng) | 1;
    if (a->boots.count == AGENT_MAX_BOOTS) {
        memmove(a->boots.list, a->boots.list + 1, (AGENT_MAX_BOOTS - 1) * sizeof *a->boots.list);
        a->boots.count--;
    }
    a->boots.list[a->boots.count++] = a->boot;
}

static bool is_directory_the_rosters(const struct agent *a)
{
    const struct roster_agent *r = roster_find(a->roster, str_c(a->name));
    return a->inc && r && r->inc == a->inc && is_living(r) && agent_is_own_boot(a, r->boot);
}

static void recover(struct agent *a)
{
    struct buf fact = {.max = PORT_MAX_FACT_BYTES};
    recrawls_look(a);
    if (a->failure)
        return;
    outbox_reset(a);
    new_boot(a);
    fact_boot(&fact, a->boot);
    note_or_fail(a, &fact, false);
    a->state = AGENT_RECOVER;
    a->lease.next_ms = 0;
}

static void begin_anew(struct agent *a, uint64_t inc)
{
    struct buf fact = {.max = PORT_MAX_FACT_BYTES};
    uint64_t position = port_end(a->port);
    outbox_reset(a);
    a->inc = inc;
    agent_look_for_me(a);
    a->first_inc = a->first_inc ? a->first_inc : inc;
    a->inc_position = position;
    a->lease.join_ms = 0;
    a->namesake.before = a->lease.n;
    a->boots.count = 0;
    new_boot(a);
    inbox_reset(a);
    gates_reset(a);
    fact_inc(&fact, inc);
    fact_boot(&fact, a->boot);
    recrawls_anew(a, &fact);
    note_or_fail(a, &fact, true);
    a->state = AGENT_JOINING;
}

static bool may_come(const struct agent *a)
{
    const struct roster_agent *former = roster_find(a->roster, str_c(a->name));
    bool is_alone = !roster_has_owners(a->roster);
    if (former && is_living(former))
        return false;
    if (is_alone)
        return true;
    return (!former || former->state == ROSTER_FORGOTTEN) && !roster_is_open(a->roster);
}

static void turn_return(struct agent *a)
{
    const struct roster_agent *former = roster_find(a->roster, str_c(a->name));
    if (is_directory_the_rosters(a)) /* the roster was read late */
        recover(a);
    else if (a->is_log_read && roster_timings(a->roster).dead_ms && may_come(a))
        begin_anew(a, (former ? former->inc : 0) + 1);
}

static bool is_entry_due(struct agent *a)
{
    if (a->entries.next_ms <= a->now_ms)
        return true;
    agent_wake(a, a->entries.next_ms);
    return false;
}

static void say_entry(struct agent *a, const struct roster_entry *e)
{
    if (roster_log_append(a, e)) {
        /* If several joins were sent, the first may be the one that counts. */
        if (e->kind == ROSTER_JOIN && !a->lease.join_ms)
            a->lease.join_ms = a->now_ms;
        a->entries.next_ms = a->now_ms + agent_jitter(a, roster_timings(a->roster).renew_ms / 2);
    } else {
        a->entries.next_ms = a->now_ms + a->settings.poll_ms;
    }
    agent_wake(a, a->entries.next_ms);
}

static void turn_joining(struct agent *a)
{
    const struct roster_agent *me = agent_me(a);
    if (me && is_living(me)) {
        if (a->gates.are_open && lease_is_good(a, a->now_ms))
            a->state = AGENT_UP;
        return;
    }
    const struct roster_agent *former = roster_find(a->roster, str_c(a->name));
    if (former && former->inc >= a->inc) {
        become_former(a);
        return;
    }
    recrawls_join(a);
    if (may_come(a) && port_durable(a->port) >= a->boots.position && is_entry_due(a))
        say_entry(a, &(struct roster_entry){.kind = ROSTER_JOIN,
                                            .inc = a->inc,
                                            .boot = a->boot,
                                            .weight = a->wishes.weight,
                                            .epoch = roster_epoch(a->roster) + 1});
}

/* The first agent by name settles at once; the others follow a little later, in case it fails. */
static uint64_t my_rank(const struct agent *a)
{
    uint64_t rank = 0;
    for (size_t i = 0; i < roster_count(a->roster); i++)
        if (is_living(roster_at(a->roster, i)) &&
            strcmp(roster_at(a->roster, i)->name, a->name) < 0)
            rank++;
    return rank < 8 ? rank : 8;
}

static void try_to_settle(struct agent *a)
{
    /* With an empty ring no agent could have received anything: the former holders still hold their
     * hosts. */
    bool can = roster_is_open(a->roster) && roster_has_owners(a->roster) &&
               !roster_has_dead(a->roster) && detector_all_open(a, roster_epoch(a->roster));
    if (!can) {
        a->entries.settle_ms = 0;
        return;
    }
    if (!a->entries.settle_ms)
        a->entries.settle_ms = a->now_ms + 1 + my_rank(a) * roster_timings(a->roster).heartbeat_ms;
    if (a->entries.settle_ms > a->now_ms) {
        agent_wake(a, a->entries.settle_ms);
        return;
    }
    if (is_entry_due(a))
        say_entry(a, &(struct roster_entry){.kind = ROSTER_SETTLED, .epoch = a->epoch});
}

static void try_to_change(struct agent *a)
{
    const struct roster_agent *me = agent_me(a);
    /* With an empty ring nothing is settled until an agent joins it, which a new weight can also
     * do. */
    bool is_awaited = !roster_has_owners(a->roster) && a->wishes.new_weight && !a->wishes.leave &&
                      a->wishes.weight;
    if (!me || (roster_is_open(a->roster) && !is_awaited))
        return;
    uint64_t next = roster_epoch(a->roster) + 1;
    if (a->wishes.leave) {
        if (is_entry_due(a))
            say_entry(a,
                      &(struct roster_entry){.kind = ROSTER_LEAVE, .inc = a->inc, .epoch = next});
    } else if (a->wishes.new_weight && me->weight == a->wishes.weight) {
        a->wishes.new_weight = false;
    } else if (a->wishes.new_weight && !a->finish.is_finished && is_entry_due(a)) {
        /* A finished agent ends soon and settles nothing: an agent that comes late would wait for
         * it. */
        say_entry(a, &(struct roster_entry){.kind = ROSTER_WEIGHT,
                                            .inc = a->inc,
                                            .weight = a->wishes.weight,
                                            .epoch = next});
    }
}

/* By now all others send their records elsewhere. This agent still reads its stream to an end, and
 * waits until the others have what came of it: links of its archived pages may be judged again. */
static void turn_leaving(struct agent *a)
{
    const struct roster_agent *me = agent_me(a);
    if (!me || roster_settled(a->roster) < me->left_epoch || !detector_all_at(a, me->left_epoch)) {
        a->entries.gone_end = 0;
        return;
    }
    if (!a->entries.gone_end)
        a->entries.gone_end = inbox_want_end(a);
    if (a->inbox.end_read >= a->entries.gone_end && !a->inbox.count && !port_counts(a->port).open &&
        outbox_is_empty(a) && is_entry_due(a))
        say_entry(a, &(struct roster_entry){.kind = ROSTER_GONE, .inc = a->inc});
}

static void turn_state(struct agent *a)
{
    switch (a->state) {
    case AGENT_START:
        if (!a->is_log_read || !roster_log_is_whole(a))
            return;
        a->epoch = 0;
        a->state = AGENT_RETURN;
        recrawls_start(a);
        roster_changed(a);
        turn_return(a);
        return;
    case AGENT_RECOVER:
        if (agent_is_living(a) && lease_is_good(a, a->now_ms)) {
            a->state = agent_me(a)->state == ROSTER_LEAVING ? AGENT_LEAVING : AGENT_UP;
            handover_epoch(a); /* when the epoch was seen, this boot was not living yet */
        }
        return;
    case AGENT_RETURN:
        turn_return(a);
        return;
    case AGENT_JOINING:
        turn_joining(a);
        return;
    case AGENT_UP:
    case AGENT_FENCED:
        a->state = lease_is_good(a, a->now_ms) ? AGENT_UP : AGENT_FENCED;
        if (a->state == AGENT_UP) {
            recrawls_turn(a);
            try_to_settle(a);
            try_to_change(a);
        }
        return;
    case AGENT_LEAVING:
        turn_leaving(a);
        recrawls_turn(a);
        try_to_settle(a);
        return;
    case AGENT_GONE:
    case AGENT_STOPPED:
        return;
    }
}

enum rc agent_turn(struct agent *a, uint64_t now_ms)
{
    if (a->failure)
        return a->failure;
    a->now_ms = now_ms;
    a->due_ms = UINT64_MAX;
    (void)lease_look(a, now_ms);
    if (a->state == AGENT_GONE)
        return RC_OK;
    rhythm_turn(a);
    roster_log_turn(a);
    if (roster_log_is_whole(a)) {
        gates_look(a);
        turn_state(a);
    } else if (a->state == AGENT_UP && !lease_is_good(a, now_ms)) {
        a->state = AGENT_FENCED; /* the lease may have expired while the roster was read */
    }
    lease_turn(a);
    detector_turn(a);
    inbox_turn(a);
    handover_turn(a);
    adoption_turn(a);
    republish_turn(a);
    outbox_turn(a);
    finish_turn(a);
    (void)agent_may_claim(a); /* so that the status does not show a pause that has ended */
    rhythm_hurry(a);
    detector_say(a);
    detector_listen(a);
    agent_wake(a, now_ms + a->settings.gap_ms / 4);
    return a->failure;
}

void agent_status(const struct agent *a, uint64_t now_ms, struct agent_status *ret)
{
    *ret = (struct agent_status){.state = a->state,
                                 .inc = a->inc,
                                 .first_inc = a->first_inc,
                                 .boot = a->boot,
                                 .epoch = a->epoch,
                                 .settled = roster_settled(a->roster),
                                 .roster_length = roster_length(a->roster),
                                 .generation = a->inbox.generation,
                                 .cursor = a->inbox.cursor,
                                 .acked_through = a->inbox.acked_through,
                                 .lease_age_ms = lease_age_ms(a, now_ms),
                                 .parcels = a->outbox.count,
                                 .pages_unsent = a->outbox.page_count,
                                 .untold = untold_count(a),
                                 .untold_most = a->settings.untold_most,
                                 .is_paused = untold_is_paused(a),
                                 .junk = a->traffic.junk,
                                 .sent_again = a->traffic.sent_again,
                                 .appends = a->traffic.appends,
                                 .append_bytes = a->traffic.append_bytes,
                                 .gets = a->traffic.gets,
                                 .says = a->traffic.says,
                                 .gates_open = a->gates.are_open,
                                 .is_idle = a->finish.is_said,
                                 .is_finished = a->finish.is_finished,
                                 .is_all_finished = finish_is_everywhere(a),
                                 .may_end = a->state == AGENT_GONE || finish_may_go(a, now_ms),
                                 .is_whole = roster_log_is_whole(a),
                                 .is_connected = a->is_connected,
                                 .is_founded = roster_timings(a->roster).dead_ms > 0,
                                 .is_roster_read = a->is_log_read,
                                 .silent_ms = roster_log_silent_ms(a, now_ms),
                                 .lost = a->log.lost_count - a->log.lost_first,
                                 .has_namesake = a->namesake.is_seen,
                                 .has_no_loopback = detector_has_no_loopback(a, now_ms)};
}

uint64_t agent_first_inc(const struct agent *a)
{
    return a->first_inc;
}
