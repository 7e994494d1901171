/* SPDX-License-Identifier: Apache-2.0 */
/* links: numbers what we send to each receiver, and sends it again until it is confirmed.
 *
 * The numbers that the servers give to messages are not reliable. After one of a stream's servers
 * was killed, its copies may differ; each read is answered by any of them, so a reader that goes by
 * these numbers passes over messages (measured: docs/cluster-protocol.md). So parcels carry our own
 * numbers, from 1 on in each session, and the heartbeats of a receiver say up to which number it
 * has them all, and which ones above that (receipts.c). A parcel that the receiver has read past
 * and does not have is sent again. If that does not help, or the receiver confirms nothing for
 * long, or it runs in a new process, everything unconfirmed is sent in a new session. So a receiver
 * that has forgotten its numbers needs nothing else. Records merge, so sending them twice is
 * harmless. */
#include "base/mem.h"
#include "cluster/protocol/agent_internal.h"

enum {
    WAITS_MOST = 16, /* times the roster's `dead` */
    MISSED_MOST = 4,
};

static bool is_own(const struct agent *a, const struct link *l)
{
    return l->to_inc == a->inc && strcmp(l->to, a->name) == 0;
}

static struct link *find_link(const struct agent *a, const char *to, uint64_t to_inc)
{
    for (struct link *l = a->outbox.links; l; l = l->next)
        if (l->to_inc == to_inc && strcmp(l->to, to) == 0)
            return l;
    return NULL;
}

static void be_late(struct agent *a, struct link *l)
{
    l->is_late = a->outbox.has_late = true;
}

static void begin_session(struct agent *a, struct link *l)
{
    l->session = receipts_session(str_c(a->name), (uint32_t)rng_next(&a->rng));
    l->numbered = l->through = l->above = 0;
    l->moved_ms = a->now_ms;
    l->is_late = false;
}

static uint64_t least_wait_ms(const struct agent *a)
{
    return roster_timings(a->roster).dead_ms / 4;
}

bool link_add(struct agent *a, struct parcel *p)
{
    struct link *l = find_link(a, p->to, p->to_inc);
    if (!l) {
        l = mem_zero(1, sizeof *l);
        if (!l)
            return false;
        memcpy(l->to, p->to, sizeof l->to);
        l->to_inc = p->to_inc;
        l->wait_ms = least_wait_ms(a);
        begin_session(a, l);
        l->next = a->outbox.links;
        a->outbox.links = l;
    }
    if (!l->parcels++)
        l->moved_ms = a->now_ms;
    p->link = l;
    p->number = ++l->numbered;
    return true;
}

void link_remove(struct parcel *p)
{
    p->link->parcels--;
    p->link = NULL;
}

void links_tidy(struct agent *a)
{
    for (struct link **at = &a->outbox.links, *l; (l = *at);) {
        if (l->parcels || agent_is_in_ring(a, l->to, l->to_inc)) {
            at = &l->next;
            continue;
        }
        *at = l->next;
        mem_free(l);
    }
}

void links_free(struct agent *a)
{
    for (struct link *l; (l = a->outbox.links);) {
        a->outbox.links = l->next;
        mem_free(l);
    }
}

static void has_moved(struct agent *a, struct link *l)
{
    l->moved_ms = a->now_ms;
    l->wait_ms = least_wait_ms(a);
}

static void take_receipt(struct agent *a, struct link *l, const struct heartbeat_receipt *r)
{
    if (r->session != l->session || r->through < l->through ||
        (r->through == l->through && (r->above | l->above) == l->above))
        return;
    l->above = r->through == l->through ? l->above | r->above : r->above;
    l->through = r->through;
    has_moved(a, l);
}

void link_heard(struct agent *a, const struct peer *p, const struct heartbeat_lists *lists)
{
    uint64_t ours = receipts_session(str_c(a->name), 0);
    struct link *l = NULL;
    for (uint8_t i = 0; i < lists->receipt_count; i++) {
        if (!receipts_same_sender(lists->receipts[i].session, ours))
            continue; /* most receipts are for other agents */
        l = l ? l : find_link(a, p->name, p->inc);
        if (!l)
            return;
        take_receipt(a, l, &lists->receipts[i]);
    }
}

bool link_has(struct agent *a, const struct parcel *p)
{
    struct link *l = p->link;
    struct heartbeat_receipt own;
    if (is_own(a, l) && receipts_find(a, str_c(a->name), l->session, &own))
        take_receipt(a, l, &own);
    uint64_t bit = p->number - l->through - 1;
    return p->number <= l->through || (bit < 64 && l->above >> bit & 1);
}

void link_renew(struct agent *a, const struct peer *p)
{
    struct link *l = find_link(a, p->name, p->inc);
    if (l) {
        be_late(a, l);
        a->outbox.has_receipt_news = true;
    }
}

void link_lost(struct agent *a, struct parcel *p)
{
    be_late(a, p->link);
}

void link_wait(struct agent *a, struct parcel *p)
{
    p->link->moved_ms = a->now_ms;
}

void link_look(struct agent *a, struct parcel *p, uint64_t acked_through)
{
    struct link *l = p->link;
    /* the receiver reads, and may have much to read before our parcels */
    if (acked_through != l->acked_through) {
        l->acked_through = acked_through;
        l->moved_ms = a->now_ms;
    }
    /* in these, a peer sends all its receipts */
    uint64_t heartbeats = 2 + a->peers.count / HEARTBEAT_MAX_RECEIPTS;
    uint64_t grace_ms = heartbeats * roster_timings(a->roster).heartbeat_ms;
    if (a->now_ms - l->moved_ms > l->wait_ms)
        be_late(a, l);
    if (acked_through < p->sequence) {
        p->passed_ms = 0;
        return;
    }
    if (!p->passed_ms)
        p->passed_ms = a->now_ms;
    if (a->now_ms - p->passed_ms <= grace_ms)
        return;
    p->is_acked = p->has_generation = false;
    p->passed_ms = 0;
    a->outbox.has_unsent = true;
    a->traffic.sent_again++;
    if (++p->missed > MISSED_MOST) /* the receiver counts differently */
        be_late(a, l);
}

static void send_again(struct agent *a, struct link *l)
{
    uint64_t most_ms = WAITS_MOST * roster_timings(a->roster).dead_ms;
    begin_session(a, l);
    l->wait_ms = l->wait_ms * 2 < most_ms ? l->wait_ms * 2 : most_ms;
    for (struct parcel *p = a->outbox.parcels; p; p = p->next) {
        if (p->link != l)
            continue;
        p->number = ++l->numbered;
        p->is_acked = p->has_generation = false;
        p->passed_ms = 0;
        p->missed = 0;
        a->traffic.sent_again++;
    }
    a->outbox.has_unsent = true;
}

void links_turn(struct agent *a)
{
    if (!a->outbox.has_late)
        return;
    a->outbox.has_late = false;
    for (struct link *l = a->outbox.links; l; l = l->next)
        if (l->is_late)
            send_again(a, l);
}
