/* SPDX-License-Identifier: Apache-2.0 */
/* What comes for a bucket that rests, how it comes back, and references. Who rests and who is
 * loaded is rest_turns.c's. */
#include "frontier/rest.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"
#include "frontier/inbox.h"
#include "frontier/inside.h"
#include "frontier/move.h"
#include "frontier/rest_inside.h"

enum {
    RECENT_BYTES = 1 << 20,
    INBOX_LEAST_BYTES = 1, /* however small the budget */
    BUCKETS_A_SHARE = 4,   /* of the budget: so much may be in inboxes */
    REFERENCE_HEAD = 8 + 4 + 4 + 8 * 9 + 4,
    HASH_BYTES = 8,
};
#define MAGIC "OWRESTED"
#define MOST_SEQUENCE (UINT64_C(1) << 62)

void rest_job_close(struct rest_job *j)
{
    if (!j)
        return;
    buf_done(&j->bytes);
    mem_free(j);
}

void frontier_rest_begin(struct frontier *f, struct rest_carrier c, uint64_t generation)
{
    f->rest.carrier = c;
    f->rest.generation = generation;
}

uint64_t frontier_rest_generation(const struct frontier *f)
{
    return f->rest.generation;
}

void frontier_rest_copy(struct frontier *f, const struct frontier *from)
{
    f->rest.carrier = from->rest.carrier;
    f->rest.generation = from->rest.generation;
}

void frontier_rest_raise(struct frontier *f, uint64_t generation)
{
    if (generation > f->rest.generation)
        f->rest.generation = generation;
}

bool frontier_rests(const struct frontier *f, uint64_t position)
{
    return f->away[frontier_bucket(position)] != NULL;
}

void frontier_want(struct frontier *f, uint64_t position)
{
    struct away *a = f->away[frontier_bucket(position)];
    if (!a)
        return;
    a->is_wanted = f->rest.is_asked = true;
    f->rest.is_stale = true;
}

struct rest_file frontier_rest_file(const struct frontier *f, unsigned bucket)
{
    return f->away[bucket] ? f->away[bucket]->file : (struct rest_file){0};
}

/* Away --------------------------------------------------------------------------------------- */

static void sums_add(struct frontier *f, const struct away *a, bool add)
{
    uint64_t sign = add ? 1 : UINT64_MAX; /* wraps: takes away */
    f->at_rest.hosts += sign * a->summary.hosts;
    f->at_rest.known += sign * a->summary.known;
    f->at_rest.queued += sign * a->summary.queued;
    f->counts.unsorted += sign * a->unsorted;
    f->counts.resting += sign;
    f->rest.is_stale = true;
}

struct away *rest_add(struct frontier *f, unsigned bucket, const struct rest_summary *s,
                      struct rest_file file)
{
    struct away *a = mem_zero(1, sizeof *a);
    if (!a)
        return NULL;
    a->summary = *s;
    a->file = file;
    buf_init(&a->inbox, REST_MAX_BYTES);
    f->away[bucket] = a;
    sums_add(f, a, true);
    return a;
}

static void away_close(struct frontier *f, unsigned bucket)
{
    struct away *a = f->away[bucket];
    f->rest.inbox_bytes -= a->inbox.cap;
    buf_done(&a->inbox);
    mem_free(a);
    f->away[bucket] = NULL;
}

void rest_close(struct frontier *f)
{
    for (unsigned i = 0; f->away && i < FRONTIER_BUCKETS; i++)
        if (f->away[i])
            away_close(f, i);
    look_close(f);
    mem_free(f->away);
    mem_free(f->rest.recent);
}

/* Pieces: their head is put before bytes that stand REST_HEAD_BYTES into a buffer ---------------
 */

static void put_head(struct buf *piece)
{
    struct str body = str_from(buf_str(piece), REST_HEAD_BYTES);
    put_le32(piece->p, (uint32_t)body.n);
    put_le64(piece->p + 4, hash64(body));
}

