/* SPDX-License-Identifier: Apache-2.0 */
/* receipts: which batches of each sender are durable here, by the sender's own numbers (links.c).
 *
 * For a session we keep the number through which all batches are here, and bits for those above it,
 * since batches may come out of order. For a sender we keep its last sessions, since messages that
 * we read may be old. Receipts are not journalled: after a restart an agent confirms nothing of
 * what it had, and gets it again. Heartbeats carry the receipts that have changed, and some of the
 * others in turn, since heartbeats may be lost. */
#include "base/hash.h"
#include "base/mem.h"
#include "cluster/protocol/agent_internal.h"

enum { ABOVE = RECEIPT_WORDS * 64, REPEATED = 8, SESSIONS = 4 };

uint64_t receipts_session(struct str from, uint32_t number)
{
    return (hash64(from) & ~(uint64_t)UINT32_MAX) | number;
}

bool receipts_same_sender(uint64_t session, uint64_t other)
{
    return (session ^ other) <= UINT32_MAX;
}

bool receipts_fit(struct str from, uint64_t session)
{
    return receipts_session(from, (uint32_t)session) == session;
}

static bool is_from(const struct receipt *r, struct str from)
{
    return str_eq(str_c(r->from), from);
}

static struct receipt *find_receipt(const struct agent *a, struct str from, uint64_t session)
{
    struct receipt *list = a->inbox.receipts;
    for (size_t i = 0; i < a->inbox.receipt_count; i++)
        if (list[i].session == session && is_from(&list[i], from))
            return &list[i];
    return NULL;
}

/* A row for a new session: the sender's oldest row, if it has as many as it may have. */
static struct receipt *new_receipt(struct agent *a, struct str from)
{
    struct inbox *in = &a->inbox;
    struct receipt *oldest = NULL;
    size_t count = 0;
    for (size_t i = 0; i < in->receipt_count; i++) {
        struct receipt *r = &in->receipts[i];
        if (!is_from(r, from))
            continue;
        count++;
        if (!oldest || r->serial < oldest->serial)
            oldest = r;
    }
    if (count >= SESSIONS || from.n > ROSTER_MAX_NAME_BYTES)
        return oldest;
    struct receipt *receipts =
        mem_grow(in->receipts, in->receipt_count, &in->receipt_cap, sizeof *receipts);
    if (!receipts)
        return NULL; /* the batch will be sent again */
    in->receipts = receipts;
    return &in->receipts[in->receipt_count++];
}

size_t receipts_of(struct agent *a, struct str from, uint64_t session)
{
    struct receipt *r = find_receipt(a, from, session);
    if (!r) {
        r = new_receipt(a, from);
        if (!r)
            return RECEIPTS_NONE;
        *r = (struct receipt){.session = session, .serial = ++a->inbox.receipt_serial};
        memcpy(r->from, from.p, from.n);
    }
    return (size_t)(r - a->inbox.receipts);
}

static void shift_receipt(struct receipt *r)
{
    for (size_t i = 0; i < RECEIPT_WORDS; i++)
        r->above[i] = r->above[i] >> 1 | (i + 1 < RECEIPT_WORDS ? r->above[i + 1] << 63 : 0);
}

void receipts_add(struct agent *a, size_t index, uint64_t session, uint64_t number)
{
    if (index == RECEIPTS_NONE || !number)
        return;
    struct receipt *r = &a->inbox.receipts[index];
    if (r->session == session)
        r->is_said = false; /* the sender sends it again, so it has not heard the receipt */
    if (r->session != session || number <= r->through || number - r->through > ABOVE)
        return;
    uint64_t bit = number - r->through - 1;
    r->above[bit / 64] |= (uint64_t)1 << bit % 64;
    while (r->above[0] & 1) {
        shift_receipt(r);
        r->through++;
    }
}

static struct heartbeat_receipt as_said(const struct receipt *r)
{
    return (struct heartbeat_receipt){r->session, r->through, r->above[0]};
}

bool receipts_find(const struct agent *a, struct str from, uint64_t session,
                   struct heartbeat_receipt *ret)
{
    const struct receipt *r = find_receipt(a, from, session);
    if (r)
        *ret = as_said(r);
    return r;
}

static void say_receipt(struct receipt *r, struct heartbeat_lists *out)
{
    out->receipts[out->receipt_count++] = as_said(r);
    r->is_said = true;
}

void receipts_say(struct agent *a, struct heartbeat_lists *out)
{
    struct inbox *in = &a->inbox;
    size_t count = in->receipt_count, from = in->receipt_turn;
    for (size_t i = 0; i < count && out->receipt_count < HEARTBEAT_MAX_RECEIPTS; i++) {
        struct receipt *r = &in->receipts[(from + i) % count];
        if (!r->is_said) {
            say_receipt(r, out);
            in->receipt_turn = (from + i + 1) % count;
        }
    }
    for (size_t i = 0; i < REPEATED && i < count && out->receipt_count < HEARTBEAT_MAX_RECEIPTS;
         i++) {
        in->receipt_again = (in->receipt_again + 1) % count;
        say_receipt(&in->receipts[in->receipt_again], out);
    }
}
