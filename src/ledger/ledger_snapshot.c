/* SPDX-License-Identifier: Apache-2.0 */
/* A snapshot of all buckets is one file, state/images/GENERATION: for each bucket that is not empty
 * a length (4 bytes) and its snapshot (frontier/snapshot.h), or for a swapped one a reference
 * (frontier/swap.h), in any order. Its bytes are made by the shards, a slice a turn, and written by
 * the helper; it counts once the MANIFEST names it. */
#include "ledger/host_records.h"
#include "ledger/ledger_internal.h"

#include "base/bytes.h"
#include "base/mem.h"

#include <stdio.h>

enum { LENGTH_BYTES = 4, MAX_BUCKET_BYTES = 1 << 30 };

static const char *snapshot_path(char room[SNAPSHOT_PATH_BYTES], uint64_t generation)
{
    (void)snprintf(room, SNAPSHOT_PATH_BYTES, LEDGER_SNAPSHOTS "/%016llx",
                   (unsigned long long)generation);
    return room;
}

static struct host_record_clocks clocks_of(const struct ledger *l)
{
    uint64_t now_ms = clock_now_ms(l->settings.clock);
    return (struct host_record_clocks){.now_ms = now_ms,
                                       .wall_ms = (uint64_t)((int64_t)now_ms + l->wall_minus_now),
                                       .most_wait_ms = l->settings.most_wait_ms};
}

/* What the crawl keeps on a host. Rules that would fill a snapshot are left out: they are asked for
 * again. */
static void write_host_record(void *ctx, const struct host *h, struct buf *out)
{
    const struct host_record *c = host_record_if(h);
    struct host_record_clocks t = clocks_of(ctx);
    if (!c)
        return;
    host_record_write_all(c, &t, true, out);
    if (buf_rc(out) != RC_LIMIT)
        return;
    buf_clear(out);
    host_record_write_all(c, &t, false, out);
}

static enum rc read_host_record(void *ctx, struct host *h, struct str bytes, size_t *ret_bytes)
{
    struct host_record *c = host_record_of(h);
    struct host_record_clocks t = clocks_of(ctx);
    enum rc rc = c ? host_record_read_all(c, &t, bytes) : RC_NOMEM;
    *ret_bytes = c ? host_record_bytes(c) : 0;
    return rc;
}

/* What was open when the last process ended may have been answered a moment ago. */
static uint64_t not_before(void *ctx, const struct host *h)
{
    const struct ledger *l = ctx;
    const struct host_record *c = host_record_if(h);
    uint64_t delay_ms = pace_delay_ms(&l->settings.pace, c ? host_record_delay_ms(c) : 0);
    return l->is_resumed ? l->opened_ms + l->settings.restart_wait_ms + delay_ms : 0;
}

struct snapshot_context ledger_snapshot_context(struct ledger *l)
{
    uint64_t now_ms = clock_now_ms(l->settings.clock);
    return (struct snapshot_context){.now_ms = now_ms,
                                     .wall_ms = (uint64_t)((int64_t)now_ms + l->wall_minus_now),
                                     .most_wait_ms = l->settings.most_wait_ms,
                                     .write_extra = write_host_record,
                                     .read_extra = read_host_record,
                                     .not_before = not_before,
                                     .ctx = l};
}

/* Beginning and slicing ---------------------------------------------------------------------- */

bool snapshot_is_due(struct ledger *l)
{
    uint64_t grown = journal_end(l->journal) - l->kept.position;
    return l->snapshot.is_wanted ||
           (grown >= l->settings.snapshot_bytes && grown >= l->kept.snapshot_bytes / 2);
}

void snapshot_begin(struct ledger *l)
{
    l->snapshot.is_wanted = false;
    l->snapshot.position = journal_end(l->journal);
    l->snapshot.facts = l->agent.facts.n;
    l->epoch++;
    l->snapshot.step = SNAPSHOT_DRAINING;
    l->snapshot.shards_sliced = 0;
    for (unsigned i = 0; i < l->settings.shards; i++) {
        l->shards[i].is_sliced = false;
        l->shards[i].next_bucket = i;
    }
}