static enum rc next_piece(struct str *rest, struct str *ret)
{
    if (rest->n < REST_HEAD_BYTES || rest->n - REST_HEAD_BYTES < get_le32(rest->p))
        return RC_CORRUPT;
    struct str body = str_first(str_from(*rest, REST_HEAD_BYTES), get_le32(rest->p));
    uint64_t hash = get_le64(rest->p + 4);
    *rest = str_from(*rest, REST_HEAD_BYTES + body.n);
    *ret = body;
    return hash64(body) == hash ? RC_OK : RC_CORRUPT;
}

/* Takes the bytes, if there is memory. */
enum rc rest_send(struct frontier *f, enum rest_errand what, unsigned bucket, struct rest_file file,
                  struct buf *bytes, unsigned looker)
{
    struct rest_job *j = mem_zero(1, sizeof *j);
    if (!j)
        return RC_NOMEM;
    j->what = what;
    j->bucket = bucket;
    j->file = file;
    j->looker = looker;
    if (bytes) {
        put_head(bytes);
        j->bytes = *bytes;
        *bytes = (struct buf){.max = bytes->max};
    } else {
        buf_init(&j->bytes, REST_MAX_BYTES);
    }
    f->rest.flight_bytes += bytes ? j->bytes.n : file.bytes;
    f->rest.carrier.send(f->rest.carrier.ctx, j);
    return RC_OK;
}

/* What comes meanwhile ------------------------------------------------------------------------ */

static bool recent_need(struct frontier *f)
{
    uint64_t bytes = f->settings.recent_bytes ? f->settings.recent_bytes : RECENT_BYTES;
    if (f->rest.recent)
        return true;
    size_t count = 64;
    while (count * 2 * sizeof(uint64_t) <= bytes)
        count *= 2;
    f->rest.recent = mem_zero(count, sizeof *f->rest.recent);
    f->rest.recent_count = f->rest.recent ? count : 0;
    return f->rest.recent != NULL;
}

static uint64_t *recent_slot(const struct frontier *f, uint64_t fingerprint)
{
    return &f->rest.recent[fingerprint & (f->rest.recent_count - 1)];
}

bool rest_knows(const struct frontier *f, uint64_t fingerprint)
{
    return f->rest.recent && fingerprint && *recent_slot(f, fingerprint) == fingerprint;
}

void rest_forget_recent(struct frontier *f)
{
    if (f->rest.has_recent)
        memset(f->rest.recent, 0, f->rest.recent_count * sizeof *f->rest.recent);
    f->rest.has_recent = false;
}

/* How much of an inbox is kept in memory. */
static size_t inbox_most(const struct frontier *f)
{
    uint64_t share = f->settings.memory_bytes * f->shards / BUCKETS_A_SHARE / FRONTIER_BUCKETS;
    if (!f->settings.memory_bytes || share > REST_INBOX_BYTES)
        return REST_INBOX_BYTES;
    return share < INBOX_LEAST_BYTES ? INBOX_LEAST_BYTES : (size_t)share;
}

static enum rc inbox_flush(struct frontier *f, unsigned bucket, struct away *a)
{
    size_t bytes = a->inbox.n, cap = a->inbox.cap;
    if (a->file.bytes + bytes > REST_MAX_BYTES)
        return RC_LIMIT;
    enum rc rc = rest_send(f, REST_APPEND, bucket, a->file, &a->inbox, 0);
    if (rc)
        return rc;
    f->rest.inbox_bytes -= cap;
    a->file.bytes += bytes;
    return RC_OK;
}

/* Behind what was put into the inbox from `at` on. `is_work`: it is to be sorted soon; else it
 * waits until the bucket is loaded for something else. */
