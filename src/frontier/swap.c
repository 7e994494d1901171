/* SPDX-License-Identifier: Apache-2.0 */
/* What comes for a swapped bucket, how it comes back, and references. Which bucket is
 * swapped out or loaded is swap_turns.c's. */
#include "frontier/swap.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/mem.h"
#include "frontier/frontier_internal.h"
#include "frontier/inbox.h"
#include "frontier/move.h"
#include "frontier/swap_internal.h"

enum {
    RECENT_BYTES = 1 << 20,
    INBOX_LEAST_BYTES = 1, /* however small the budget */
    BUCKETS_A_SHARE = 4,   /* of the budget: the part that inboxes may take */
    REFERENCE_HEAD = 8 + 4 + 4 + 8 * 9 + 4,
    HASH_BYTES = 8,
};
#define MAGIC "OWRESTED"
#define MOST_SEQUENCE (UINT64_C(1) << 62)

void swap_job_close(struct swap_job *j)
{
    if (!j)
        return;
    buf_done(&j->bytes);
    mem_free(j);
}

void frontier_swap_begin(struct frontier *f, struct swap_carrier c, uint64_t generation)
{
    f->swap.carrier = c;
    f->swap.generation = generation;
}

uint64_t frontier_swap_generation(const struct frontier *f)
{
    return f->swap.generation;
}

void frontier_swap_copy(struct frontier *f, const struct frontier *from)
{
    f->swap.carrier = from->swap.carrier;
    f->swap.generation = from->swap.generation;
}

void frontier_swap_raise(struct frontier *f, uint64_t generation)
{
    if (generation > f->swap.generation)
        f->swap.generation = generation;
}

bool frontier_is_swapped(const struct frontier *f, uint64_t host_hash)
{
    return f->away[frontier_bucket(host_hash)] != NULL;
}

void frontier_want(struct frontier *f, uint64_t host_hash)
{
    struct away *a = f->away[frontier_bucket(host_hash)];
    if (!a)
        return;
    a->is_wanted = f->swap.is_asked = true;
    f->swap.is_stale = true;
}

struct swap_file frontier_swap_file(const struct frontier *f, unsigned bucket)
{
    return f->away[bucket] ? f->away[bucket]->file : (struct swap_file){0};
}

/* Away --------------------------------------------------------------------------------------- */

static void sums_add(struct frontier *f, const struct away *a, bool add)
{
    uint64_t sign = add ? 1 : UINT64_MAX; /* wraps: takes away */
    f->swapped_sums.hosts += sign * a->summary.hosts;
    f->swapped_sums.known += sign * a->summary.known;
    f->swapped_sums.queued += sign * a->summary.queued;
    f->counts.unsorted += sign * a->unsorted;
    f->counts.swapped += sign;
    f->swap.is_stale = true;
}

struct away *swap_add(struct frontier *f, unsigned bucket, const struct swap_summary *s,
                      struct swap_file file)
{
    struct away *a = mem_zero(1, sizeof *a);
    if (!a)
        return NULL;
    a->summary = *s;
    a->file = file;
    buf_init(&a->inbox, SWAP_MAX_BYTES);
    f->away[bucket] = a;
    sums_add(f, a, true);
    return a;
}

static void away_close(struct frontier *f, unsigned bucket)
{
    struct away *a = f->away[bucket];
    f->swap.inbox_bytes -= a->inbox.cap;
    buf_done(&a->inbox);
    mem_free(a);
    f->away[bucket] = NULL;
}

void swap_close(struct frontier *f)
{
    for (unsigned i = 0; f->away && i < FRONTIER_BUCKETS; i++)
        if (f->away[i])
            away_close(f, i);
    look_close(f);
    mem_free(f->away);
    mem_free(f->swap.recent);
}

/* Pieces: their head is put before bytes that stand SWAP_HEAD_BYTES into a buffer ---------------
 */

