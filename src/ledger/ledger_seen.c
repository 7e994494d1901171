/* SPDX-License-Identifier: Apache-2.0 */
/* Where the crawl's set of known URLs is kept (ledger.h, enum ledger_seen): in the buckets, or in a
 * store beside them (frontier/seen_store.h), which is a database in state/seen or a Bloom filter.
 *
 *   state/SEEN      "rocksdb", or "bloom EXPECTED LOSS", and a line feed; absent: in the buckets
 *   state/seen/     the database (store/seen_db.h)
 *   the snapshot    two more kinds of pieces, behind those of the buckets:
 *     "OWSEEN\1\n"   era 4, generation 8, blocks 8, hashes 4, count 8, hash 8
 *     "OWBLOOM\1"    at 8, bytes of the filter, hash 8
 *
 * The store gets fingerprints in one moment only: when the MANIFEST has named a snapshot, it gets
 * what the buckets of that snapshot have listed. So the store never knows a URL that the snapshot
 * does not know, and what the journal has behind the snapshot is new to both, as it has to be for a
 * replay. The filter of a snapshot is the one before that moment: the snapshot's buckets still have
 * the rest. `generation` is the snapshot whose lists the database must have: an older database is
 * damage. */
#include "ledger/ledger_internal.h"

#include "base/bytes.h"
#include "base/hash.h"
#include "base/taker.h"

#include <stdio.h>
#include <stdlib.h>

enum {
    KIND_MAX_BYTES = 100,
    MAGIC_BYTES = 8,
    HASH_BYTES = 8,
    LENGTH_BYTES = 4,
    FILTER_PIECE_BYTES = 4 << 20,
    RECENT = 1 << 14, /* fingerprints in the database that a shard remembers */
};
#define KIND_PATH "state/SEEN"
#define MAGIC "OWSEEN\1\n"
#define FILTER_MAGIC "OWBLOOM\1"

/* Asking --------------------------------------------------------------------------------------- */

static enum rc ask_database(void *ctx, uint32_t era, uint64_t fingerprint, bool *ret)
{
    struct ledger *l = ctx;
    return seen_db_has(l->seen.db, era, fingerprint, ret);
}

static enum rc ask_filter(void *ctx, uint32_t era, uint64_t fingerprint, bool *ret)
{
    const struct ledger *l = ctx;
    *ret = era == l->seen.era && bloom_has(l->seen.filter, fingerprint);
    return RC_OK;
}

/* Which kind ----------------------------------------------------------------------------------- */

static const char *const kind_names[] = {[LEDGER_SEEN_EXACT] = "exact",
                                         [LEDGER_SEEN_ROCKSDB] = "rocksdb",
                                         [LEDGER_SEEN_BLOOM] = "bloom"};

static enum rc parse_bloom(struct str text, struct ledger_seen_settings *ret)
{
    char digits[KIND_MAX_BYTES + 1] = {0}, *end;
    struct str expected = str_take_until(&text, ' ');
    ret->kind = LEDGER_SEEN_BLOOM;
    memcpy(digits, text.p, text.n);
    ret->loss = strtod(digits, &end);
    if (str_to_u64(expected, &ret->expected) || !text.n || *end)
        return RC_CORRUPT;
    return ret->expected && ret->loss >= BLOOM_LEAST_LOSS && ret->loss <= BLOOM_MOST_LOSS
               ? RC_OK
               : RC_CORRUPT;
}

/* What state/SEEN says; a directory without one has everything in the buckets. */
static enum rc read_kind(struct ledger *l, struct ledger_seen_settings *ret, struct buf *why)
{
    char room[KIND_MAX_BYTES];
    struct buf text = buf_on(room, sizeof room);
    enum rc rc = disk_read_whole(l->disk, KIND_PATH, &text);
    if (rc == RC_NOT_FOUND)
        return RC_OK;
    struct str line = str_trim(buf_str(&text));
    if (rc == RC_OK && str_eq(line, STR("rocksdb")))
        ret->kind = LEDGER_SEEN_ROCKSDB;
    else if (rc == RC_OK && str_starts(line, STR("bloom ")))
        rc = parse_bloom(str_from(line, strlen("bloom ")), ret);
    else if (rc == RC_OK || rc == RC_LIMIT)
        rc = RC_CORRUPT;
    if (rc)
        buf_printf(why, KIND_PATH ": %s",
                   rc == RC_CORRUPT ? "it does not say how known URLs are kept" : rc_text(rc));
    return rc;
}