static enum rc inbox_grew(struct frontier *f, unsigned bucket, size_t cap, size_t at, bool is_work)
{
    struct away *a = f->away[bucket];
    f->rest.inbox_bytes += a->inbox.cap - cap;
    enum rc rc = buf_rc(&a->inbox);
    if (rc) { /* as if nothing had come */
        a->inbox.n = at;
        a->inbox.rc = RC_OK;
        return rc;
    }
    a->unsorted += is_work;
    f->counts.unsorted += is_work;
    if (is_work)
        f->rest.due_ms = 0;
    bool is_full = a->inbox.n >= inbox_most(f) && !a->is_loading && !a->looks;
    return is_full && f->rest.carrier.send ? inbox_flush(f, bucket, a) : RC_OK;
}

static void inbox_begin(struct away *a)
{
    if (!a->inbox.n)
        buf_fill(&a->inbox, 0, REST_HEAD_BYTES);
}

enum rc rest_admit(struct frontier *f, unsigned bucket, const struct candidate *c,
                   enum admitted *ret)
{
    struct away *a = f->away[bucket];
    if (rest_knows(f, c->fingerprint))
        return RC_OK; /* *ret says so */
    if (!recent_need(f))
        return RC_NOMEM;
    size_t cap = a->inbox.cap, at = a->inbox.n;
    inbox_begin(a);
    inbox_put_link(&a->inbox, c, f->settings.replays);
    enum rc rc = inbox_grew(f, bucket, cap, at, true);
    if (rc)
        return rc;
    *recent_slot(f, c->fingerprint) = c->fingerprint;
    f->rest.has_recent = true;
    *ret = ADMITTED_LATER;
    return RC_OK;
}

enum rc frontier_redo_later(struct frontier *f, const struct redo *r, struct str extra,
                            uint64_t due_wall_ms)
{
    unsigned bucket = frontier_bucket(r->position);
    struct away *a = f->away[bucket];
    size_t cap = a->inbox.cap, at = a->inbox.n;
    inbox_begin(a);
    inbox_put_outcome(&a->inbox, r, extra, due_wall_ms);
    return inbox_grew(f, bucket, cap, at, true);
}

enum rc frontier_done_later(struct frontier *f, uint64_t position, struct str host,
                            uint64_t fingerprint)
{
    unsigned bucket = frontier_bucket(position);
    struct buf *inbox = &f->away[bucket]->inbox;
    size_t cap = inbox->cap, at = inbox->n;
    inbox_begin(f->away[bucket]);
    inbox_put_done(inbox, host, fingerprint);
    return inbox_grew(f, bucket, cap, at, false);
}

enum rc frontier_unknow_later(struct frontier *f, uint64_t position, struct str host,
                              uint64_t fingerprint)
{
    unsigned bucket = frontier_bucket(position);
    struct buf *inbox = &f->away[bucket]->inbox;
    size_t cap = inbox->cap, at = inbox->n;
    rest_forget_recent(f);
    inbox_begin(f->away[bucket]);
    inbox_put_unknow(inbox, host, fingerprint);
    return inbox_grew(f, bucket, cap, at, false);
}

enum rc frontier_host_later(struct frontier *f, uint64_t position, struct str host,
                            struct str extra, uint64_t next_wall_ms)
{
    unsigned bucket = frontier_bucket(position);
    struct buf *inbox = &f->away[bucket]->inbox;
    size_t cap = inbox->cap, at = inbox->n;
    inbox_begin(f->away[bucket]);
    inbox_put_host(inbox, host, extra, next_wall_ms);
    return inbox_grew(f, bucket, cap, at, false);
}

/* Its URLs count as queued until that is done, so it is work. */
enum rc frontier_forget_later(struct frontier *f, uint64_t position, struct str host)
{
    unsigned bucket = frontier_bucket(position);
    struct buf *inbox = &f->away[bucket]->inbox;
    size_t cap = inbox->cap, at = inbox->n;
    rest_forget_recent(f);
    inbox_begin(f->away[bucket]);
    inbox_put_forget(inbox, host);
    return inbox_grew(f, bucket, cap, at, true);
}

