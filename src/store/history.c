/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that knows RocksDB.
 *
 * Keys are fingerprints, 8 bytes, big endian; the journal's position has a key of another length.
 * There is one column family, so a batch is in one memtable and memtables reach the disk in their
 * order: whatever is there after a crash is a prefix of the writes, and the position in it is that
 * of its last one. */
#include "store/history.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "store/no_memory.h"
#include "store/past_bytes.h"

#include <dirent.h>
#include <pthread.h>
#include <rocksdb/c.h>

/* Memory: two memtables, and a cache that holds blocks, filters and indexes. */
enum {
    FILE_BYTES = 16 << 20,
    MEMTABLES = 2, /* they have half of the memory, the cache of what is read the rest */
    LEAST_BYTES = 1 << 20,
    BLOCK_BYTES = 4 << 10,
    MAX_OPEN_FILES = 256,
    FILTER_BITS = 10,
    LOG_FATAL_ONLY = 4,
    BATCH_MAX_BYTES = 256 << 20,
};

static const char position_key[] = {'p', 'o', 's'};
enum { POSITION_VERSION = 1, POSITION_BYTES = 9 };

struct history {
    rocksdb_t *db;
    rocksdb_options_t *options;
    rocksdb_cache_t *cache;
    rocksdb_readoptions_t *reading;
    rocksdb_writeoptions_t *writing;
    rocksdb_flushoptions_t *flushing;
    bool is_read_only;
    pthread_mutex_t lock; /* guards position and the order of writes */
    uint64_t position;
};

struct history_batch {
    rocksdb_writebatch_t *puts;
    struct buf value;
    enum rc rc; /* the first failure of a put */
};

/* RocksDB's words ----------------------------------------------------------------------------- */

/* It tells what kind a failure is in the beginning of a sentence, and its cause further on. */
static enum rc rc_of(struct str error)
{
    static const struct {
        struct str words;
        bool at_start;
        enum rc rc;
    } rows[] = {
        {STR("No space left"), false, RC_DISK_FULL},
        {STR("Disk quota exceeded"), false, RC_DISK_FULL},
        {STR("fsync"), false, RC_SYNC},
        {STR("fdatasync"), false, RC_SYNC},
        {STR("Corruption"), true, RC_CORRUPT},
        {STR("While lock file"), false, RC_LOCKED},
        {STR("lock hold by current process"), false, RC_LOCKED},
        {STR("does not exist"), false, RC_NOT_FOUND},
        {STR("No such file"), false, RC_NOT_FOUND},
        {STR("Not implemented"), true, RC_UNSUPPORTED},
        {STR("Invalid argument"), true, RC_INVALID},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].at_start ? str_starts(error, rows[i].words)
                             : str_find_str(error, rows[i].words) < error.n)
            return rows[i].rc;
    return RC_IO;
}

/* Frees the error of a call; RC_OK if there is none. */
static enum rc take_error(char *error)
{
    enum rc rc = error ? rc_of(str_c(error)) : RC_OK;
    rocksdb_free(error);
    return rc;
}

/* The same of a call that opens the history in `path`, which is there: a file that RocksDB misses
 * or cannot make sense of is damage. */
static enum rc take_open_error(char *error, const char *path, struct buf *why)
{
    enum rc rc = error ? rc_of(str_c(error)) : RC_OK;
    if (error)
        buf_printf(why, "the history in %s: %s", path, error);
    rocksdb_free(error);
    return rc == RC_NOT_FOUND || rc == RC_INVALID || rc == RC_UNSUPPORTED ? RC_CORRUPT : rc;
}

/* Opening ------------------------------------------------------------------------------------- */