void snapshot_step_on(struct ledger *l)
{
    if (l->snapshot.step == SNAPSHOT_DRAINING && l->pending[(l->epoch + 1) % 2] == 0)
        l->snapshot.step = SNAPSHOT_SLICING;
}

/* Appends the next buckets of the shard. */
static void slice_into(struct ledger *l, unsigned shard, struct buf *out, struct buf *listed)
{
    struct ledger_shard *s = &l->shards[shard];
    struct snapshot_context c = ledger_snapshot_context(l);
    c.wall_ms = clock_wall_ms(l->settings.clock); /* another process will read it */
    unsigned left = l->settings.slice_buckets ? l->settings.slice_buckets : SNAPSHOT_SLICE_BUCKETS;
    while (left && out->n < SNAPSHOT_SLICE_BYTES && s->next_bucket < FRONTIER_BUCKETS) {
        unsigned bucket = s->next_bucket;
        s->next_bucket += l->settings.shards;
        struct swap_file file = frontier_swap_file(s->frontier, bucket);
        if (!file.generation && snapshot_is_empty(s->frontier, bucket))
            continue;
        left--;
        size_t at = out->n;
        buf_le32(out, 0);
        if (file.generation) {
            swap_refer(l, bucket, file);
            swap_write_reference(s->frontier, bucket, &c, out);
        } else {
            snapshot_write(s->frontier, bucket, &c, out);
            if (l->seen.store.has && !buf_rc(out))
                frontier_store_list(s->frontier, bucket, l->kept.generation + 1, listed);
        }
        if (!buf_rc(out))
            put_le32(out->p + at, (uint32_t)(out->n - at - LENGTH_BYTES));
    }
}

/* Gives the piece to the helper; the shard may have been through. */
static void hand_in(struct ledger *l, unsigned shard, struct snapshot_piece *p)
{
    struct ledger_shard *s = &l->shards[shard];
    (void)pthread_mutex_lock(&l->lock);
    if (l->snapshot.last_piece)
        l->snapshot.last_piece->next = p;
    else
        l->snapshot.pieces = p;
    l->snapshot.last_piece = p;
    l->snapshot.piece_bytes += p->bytes.n;
    s->is_sliced = s->next_bucket >= FRONTIER_BUCKETS;
    l->snapshot.shards_sliced += s->is_sliced;
    if (l->snapshot.shards_sliced == l->settings.shards)
        l->snapshot.step = SNAPSHOT_SLICED;
    (void)pthread_cond_signal(&l->helper.wake);
    (void)pthread_mutex_unlock(&l->lock);
}

static void piece_close(struct snapshot_piece *p)
{
    buf_done(&p->bytes);
    buf_done(&p->listed);
    mem_free(p);
}

enum rc snapshot_slice(struct ledger *l, unsigned shard)
{
    struct snapshot_piece *p = mem_zero(1, sizeof *p);
    if (!p)
        return RC_NOMEM;
    buf_init(&p->bytes, MAX_BUCKET_BYTES);
    buf_init(&p->listed, MAX_BUCKET_BYTES);
    slice_into(l, shard, &p->bytes, &p->listed);
    enum rc rc = buf_rc(&p->bytes);
    if (rc == RC_OK) {
        hand_in(l, shard, p);
        return RC_OK;
    }
    piece_close(p);
    return rc;
}

/* The file, in rounds ------------------------------------------------------------------------ */

static struct snapshot_piece *take_pieces(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    struct snapshot_piece *list = l->snapshot.pieces;
    l->snapshot.pieces = l->snapshot.last_piece = NULL;
    l->snapshot.piece_bytes = 0;
    (void)pthread_mutex_unlock(&l->lock);
    return list;
}

static enum rc need_file(struct ledger *l)
{
    char path[SNAPSHOT_PATH_BYTES];
    return l->snapshot.file ? RC_OK
                            : disk_open(l->disk, snapshot_path(path, l->kept.generation + 1),
                                        DISK_CREATE, &l->snapshot.file);
}