/* Coming back --------------------------------------------------------------------------------- */

struct sorting {
    struct frontier *frontier;
    const struct image_context *context;
    unsigned bucket;
    bool is_old;
    uint64_t via;   /* of the link before, */
    unsigned hosts; /* and how many new hosts that page has brought here */
};

static bool may_enter(struct sorting *s, const struct candidate *c)
{
    const struct frontier_asks *asks = &s->frontier->settings.asks;
    const struct bucket *b = s->frontier->buckets[s->bucket];
    bool is_new_host = !b || !bucket_host(b, c->position, c->host);
    if (c->via != s->via)
        s->hosts = 0;
    s->via = c->via;
    if (asks->may_enter && !asks->may_enter(asks->ctx, c, is_new_host, s->hosts))
        return false;
    s->hosts += is_new_host;
    return true;
}

static enum rc sort_link(struct sorting *s, const struct inbox_record *r)
{
    struct frontier *f = s->frontier;
    const struct candidate *c = &r->link;
    enum admitted became = ADMITTED_KNOWN;
    struct frontier_settings saved = f->settings;
    enum rc rc = RC_OK;
    if (r->is_sure) { /* as when a journal is done again: limits do not hold */
        f->settings.max_hosts = f->settings.max_host_queue = UINT32_MAX;
        f->settings.max_host_queue_bytes = 0;
    }
    bool is_known = frontier_knows(f, c->position, c->fingerprint);
    if (!is_known && !r->is_sure && !may_enter(s, c))
        became = ADMITTED_REFUSED;
    else if (!is_known)
        rc = frontier_admit_one(f, c, s->context->now_ms, &became);
    f->settings = saved;
    if (rc == RC_OK && f->settings.asks.became)
        f->settings.asks.became(f->settings.asks.ctx, became);
    return rc;
}

static enum rc sort_outcome(struct sorting *s, struct inbox_record *r)
{
    struct frontier *f = s->frontier;
    struct host *h = frontier_host(f, r->outcome.position, r->outcome.host);
    size_t bytes = 0;
    if (!h)
        return RC_OK;
    if (r->extra.n && s->context->read_extra) {
        enum rc rc = s->context->read_extra(s->context->ctx, h, r->extra, &bytes);
        if (rc)
            return rc;
        frontier_extra_bytes(f, h, bytes);
    }
    r->outcome.due_ms = image_due_ms(s->context, r->due_wall_ms);
    frontier_redo(f, &r->outcome);
    return RC_OK;
}

static enum rc sort_host(struct sorting *s, const struct inbox_record *r)
{
    struct move_record host = {.position = hash64(r->host),
                               .name = r->host,
                               .next_wall_ms = r->due_wall_ms,
                               .extra = r->extra};
    enum rc rc = move_host(s->frontier, &host, s->context);
    return rc == RC_LIMIT || rc == RC_CORRUPT || rc == RC_VERSION ? RC_OK : rc;
}

static enum rc sort_one(struct sorting *s, struct inbox_record *r)
{
    switch (r->kind) {
    case INBOX_LINK:
        return sort_link(s, r);
    case INBOX_OUTCOME:
        return sort_outcome(s, r);
    case INBOX_DONE:
        return move_done(s->frontier, hash64(r->host), r->host, &r->fingerprint, 1);
    case INBOX_HOST:
        return sort_host(s, r);
    case INBOX_UNKNOW:
        return move_unknow(s->frontier, hash64(r->host), r->host, &r->fingerprint, 1);
    case INBOX_FORGET:
        return move_forget(s->frontier, hash64(r->host), r->host);
    }
    return RC_CORRUPT;
}

