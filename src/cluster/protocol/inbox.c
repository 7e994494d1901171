/* SPDX-License-Identifier: Apache-2.0 */
/* inbox: reads our own stream in order into the crawl.
 *
 * Records that are ours are journalled with the new cursor, in one batch; records that are not ours
 * are journalled with it as records for others. acked_through follows, up to a message whose batch
 * is durable and whose foreign records are acknowledged by their owners' streams. Every message
 * that it passes is confirmed to its sender by the sender's own number (receipts.c), so that the
 * sender can forget it. acked_through itself is only a hint, since copies of a stream may differ.
 *
 * "Nothing there" may come from a server that lags. An agent that must know that it has read
 * everything appends an end of its own and reads up to it (inbox_want_end). After a reconnection,
 * and at every such end, the message at the cursor is compared with its remembered hash. If it is
 * another message, the servers have lost our stream: the generation rises, the stream is read from
 * its first message, and our own records are published again. */
#include "base/hash.h"
#include "base/mem.h"
#include "cluster/protocol/agent_internal.h"

enum rc inbox_init(struct agent *a)
{
    struct inbox *in = &a->inbox;
    in->list = mem_zero(INBOX_MAX_UNCONFIRMED, sizeof *in->list);
    in->mine = mem_alloc(PORT_MAX_LINKS * sizeof *in->mine);
    in->foreign = mem_alloc(PORT_MAX_LINKS * sizeof *in->foreign);
    return in->list && in->mine && in->foreign ? RC_OK : RC_NOMEM;
}

void inbox_free(struct agent *a)
{
    mem_free(a->inbox.list);
    mem_free(a->inbox.mine);
    mem_free(a->inbox.foreign);
    mem_free(a->inbox.receipts);
}

void inbox_reset(struct agent *a)
{
    struct inbox *in = &a->inbox;
    in->generation = in->generation_position = 0;
    in->cursor = in->cursor_hash = in->acked_through = 0;
    in->first = in->count = 0;
    in->is_verified = in->is_doubted = in->is_behind = false;
    in->verify_tries = 0;
    in->asked = 0;
    in->end_wanted = in->end_sent + 1;
}

void inbox_read_again(struct agent *a)
{
    struct inbox *in = &a->inbox;
    in->generation++;
    in->cursor = in->cursor_hash = in->acked_through = 0;
    in->first = in->count = 0;
    in->asked = 0;
    a->outbox.has_receipt_news = true;
}

uint64_t inbox_want_end(struct agent *a)
{
    a->inbox.end_wanted = a->inbox.end_sent + 1;
    return a->inbox.end_wanted;
}

void inbox_reconnected(struct agent *a)
{
    a->inbox.is_verified = false;
    a->inbox.end_retry_ms = 0;
    rhythm_inbox_soon(a);
    (void)inbox_want_end(a);
}

static uint64_t end_nonce(const struct agent *a, uint64_t serial)
{
    return hash64_mix(a->boot ^ hash64_mix(serial));
}

/* ---- acked_through ---- */

static void acked_through_look(struct agent *a)
{
    struct inbox *in = &a->inbox;
    uint64_t durable = port_durable(a->port);
    while (in->count) {
        const struct unconfirmed *u = &in->list[in->first];
        if (u->position > durable || (u->has_foreign && u->position > outbox_acked_through(a)))
            return;
        in->acked_through = u->sequence;
        receipts_add(a, u->receipt, u->session, u->number);
        a->outbox.has_receipt_news = true;
        in->first = (in->first + 1) % INBOX_MAX_UNCONFIRMED;
        in->count--;
    }
}

uint64_t inbox_must_forward(const struct agent *a)
{
    const struct unconfirmed *u = &a->inbox.list[a->inbox.first];
    return a->inbox.count && u->has_foreign ? u->position : 0;
}

