/* SPDX-License-Identifier: Apache-2.0 */
/* outbox: what other agents must hear from us, kept until their journals have it.
 *
 *   port_read ─► source (a page) ─► parcels, one per receiver ─► acknowledged ─► confirmed ─► gone
 *                     └── all its links acknowledged ─► its outcome, in our own stream's `out`
 *
 * A source counts the parcels that carry something of it. An acknowledgement counts only while our
 * lease is good (otherwise the adopter's mark may already stand before the parcel) and while the
 * receiver is in the ring we know (otherwise its adopter reads the parcel, or no agent does). If it
 * does not count, the parcel is sent again, or to the present owners. A parcel is confirmed, and
 * dropped, when the receiver says that it has it (links.c). After a reconnection, or when the
 * receiver begins a new generation, all unconfirmed parcels are published again. We are the
 * receiver of our own outcomes: no other agent would notice that the servers lost them above our
 * cursor, and a handover looks for outcomes in our stream. */
#include "base/hash.h"
#include "base/mem.h"
#include "cluster/protocol/agent_internal.h"

enum { BACKOFF_MOST_MS = 2000 };

static void source_look(struct agent *a, struct source *s);

/* ---- parcels ---- */

static struct parcel *parcel_new(struct agent *a, enum parcel_is is, const char *to,
                                 uint64_t to_inc)
{
    struct parcel *p = mem_zero(1, sizeof *p);
    if (!p) {
        agent_fail(a, RC_NOMEM, "no memory for a parcel");
        return NULL;
    }
    p->is = is;
    memcpy(p->to, to, strlen(to));
    p->to_inc = to_inc;
    if (!link_add(a, p)) {
        agent_fail(a, RC_NOMEM, "no memory for a parcel");
        mem_free(p);
        return NULL;
    }
    buf_init(&p->bytes, RECORDS_MAX_BATCH_BYTES);
    if (!a->outbox.tail)
        a->outbox.tail = &a->outbox.parcels;
    *a->outbox.tail = p;
    a->outbox.tail = &p->next;
    a->outbox.count++;
    a->outbox.has_unsent = true;
    return p;
}

static void parcel_free(struct agent *a, struct parcel *p)
{
    if (p->call) {
        p->call->what = NULL;
        a->outbox.open--;
    }
    link_remove(p);
    buf_done(&p->bytes);
    mem_free(p->sources);
    mem_free(p);
}

static bool parcel_add_source(struct agent *a, struct parcel *p, struct source *s)
{
    for (size_t i = p->source_count; i > 0; i--)
        if (p->sources[i - 1] == s)
            return true;
    struct source **sources =
        mem_grow(p->sources, p->source_count, &p->source_cap, sizeof(*sources));
    if (!sources) {
        agent_fail(a, RC_NOMEM, "no memory for a parcel");
        return false;
    }
    p->sources = sources;
    p->sources[p->source_count++] = s;
    s->unacked++;
    s->unconfirmed++;
    return true;
}

/* The parcel stands in the receiver's stream. That counts once for its sources. */
static void parcel_count(struct agent *a, struct parcel *p)
{
    if (p->is_counted)
        return;
    p->is_counted = true;
    for (size_t i = 0; i < p->source_count; i++)
        p->sources[i]->unacked--;
    for (size_t i = 0; i < p->source_count; i++)
        source_look(a, p->sources[i]);
}

/* Whether the stream has acknowledged the parcel on this connection. */
static void parcel_set_acked(struct agent *a, struct parcel *p, bool is_acked)
{
    p->is_acked = is_acked;
    for (size_t i = 0; p->is == PARCEL_OUT && i < p->source_count; i++)
        untold_set(a, p->sources[i], is_acked);
}

/* The parcel needs no care any more. The caller takes it out of the list. */
static void parcel_release(struct agent *a, struct parcel *p)
{
    parcel_count(a, p);
    for (size_t i = 0; i < p->source_count; i++) {
        p->sources[i]->unconfirmed--;
        if (p->is == PARCEL_OUT) {
            p->sources[i]->is_outcome_acked = true;
            untold_set(a, p->sources[i], true);
        }
    }
    for (size_t i = 0; agent_has_copies(a) && i < p->source_count; i++)
        source_look(a, p->sources[i]); /* its outcome may have waited for this parcel */
    p->source_count = 0;
}

static void parcel_head(struct agent *a, struct parcel *p, const struct record_batch *head)
{
    struct record_batch h = *head;
    h.src = str_c(a->name);
    h.src_inc = a->inc;
    h.epoch = a->epoch;
    record_batch_begin(&p->bytes, &h);
}

