/* SPDX-License-Identifier: Apache-2.0 */
#include "cluster/roster/roster_internal.h"

#include "base/hash.h"
#include "base/mem.h"

enum rc roster_open(struct roster **ret)
{
    return roster_open_sharing(NULL, ret);
}

enum rc roster_open_sharing(struct roster_rings *s, struct roster **ret)
{
    struct roster *r = mem_zero(1, sizeof *r);
    if (!r)
        return RC_NOMEM;
    r->shared = s;
    r->shape.point_bits = 64;
    enum rc rc = rows_add_ring(r); /* epoch 0: an empty ring */
    if (rc)
        roster_close(r);
    else
        *ret = r;
    return rc;
}

void roster_close(struct roster *r)
{
    if (!r)
        return;
    rows_done(r);
    for (size_t i = 0; i < r->count; i++)
        mem_free(r->members[i]);
    mem_free(r->members);
    mem_free(r->heads);
    mem_free(r->shown);
    mem_free(r);
}

/* What entries do ---------------------------------------------------------------------------- */

static void do_found(struct roster *r, const struct roster_entry *e)
{
    r->is_founded = true;
    r->timings = e->timings;
    r->shape.points = e->points;
    r->shape.probes = e->probes;
}

static void renew_lease(struct member *m, const struct roster_stand *at, uint64_t time)
{
    m->is.lease_number = at->number;
    m->is.lease_stamp_ms = at->stamp_ms;
    m->lease_time = time;
}

static void do_renew(struct roster *r, const struct roster_stand *at, uint64_t time,
                     const struct roster_entry *e)
{
    struct member *m = member_living(r, at->writer);
    m->is.boot = e->boot;
    renew_lease(m, at, time);
}

static enum rc do_join(struct roster *r, const struct roster_stand *at, uint64_t time,
                       const struct roster_entry *e)
{
    struct member *m;
    enum rc rc = member_add(r, at->writer, e->inc, &m);
    if (rc)
        return rc;
    m->is.boot = e->boot;
    m->is.weight = e->weight;
    m->is.state = ROSTER_LIVING;
    m->is.joined_epoch = e->epoch;
    m->heard_since = m->heard_time = time;
    renew_lease(m, at, time);
    rc = rows_add_ring(r);
    if (rc) {
        member_remove(r, m);
        return rc;
    }
    r->epoch = e->epoch;
    members_tidy(r);
    return RC_OK;
}

static enum rc do_weight(struct roster *r, const struct roster_stand *at,
                         const struct roster_entry *e)
{
    struct member *m = member_living(r, at->writer);
    uint32_t before = m->is.weight;
    m->is.weight = e->weight;
    enum rc rc = rows_add_ring(r);
    if (rc)
        m->is.weight = before;
    else
        r->epoch = e->epoch;
    return rc;
}

static enum rc do_out(struct roster *r, struct member *m, const struct roster_entry *e,
                      enum roster_state state)
{
    enum rc rc = rows_add_without(r, m);
    if (rc)
        return rc;
    m->is.state = state;
    r->dead_count += state == ROSTER_DEAD_NOW;
    m->is.left_epoch = m->is.left_epoch ? m->is.left_epoch : e->epoch; /* a leaving agent may die */
    r->epoch = e->epoch;
    return RC_OK;
}

static void do_forget(struct roster *r, struct member *m)
{
    r->dead_count -= m->is.state == ROSTER_DEAD_NOW;
    m->is.state = ROSTER_FORGOTTEN;
    members_tidy(r);
}

static void do_settled(struct roster *r)
{
    rows_settle(r);
    r->settled = r->epoch;
    members_tidy(r);
}

/* A recrawl is an epoch of its own, so that every agent must have read it before the crawl can be
 * finished. */
static enum rc do_recrawl(struct roster *r, const struct roster_entry *e)
{
    enum rc rc = rows_add_same(r);
    if (rc)
        return rc;
    r->recrawl_number = e->n;
    r->epoch = e->epoch;
    return RC_OK;
}

/* The entry is valid, except for collisions and limits. */
static enum rc do_entry(struct roster *r, const struct roster_stand *at, uint64_t time,
                        const struct roster_entry *e)
{
    switch (e->kind) {
    case ROSTER_FOUND:
        do_found(r, e);
        return RC_OK;
    case ROSTER_RENEW:
        do_renew(r, at, time, e);
        return RC_OK;
    case ROSTER_JOIN:
        return do_join(r, at, time, e);
    case ROSTER_WEIGHT:
        return do_weight(r, at, e);
    case ROSTER_LEAVE:
        return do_out(r, member_living(r, at->writer), e, ROSTER_LEAVING);
    case ROSTER_DEAD:
        return do_out(r, member_of(r, e->victim, e->inc), e, ROSTER_DEAD_NOW);
    case ROSTER_ADOPTED:
        do_forget(r, member_of(r, e->victim, e->inc));
        return RC_OK;
    case ROSTER_GONE:
        do_forget(r, member_living(r, at->writer));
        return RC_OK;
    case ROSTER_SETTLED:
        do_settled(r);
        return RC_OK;
    case ROSTER_RECRAWL:
        return do_recrawl(r, e);
    case ROSTER_RESTORE:
        break;
    }
    return RC_OK;
}

/* Taking ------------------------------------------------------------------------------------- */

static void hear_writer(struct roster *r, struct str writer, uint64_t time)
{
    struct member *m = member_youngest(r, writer);
    if (!m)
        return;
    if (time - m->heard_time > r->timings.dead_ms / 2)
        m->heard_since = time;
    m->heard_time = time;
}