enum rc snapshot_write_pieces(struct ledger *l)
{
    enum rc rc = RC_OK;
    struct snapshot_piece *p = take_pieces(l);
    while (p) {
        struct snapshot_piece *next = p->next;
        struct str bytes = buf_str(&p->bytes);
        if (rc == RC_OK && bytes.n)
            rc = need_file(l);
        if (rc == RC_OK && bytes.n)
            rc = disk_append(l->snapshot.file, &bytes, 1);
        if (rc == RC_OK && p->listed.n)
            rc = seen_take_list(l, buf_str(&p->listed));
        l->snapshot.bytes += bytes.n;
        piece_close(p);
        p = next;
    }
    return rc;
}

static enum rc name_it(struct ledger *l, const struct manifest *m)
{
    struct buf bytes = {.max = MANIFEST_MAX_BYTES};
    manifest_write(m, buf_str(&l->round.commit), &bytes);
    enum rc rc = buf_rc(&bytes);
    rc = rc ? rc : disk_replace(l->disk, LEDGER_MANIFEST, buf_str(&bytes));
    buf_done(&bytes);
    return rc;
}

static enum rc make_durable(struct ledger *l)
{
    enum rc rc = need_file(l);
    rc = rc ? rc : disk_sync(l->snapshot.file);
    disk_file_close(l->snapshot.file);
    l->snapshot.file = NULL;
    rc = rc ? rc : disk_dirsync(l->disk, LEDGER_SNAPSHOTS);
    rc = rc ? rc : swap_sync(l);
    return rc || !l->history ? rc : history_flush(l->history);
}

/* It is whole if its last piece was written, and the commit must vouch for what the journal will
 * not have any more. */
static bool is_whole(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    bool whole = l->snapshot.step == SNAPSHOT_SLICED && !l->snapshot.pieces &&
                 l->snapshot.position <= l->round.commit_position;
    (void)pthread_mutex_unlock(&l->lock);
    return whole;
}

enum rc snapshot_append(struct ledger *l, struct buf *piece)
{
    struct str bytes = buf_str(piece);
    put_le32(piece->p, (uint32_t)(piece->n - LENGTH_BYTES));
    enum rc rc = need_file(l);
    rc = rc ? rc : disk_append(l->snapshot.file, &bytes, 1);
    l->snapshot.bytes += bytes.n;
    return rc;
}

/* The last piece: what an agent of a cluster wants to know again. Without one there is none. */
static enum rc write_news(struct ledger *l)
{
    struct buf piece;
    buf_init(&piece, (size_t)LEDGER_MAX_FACTS_BYTES + SNAPSHOT_SLICE_BYTES);
    buf_le32(&piece, 0);
    (void)pthread_mutex_lock(&l->lock);
    news_write_piece(l, &piece);
    (void)pthread_mutex_unlock(&l->lock);
    enum rc rc = buf_rc(&piece);
    if (rc == RC_OK && piece.n > LENGTH_BYTES)
        rc = snapshot_append(l, &piece);
    buf_done(&piece);
    return rc;
}

/* What is replayed, and what other agents still need. */
static uint64_t journal_needed(struct ledger *l, uint64_t position)
{
    uint64_t kept = ledger_kept(l);
    return kept < position ? kept : position;
}

enum rc snapshot_finish(struct ledger *l)
{
    if (!is_whole(l))
        return RC_OK;
    enum rc rc = seen_write_pieces(l);
    rc = rc ? rc : write_news(l);
    struct manifest m = {.generation = l->kept.generation + 1,
                         .position = l->snapshot.position,
                         .snapshot_bytes = l->snapshot.bytes};
    rc = rc ? rc : make_durable(l);
    rc = rc ? rc : name_it(l, &m);
    if (rc)
        return rc;
    (void)pthread_mutex_lock(&l->lock);
    l->kept = m;
    l->snapshot.step = SNAPSHOT_NONE;
    (void)pthread_mutex_unlock(&l->lock);
    l->snapshot.bytes = 0;
    rc = seen_merge(l, m.generation);
    rc = rc ? rc : ledger_claim(l, l->round.commit_position);
    rc = rc ? rc : snapshot_remove_others(l);
    rc = rc ? rc : swap_end_snapshot(l, true);
    return rc ? rc : journal_trim(l->journal, journal_needed(l, m.position));
}