static rocksdb_block_based_table_options_t *table_options(rocksdb_cache_t *cache)
{
    rocksdb_block_based_table_options_t *t = rocksdb_block_based_options_create();
    rocksdb_block_based_options_set_block_cache(t, cache);
    rocksdb_block_based_options_set_block_size(t, BLOCK_BYTES);
    rocksdb_block_based_options_set_format_version(t, 5);
    rocksdb_block_based_options_set_filter_policy(
        t, rocksdb_filterpolicy_create_bloom_full(FILTER_BITS));
    /* Parts of filters and indexes come and go with the cache, so that they are bounded too. */
    rocksdb_block_based_options_set_index_type(
        t, rocksdb_block_based_table_index_type_two_level_index_search);
    rocksdb_block_based_options_set_partition_filters(t, 1);
    rocksdb_block_based_options_set_cache_index_and_filter_blocks(t, 1);
    rocksdb_block_based_options_set_cache_index_and_filter_blocks_with_high_priority(t, 1);
    rocksdb_block_based_options_set_pin_top_level_index_and_filter(t, 1);
    return t;
}

static rocksdb_options_t *db_options(rocksdb_cache_t *cache, size_t memtable_bytes)
{
    rocksdb_options_t *o = rocksdb_options_create();
    rocksdb_block_based_table_options_t *t = table_options(cache);
    rocksdb_options_set_block_based_table_factory(o, t);
    rocksdb_block_based_options_destroy(t);
    rocksdb_options_set_create_if_missing(o, 1);
    rocksdb_options_set_write_buffer_size(o, memtable_bytes);
    rocksdb_options_set_max_write_buffer_number(o, MEMTABLES);
    rocksdb_options_set_max_open_files(o, MAX_OPEN_FILES);
    rocksdb_options_set_max_background_jobs(o, 2);
    /* Keys come in no order, so levels would be rewritten all the time. */
    rocksdb_options_set_compaction_style(o, rocksdb_universal_compaction);
    rocksdb_options_set_target_file_size_base(o, FILE_BYTES);
    rocksdb_options_set_compression(o, rocksdb_lz4_compression);
    rocksdb_options_set_keep_log_file_num(o, 1);
    rocksdb_options_set_info_log_level(o, LOG_FATAL_ONLY);
    rocksdb_options_set_stats_dump_period_sec(o, 0);
    rocksdb_options_set_stats_persist_period_sec(o, 0);
    return o;
}

static struct history *history_new(uint64_t bytes, bool is_read_only)
{
    struct history *h = mem_zero(1, sizeof *h);
    if (!h)
        return NULL;
    no_memory_watch();
    h->is_read_only = is_read_only;
    (void)pthread_mutex_init(&h->lock, NULL);
    bytes = bytes < LEAST_BYTES ? LEAST_BYTES : bytes;
    h->cache = rocksdb_cache_create_lru(bytes / 2);
    h->options = db_options(h->cache, bytes / 2 / MEMTABLES);
    /* It keeps a diary beside the data. One who only reads leaves nothing there: a folder that
     * cannot be is how it is told to keep none. */
    if (is_read_only)
        rocksdb_options_set_db_log_dir(h->options, "/dev/null");
    h->reading = rocksdb_readoptions_create();
    h->writing = rocksdb_writeoptions_create();
    rocksdb_writeoptions_disable_WAL(h->writing, 1);
    h->flushing = rocksdb_flushoptions_create();
    rocksdb_flushoptions_set_wait(h->flushing, 1);
    return h;
}

/* What the folder has. RocksDB makes CURRENT, which names the state that counts, before any of the
 * others: where CURRENT alone is missing it would begin anew and remove them. */
struct folder_look {
    bool has_current, has_others;
};

static struct folder_look look_into(const char *path)
{
    struct folder_look look = {0};
    DIR *folder = opendir(path);
    const struct dirent *e;
    while (folder && (e = readdir(folder))) {
        struct str name = str_c(e->d_name);
        look.has_current |= str_eq(name, STR("CURRENT"));
        look.has_others |= str_ends(name, STR(".sst")) || str_ends(name, STR(".log")) ||
                           str_starts(name, STR("OPTIONS-"));
    }
    if (folder)
        (void)closedir(folder);
    return look;
}