static struct parcel *parcel_filling(struct agent *a, enum parcel_is is, const char *to,
                                     uint64_t to_inc)
{
    struct parcel *p;
    for (struct parcel **at = &a->outbox.filling; (p = *at);) {
        if (!p->is_sealed && p->is == is && p->to_inc == to_inc && strcmp(p->to, to) == 0)
            return p;
        if (p->is_sealed) /* many pages of one turn fill several parcels */
            *at = p->next_filling;
        else
            at = &p->next_filling;
    }
    p = parcel_new(a, is, to, to_inc);
    if (p) {
        if (!a->outbox.filling)
            a->outbox.filling_ms = a->now_ms;
        p->next_filling = a->outbox.filling;
        a->outbox.filling = p;
        parcel_head(a, p, &(struct record_batch){.is = BATCH_IS_RECORDS});
    }
    return p;
}

static void parcel_put(struct agent *a, struct parcel *p, const struct record *r)
{
    record_put(&p->bytes, r);
    if (buf_rc(&p->bytes))
        agent_fail(a, buf_rc(&p->bytes), "a record does not fit into a batch");
    if (p->bytes.n >= RECORDS_USUAL_BYTES)
        p->is_sealed = true;
}

static void put_for(struct agent *a, const struct record *r, struct source **list, size_t count)
{
    const struct roster_agent *owner = agent_receiver(a, r);
    if (!owner) {
        agent_fail(
            a, RC_INVALID,
            "no agent can receive a record: the ring is empty"); /* callers check the ring first */
        return;
    }
    struct parcel *p = parcel_filling(a, PARCEL_RECORDS, owner->name, owner->inc);
    for (size_t i = 0; p && i < count; i++)
        if (!parcel_add_source(a, p, list[i]))
            return;
    if (p)
        parcel_put(a, p, r);
}

void outbox_put(struct agent *a, const struct record *r, struct source *s)
{
    put_for(a, r, &s, 1);
}

static void seal_all(struct agent *a)
{
    for (struct parcel *p = a->outbox.filling; p; p = p->next_filling)
        p->is_sealed = true;
    a->outbox.filling = NULL;
}

/* Takes full parcels out of the list: they may be freed before the others are full. */
static void keep_filling(struct agent *a)
{
    for (struct parcel **at = &a->outbox.filling, *p; (p = *at);)
        if (p->is_sealed)
            *at = p->next_filling;
        else
            at = &p->next_filling;
}

/* A batch that is not full waits a little for more records, unless another agent may wait for
 * it. */
static void seal_due(struct agent *a)
{
    uint64_t end_ms = a->outbox.filling_ms + a->settings.poll_ms;
    keep_filling(a);
    bool is_quick = a->rhythm.is_quick || untold_presses(a);
    if (a->outbox.filling && !is_quick && end_ms > a->now_ms)
        agent_wake(a, end_ms);
    else
        seal_all(a);
}

void outbox_handover_mark(struct agent *a, const char *to, uint64_t to_inc, struct str holder,
                          uint64_t holder_inc, struct source *s)
{
    struct parcel *p = parcel_new(a, PARCEL_HANDOVER_MARK, to, to_inc);
    if (!p || !parcel_add_source(a, p, s))
        return;
    parcel_head(a, p,
                &(struct record_batch){
                    .is = BATCH_IS_HANDOVER_MARK, .holder = holder, .holder_inc = holder_inc});
    p->is_sealed = true;
}

/* ---- sources ---- */

/* No agent reads the stream of a former incarnation, so its outcomes are sent to the present
 * owners. The seed path of a page whose host has moved is also sent to the owner of that host,
 * which would not hear of it otherwise. */
static void source_say_outcome(struct agent *a, struct source *s)
{
    struct record_batch b;
    struct record r;
    if (record_batch_head(buf_str(&s->outcome), &b)) {
        agent_fail(a, RC_CORRUPT, "cannot read an outcome of this agent");
        return;
    }
    struct parcel *p = s->is_former ? NULL : parcel_filling(a, PARCEL_OUT, a->name, a->inc);
    if (!s->is_former && (!p || !parcel_add_source(a, p, s)))
        return;
    s->is_outcome_sent = true;
    s->is_outcome_acked = s->is_former; /* its confirmations say so */
    bool has_owners = roster_has_owners(a->roster);
    while (records_next(&b.records, &r)) {
        if (p)
            parcel_put(a, p, &r);
        if (!p || (r.kind == RECORD_SEED_PATH && has_owners && !agent_owns(a, r.host_hash)))
            outbox_put(a, &r, s);
    }
    buf_done(&s->outcome);
    s->outcome = (struct buf){0};
}