static enum rc sort_records(struct sorting *s, struct str records)
{
    struct inbox_record r;
    enum rc rc;
    while ((rc = inbox_next(&records, &r)) == RC_OK) {
        if (frontier_bucket(inbox_position(&r)) != s->bucket)
            return RC_CORRUPT;
        rc = sort_one(s, &r);
        if (rc)
            return rc;
    }
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static void tell_hosts(const struct frontier *f, const struct bucket *b)
{
    const struct frontier_asks *asks = &f->settings.asks;
    for (uint32_t i = 0; b && asks->loaded && i < b->host_slots; i++)
        if (b->hosts[i])
            asks->loaded(asks->ctx, b->hosts[i]);
}

static enum rc read_file(struct sorting *s, struct str bytes)
{
    struct str body;
    enum rc rc = next_piece(&bytes, &body);
    if (rc == RC_OK && image_bucket(body) != s->bucket)
        rc = RC_CORRUPT;
    rc = rc ? rc : image_read(s->frontier, body, s->context);
    if (rc == RC_OK && s->is_old) /* before there are new ones */
        tell_hosts(s->frontier, s->frontier->buckets[s->bucket]);
    while (rc == RC_OK && bytes.n) {
        rc = next_piece(&bytes, &body);
        rc = rc ? rc : sort_records(s, body);
    }
    return rc;
}

/* Whether somebody of it can be lent at once: it is not sent away before that has happened. */
static bool has_ready(const struct bucket *b)
{
    for (uint32_t i = 0; b && i < b->host_slots; i++)
        if (b->hosts[i] && b->hosts[i]->state == HOST_READY)
            return true;
    return false;
}

enum rc rest_fill(struct frontier *to, unsigned bucket, struct str file, struct str inbox,
                  bool is_old, const struct image_context *c)
{
    struct sorting s = {.frontier = to, .context = c, .bucket = bucket, .is_old = is_old};
    enum rc rc = read_file(&s, file);
    return rc || !inbox.n ? rc : sort_records(&s, str_from(inbox, REST_HEAD_BYTES));
}

static enum rc install(struct frontier *f, struct rest_job *j, const struct image_context *c)
{
    struct away *a = f->away[j->bucket];
    bool is_old = a->is_old;
    struct buf inbox = a->inbox;
    sums_add(f, a, false);
    f->rest.loading--;
    f->rest.inbox_bytes -= inbox.cap;
    a->inbox = (struct buf){0};
    away_close(f, j->bucket);
    enum rc rc = rest_fill(f, j->bucket, buf_str(&j->bytes), buf_str(&inbox), is_old, c);
    buf_done(&inbox);
    if (rc == RC_OK && f->buckets[j->bucket])
        f->buckets[j->bucket]->is_fresh = has_ready(f->buckets[j->bucket]);
    return rc;
}

enum rc frontier_came(struct frontier *f, struct rest_job *job, const struct image_context *c,
                      struct rest_file *ret_loaded)
{
    enum rc rc = job->rc;
    *ret_loaded = (struct rest_file){0};
    bool is_read = job->what == REST_READ || job->what == REST_LOOK;
    f->rest.flight_bytes -= is_read ? job->file.bytes : job->bytes.n;
    if (job->what == REST_LOOK) {
        rc = look_came(f, job, c);
    } else if (rc == RC_OK && job->what == REST_READ) {
        *ret_loaded = job->file;
        rc = install(f, job, c);
    }
    rest_job_close(job);
    return rc;
}

/* References ---------------------------------------------------------------------------------- */

bool rest_is_reference(struct str bytes)
{
    return str_starts(bytes, STR(MAGIC));
}

void rest_write_reference(const struct frontier *f, unsigned bucket, const struct image_context *c,
                          struct buf *out)
{
    const struct away *a = f->away[bucket];
    size_t start = out->n;
    struct str records = a->inbox.n ? str_from(buf_str(&a->inbox), REST_HEAD_BYTES) : STR("");
    buf_add(out, STR(MAGIC));
    buf_le32(out, REST_REFERENCE_VERSION);
    buf_le32(out, bucket);
    buf_le64(out, a->file.generation);
    buf_le64(out, a->file.bytes);
    buf_le64(out, a->summary.hosts);
    buf_le64(out, a->summary.known);
    buf_le64(out, a->summary.queued);
    buf_le64(out, a->summary.memory_bytes);
    buf_le64(out, image_wall_ms(c, a->summary.due_ms));
    buf_le64(out, f->next_sequence);
    buf_le64(out, a->unsorted);
    buf_le32(out, (uint32_t)records.n);
    buf_add(out, records);
    if (!buf_rc(out))
        buf_le64(out, hash64(str_make(out->p + start, out->n - start)));
}

static enum rc check_reference(const struct frontier *f, struct str bytes)
{
    if (bytes.n < REFERENCE_HEAD + HASH_BYTES || !rest_is_reference(bytes))
        return RC_CORRUPT;
    struct str hashed = str_first(bytes, bytes.n - HASH_BYTES);
    if (hash64(hashed) != get_le64(bytes.p + hashed.n))
        return RC_CORRUPT;
    if (get_le32(bytes.p + 8) != REST_REFERENCE_VERSION)
        return RC_VERSION;
    unsigned bucket = image_bucket(bytes);
    if (bucket >= FRONTIER_BUCKETS || bucket % f->shards != f->shard ||
        get_le32(bytes.p + REFERENCE_HEAD - 4) != hashed.n - REFERENCE_HEAD)
        return RC_CORRUPT;
    return f->buckets[bucket] || f->away[bucket] ? RC_EXISTS : RC_OK;
}

enum rc rest_read_reference(struct frontier *f, struct str bytes, const struct image_context *c)
{
    enum rc rc = check_reference(f, bytes);
    if (rc)
        return rc;
    uint64_t v[9];
    for (unsigned i = 0; i < 9; i++)
        v[i] = get_le64(bytes.p + 16 + i * sizeof *v);
    struct rest_file file = {.generation = v[0], .bytes = v[1]};
    struct rest_summary s = {.hosts = v[2], .known = v[3], .queued = v[4], .memory_bytes = v[5]};
    s.due_ms = image_due_ms(c, v[6]);
    if (!file.generation || file.bytes > REST_MAX_BYTES || v[7] > MOST_SEQUENCE)
        return RC_CORRUPT;
    struct away *a = rest_add(f, image_bucket(bytes), &s, file);
    if (!a)
        return RC_NOMEM;
    a->since_ms = c->now_ms;
    a->is_old = true;
    a->unsorted = v[8];
    f->counts.unsorted += v[8];
    struct str records = str_first(str_from(bytes, REFERENCE_HEAD), bytes.n - REFERENCE_HEAD - 8);
    if (records.n) {
        inbox_begin(a);
        buf_add(&a->inbox, records);
        f->rest.inbox_bytes += a->inbox.cap;
    }
    if (v[7] > f->next_sequence)
        f->next_sequence = v[7];
    if (f->image_sequence < f->next_sequence)
        f->image_sequence = f->next_sequence;
    return buf_rc(&a->inbox);
}

bool frontier_rest_is_busy(const struct frontier *f)
{
    return f->rest.flight_bytes || f->rest.loading;
}

struct rest_file frontier_rest_drop(struct frontier *f, unsigned bucket)
{
    struct rest_file file = frontier_rest_file(f, bucket);
    if (!f->away[bucket])
        return file;
    sums_add(f, f->away[bucket], false);
    away_close(f, bucket);
    rest_forget_recent(f);
    return file;
}

void frontier_forget(struct frontier *f, unsigned bucket)
{
    struct bucket *b = f->buckets[bucket];
    for (uint32_t i = 0; b && i < b->host_slots; i++)
        if (b->hosts[i])
            frontier_take_up(f, b->hosts[i]);
    frontier_bucket_drop(f, bucket);
}
