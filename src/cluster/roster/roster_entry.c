/* SPDX-License-Identifier: Apache-2.0 */
/* An entry as bytes: version 1, kind 1, then the fields of its kind in the order of the header's
 * table. A name follows a byte with its length. Each entry of a restore: stamp 8, writer, length 4,
 * bytes. */
#include "cluster/roster/roster.h"

#include "base/taker.h"
#include "cluster/wire/names.h"

enum { VERSION = 1 };

static void put_name(struct buf *out, struct str name)
{
    if (name.n > UINT8_MAX && !out->rc)
        out->rc = RC_LIMIT;
    buf_byte(out, (char)name.n);
    buf_add(out, name);
}

static void put_found(struct buf *out, const struct roster_entry *e)
{
    const struct roster_timings *t = &e->timings;
    const uint32_t list[] = {t->heartbeat_ms, t->renew_ms, t->suspect_ms, t->fence_ms,
                             t->abort_ms,     t->dead_ms,  e->points,     e->probes};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        buf_le32(out, list[i]);
}

/* The fields of an entry. `found` and `restore` have forms of their own. */
struct form {
    bool victim, inc, boot, n, is_start, weight, epoch, lease;
};
static const struct form forms[] = {
    [ROSTER_RENEW] = {.inc = true, .boot = true, .n = true, .is_start = true},
    [ROSTER_JOIN] = {.inc = true, .boot = true, .weight = true, .epoch = true},
    [ROSTER_WEIGHT] = {.inc = true, .weight = true, .epoch = true},
    [ROSTER_LEAVE] = {.inc = true, .epoch = true},
    [ROSTER_DEAD] = {.victim = true, .inc = true, .epoch = true, .lease = true},
    [ROSTER_ADOPTED] = {.victim = true, .inc = true},
    [ROSTER_GONE] = {.inc = true},
    [ROSTER_SETTLED] = {.epoch = true},
    [ROSTER_RECRAWL] = {.inc = true, .n = true, .epoch = true},
};

static void put_form(struct buf *out, const struct form *f, const struct roster_entry *e)
{
    if (f->victim)
        put_name(out, e->victim);
    if (f->inc)
        buf_le64(out, e->inc);
    if (f->boot)
        buf_le64(out, e->boot);
    if (f->n)
        buf_le64(out, e->n);
    if (f->is_start)
        buf_byte(out, (char)e->is_start);
    if (f->weight)
        buf_le32(out, e->weight);
    if (f->epoch)
        buf_le64(out, e->epoch);
    if (f->lease)
        buf_le64(out, e->lease);
}

void roster_entry_write(const struct roster_entry *e, struct buf *out)
{
    buf_byte(out, VERSION);
    buf_byte(out, (char)e->kind);
    if (e->kind == ROSTER_FOUND) {
        put_found(out, e);
    } else if (e->kind == ROSTER_RESTORE) {
        buf_le64(out, e->n);
        buf_add(out, e->entries);
    } else {
        put_form(out, &forms[e->kind], e);
    }
}

void roster_lost_put(struct buf *entries, const struct roster_stand *at, struct str bytes)
{
    buf_le64(entries, at->stamp_ms);
    put_name(entries, at->writer);
    buf_le32(entries, (uint32_t)bytes.n);
    buf_add(entries, bytes);
}

static void take_found(struct taker *t, struct roster_entry *e)
{
    struct roster_timings *to = &e->timings;
    uint32_t *const list[] = {&to->heartbeat_ms, &to->renew_ms, &to->suspect_ms, &to->fence_ms,
                              &to->abort_ms,     &to->dead_ms,  &e->points,      &e->probes};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        *list[i] = take_u32(t);
}

static void take_form(struct taker *t, const struct form *f, struct roster_entry *e)
{
    if (f->victim) {
        e->victim = take_str8(t);
        t->bad |= !cluster_name_ok(e->victim);
    }
    if (f->inc)
        e->inc = take_u64(t);
    if (f->boot)
        e->boot = take_u64(t);
    if (f->n)
        e->n = take_u64(t);
    if (f->is_start) {
        uint8_t flag = take_u8(t);
        t->bad |= flag > 1;
        e->is_start = flag;
    }
    if (f->weight) {
        e->weight = take_u32(t);
        t->bad |= e->weight > ASSIGN_MAX_WEIGHT;
    }
    if (f->epoch)
        e->epoch = take_u64(t);
    if (f->lease)
        e->lease = take_u64(t);
}

static struct str take_lost(struct taker *t, struct roster_stand *at)
{
    *at = (struct roster_stand){.stamp_ms = take_u64(t)};
    at->writer = take_str8(t);
    return take_str32(t);
}

/* A restore inside a restore would have to be unfolded without end. */
static bool is_restore(struct str bytes)
{
    return bytes.n >= 2 && bytes.p[0] == VERSION && bytes.p[1] == ROSTER_RESTORE;
}

static void take_restore(struct taker *t, struct roster_entry *e)
{
    struct roster_stand ignored;
    e->n = take_u64(t);
    e->entries = t->rest;
    while (t->rest.n && !t->bad)
        t->bad |= is_restore(take_lost(t, &ignored));
}

enum rc roster_entry_read(struct str bytes, struct roster_entry *ret)
{
    struct taker t = {.rest = bytes};
    if (bytes.n > ROSTER_MAX_ENTRY_BYTES)
        return RC_LIMIT;
    uint8_t version = take_u8(&t);
    if (!t.bad && version != VERSION)
        return RC_VERSION;
    struct roster_entry e = {.kind = (enum roster_kind)take_u8(&t)};
    if (e.kind == ROSTER_FOUND)
        take_found(&t, &e);
    else if (e.kind == ROSTER_RESTORE)
        take_restore(&t, &e);
    else if (e.kind >= ROSTER_RENEW && e.kind <= ROSTER_RECRAWL)
        take_form(&t, &forms[e.kind], &e);
    else
        t.bad = true;
    if (t.bad || t.rest.n)
        return RC_CORRUPT;
    *ret = e;
    return RC_OK;
}

bool roster_lost_next(struct str *entries, struct roster_stand *ret, struct str *ret_bytes)
{
    struct taker t = {.rest = *entries};
    if (!entries->n)
        return false;
    *ret_bytes = take_lost(&t, ret);
    *entries = t.rest;
    return !t.bad;
}
