/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes as a whole log of the roster: writer 1, time 1 (quarter seconds), then an entry, either as
 * raw bytes behind their length, or made from a few bytes so that much of it counts. After each
 * entry what the roster says must hold together, and a second reader has the same hash. */
#include "base/taker.h"
#include "cluster/roster/roster.h"

#include <stdlib.h>

enum { MOST_ENTRIES = 400, NAMES = 5 };

static const struct str names[NAMES] = {{"ant", 3}, {"bee", 3}, {"cat", 3}, {"dog", 3}, {"e.", 2}};
static const struct roster_timings timings = {10, 50, 60, 450, 550, 600};

static void check(const struct roster *r)
{
    uint64_t gained;
    const struct roster_agent *holders[64];
    if (roster_settled(r) > roster_epoch(r) || roster_count(r) > ROSTER_MAX_AGENTS)
        abort();
    for (uint64_t key = 1; key; key <<= 9) {
        size_t count = roster_holders(r, key, holders, 64, &gained);
        const struct roster_agent *owner = roster_owner(r, key, roster_epoch(r));
        if (owner && (!count || owner->state != ROSTER_LIVING || !owner->weight))
            abort();
        for (size_t i = 0; i < count && owner && count < 64; i++)
            if (holders[i] != owner && !roster_held_for(r, holders[i], owner, roster_epoch(r)))
                abort();
    }
    for (size_t i = 0; i < roster_count(r); i++)
        if (roster_at(r, i)->state == ROSTER_FORGOTTEN)
            abort();
}

/* What an honest agent would write, off by what the bytes say. */
static void make_entry(const struct roster *r, struct str writer, struct taker *t, struct buf *out)
{
    struct roster_entry e = {.kind = (enum roster_kind)(1 + take_u8(t) % ROSTER_SETTLED)};
    bool is_about = e.kind == ROSTER_DEAD || e.kind == ROSTER_ADOPTED;
    e.victim = names[take_u8(t) % (NAMES - 1)];
    const struct roster_agent *about = roster_find(r, is_about ? e.victim : writer);
    uint8_t off = take_u8(t);
    e.inc = (about ? about->inc : 0) + (e.kind == ROSTER_JOIN) + (off & 1);
    e.epoch = roster_epoch(r) + (e.kind != ROSTER_SETTLED) + (off >> 1 & 1);
    e.boot = (about ? about->boot : 1) + (off >> 2 & 1);
    e.is_start = off >> 3 & 1;
    e.lease = (about ? about->lease_number : 0) + (off >> 4 & 1);
    e.weight = off & 1 ? 64 : off;
    e.timings = timings;
    e.points = 4;
    e.probes = 2;
    roster_entry_write(&e, out);
}

static void take(struct roster *r, struct roster_stand at, struct str bytes)
{
    const char *why = NULL;
    at.number = roster_length(r) + 1;
    enum rc rc = roster_take(r, &at, bytes, &why);
    if ((rc != RC_OK && rc != RC_LIMIT) || !why)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct taker t = {.rest = str_make((const char *)data, n)};
    struct roster *a, *b;
    uint64_t stamp = 0;
    if (!n || roster_open(&a) || roster_open(&b))
        return 0;
    for (unsigned i = 0; i < MOST_ENTRIES && t.rest.n && !t.bad; i++) {
        struct buf out = {.max = 1000};
        uint8_t who = take_u8(&t);
        struct roster_stand at = {.writer = names[who % NAMES]};
        stamp += UINT64_C(25) * take_u8(&t);
        at.stamp_ms = stamp;
        if (who & 128)
            buf_add(&out, take_str8(&t));
        else
            make_entry(a, at.writer, &t, &out);
        take(a, at, buf_str(&out));
        take(b, at, buf_str(&out));
        buf_done(&out);
        check(a);
        if (roster_hash(a) != roster_hash(b))
            abort();
    }
    roster_close(a);
    roster_close(b);
    return 0;
}
