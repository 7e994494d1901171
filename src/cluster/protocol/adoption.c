/* SPDX-License-Identifier: Apache-2.0 */
/* adoption: forwards the stream of a dead agent to the new owners of its hosts.
 *
 * The ring decides which agent adopts; no agent claims it. The adopter reads all messages of the
 * stream and sends their records to the present owners. Once every living agent has read of the
 * death, no acknowledgement from that stream counts any more, so an end that the adopter appends
 * then stands behind every message that matters. When it has read the stream up to that end, and
 * the receivers have confirmed all records, it sends handover marks in the name of the dead agent
 * to all agents that gained hosts from it. When those are acknowledged it appends `adopted`. The
 * cursor is journalled only for a restart of this agent; another adopter begins at the first
 * message.
 *
 * An adopted agent stays a holder until the epoch is settled. If the epoch changes before that, its
 * adopter at that time sends marks for the new epoch. It need not read the stream again, since
 * `adopted` says that the owners have all its records. */
#include "base/hash.h"
#include "base/mem.h"
#include "cluster/protocol/agent_internal.h"

static struct adoptee *find_adoptee(const struct agent *a, struct str name, uint64_t inc)
{
    for (size_t i = 0; i < a->adoption.count; i++) {
        struct adoptee *d = a->adoption.list[i];
        if (d->inc == inc && str_eq(str_c(d->name), name))
            return d;
    }
    return NULL;
}

static struct adoptee *add_adoptee(struct agent *a, struct str name, uint64_t inc)
{
    struct adoption *ad = &a->adoption;
    struct adoptee *d = find_adoptee(a, name, inc);
    if (d || name.n > ROSTER_MAX_NAME_BYTES)
        return d;
    struct adoptee **list = mem_grow(ad->list, ad->count, &ad->cap, sizeof(*list));
    if (!list)
        return NULL;
    ad->list = list;
    d = mem_zero(1, sizeof *d);
    if (!d)
        return NULL;
    memcpy(d->name, name.p, name.n);
    d->inc = inc;
    ad->list[ad->count++] = d;
    return d;
}

void adoption_recall(struct agent *a, struct str name, uint64_t inc, uint64_t cursor)
{
    struct adoptee *d = add_adoptee(a, name, inc);
    /* with copies it must read the stream again, since it does not know what it had seen */
    if (d && !agent_has_copies(a))
        d->cursor = d->noted = cursor;
}

static void drop_adoptee(struct agent *a, size_t i)
{
    struct adoption *ad = &a->adoption;
    struct adoptee *d = ad->list[i];
    outbox_forget_source(a, &d->source);
    outbox_forget_source(a, &d->handover_marks);
    passes_done(&d->passes);
    if (ad->reading == d)
        ad->reading = NULL;
    ad->list[i] = ad->list[--ad->count];
    mem_free(d);
}

void adoption_free(struct agent *a)
{
    while (a->adoption.count)
        drop_adoptee(a, a->adoption.count - 1);
    mem_free(a->adoption.list);
}

static bool is_dead(const struct roster_agent *r)
{
    return r->state == ROSTER_DEAD_NOW || r->state == ROSTER_FORGOTTEN;
}

/* Updates the list of agents that this agent must adopt, by the roster. */
void adoption_roster(struct agent *a)
{
    struct adoption *ad = &a->adoption;
    const struct roster_agent *me = agent_me(a), *r;
    for (size_t i = 0; i < ad->count; i++)
        ad->list[i]->is_here = false;
    for (size_t i = 0; me && (r = gates_holder(a, i)); i++) {
        if (!is_dead(r) || roster_adopter(a->roster, r) != me)
            continue;
        struct adoptee *d = add_adoptee(a, str_c(r->name), r->inc);
        if (!d) {
            agent_fail(a, RC_NOMEM, "no memory for an adoption");
            return;
        }
        d->is_here = true;
        if (r->state == ROSTER_FORGOTTEN)
            d->is_forwarded = true;
    }
    for (size_t i = 0; i < ad->count;)
        if (ad->list[i]->is_here)
            i++;
        else
            drop_adoptee(a, i);
}

static void read_end(struct agent *a, struct adoptee *d)
{
    bool has_copies = agent_has_copies(a);
    if (passes_probe(&d->passes, has_copies))
        d->cursor--;
    else if (passes_again(&d->passes, has_copies))
        d->cursor = 0;
    else
        d->is_end_read = true;
}

static void forward_message(struct agent *a, struct adoptee *d, const struct bus_event *e)
{
    struct record_batch b;
    struct record r;
    bool is_seen = !passes_see(&d->passes, agent_has_copies(a), e->sequence, hash64(e->payload));
    if (record_batch_read(e->payload, &b))
        return;
    if (b.is == BATCH_IS_END && d->is_end_sent && b.nonce == d->nonce)
        read_end(a, d);
    if (b.is != BATCH_IS_RECORDS || is_seen)
        return;
    while (records_next(&b.records, &r))
        outbox_put(a, &r, &d->source);
}

static void done_end(struct adoptee *d, const struct bus_event *e)
{
    if (e->rc != RC_OK)
        d->is_end_sent = false;
    else if (e->sequence <= d->cursor && !d->is_end_read)
        d->cursor = 0; /* the servers lost the stream that we read: begin anew */
}

/* The stream is empty and our end was not read: copies differ, and we passed over it. */
static void look_for_end(struct agent *a, struct adoptee *d)
{
    if (!d->is_end_sent)
        return;
    passes_nothing(&d->passes);
    if (agent_is_dry(a, &d->dry_ms))
        d->is_end_sent = false;
}