void snapshot_drop(struct ledger *l)
{
    for (struct snapshot_piece *p = take_pieces(l), *next; p; p = next) {
        next = p->next;
        piece_close(p);
    }
    seen_drop_lists(l);
    disk_file_close(l->snapshot.file);
    l->snapshot.file = NULL;
    l->snapshot.bytes = 0;
    l->snapshot.step = SNAPSHOT_NONE;
}

static enum rc remove_other(void *ctx, struct str name, bool is_folder)
{
    struct ledger *l = ctx;
    char kept[SNAPSHOT_PATH_BYTES], path[DISK_MAX_NAME_BYTES + SNAPSHOT_PATH_BYTES];
    (void)snprintf(path, sizeof path, LEDGER_SNAPSHOTS "/" STR_FMT, STR_ARG(name));
    if (is_folder || strcmp(path, snapshot_path(kept, l->kept.generation)) == 0)
        return RC_OK;
    return disk_unlink(l->disk, path);
}

enum rc snapshot_remove_others(struct ledger *l)
{
    return disk_list(l->disk, LEDGER_SNAPSHOTS, remove_other, l);
}

/* Loading ------------------------------------------------------------------------------------ */

static enum rc read_exactly(struct disk_file *f, uint64_t at, struct buf *room, size_t bytes)
{
    size_t got = 0;
    buf_clear(room);
    char *to = buf_reserve(room, bytes);
    enum rc rc = to ? disk_read(f, at, to, bytes, &got) : buf_rc(room);
    if (rc == RC_OK && got < bytes)
        rc = RC_CORRUPT;
    room->n = rc ? 0 : bytes;
    return rc;
}

/* What does not fit any more is swapped out at once. */
static enum rc load_bucket(struct ledger *l, struct str bytes)
{
    struct snapshot_context c = ledger_snapshot_context(l);
    unsigned bucket = snapshot_bucket(bytes);
    if (news_is_piece(bytes))
        return news_read_piece(l, bytes);
    if (seen_is_piece(bytes))
        return seen_read_piece(l, bytes);
    if (bucket >= FRONTIER_BUCKETS)
        return RC_CORRUPT;
    if (swap_is_reference(bytes))
        return swap_adopt(l, bytes);
    unsigned shard = bucket % l->settings.shards;
    enum rc rc = snapshot_read(l->shards[shard].frontier, bytes, &c);
    rc = rc ? rc : swap_fit(l, shard);
    return rc == RC_EXISTS ? RC_CORRUPT : rc;
}

static enum rc load_all(struct ledger *l, struct disk_file *f)
{
    struct buf room;
    uint64_t at = 0, size = 0;
    enum rc rc = disk_size(f, &size);
    if (rc == RC_OK && size != l->kept.snapshot_bytes)
        rc = RC_CORRUPT;
    buf_init(&room, MAX_BUCKET_BYTES);
    while (at < size && rc == RC_OK) {
        rc = read_exactly(f, at, &room, LENGTH_BYTES);
        size_t bytes = rc ? 0 : get_le32(room.p);
        at += LENGTH_BYTES;
        rc = rc ? rc : read_exactly(f, at, &room, bytes);
        rc = rc ? rc : load_bucket(l, buf_str(&room));
        at += bytes;
    }
    buf_done(&room);
    return rc;
}

enum rc snapshot_load(struct ledger *l, struct buf *why)
{
    char path[SNAPSHOT_PATH_BYTES];
    struct disk_file *f = NULL;
    if (!l->kept.generation)
        return RC_OK;
    enum rc rc = disk_open(l->disk, snapshot_path(path, l->kept.generation), DISK_READ, &f);
    rc = rc ? rc : load_all(l, f);
    disk_file_close(f);
    if (rc == RC_UNSUPPORTED) {
        buf_add(why,
                STR("state/SEEN: it is missing, though the frontier does not keep known URLs"));
        return RC_CORRUPT;
    }
    if (rc == RC_NOT_FOUND || rc == RC_LIMIT) /* longer than a bucket that was written can be */
        rc = RC_CORRUPT;
    if (rc)
        buf_printf(why, "%s: cannot read the snapshot of the frontier: %s", path, rc_text(rc));
    return rc;
}