static enum rc read_position(struct history *h, const char *path, struct buf *why)
{
    char *error = NULL;
    size_t n = 0;
    char *value = rocksdb_get(h->db, h->reading, position_key, sizeof position_key, &n, &error);
    enum rc rc = take_open_error(error, path, why);
    if (rc == RC_OK && value && n && value[0] != POSITION_VERSION) {
        rc = RC_VERSION;
        buf_printf(why,
                   "the history in %s has version %d, and this program reads version %d: use the "
                   "program that wrote it, or a newer one",
                   path, value[0], POSITION_VERSION);
    } else if (rc == RC_OK && value && n != POSITION_BYTES) {
        rc = RC_CORRUPT;
        buf_printf(why, "the history in %s: its position cannot be read", path);
    } else if (rc == RC_OK && value) {
        h->position = get_le64(value + 1);
    }
    rocksdb_free(value);
    return rc;
}

static enum rc open_db(struct history *h, const char *path, struct buf *why)
{
    char *error = NULL;
    struct folder_look look = look_into(path);
    if (!look.has_current && look.has_others) {
        buf_printf(why, "the history in %s: CURRENT is missing", path);
        return RC_CORRUPT;
    }
    if (h->is_read_only && !look.has_current) {
        buf_printf(why, "there is no history in %s", path);
        return RC_NOT_FOUND;
    }
    h->db = h->is_read_only ? rocksdb_open_for_read_only(h->options, path, 0, &error)
                            : rocksdb_open(h->options, path, &error);
    if (look.has_current || !error)
        return take_open_error(error, path, why);
    buf_printf(why, "the history in %s cannot be made: %s", path, error);
    return take_error(error);
}

static enum rc open_either(const char *path, uint64_t bytes, bool is_read_only,
                           struct history **ret, struct buf *why)
{
    struct history *h = history_new(bytes, is_read_only);
    if (!h)
        return RC_NOMEM;
    enum rc rc = open_db(h, path, why);
    rc = rc ? rc : read_position(h, path, why);
    if (rc)
        history_close(h);
    else
        *ret = h;
    return rc;
}

enum rc history_look(const char *path, uint64_t *ret_position, struct buf *why)
{
    struct history *h = NULL;
    enum rc rc = open_either(path, LEAST_BYTES, true, &h, why);
    if (rc == RC_OK)
        *ret_position = h->position;
    history_close(h);
    return rc;
}

/* To write, RocksDB changes the folder before it has looked at all of it. So it is looked at first.
 */
enum rc history_open(const char *path, uint64_t bytes, struct history **ret, struct buf *why)
{
    uint64_t position;
    size_t said = why->n;
    enum rc rc = history_look(path, &position, why);
    if (rc && rc != RC_NOT_FOUND)
        return rc;
    why->n = said;
    return open_either(path, bytes, false, ret, why);
}

enum rc history_open_read(const char *path, struct history **ret, struct buf *why)
{
    return open_either(path, HISTORY_USUAL_BYTES, true, ret, why);
}

void history_close(struct history *h)
{
    if (!h)
        return;
    if (h->db)
        rocksdb_close(h->db);
    rocksdb_flushoptions_destroy(h->flushing);
    rocksdb_writeoptions_destroy(h->writing);
    rocksdb_readoptions_destroy(h->reading);
    rocksdb_options_destroy(h->options);
    rocksdb_cache_destroy(h->cache);
    (void)pthread_mutex_destroy(&h->lock);
    mem_free(h);
}

/* Writing ------------------------------------------------------------------------------------- */

struct history_batch *history_batch_open(void)
{
    struct history_batch *b = mem_zero(1, sizeof *b);
    if (!b)
        return NULL;
    b->puts = rocksdb_writebatch_create();
    buf_init(&b->value, PAST_MAX_BYTES);
    return b;
}

void history_batch_close(struct history_batch *b)
{
    if (!b)
        return;
    rocksdb_writebatch_destroy(b->puts);
    buf_done(&b->value);
    mem_free(b);
}

void history_put(struct history_batch *b, uint64_t fingerprint, const struct past *p)
{
    char key[8];
    size_t bytes;
    put_be64(key, fingerprint);
    buf_clear(&b->value);
    past_write(p, &b->value);
    (void)rocksdb_writebatch_data(b->puts, &bytes);
    if (b->rc == RC_OK)
        b->rc = bytes > BATCH_MAX_BYTES ? RC_LIMIT : buf_rc(&b->value);
    if (b->rc == RC_OK)
        rocksdb_writebatch_put(b->puts, key, sizeof key, b->value.p, b->value.n);
}