static void put_head(struct buf *piece)
{
    struct str body = str_from(buf_str(piece), SWAP_HEAD_BYTES);
    put_le32(piece->p, (uint32_t)body.n);
    put_le64(piece->p + 4, hash64(body));
}

static enum rc next_piece(struct str *rest, struct str *ret)
{
    if (rest->n < SWAP_HEAD_BYTES || rest->n - SWAP_HEAD_BYTES < get_le32(rest->p))
        return RC_CORRUPT;
    struct str body = str_first(str_from(*rest, SWAP_HEAD_BYTES), get_le32(rest->p));
    uint64_t hash = get_le64(rest->p + 4);
    *rest = str_from(*rest, SWAP_HEAD_BYTES + body.n);
    *ret = body;
    return hash64(body) == hash ? RC_OK : RC_CORRUPT;
}

/* Takes the bytes, if there is memory. */
enum rc swap_send(struct frontier *f, enum swap_task what, unsigned bucket, struct swap_file file,
                  struct buf *bytes, unsigned looker)
{
    struct swap_job *j = mem_zero(1, sizeof *j);
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
        buf_init(&j->bytes, SWAP_MAX_BYTES);
    }
    f->swap.flight_bytes += bytes ? j->bytes.n : file.bytes;
    f->swap.carrier.send(f->swap.carrier.ctx, j);
    return RC_OK;
}

/* What comes meanwhile ------------------------------------------------------------------------ */

static bool recent_need(struct frontier *f)
{
    uint64_t bytes = f->settings.recent_bytes ? f->settings.recent_bytes : RECENT_BYTES;
    if (f->swap.recent)
        return true;
    size_t count = 64;
    while (count * 2 * sizeof(uint64_t) <= bytes)
        count *= 2;
    f->swap.recent = mem_zero(count, sizeof *f->swap.recent);
    f->swap.recent_count = f->swap.recent ? count : 0;
    return f->swap.recent != NULL;
}

static uint64_t *recent_slot(const struct frontier *f, uint64_t fingerprint)
{
    return &f->swap.recent[fingerprint & (f->swap.recent_count - 1)];
}

bool swap_knows(const struct frontier *f, uint64_t fingerprint)
{
    return f->swap.recent && fingerprint && *recent_slot(f, fingerprint) == fingerprint;
}

void swap_forget_recent(struct frontier *f)
{
    if (f->swap.has_recent)
        memset(f->swap.recent, 0, f->swap.recent_count * sizeof *f->swap.recent);
    f->swap.has_recent = false;
}

/* How much of an inbox is kept in memory. */
static size_t inbox_most(const struct frontier *f)
{
    uint64_t share = f->settings.memory_bytes * f->shards / BUCKETS_A_SHARE / FRONTIER_BUCKETS;
    if (!f->settings.memory_bytes || share > SWAP_INBOX_BYTES)
        return SWAP_INBOX_BYTES;
    return share < INBOX_LEAST_BYTES ? INBOX_LEAST_BYTES : (size_t)share;
}

static enum rc inbox_flush(struct frontier *f, unsigned bucket, struct away *a)
{
    size_t bytes = a->inbox.n, cap = a->inbox.cap;
    if (a->file.bytes + bytes > SWAP_MAX_BYTES)
        return RC_LIMIT;
    enum rc rc = swap_send(f, SWAP_APPEND, bucket, a->file, &a->inbox, 0);
    if (rc)
        return rc;
    f->swap.inbox_bytes -= cap;
    a->file.bytes += bytes;
    return RC_OK;
}

/* Behind what was put into the inbox from `at` on. `is_work`: it is to be sorted soon; else it
 * waits until the bucket is loaded for something else. */