void adoption_done(struct agent *a, enum call_kind kind, const struct bus_event *e)
{
    struct adoption *ad = &a->adoption;
    struct adoptee *d = ad->reading;
    ad->is_open = false;
    ad->reading = NULL;
    if (!d)
        return;
    if (kind == CALL_ADOPT_END) {
        done_end(d, e);
    } else if (e->rc == RC_OK && e->sequence > d->cursor && roster_log_is_whole(a) &&
               roster_has_owners(a->roster)) {
        d->cursor = e->sequence;
        d->dry_ms = 0;
        ad->in_window++;
        forward_message(a, d, e);
        return;
    } else if (e->rc == RC_NOT_FOUND) {
        look_for_end(a, d);
    }
    ad->retry_ms = a->now_ms + a->settings.poll_ms;
}

static void append_end(struct agent *a, struct adoptee *d)
{
    char room[256], subject[AGENT_MAX_SUBJECT];
    struct buf out = buf_on(room, sizeof room);
    d->nonce = rng_next(&a->rng);
    record_batch_begin(&out, &(struct record_batch){.is = BATCH_IS_END,
                                                    .src = str_c(a->name),
                                                    .src_inc = a->inc,
                                                    .epoch = a->epoch,
                                                    .nonce = d->nonce});
    if (agent_call_append(a, CALL_ADOPT_END, NULL,
                          agent_subject_inbox(a, d->name, d->inc, a->name, subject), buf_str(&out),
                          NULL) != RC_OK)
        return;
    d->is_end_sent = true;
    a->adoption.is_open = true;
    a->adoption.reading = d;
}

static void note_cursor(struct agent *a, struct adoptee *d)
{
    struct buf fact = {.max = PORT_MAX_FACT_BYTES};
    fact_adopted(&fact, d);
    enum rc rc = agent_note(a, buf_str(&fact));
    buf_done(&fact);
    if (rc)
        agent_fail(a, rc, "cannot journal an adoption");
    d->noted = d->cursor;
    a->adoption.in_window = 0;
}

static void read_on(struct agent *a, struct adoptee *d)
{
    struct adoption *ad = &a->adoption;
    char stream[AGENT_MAX_SUBJECT], filter[AGENT_MAX_SUBJECT];
    if (ad->in_window >= TRANSFER_WINDOW && !d->source.unconfirmed)
        note_cursor(a, d);
    if (ad->in_window >= TRANSFER_WINDOW || !outbox_has_room(a) || ad->retry_ms > a->now_ms) {
        agent_wake(a, ad->retry_ms);
        return;
    }
    const struct roster_agent *r = roster_find_inc(a->roster, str_c(d->name), d->inc);
    if (!d->is_end_sent && r && detector_all_at(a, r->left_epoch)) {
        append_end(a, d);
        return;
    }
    if (agent_call_get(a, CALL_ADOPT_NEXT, agent_subject_stream(a, d->name, stream), d->cursor + 1,
                       agent_subject_all_of(a, d->name, d->inc, filter)) != RC_OK)
        return;
    ad->is_open = true;
    ad->reading = d;
}

static void send_handover_marks(struct agent *a, struct adoptee *d)
{
    const struct roster_agent *dead = roster_find_inc(a->roster, str_c(d->name), d->inc);
    outbox_forget_source(a, &d->handover_marks);
    d->handover_marks_epoch = a->epoch;
    for (size_t i = 0; dead && i < roster_count(a->roster); i++) {
        const struct roster_agent *r = roster_at(a->roster, i);
        if (agent_is_in_ring(a, r->name, r->inc) && roster_held_for(a->roster, dead, r, a->epoch))
            outbox_handover_mark(a, r->name, r->inc, str_c(d->name), d->inc, &d->handover_marks);
    }
}

static void say_adopted(struct agent *a, const struct adoptee *d)
{
    const struct roster_agent *r = roster_find_inc(a->roster, str_c(d->name), d->inc);
    struct roster_entry e = {.kind = ROSTER_ADOPTED, .victim = str_c(d->name), .inc = d->inc};
    if (!r || r->state != ROSTER_DEAD_NOW)
        return;
    if (a->adoption.append_ms > a->now_ms) {
        agent_wake(a, a->adoption.append_ms);
        return;
    }
    if (roster_log_append(a, &e))
        a->adoption.append_ms = a->now_ms + agent_jitter(a, roster_timings(a->roster).renew_ms);
}

static bool is_adopter_now(const struct agent *a)
{
    return agent_is_living(a) && roster_log_is_whole(a) && a->epoch == roster_epoch(a->roster) &&
           roster_has_owners(a->roster) && lease_is_good(a, a->now_ms);
}

void adoption_turn(struct agent *a)
{
    struct adoption *ad = &a->adoption;
    if (!is_adopter_now(a))
        return;
    for (size_t i = 0; i < ad->count; i++) {
        struct adoptee *d = ad->list[i];
        if (!d->is_forwarded && d->is_end_read && !d->source.unconfirmed)
            d->is_forwarded = true;
        if (d->is_forwarded && d->handover_marks_epoch != a->epoch)
            send_handover_marks(a, d);
        else if (d->is_forwarded && !d->handover_marks.unacked)
            say_adopted(a, d);
        /* One stream at a time: the first that is not read to its end. */
        if (!d->is_end_read && !d->is_forwarded) {
            if (!ad->is_open)
                read_on(a, d);
            return;
        }
    }
}