static enum rc refuse(struct buf *why, const char *made, const char *wanted, const char *hint)
{
    buf_printf(why,
               "the known URLs of this crawl are kept with \"seen: %s\", and the wiring says "
               "\"seen: %s\": %s",
               made, wanted, hint);
    return RC_INVALID;
}

/* A crawl stays with its kind: only from buckets to a database nothing is lost and nothing has to
 * be done. */
static enum rc compare_kinds(const struct ledger_seen_settings *made,
                             const struct ledger_seen_settings *wanted, bool is_begun,
                             struct buf *why)
{
    if (!is_begun || wanted->kind == LEDGER_SEEN_AS_MADE)
        return RC_OK;
    if (made->kind == LEDGER_SEEN_EXACT && wanted->kind == LEDGER_SEEN_ROCKSDB)
        return RC_OK;
    if (made->kind != wanted->kind)
        return refuse(why, kind_names[made->kind], kind_names[wanted->kind],
                      "write the first into the wiring, or begin a new directory");
    if (made->kind == LEDGER_SEEN_BLOOM &&
        (made->expected != wanted->expected || made->loss != wanted->loss)) {
        buf_printf(
            why,
            "the Bloom filter of this crawl was made with \"expected: %llu, loss: %g\": write "
            "that into the wiring, or begin a new directory",
            (unsigned long long)made->expected, made->loss);
        return RC_INVALID;
    }
    return RC_OK;
}

static enum rc open_filter(struct ledger *l, struct bloom_shape shape)
{
    bloom_close(l->seen.filter);
    l->seen.filter = bloom_open(shape);
    return l->seen.filter ? RC_OK : RC_NOMEM;
}