static enum rc inbox_grew(struct frontier *f, unsigned bucket, size_t cap, size_t at, bool is_work)
{
    struct away *a = f->away[bucket];
    f->swap.inbox_bytes += a->inbox.cap - cap;
    enum rc rc = buf_rc(&a->inbox);
    if (rc) { /* as if nothing had come */
        a->inbox.n = at;
        a->inbox.rc = RC_OK;
        return rc;
    }
    a->unsorted += is_work;
    f->counts.unsorted += is_work;
    if (is_work)
        f->swap.due_ms = 0;
    bool is_full = a->inbox.n >= inbox_most(f) && !a->is_loading && !a->looks;
    return is_full && f->swap.carrier.send ? inbox_flush(f, bucket, a) : RC_OK;
}

static void inbox_begin(struct away *a)
{
    if (!a->inbox.n)
        buf_fill(&a->inbox, 0, SWAP_HEAD_BYTES);
}

enum rc swap_admit(struct frontier *f, unsigned bucket, const struct candidate *c,
                   enum admitted *ret)
{
    struct away *a = f->away[bucket];
    if (swap_knows(f, c->fingerprint))
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
    f->swap.has_recent = true;
    *ret = ADMITTED_LATER;
    return RC_OK;
}

enum rc frontier_redo_later(struct frontier *f, const struct redo *r, struct str extra,
                            uint64_t due_wall_ms)
{
    unsigned bucket = frontier_bucket(r->host_hash);
    struct away *a = f->away[bucket];
    size_t cap = a->inbox.cap, at = a->inbox.n;
    inbox_begin(a);
    inbox_put_outcome(&a->inbox, r, extra, due_wall_ms);
    return inbox_grew(f, bucket, cap, at, true);
}

enum rc frontier_done_later(struct frontier *f, uint64_t host_hash, struct str host,
                            uint64_t fingerprint)
{
    unsigned bucket = frontier_bucket(host_hash);
    struct buf *inbox = &f->away[bucket]->inbox;
    size_t cap = inbox->cap, at = inbox->n;
    inbox_begin(f->away[bucket]);
    inbox_put_done(inbox, host, fingerprint);
    return inbox_grew(f, bucket, cap, at, false);
}

enum rc frontier_unknow_later(struct frontier *f, uint64_t host_hash, struct str host,
                              uint64_t fingerprint)
{
    unsigned bucket = frontier_bucket(host_hash);
    struct buf *inbox = &f->away[bucket]->inbox;
    size_t cap = inbox->cap, at = inbox->n;
    swap_forget_recent(f);
    inbox_begin(f->away[bucket]);
    inbox_put_unknow(inbox, host, fingerprint);
    return inbox_grew(f, bucket, cap, at, false);
}

enum rc frontier_host_later(struct frontier *f, uint64_t host_hash, struct str host,
                            struct str extra, uint64_t next_wall_ms)
{
    unsigned bucket = frontier_bucket(host_hash);
    struct buf *inbox = &f->away[bucket]->inbox;
    size_t cap = inbox->cap, at = inbox->n;
    inbox_begin(f->away[bucket]);
    inbox_put_host(inbox, host, extra, next_wall_ms);
    return inbox_grew(f, bucket, cap, at, false);
}

/* Its URLs count as queued until that is done, so it is work. */
enum rc frontier_forget_later(struct frontier *f, uint64_t host_hash, struct str host)
{
    unsigned bucket = frontier_bucket(host_hash);
    struct buf *inbox = &f->away[bucket]->inbox;
    size_t cap = inbox->cap, at = inbox->n;
    swap_forget_recent(f);
    inbox_begin(f->away[bucket]);
    inbox_put_forget(inbox, host);
    return inbox_grew(f, bucket, cap, at, true);
}

/* Coming back --------------------------------------------------------------------------------- */

struct sorting {
    struct frontier *frontier;
    const struct snapshot_context *context;
    unsigned bucket;
    bool is_old;
    uint64_t via;   /* of the link before, */
    unsigned hosts; /* and how many new hosts that page has brought here */
};