static void put_position(struct history_batch *b, uint64_t position)
{
    char value[POSITION_BYTES] = {POSITION_VERSION};
    put_le64(value + 1, position);
    rocksdb_writebatch_put(b->puts, position_key, sizeof position_key, value, sizeof value);
}

enum rc history_write(struct history *h, struct history_batch *b, uint64_t position)
{
    char *error = NULL;
    enum rc rc = h->is_read_only ? RC_UNSUPPORTED : b->rc;
    if (rc == RC_OK) {
        put_position(b, position);
        (void)pthread_mutex_lock(&h->lock);
        rocksdb_write(h->db, h->writing, b->puts, &error);
        rc = take_error(error);
        if (rc == RC_OK)
            h->position = position;
        (void)pthread_mutex_unlock(&h->lock);
    }
    rocksdb_writebatch_clear(b->puts);
    b->rc = RC_OK;
    return rc;
}

enum rc history_flush(struct history *h)
{
    char *error = NULL;
    if (h->is_read_only)
        return RC_UNSUPPORTED;
    rocksdb_flush(h->db, h->flushing, &error);
    return take_error(error);
}

/* Reading ------------------------------------------------------------------------------------- */

uint64_t history_position(const struct history *h)
{
    struct history *open = (struct history *)h; /* for the lock alone */
    (void)pthread_mutex_lock(&open->lock);
    uint64_t position = h->position;
    (void)pthread_mutex_unlock(&open->lock);
    return position;
}

enum rc history_get(struct history *h, uint64_t fingerprint, struct arena *arena, struct past *ret)
{
    char key[8], *error = NULL;
    put_be64(key, fingerprint);
    rocksdb_pinnableslice_t *value = rocksdb_get_pinned(h->db, h->reading, key, sizeof key, &error);
    enum rc rc = take_error(error);
    if (rc == RC_OK && !value)
        rc = RC_NOT_FOUND;
    if (rc == RC_OK) {
        size_t n = 0;
        const char *p = rocksdb_pinnableslice_value(value, &n);
        rc = past_read(str_make(p, n), arena, ret);
    }
    rocksdb_pinnableslice_destroy(value);
    return rc;
}

struct history_cursor {
    rocksdb_iterator_t *at; /* what comes next */
};

struct history_cursor *history_cursor_open(struct history *h)
{
    struct history_cursor *c = mem_zero(1, sizeof *c);
    if (!c)
        return NULL;
    c->at = rocksdb_create_iterator(h->db, h->reading);
    rocksdb_iter_seek_to_first(c->at);
    return c;
}

void history_cursor_close(struct history_cursor *c)
{
    if (!c)
        return;
    rocksdb_iter_destroy(c->at);
    mem_free(c);
}

enum rc history_cursor_next(struct history_cursor *c, struct arena *arena,
                            uint64_t *ret_fingerprint, struct past *ret)
{
    char *error = NULL;
    size_t key_bytes = 0, bytes = 0;
    while (rocksdb_iter_valid(c->at)) {
        const char *key = rocksdb_iter_key(c->at, &key_bytes);
        const char *value = rocksdb_iter_value(c->at, &bytes);
        bool is_past = key_bytes == 8;
        if (is_past)
            *ret_fingerprint = get_be64(key);
        enum rc rc = is_past ? past_read(str_make(value, bytes), arena, ret) : RC_OK;
        rocksdb_iter_next(c->at);
        if (is_past)
            return rc;
    }
    rocksdb_iter_get_error(c->at, &error);
    enum rc rc = take_error(error);
    return rc ? rc : RC_NOT_FOUND;
}

uint64_t history_bytes(const struct history *h)
{
    static const char *const properties[] = {"rocksdb.total-sst-files-size",
                                             "rocksdb.cur-size-all-mem-tables",
                                             "rocksdb.block-cache-usage"};
    uint64_t sum = 0, one;
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (rocksdb_property_int(h->db, properties[i], &one) == 0)
            sum += one;
    return sum;
}