static enum rc look_at_database(struct ledger *l, struct buf *why)
{
    enum rc rc = l->settings.seen.path
                     ? seen_db_look(l->settings.seen.path, &l->seen.db_generation, why)
                     : RC_INVALID;
    if (rc == RC_NOT_FOUND)
        buf_clear(why);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc seen_look(struct ledger *l, bool is_begun, struct buf *why)
{
    struct ledger_seen_settings made = {0}, *wanted = &l->settings.seen;
    enum rc rc = read_kind(l, &made, why);
    rc = rc ? rc : compare_kinds(&made, wanted, is_begun, why);
    if (rc)
        return rc;
    if (wanted->kind == LEDGER_SEEN_AS_MADE) {
        wanted->kind = made.kind;
        wanted->expected = made.expected;
        wanted->loss = made.loss;
    }
    l->seen.was_exact = made.kind == LEDGER_SEEN_EXACT && is_begun;
    if (wanted->kind == LEDGER_SEEN_EXACT)
        return RC_OK;
    bool is_filter = wanted->kind == LEDGER_SEEN_BLOOM;
    l->seen.store = (struct seen_store){.has = is_filter ? ask_filter : ask_database,
                                        .ctx = l,
                                        .only_grows = is_filter,
                                        .recent = is_filter ? 0 : RECENT};
    l->settings.frontier.store = &l->seen.store;
    return is_filter ? open_filter(l, bloom_shape(wanted->expected, wanted->loss))
                     : look_at_database(l, why);
}

enum rc seen_check(struct ledger *l, struct buf *why)
{
    for (unsigned i = 0; i < l->settings.shards; i++)
        frontier_set_era(l->shards[i].frontier, l->seen.era);
    if (l->settings.seen.kind != LEDGER_SEEN_ROCKSDB || l->seen.db_generation >= l->seen.must_have)
        return RC_OK;
    buf_add(why, l->seen.db_generation ? STR("state/seen: it is older than the rest of the crawl")
                                       : STR("state/seen: it is missing"));
    return RC_CORRUPT;
}

static enum rc write_kind(struct ledger *l, struct buf *why)
{
    char room[KIND_MAX_BYTES];
    struct buf text = buf_on(room, sizeof room);
    const struct ledger_seen_settings *s = &l->settings.seen;
    buf_add(&text, str_c(kind_names[s->kind]));
    if (s->kind == LEDGER_SEEN_BLOOM)
        buf_printf(&text, " %llu %.17g", (unsigned long long)s->expected, s->loss);
    buf_byte(&text, '\n');
    enum rc rc = disk_replace(l->disk, KIND_PATH, buf_str(&text));
    if (rc)
        buf_printf(why, KIND_PATH ": %s", rc_text(rc));
    return rc;
}

static void say_loss(struct ledger *l, const char *event)
{
    struct ledger_seen_numbers n = ledger_seen_numbers(l);
    char now[32], lost[32], most[32];
    (void)snprintf(now, sizeof now, "%.3g", n.loss);
    (void)snprintf(lost, sizeof lost, "%.3g", n.lost);
    (void)snprintf(most, sizeof most, "%.3g", n.most_loss);
    log_info(
        l->settings.log, event, LOG_U64("expected", n.expected), LOG_C("loss_at_expected", most),
        LOG_U64("in_filter", n.count), LOG_C("loss_now", now), LOG_C("urls_lost_so_far", lost),
        LOG_U64("bytes", n.bytes),
        LOG_C("note", "a lost URL is never fetched; for depth the first path to a URL counts"));
}

enum rc seen_open(struct ledger *l, struct buf *why)
{
    const struct ledger_seen_settings *s = &l->settings.seen;
    if (s->kind == LEDGER_SEEN_EXACT)
        return RC_OK;
    enum rc rc = write_kind(l, why);
    if (rc == RC_OK && s->kind == LEDGER_SEEN_ROCKSDB)
        rc = seen_db_open(s->path, s->bytes, &l->seen.db, why);
    if (rc == RC_OK && s->kind == LEDGER_SEEN_BLOOM)
        say_loss(l, "seen.bloom");
    if (rc == RC_OK && l->seen.was_exact && s->kind == LEDGER_SEEN_ROCKSDB)
        log_info(l->settings.log, "seen.converted", LOG_C("from", "exact"), LOG_C("to", "rocksdb"));
    return rc;
}

void seen_finish(struct ledger *l)
{
    if (l->seen.filter)
        say_loss(l, "seen.bloom");
}

void seen_close(struct ledger *l)
{
    seen_db_close(l->seen.db);
    bloom_close(l->seen.filter);
    buf_done(&l->seen.listed);
}

/* In a round: snapshots ------------------------------------------------------------------------ */

static enum rc append(struct ledger *l, struct buf *piece)
{
    struct str hashed = str_from(buf_str(piece), LENGTH_BYTES);
    buf_le64(piece, hash64(hashed));
    return buf_rc(piece) ? buf_rc(piece) : snapshot_append(l, piece);
}

static void begin_piece(struct buf *piece, const char *magic)
{
    buf_clear(piece);
    buf_le32(piece, 0); /* its length */
    buf_add(piece, str_make(magic, MAGIC_BYTES));
}

static enum rc write_filter(struct ledger *l, struct buf *piece)
{
    uint64_t all = l->seen.filter ? bloom_bytes(l->seen.filter) : 0;
    enum rc rc = RC_OK;
    for (uint64_t at = 0; at < all && rc == RC_OK; at += FILTER_PIECE_BYTES) {
        begin_piece(piece, FILTER_MAGIC);
        buf_le64(piece, at);
        bloom_write(l->seen.filter, at, FILTER_PIECE_BYTES, piece);
        rc = append(l, piece);
    }
    return rc;
}

enum rc seen_write_pieces(struct ledger *l)
{
    struct buf piece;
    struct bloom_shape shape = {0};
    if (!l->seen.store.has)
        return RC_OK;
    if (l->seen.filter)
        shape = bloom_shape_of(l->seen.filter);
    buf_init(&piece, FILTER_PIECE_BYTES + 100);
    begin_piece(&piece, MAGIC);
    (void)pthread_mutex_lock(&l->lock);
    buf_le32(&piece, l->seen.era);
    (void)pthread_mutex_unlock(&l->lock);
    buf_le64(&piece, l->seen.has);
    buf_le64(&piece, shape.blocks);
    buf_le32(&piece, shape.hashes);
    buf_le64(&piece, l->seen.filter ? bloom_count(l->seen.filter) : 0);
    enum rc rc = append(l, &piece);
    rc = rc ? rc : write_filter(l, &piece);
    buf_done(&piece);
    return rc;
}

enum rc seen_take_list(struct ledger *l, struct str listed)
{
    l->seen.listed.max = SIZE_MAX / 2;
    buf_add(&l->seen.listed, listed);
    return buf_rc(&l->seen.listed);
}

void seen_drop_lists(struct ledger *l)
{
    buf_done(&l->seen.listed);
}

static void merge_list(struct ledger *l, const struct seen_store_list *list)
{
    for (uint32_t i = 0; i < list->added + list->removed; i++) {
        uint64_t fingerprint = get_le64(list->fingerprints + (size_t)i * sizeof fingerprint);
        if (l->seen.filter)
            bloom_add(l->seen.filter, fingerprint);
        else if (i < list->added)
            seen_db_add(l->seen.db, list->era, fingerprint);
        else
            seen_db_remove(l->seen.db, list->era, fingerprint);
    }
}

enum rc seen_merge(struct ledger *l, uint64_t generation)
{
    struct str lists = buf_str(&l->seen.listed);
    struct seen_store_list list;
    enum rc rc = RC_OK;
    if (!l->seen.store.has)
        return RC_OK;
    while (seen_store_next(&lists, &list))
        merge_list(l, &list);
    if (l->seen.db && l->seen.is_new_era)
        seen_db_remove_before(l->seen.db, l->seen.era);
    if (l->seen.db)
        rc = seen_db_write(l->seen.db, generation);
    if (l->seen.db && rc == RC_OK)
        rc = seen_db_flush(l->seen.db);
    l->seen.is_new_era = false;
    seen_drop_lists(l);
    if (rc)
        return rc;
    (void)pthread_mutex_lock(&l->lock);
    l->seen.has = generation;
    (void)pthread_mutex_unlock(&l->lock);
    return RC_OK;
}

/* Reading pieces ------------------------------------------------------------------------------- */

bool seen_is_piece(struct str bytes)
{
    return str_starts(bytes, str_make(MAGIC, MAGIC_BYTES)) ||
           str_starts(bytes, str_make(FILTER_MAGIC, MAGIC_BYTES));
}

static enum rc read_head(struct ledger *l, struct taker *t)
{
    l->seen.era = take_u32(t);
    l->seen.has = l->seen.must_have = take_u64(t);
    struct bloom_shape shape = {.blocks = take_u64(t)}, now = {0};
    shape.hashes = take_u32(t);
    uint64_t count = take_u64(t);
    if (t->bad || t->rest.n || (l->seen.filter != NULL) != (shape.blocks != 0))
        return RC_CORRUPT;
    if (!l->seen.filter)
        return RC_OK;
    now = bloom_shape_of(l->seen.filter);
    enum rc rc = RC_OK;
    if (now.blocks != shape.blocks || now.hashes != shape.hashes)
        rc = open_filter(l, shape); /* another machine's arithmetic gave another */
    if (rc == RC_OK)
        bloom_set_count(l->seen.filter, count);
    return rc;
}

enum rc seen_read_piece(struct ledger *l, struct str bytes)
{
    if (!l->seen.store.has || bytes.n < MAGIC_BYTES + HASH_BYTES)
        return RC_CORRUPT;
    struct str body = str_first(bytes, bytes.n - HASH_BYTES);
    if (get_le64(bytes.p + body.n) != hash64(body))
        return RC_CORRUPT;
    struct taker t = {.rest = str_from(body, MAGIC_BYTES)};
    if (str_starts(bytes, str_make(MAGIC, MAGIC_BYTES)))
        return read_head(l, &t);
    uint64_t at = take_u64(&t);
    return t.bad || !l->seen.filter ? RC_CORRUPT : bloom_read(l->seen.filter, at, t.rest);
}

/* Shards --------------------------------------------------------------------------------------- */

void seen_turn(struct ledger *l, unsigned shard, uint64_t has)
{
    if (l->seen.store.has)
        (void)frontier_store_took(l->shards[shard].frontier, has);
}

enum rc seen_empty(struct ledger *l, unsigned shard)
{
    struct frontier *f = l->shards[shard].frontier;
    uint32_t era = frontier_era(f) + 1;
    if (l->seen.filter)
        return RC_UNSUPPORTED;
    if (!l->seen.store.has)
        return RC_OK;
    frontier_set_era(f, era);
    (void)pthread_mutex_lock(&l->lock);
    if (era > l->seen.era)
        l->seen.era = era;
    (void)pthread_mutex_unlock(&l->lock);
    return RC_OK;
}

uint32_t seen_next_era(const struct ledger *l)
{
    return l->seen.era + 1;
}

void seen_begin_era(struct ledger *l)
{
    l->seen.era++;
    l->seen.is_new_era = true;
    if (l->seen.filter)
        bloom_clear(l->seen.filter);
}

struct ledger_seen_numbers ledger_seen_numbers(const struct ledger *l)
{
    struct ledger_seen_numbers n = {.kind = l->settings.seen.kind};
    if (!l->seen.filter)
        return n;
    n.expected = l->settings.seen.expected;
    n.most_loss = l->settings.seen.loss;
    n.count = bloom_count(l->seen.filter);
    n.bytes = bloom_bytes(l->seen.filter);
    n.loss = bloom_loss(l->seen.filter);
    n.lost = bloom_lost(l->seen.filter);
    return n;
}