/* Takes an entry that is no restore; `e` is NULL if it could not be read. */
static enum rc take_one(struct roster *r, const struct roster_stand *at,
                        const struct roster_entry *e, const char **ret_why)
{
    uint64_t time = roster_time_at(r, at->stamp_ms);
    const char *why = e ? roster_why_not(r, at, time, e) : "it cannot be read";
    enum rc rc = why ? RC_OK : do_entry(r, at, time, e);
    if (rc == RC_NOMEM)
        return rc;
    if (rc == RC_EXISTS)
        why = "a point of its ring collides with another agent's: it must take another name";
    else if (rc)
        why = "there are too many agents, names, points or rings";
    r->time = time;
    r->last_stamp_ms = at->stamp_ms;
    r->length = at->number;
    hear_writer(r, at->writer, time);
    *ret_why = why ? why : "";
    return rc == RC_LIMIT ? RC_LIMIT : RC_OK;
}

static enum rc take_bytes(struct roster *r, const struct roster_stand *at, struct str bytes,
                          const char **ret_why)
{
    struct roster_entry e;
    return take_one(r, at, roster_entry_read(bytes, &e) ? NULL : &e, ret_why);
}

/* Each restored entry counts or not, as it did when it stood in the log. */
static enum rc take_restore(struct roster *r, const struct roster_entry *e, const char **ret_why)
{
    struct str entries = e->entries, bytes;
    struct roster_stand at;
    const char *ignored;
    *ret_why = "it does not continue what is left of the log";
    if (e->n != r->length + 1)
        return RC_OK;
    while (roster_lost_next(&entries, &at, &bytes)) {
        at.number = r->length + 1;
        if (take_bytes(r, &at, bytes, &ignored) == RC_NOMEM)
            return RC_NOMEM;
    }
    *ret_why = "";
    return RC_OK;
}

enum rc roster_take(struct roster *r, const struct roster_stand *at, struct str bytes,
                    const char **ret_why)
{
    struct roster_entry e;
    if (at->number != r->length + 1)
        return RC_INVALID;
    enum rc rc = roster_entry_read(bytes, &e);
    if (rc == RC_OK && e.kind == ROSTER_RESTORE)
        return take_restore(r, &e, ret_why);
    return take_one(r, at, rc ? NULL : &e, ret_why);
}

/* Looking ------------------------------------------------------------------------------------ */

uint64_t roster_length(const struct roster *r)
{
    return r->length;
}

uint64_t roster_epoch(const struct roster *r)
{
    return r->epoch;
}

uint64_t roster_settled(const struct roster *r)
{
    return r->settled;
}

bool roster_is_open(const struct roster *r)
{
    return r->settled < r->epoch;
}

bool roster_has_dead(const struct roster *r)
{
    return r->dead_count > 0;
}

uint64_t roster_recrawl(const struct roster *r)
{
    return r->recrawl_number;
}

struct roster_timings roster_timings(const struct roster *r)
{
    return r->timings;
}

size_t roster_count(const struct roster *r)
{
    return r->shown_count;
}

const struct roster_agent *roster_at(const struct roster *r, size_t i)
{
    return r->shown[i];
}

const struct roster_agent *roster_find(const struct roster *r, struct str name)
{
    const struct member *m = member_youngest(r, name);
    return m ? &m->is : NULL;
}

const struct roster_agent *roster_find_inc(const struct roster *r, struct str name, uint64_t inc)
{
    const struct member *m = member_of(r, name, inc);
    return m ? &m->is : NULL;
}

/* The hash ----------------------------------------------------------------------------------- */

static void mix(uint64_t *hash, uint64_t v)
{
    *hash = hash64_mix(*hash * 31 + v + 1);
}

static void mix_member(uint64_t *hash, const struct member *m)
{
    const struct roster_agent *a = &m->is;
    const uint64_t list[] = {
        hash64(str_c(a->name)), a->inc,        a->boot,         a->weight,         a->state,
        a->joined_epoch,        a->left_epoch, a->lease_number, a->lease_stamp_ms, m->lease_time,
        m->heard_since,         m->heard_time};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        mix(hash, list[i]);
}

/* The members and their weights; the ring follows from them. */
static void mix_row(uint64_t *hash, const struct roster_row *row)
{
    for (uint32_t i = 0; row->ring && i < row->ring->count; i++) {
        if (row->absent[i / 64] >> i % 64 & 1)
            continue;
        mix(hash, hash64(str_c(row->ring->of[i]->is.name)));
        mix(hash, row->ring->of[i]->is.inc);
        mix(hash, row->ring->weight[i]);
    }
    mix(hash, 0);
}

uint64_t roster_hash(const struct roster *r)
{
    const struct roster_timings *t = &r->timings;
    const uint64_t list[] = {r->length,     r->epoch,        r->settled,       r->time,
                             r->is_founded, t->heartbeat_ms, t->renew_ms,      t->suspect_ms,
                             t->fence_ms,   t->abort_ms,     t->dead_ms,       r->shape.points,
                             r->name_count, r->shape.probes, r->last_stamp_ms, r->recrawl_number};
    uint64_t hash = 0;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        mix(&hash, list[i]);
    for (size_t i = 0; i < r->count; i++)
        mix_member(&hash, r->members[i]);
    for (size_t i = 0; i < r->row_count; i++)
        mix_row(&hash, &r->rows[i]);
    return hash;
}