static void acked_through_later(struct agent *a, const struct record_batch *b, bool has_foreign)
{
    struct inbox *in = &a->inbox;
    in->list[(in->first + in->count) % INBOX_MAX_UNCONFIRMED] =
        (struct unconfirmed){.sequence = in->cursor,
                             .position = port_end(a->port),
                             .receipt = b->number && receipts_fit(b->src, b->session)
                                            ? receipts_of(a, b->src, b->session)
                                            : RECEIPTS_NONE,
                             .session = b->session,
                             .number = b->number,
                             .has_foreign = has_foreign};
    in->count++;
}

/* ---- messages ---- */

static bool is_sender_living(const struct agent *a, const struct record_batch *b)
{
    const struct roster_agent *r = roster_find_inc(a->roster, b->src, b->src_inc);
    return r && (r->state == ROSTER_LIVING || r->state == ROSTER_LEAVING);
}

static enum rc take_records(struct agent *a, const struct record_batch *b)
{
    struct inbox *in = &a->inbox;
    struct str records = b->records;
    size_t mine = 0, foreign = 0;
    struct record r;
    struct buf fact = {.max = PORT_MAX_FACT_BYTES};
    enum rc rc = RC_OK;
    while (records_next(&records, &r)) {
        if (mine == PORT_MAX_LINKS || foreign == PORT_MAX_LINKS)
            return RC_LIMIT;
        if (!agent_is_receiver(a, &r))
            in->foreign[foreign++] = r;
        else if (recrawls_takes(a, &r))
            in->mine[mine++] = r;
    }
    fact_cursor(&fact, in);
    rc = port_take(a->port, in->mine, mine, in->foreign, foreign, buf_str(&fact));
    buf_done(&fact);
    if (!rc)
        acked_through_later(a, b, foreign > 0);
    return rc;
}

static enum rc take_handover_mark(struct agent *a, const struct record_batch *b)
{
    struct buf fact = {.max = PORT_MAX_FACT_BYTES};
    uint64_t position = port_end(a->port);
    if (is_sender_living(a, b)) {
        fact_handover_mark(&fact, b->holder, b->holder_inc, b->epoch);
        gates_handover_mark(a, b->holder, b->holder_inc, b->epoch, position);
    }
    fact_cursor(&fact, &a->inbox);
    enum rc rc = agent_note(a, buf_str(&fact));
    buf_done(&fact);
    acked_through_later(a, b, false);
    return rc;
}

static void take_end(struct agent *a, const struct record_batch *b, uint64_t sequence)
{
    struct inbox *in = &a->inbox;
    if (str_eq(b->src, str_c(a->name)) && b->nonce == end_nonce(a, in->end_sent)) {
        in->end_read = in->end_sent;
        in->end_sequence = sequence;
    }
}

static bool is_out(struct str subject)
{
    return str_ends(subject, STR(".out"));
}

static void take_message(struct agent *a, const struct bus_event *e)
{
    struct inbox *in = &a->inbox;
    struct record_batch b = {0};
    bool is_junk = record_batch_read(e->payload, &b) != RC_OK;
    if (!is_junk && !is_out(e->subject) && !str_eq(b.src, agent_subject_last(e->subject)))
        is_junk = true;
    in->cursor = e->sequence;
    in->cursor_hash = hash64_seeded(e->payload, hash64_seeded(e->subject, e->stamp_ms));
    enum rc rc = RC_OK;
    if (is_junk) {
        a->traffic.junk++;
        b = (struct record_batch){0};
    }
    if (is_junk || is_out(e->subject)) {
        acked_through_later(a, &b, false);
    } else if (b.is == BATCH_IS_RECORDS) {
        rc = take_records(a, &b);
    } else if (b.is == BATCH_IS_HANDOVER_MARK) {
        rc = take_handover_mark(a, &b);
    } else {
        take_end(a, &b, e->sequence);
        acked_through_later(a, &b, false);
    }
    if (rc)
        agent_fail(a, rc, "cannot journal the records that arrived");
}

/* A batch of a later epoch waits until we have read the roster that far. Its epoch may be a lie, so
 * it waits no longer than until a renewal that is sent from now on is read back. */