static void source_look(struct agent *a, struct source *s)
{
    bool may = s->is_former ? roster_has_owners(a->roster) : agent_is_living(a);
    /* An agent in RETURN has no lease. It may not have read yet that a receiver is dead and
     * adopted, and then no agent reads what that stream acknowledged. Also, where copies of a
     * stream differ, a receiver may pass over a parcel, and our disk may be lost before it is sent
     * again. Only a confirmation says that the receiver has it. */
    bool may_be_unread = s->is_former || agent_has_copies(a);
    bool are_links_safe = !s->unacked && (!may_be_unread || !s->unconfirmed);
    if (s->is_page && s->has_outcome && !s->is_outcome_sent && are_links_safe && may)
        source_say_outcome(a, s);
}

static bool source_is_released(const struct source *s)
{
    return !s->unacked && !s->unconfirmed && (!s->has_outcome || s->is_outcome_acked);
}

static void source_free(struct source *s)
{
    buf_done(&s->outcome);
    mem_free(s);
}

void outbox_forget_source(struct agent *a, struct source *s)
{
    for (struct parcel *p = a->outbox.parcels; p; p = p->next)
        for (size_t i = 0; i < p->source_count;)
            if (p->sources[i] == s)
                p->sources[i] = p->sources[--p->source_count];
            else
                i++;
    *s = (struct source){0};
}

/* ---- the journal ---- */

static bool is_ours_now(const struct agent *a, uint64_t position)
{
    return a->inc && a->state != AGENT_RETURN && position >= a->inc_position;
}

static void keep_outcome(struct agent *a, struct source *s, const struct port_batch *b)
{
    s->is_former = !is_ours_now(a, b->position);
    s->has_outcome = b->outcome_count > 0;
    buf_init(&s->outcome, RECORDS_MAX_BATCH_BYTES);
    record_batch_begin(&s->outcome,
                       &(struct record_batch){.is = BATCH_IS_RECORDS, .src = str_c(a->name)});
    for (size_t i = 0; i < b->outcome_count; i++) {
        struct record r = b->outcome[i];
        recrawls_stamp(a, &r, b->position);
        record_put(&s->outcome, &r);
    }
    if (buf_rc(&s->outcome))
        agent_fail(a, buf_rc(&s->outcome), "an outcome does not fit into a batch");
}

static void take_page(struct agent *a, const struct port_batch *b)
{
    struct outbox *o = &a->outbox;
    struct source *s = mem_zero(1, sizeof *s);
    if (!s) {
        agent_fail(a, RC_NOMEM, "no memory for a page");
        return;
    }
    s->is_page = true;
    s->position = b->position;
    if (!o->pages_tail)
        o->pages_tail = &o->pages;
    *o->pages_tail = s;
    o->pages_tail = &s->next;
    o->page_count++;
    for (size_t i = 0; i < b->link_count; i++)
        outbox_put(a, &b->links[i], s);
    keep_outcome(a, s, b);
    untold_read(a, s, b);
    source_look(a, s);
}

bool outbox_has_room(const struct agent *a)
{
    return a->outbox.count < a->settings.outbox_most && roster_has_owners(a->roster);
}

/* Pages wait here for confirmations, including our own (a copy of our own records stands in our
 * stream). Our acked_through waits until foreign records that arrived have been sent on, and these
 * are read here behind those pages. So the outbox reads what our acked_through waits for however
 * full it is; otherwise all agents would wait for ever. */
static bool may_read(const struct agent *a)
{
    const struct outbox *o = &a->outbox;
    if (a->failure || !roster_has_owners(a->roster) ||
        (a->state != AGENT_RETURN && !recrawls_is_in(a)))
        return false;
    return (outbox_has_room(a) && o->page_count < a->settings.outbox_most) ||
           inbox_must_forward(a) > o->read_from;
}

static void read_pages(struct agent *a)
{
    struct outbox *o = &a->outbox;
    while (may_read(a)) {
        struct port_batch b;
        uint64_t durable = port_durable(a->port);
        enum rc rc = port_read(a->port, o->read_from, &b);
        if (rc == RC_NOT_FOUND) {
            if (durable > o->read_from)
                o->read_from = durable;
            return;
        }
        if (rc) {
            agent_fail(a, rc, "cannot read the journal");
            return;
        }
        o->read_from = b.next;
        take_page(a, &b);
    }
}