static bool may_enter(struct sorting *s, const struct candidate *c)
{
    const struct frontier_asks *asks = &s->frontier->settings.asks;
    const struct bucket *b = s->frontier->buckets[s->bucket];
    bool is_new_host = !b || !bucket_host(b, c->host_hash, c->host);
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
    bool is_known = frontier_knows(f, c->host_hash, c->fingerprint);
    if (is_known && !r->is_sure && c->via && c->class != ORDER_REVISITS)
        frontier_linked_again(f, c->host_hash, c->fingerprint, 1);
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
    struct host *h = frontier_host(f, r->outcome.host_hash, r->outcome.host);
    size_t bytes = 0;
    if (!h)
        return RC_OK;
    if (r->extra.n && s->context->read_extra) {
        enum rc rc = s->context->read_extra(s->context->ctx, h, r->extra, &bytes);
        if (rc)
            return rc;
        frontier_extra_bytes(f, h, bytes);
    }
    r->outcome.due_ms = snapshot_due_ms(s->context, r->due_wall_ms);
    frontier_redo(f, &r->outcome);
    return RC_OK;
}

static enum rc sort_host(struct sorting *s, const struct inbox_record *r)
{
    struct move_record host = {.host_hash = hash64(r->host),
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
        if (frontier_bucket(inbox_host_hash(&r)) != s->bucket)
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
    if (rc == RC_OK && snapshot_bucket(body) != s->bucket)
        rc = RC_CORRUPT;
    rc = rc ? rc : snapshot_read(s->frontier, body, s->context);
    if (rc == RC_OK && s->is_old) /* before there are new ones */
        tell_hosts(s->frontier, s->frontier->buckets[s->bucket]);
    while (rc == RC_OK && bytes.n) {
        rc = next_piece(&bytes, &body);
        rc = rc ? rc : sort_records(s, body);
    }
    return rc;
}

/* Whether a host of it can be checked out at once: it is not swapped out before that has happened.
 */
static bool has_ready(const struct bucket *b)
{
    for (uint32_t i = 0; b && i < b->host_slots; i++)
        if (b->hosts[i] && b->hosts[i]->state == HOST_READY)
            return true;
    return false;
}

enum rc swap_fill(struct frontier *to, unsigned bucket, struct str file, struct str inbox,
                  bool is_old, const struct snapshot_context *c)
{
    struct sorting s = {.frontier = to, .context = c, .bucket = bucket, .is_old = is_old};
    enum rc rc = read_file(&s, file);
    return rc || !inbox.n ? rc : sort_records(&s, str_from(inbox, SWAP_HEAD_BYTES));
}

static enum rc install(struct frontier *f, struct swap_job *j, const struct snapshot_context *c)
{
    struct away *a = f->away[j->bucket];
    bool is_old = a->is_old, is_wanted = a->is_wanted;
    struct buf inbox = a->inbox;
    sums_add(f, a, false);
    f->swap.loading--;
    f->swap.inbox_bytes -= inbox.cap;
    a->inbox = (struct buf){0};
    away_close(f, j->bucket);
    enum rc rc = swap_fill(f, j->bucket, buf_str(&j->bytes), buf_str(&inbox), is_old, c);
    buf_done(&inbox);
    struct bucket *b = f->buckets[j->bucket];
    if (rc == RC_OK && b) {
        b->is_fresh = has_ready(b);
        b->is_wanted = is_wanted;
    }
    return rc;
}

enum rc frontier_came(struct frontier *f, struct swap_job *job, const struct snapshot_context *c,
                      struct swap_file *ret_loaded)
{
    enum rc rc = job->rc;
    *ret_loaded = (struct swap_file){0};
    bool is_read = job->what == SWAP_READ || job->what == SWAP_LOOK;
    f->swap.flight_bytes -= is_read ? job->file.bytes : job->bytes.n;
    if (job->what == SWAP_LOOK) {
        rc = look_came(f, job, c);
    } else if (rc == RC_OK && job->what == SWAP_READ) {
        *ret_loaded = job->file;
        rc = install(f, job, c);
    }
    swap_job_close(job);
    return rc;
}

/* References ---------------------------------------------------------------------------------- */

bool swap_is_reference(struct str bytes)
{
    return str_starts(bytes, STR(MAGIC));
}

void swap_write_reference(const struct frontier *f, unsigned bucket,
                          const struct snapshot_context *c, struct buf *out)
{
    const struct away *a = f->away[bucket];
    size_t start = out->n;
    struct str records = a->inbox.n ? str_from(buf_str(&a->inbox), SWAP_HEAD_BYTES) : STR("");
    buf_add(out, STR(MAGIC));
    buf_le32(out, SWAP_REFERENCE_VERSION);
    buf_le32(out, bucket);
    buf_le64(out, a->file.generation);
    buf_le64(out, a->file.bytes);
    buf_le64(out, a->summary.hosts);
    buf_le64(out, a->summary.known);
    buf_le64(out, a->summary.queued);
    buf_le64(out, a->summary.memory_bytes);
    buf_le64(out, snapshot_wall_ms(c, a->summary.due_ms));
    buf_le64(out, f->next_sequence);
    buf_le64(out, a->unsorted);
    buf_le32(out, (uint32_t)records.n);
    buf_add(out, records);
    if (!buf_rc(out))
        buf_le64(out, hash64(str_make(out->p + start, out->n - start)));
}

static enum rc check_reference(const struct frontier *f, struct str bytes)
{
    if (bytes.n < REFERENCE_HEAD + HASH_BYTES || !swap_is_reference(bytes))
        return RC_CORRUPT;
    struct str hashed = str_first(bytes, bytes.n - HASH_BYTES);
    if (hash64(hashed) != get_le64(bytes.p + hashed.n))
        return RC_CORRUPT;
    if (get_le32(bytes.p + 8) != SWAP_REFERENCE_VERSION)
        return RC_VERSION;
    unsigned bucket = snapshot_bucket(bytes);
    if (bucket >= FRONTIER_BUCKETS || bucket % f->shards != f->shard ||
        get_le32(bytes.p + REFERENCE_HEAD - 4) != hashed.n - REFERENCE_HEAD)
        return RC_CORRUPT;
    return f->buckets[bucket] || f->away[bucket] ? RC_EXISTS : RC_OK;
}

enum rc swap_read_reference(struct frontier *f, struct str bytes, const struct snapshot_context *c)
{
    enum rc rc = check_reference(f, bytes);
    if (rc)
        return rc;
    uint64_t v[9];
    for (unsigned i = 0; i < 9; i++)
        v[i] = get_le64(bytes.p + 16 + i * sizeof *v);
    struct swap_file file = {.generation = v[0], .bytes = v[1]};
    struct swap_summary s = {.hosts = v[2], .known = v[3], .queued = v[4], .memory_bytes = v[5]};
    s.due_ms = snapshot_due_ms(c, v[6]);
    if (!file.generation || file.bytes > SWAP_MAX_BYTES || v[7] > MOST_SEQUENCE)
        return RC_CORRUPT;
    struct away *a = swap_add(f, snapshot_bucket(bytes), &s, file);
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
        f->swap.inbox_bytes += a->inbox.cap;
    }
    if (v[7] > f->next_sequence)
        f->next_sequence = v[7];
    if (f->snapshot_sequence < f->next_sequence)
        f->snapshot_sequence = f->next_sequence;
    return buf_rc(&a->inbox);
}

bool frontier_swap_is_busy(const struct frontier *f)
{
    return f->swap.flight_bytes || f->swap.loading;
}

struct swap_file frontier_swap_drop(struct frontier *f, unsigned bucket)
{
    struct swap_file file = frontier_swap_file(f, bucket);
    if (!f->away[bucket])
        return file;
    sums_add(f, f->away[bucket], false);
    away_close(f, bucket);
    swap_forget_recent(f);
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