static bool must_wait(struct agent *a, const struct bus_event *e)
{
    struct inbox *in = &a->inbox;
    struct record_batch b;
    if (record_batch_head(e->payload, &b) || b.epoch <= a->epoch ||
        record_batch_read(e->payload, &b)) {
        in->wait_epoch_n = 0;
        return false;
    }
    roster_log_soon(a);
    if (!in->wait_epoch_n)
        in->wait_epoch_n = a->lease.n + 1;
    if (a->lease.confirmed < in->wait_epoch_n)
        return true;
    in->wait_epoch_n = 0;
    return false;
}

/* ---- reading ---- */

static void stream_lost(struct agent *a)
{
    struct inbox *in = &a->inbox;
    struct buf fact = {.max = PORT_MAX_FACT_BYTES};
    inbox_read_again(a);
    fact_cursor(&fact, in);
    enum rc rc = agent_note(a, buf_str(&fact));
    buf_done(&fact);
    if (rc)
        agent_fail(a, rc, "cannot journal a new generation of the stream");
    in->generation_position = port_end(a->port);
    in->is_verified = true;
    in->is_doubted = in->is_behind = false;
    a->republish.is_wanted = true;
    a->republish.walk_at = 0;
}

/* Another copy may have the message that this one lacks: ask some more times before it counts as
 * lost. Everything else continues meanwhile. */
static void done_verify(struct agent *a, const struct bus_event *e)
{
    struct inbox *in = &a->inbox;
    bool is_lag = e->rc != RC_OK && !(in->is_behind && e->rc == RC_NOT_FOUND);
    in->is_verifying = false;
    if (is_lag) { /* our own end stands behind it, so this server lags */
        in->verify_ms = a->now_ms + a->settings.poll_ms;
        in->is_verified = in->is_verified && agent_has_copies(a);
        in->is_doubted = true;
        return;
    }
    uint64_t hash = hash64_seeded(e->payload, hash64_seeded(e->subject, e->stamp_ms));
    bool is_same = e->rc == RC_OK && e->sequence == in->cursor && hash == in->cursor_hash;
    if (!is_same && agent_has_copies(a) && ++in->verify_tries < VERIFY_TRIES) {
        in->is_doubted = true;
        return;
    }
    a->outbox.has_receipt_news = true;
    in->verify_tries = 0;
    in->is_doubted = in->is_behind = false;
    if (is_same)
        in->is_verified = true;
    else
        stream_lost(a);
}

static void verify_cursor(struct agent *a)
{
    struct inbox *in = &a->inbox;
    char stream[AGENT_MAX_SUBJECT], filter[AGENT_MAX_SUBJECT];
    if (!in->cursor) {
        in->is_verified = a->outbox.has_receipt_news = true;
        return;
    }
    if (agent_call_get(a, CALL_INBOX_VERIFY, agent_subject_stream(a, a->name, stream), in->cursor,
                       agent_subject_all_of(a, a->name, a->inc, filter)) == RC_OK)
        in->is_verifying = true;
    else
        in->verify_ms = a->now_ms + a->settings.poll_ms;
}

/* The stream is empty, but an end of ours is acknowledged and not read: append another end if that
 * lasts. */
static void look_for_end(struct agent *a)
{
    struct inbox *in = &a->inbox;
    bool is_unread = in->end_acked == in->end_sent && in->end_read != in->end_sent;
    if (is_unread && in->end_wanted <= in->end_sent && agent_is_dry(a, &in->dry_ms))
        (void)inbox_want_end(a);
}

static void done_next(struct agent *a, const struct bus_event *e)
{
    struct inbox *in = &a->inbox;
    in->is_open = false;
    if (e->rc == RC_NOT_FOUND)
        look_for_end(a);
    else
        in->dry_ms = 0;
    bool is_current = in->asked == in->cursor + 1 && in->is_verified && roster_log_is_whole(a);
    if (e->rc != RC_OK || !is_current || e->sequence <= in->cursor || must_wait(a, e)) {
        in->next_ms = in->is_wanted ? 0 : a->now_ms + rhythm_inbox_ms(a);
        in->is_wanted = false;
        return;
    }
    take_message(a, e);
    rhythm_inbox_soon(a);
}