static void drop_pages(struct agent *a)
{
    struct outbox *o = &a->outbox;
    for (struct source *s; (s = o->pages) && source_is_released(s);) {
        o->pages = s->next;
        if (!o->pages)
            o->pages_tail = &o->pages;
        o->page_count--;
        untold_set(a, s, true);
        source_free(s);
    }
    port_keep(a->port, outbox_released_through(a));
}

uint64_t outbox_acked_through(const struct agent *a)
{
    for (const struct source *s = a->outbox.pages; s; s = s->next)
        if (s->unacked)
            return s->position;
    return a->outbox.read_from;
}

uint64_t outbox_released_through(const struct agent *a)
{
    return a->outbox.pages ? a->outbox.pages->position : a->outbox.read_from;
}

bool outbox_is_empty(struct agent *a)
{
    return !a->outbox.pages && !a->outbox.parcels &&
           a->outbox.read_from >= port_counts(a->port).last;
}

/* ---- confirmations ---- */

/* How far the receiver has read its stream; false: not known. */
static bool acked_through_of(struct agent *a, const struct parcel *p, uint64_t *ret_generation,
                             uint64_t *ret_acked_through)
{
    if (p->to_inc == a->inc && strcmp(p->to, a->name) == 0) {
        *ret_generation = a->inbox.generation;
        *ret_acked_through = a->inbox.acked_through;
        return a->inbox.is_verified && port_durable(a->port) >= a->inbox.generation_position;
    }
    struct peer *peer = detector_find(a, p->to, p->to_inc);
    if (!peer || !peer->is_heard || !peer->has_acked_through ||
        a->now_ms - peer->heard_ms > roster_timings(a->roster).suspect_ms)
        return false;
    *ret_generation = peer->last.generation;
    *ret_acked_through = peer->last.acked_through;
    return true;
}

static bool is_confirmed(struct agent *a, struct parcel *p)
{
    uint64_t generation, acked_through;
    if (!p->is_acked)
        return false;
    if (link_has(a, p))
        return true;
    if (!acked_through_of(a, p, &generation, &acked_through)) {
        link_wait(a, p);
        return false;
    }
    if (!p->has_generation) {
        p->has_generation = true;
        p->generation = generation;
    }
    if (p->generation != generation) { /* the servers lost the parcel: send it again */
        parcel_set_acked(a, p, false);
        p->has_generation = false;
        a->outbox.has_unsent = true;
        return false;
    }
    link_look(a, p, acked_through);
    return false;
}

/* ---- sending ---- */

static void send_parcel(struct agent *a, struct parcel *p)
{
    char subject[AGENT_MAX_SUBJECT];
    if (p->is == PARCEL_OUT)
        (void)agent_subject_out(a, subject);
    else
        (void)agent_subject_inbox(a, p->to, p->to_inc, a->name, subject);
    record_batch_stamp(&p->bytes, p->link->session, p->number, (uint8_t)p->missed);
    p->sent_session = p->link->session;
    enum rc rc = agent_call_append(a, CALL_PARCEL, p, subject, buf_str(&p->bytes), &p->call);
    if (rc == RC_OK) {
        p->is_sent = true;
        a->outbox.open++;
    } else if (rc == RC_INVALID || rc == RC_LIMIT) {
        agent_fail(a, rc, "the bus refuses a batch");
    }
}

static void send_all(struct agent *a)
{
    struct outbox *o = &a->outbox;
    struct parcel *p = o->parcels;
    bool is_left = false;
    seal_due(a);
    if (!o->has_unsent)
        return;
    for (; p && o->open < OUTBOX_WINDOW && a->is_connected; p = p->next) {
        if (p->is_sent || p->is_acked)
            continue;
        if (p->is_sealed && p->retry_ms <= a->now_ms)
            send_parcel(a, p);
        else if (p->is_sealed)
            agent_wake(a, p->retry_ms);
        is_left = is_left || !p->is_sent;
    }
    o->has_unsent = is_left || p;
}

static void again_later(struct agent *a, struct parcel *p)
{
    p->backoff_ms = p->backoff_ms ? p->backoff_ms * 2 : BACKOFF_LEAST_MS;
    if (p->backoff_ms > BACKOFF_MOST_MS)
        p->backoff_ms = BACKOFF_MOST_MS;
    p->retry_ms = a->now_ms + agent_jitter(a, p->backoff_ms);
}

/* Our acknowledgements count only while we certainly do not count as dead. An agent in RETURN has
 * no lease and no stream: it keeps what it sends until it is confirmed. */
static bool counts_now(const struct agent *a, const struct parcel *p)
{
    if (a->state == AGENT_RETURN)
        return p->is == PARCEL_RECORDS;
    return lease_is_good(a, a->now_ms);
}