static void done_end(struct agent *a, const struct bus_event *e)
{
    struct inbox *in = &a->inbox;
    in->is_end_open = false;
    if (e->rc != RC_OK) {
        in->end_retry_ms = a->now_ms + agent_jitter(a, a->settings.poll_ms);
        return;
    }
    in->end_acked = in->end_sent;
    in->dry_ms = 0;
    rhythm_inbox_soon(a);
    bool is_behind = e->sequence <= in->cursor && in->end_read != in->end_sent;
    if (is_behind && agent_has_copies(a))
        in->is_doubted = in->is_behind = true;
    else if (is_behind)
        stream_lost(a);
    else if (in->end_read != in->end_sent && !in->is_open && !in->is_verifying)
        verify_cursor(a);
}

void inbox_done(struct agent *a, enum call_kind kind, const struct bus_event *e)
{
    if (kind == CALL_INBOX_NEXT)
        done_next(a, e);
    else if (kind == CALL_INBOX_VERIFY)
        done_verify(a, e);
    else
        done_end(a, e);
}

static void append_end(struct agent *a)
{
    struct inbox *in = &a->inbox;
    char room[256], subject[AGENT_MAX_SUBJECT];
    struct buf out = buf_on(room, sizeof room);
    if (in->end_acked == in->end_sent)
        in->end_sent = in->end_wanted;
    record_batch_begin(&out, &(struct record_batch){.is = BATCH_IS_END,
                                                    .src = str_c(a->name),
                                                    .src_inc = a->inc,
                                                    .epoch = a->epoch,
                                                    .nonce = end_nonce(a, in->end_sent)});
    if (agent_call_append(a, CALL_INBOX_END, NULL,
                          agent_subject_inbox(a, a->name, a->inc, a->name, subject), buf_str(&out),
                          NULL) == RC_OK)
        in->is_end_open = true;
    else
        in->end_retry_ms = a->now_ms + a->settings.poll_ms;
}

static void read_on(struct agent *a)
{
    struct inbox *in = &a->inbox;
    char stream[AGENT_MAX_SUBJECT], filter[AGENT_MAX_SUBJECT];
    if (agent_call_get(a, CALL_INBOX_NEXT, agent_subject_stream(a, a->name, stream), in->cursor + 1,
                       agent_subject_all_of(a, a->name, a->inc, filter)) == RC_OK) {
        in->is_open = true;
        in->is_wanted = false;
        in->asked = in->cursor + 1;
    } else {
        in->next_ms = a->now_ms + a->settings.poll_ms;
    }
}

void inbox_turn(struct agent *a)
{
    struct inbox *in = &a->inbox;
    acked_through_look(a);
    if (!agent_is_living(a) || !a->is_connected || !roster_log_is_whole(a))
        return;
    bool wants_end = in->end_wanted > in->end_sent || in->end_acked < in->end_sent;
    if (wants_end && !in->is_end_open && in->end_retry_ms <= a->now_ms)
        append_end(a);
    if (!in->is_verified) {
        /* An end of ours behind the cursor proves that "not there" comes from a server that
         * lags. */
        if (in->end_acked >= in->end_wanted && !in->is_verifying && in->verify_ms <= a->now_ms)
            verify_cursor(a);
        agent_wake(a, in->verify_ms > in->end_retry_ms ? in->verify_ms : in->end_retry_ms);
        return;
    }
    if (in->is_doubted && !in->is_open && !in->is_verifying && in->verify_ms <= a->now_ms)
        verify_cursor(a);
    if (!in->is_open && !in->is_verifying && in->count < INBOX_MAX_UNCONFIRMED &&
        in->next_ms <= a->now_ms)
        read_on(a);
    if (!in->is_open)
        agent_wake(a, in->next_ms);
    if (wants_end && !in->is_end_open)
        agent_wake(a, in->end_retry_ms);
}