void outbox_done(struct agent *a, struct parcel *p, const struct bus_event *e)
{
    if (!p) /* the parcel was dropped meanwhile */
        return;
    p->call = NULL;
    p->is_sent = false;
    a->outbox.open--;
    a->outbox.has_unsent = true;
    if (e->rc != RC_OK) {
        again_later(a, p);
        return;
    }
    if ((!agent_is_in_ring(a, p->to, p->to_inc) && p->is != PARCEL_OUT) || !counts_now(a, p) ||
        p->sent_session != p->link->session) {
        again_later(a, p);
        return;
    }
    parcel_set_acked(a, p, true);
    p->backoff_ms = 0;
    p->sequence = e->sequence;
    a->outbox.sent += p->to_inc != a->inc || strcmp(p->to, a->name) != 0;
    struct peer *peer = detector_find(a, p->to, p->to_inc);
    p->has_generation = peer && peer->is_heard;
    if (p->has_generation)
        p->generation = peer->last.generation;
    parcel_count(a, p);
    a->outbox.has_receipt_news =
        a->outbox.has_receipt_news || is_confirmed(a, p); /* the receipt may have come first */
}

static void unlink_parcel(struct agent *a, struct parcel **at)
{
    struct parcel *p = *at;
    *at = p->next;
    if (!p->next)
        a->outbox.tail = at;
    a->outbox.count--;
    parcel_free(a, p);
}

static void drop_confirmed(struct agent *a)
{
    for (struct parcel **at = &a->outbox.parcels, *p; (p = *at);) {
        if (is_confirmed(a, p)) {
            parcel_release(a, p);
            unlink_parcel(a, at);
        } else {
            at = &p->next;
        }
    }
}

/* An outcome is sent when the last of its links is acknowledged. This sends those that could not be
 * sent then, because of our state. */
static void look_at_pages(struct agent *a)
{
    struct outbox *o = &a->outbox;
    if (!o->pages || o->look_ms > a->now_ms)
        return;
    o->look_ms = a->now_ms + (a->rhythm.is_quick ? 1 : a->settings.poll_ms);
    for (struct source *s = o->pages; s; s = s->next)
        source_look(a, s);
}

void outbox_turn(struct agent *a)
{
    if (a->state == AGENT_START || a->state == AGENT_RECOVER || !roster_log_is_whole(a))
        return;
    read_pages(a);
    if (a->outbox.has_receipt_news) {
        a->outbox.has_receipt_news = false;
        drop_confirmed(a);
        links_turn(a);
    }
    look_at_pages(a);
    send_all(a);
    drop_pages(a);
}

/* ---- changes ---- */

static void share_out_parcel(struct agent *a, struct parcel *p)
{
    struct record_batch b;
    struct record r;
    if (record_batch_read(buf_str(&p->bytes), &b)) {
        agent_fail(a, RC_CORRUPT, "cannot read a batch of this agent");
        return;
    }
    while (records_next(&b.records, &r))
        put_for(a, &r, p->sources, p->source_count);
}

/* Parcels for receivers that have left the ring: their records go to the present owners, handover
 * marks are dropped. */
void outbox_epoch(struct agent *a)
{
    if (!roster_has_owners(a->roster))
        return;
    seal_all(a);
    for (struct parcel **at = &a->outbox.parcels, *p; (p = *at) && !a->failure;) {
        if (p->is == PARCEL_OUT || agent_is_in_ring(a, p->to, p->to_inc)) {
            at = &p->next;
            continue;
        }
        if (p->is == PARCEL_RECORDS)
            share_out_parcel(a, p);
        link_lost(a, p);
        parcel_release(a, p);
        unlink_parcel(a, at);
    }
    links_tidy(a);
}

void outbox_reconnected(struct agent *a)
{
    a->outbox.has_unsent = true;
    for (struct parcel *p = a->outbox.parcels; p; p = p->next) {
        parcel_set_acked(a, p, false);
        p->has_generation = false;
        p->retry_ms = 0;
    }
}

void outbox_reset(struct agent *a)
{
    struct outbox *o = &a->outbox;
    o->filling = NULL;
    while (o->parcels) {
        o->parcels->source_count = 0;
        unlink_parcel(a, &o->parcels);
    }
    while (o->pages) {
        struct source *s = o->pages;
        o->pages = s->next;
        source_free(s);
    }
    links_free(a);
    untold_reset(a);
    *o = (struct outbox){.read_from = port_kept(a->port)};
    o->tail = &o->parcels;
    o->pages_tail = &o->pages;
}
