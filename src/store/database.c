/* SPDX-License-Identifier: Apache-2.0 */
/* The only file that knows RocksDB.
 *
 * There is one column family, so a batch is in one memtable and memtables reach the disk in their
 * order: whatever is there after a crash is a prefix of the writes, and the position in it is that
 * of its last one. The position has a key of its own. */
#include "store/database.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "store/no_memory.h"

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
};

static const char position_key[] = {'p', 'o', 's'};
enum { POSITION_VERSION = 1, POSITION_BYTES = 9 };

struct database {
    const char *name;
    rocksdb_t *rocks;
    rocksdb_options_t *options;
    rocksdb_cache_t *cache;
    rocksdb_readoptions_t *reading;
    rocksdb_writeoptions_t *writing;
    rocksdb_flushoptions_t *flushing;
    bool is_read_only;
    pthread_mutex_t lock; /* guards position and the order of writes */
    uint64_t position;
};

struct database_batch {
    rocksdb_writebatch_t *writes;
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

/* The same of a call that opens the database in `path`, which is there: a file that RocksDB misses
 * or cannot make sense of is damage. */
static enum rc take_open_error(const struct database *db, char *error, const char *path,
                               struct buf *why)
{
    enum rc rc = error ? rc_of(str_c(error)) : RC_OK;
    if (error)
        buf_printf(why, "the %s in %s: %s", db->name, path, error);
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

static struct database *database_new(const struct database_settings *s)
{
    struct database *db = mem_zero(1, sizeof *db);
    if (!db)
        return NULL;
    no_memory_watch();
    db->name = s->name;
    db->is_read_only = s->is_read_only;
    (void)pthread_mutex_init(&db->lock, NULL);
    uint64_t bytes = s->bytes < LEAST_BYTES ? LEAST_BYTES : s->bytes;
    db->cache = rocksdb_cache_create_lru(bytes / 2);
    db->options = db_options(db->cache, bytes / 2 / MEMTABLES);
    /* RocksDB keeps a diary beside the data. A reader must leave nothing there: a folder that
     * cannot exist turns the diary off. */
    if (s->is_read_only)
        rocksdb_options_set_db_log_dir(db->options, "/dev/null");
    db->reading = rocksdb_readoptions_create();
    db->writing = rocksdb_writeoptions_create();
    rocksdb_writeoptions_disable_WAL(db->writing, 1);
    db->flushing = rocksdb_flushoptions_create();
    rocksdb_flushoptions_set_wait(db->flushing, 1);
    return db;
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

static enum rc read_position(struct database *db, const char *path, struct buf *why)
{
    char *error = NULL;
    size_t n = 0;
    char *value =
        rocksdb_get(db->rocks, db->reading, position_key, sizeof position_key, &n, &error);
    enum rc rc = take_open_error(db, error, path, why);
    if (rc == RC_OK && value && n && value[0] != POSITION_VERSION) {
        rc = RC_VERSION;
        buf_printf(why,
                   "the %s in %s has version %d, and this program reads version %d: use the "
                   "program that wrote it, or a newer one",
                   db->name, path, value[0], POSITION_VERSION);
    } else if (rc == RC_OK && value && n != POSITION_BYTES) {
        rc = RC_CORRUPT;
        buf_printf(why, "the %s in %s: its position cannot be read", db->name, path);
    } else if (rc == RC_OK && value) {
        db->position = get_le64(value + 1);
    }
    rocksdb_free(value);
    return rc;
}

static enum rc open_rocks(struct database *db, const char *path, struct buf *why)
{
    char *error = NULL;
    struct folder_look look = look_into(path);
    if (!look.has_current && look.has_others) {
        buf_printf(why, "the %s in %s: CURRENT is missing", db->name, path);
        return RC_CORRUPT;
    }
    if (db->is_read_only && !look.has_current) {
        buf_printf(why, "there is no %s in %s", db->name, path);
        return RC_NOT_FOUND;
    }
    db->rocks = db->is_read_only ? rocksdb_open_for_read_only(db->options, path, 0, &error)
                                 : rocksdb_open(db->options, path, &error);
    if (look.has_current || !error)
        return take_open_error(db, error, path, why);
    buf_printf(why, "the %s in %s cannot be made: %s", db->name, path, error);
    return take_error(error);
}

static enum rc open_either(const char *path, const struct database_settings *s,
                           struct database **ret, struct buf *why)
{
    struct database *db = database_new(s);
    if (!db)
        return RC_NOMEM;
    enum rc rc = open_rocks(db, path, why);
    rc = rc ? rc : read_position(db, path, why);
    if (rc)
        database_close(db);
    else
        *ret = db;
    return rc;
}

/* RocksDB changes a folder that it opens to write before it has looked at all of it. So a reader
 * looks first. */
static enum rc look_first(const char *path, const struct database_settings *s, struct buf *why)
{
    struct database_settings reader = {.name = s->name, .is_read_only = true};
    struct database *db = NULL;
    size_t said = why->n;
    enum rc rc = open_either(path, &reader, &db, why);
    database_close(db);
    if (rc == RC_NOT_FOUND)
        why->n = said;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

enum rc database_open(const char *path, const struct database_settings *s, struct database **ret,
                      struct buf *why)
{
    enum rc rc = s->is_read_only ? RC_OK : look_first(path, s, why);
    return rc ? rc : open_either(path, s, ret, why);
}

void database_close(struct database *db)
{
    if (!db)
        return;
    if (db->rocks)
        rocksdb_close(db->rocks);
    rocksdb_flushoptions_destroy(db->flushing);
    rocksdb_writeoptions_destroy(db->writing);
    rocksdb_readoptions_destroy(db->reading);
    rocksdb_options_destroy(db->options);
    rocksdb_cache_destroy(db->cache);
    (void)pthread_mutex_destroy(&db->lock);
    mem_free(db);
}

/* Writing ------------------------------------------------------------------------------------- */

struct database_batch *database_batch_open(void)
{
    struct database_batch *b = mem_zero(1, sizeof *b);
    if (b)
        b->writes = rocksdb_writebatch_create();
    return b;
}

void database_batch_close(struct database_batch *b)
{
    if (!b)
        return;
    rocksdb_writebatch_destroy(b->writes);
    mem_free(b);
}

void database_batch_clear(struct database_batch *b)
{
    rocksdb_writebatch_clear(b->writes);
}

size_t database_batch_bytes(const struct database_batch *b)
{
    size_t bytes;
    (void)rocksdb_writebatch_data(b->writes, &bytes);
    return bytes;
}

void database_put(struct database_batch *b, struct str key, struct str value)
{
    rocksdb_writebatch_put(b->writes, key.p, key.n, value.p, value.n);
}

void database_remove(struct database_batch *b, struct str key)
{
    rocksdb_writebatch_delete(b->writes, key.p, key.n);
}

void database_remove_range(struct database_batch *b, struct str from, struct str to)
{
    rocksdb_writebatch_delete_range(b->writes, from.p, from.n, to.p, to.n);
}

static void put_position(struct database_batch *b, uint64_t position)
{
    char value[POSITION_BYTES] = {POSITION_VERSION};
    put_le64(value + 1, position);
    rocksdb_writebatch_put(b->writes, position_key, sizeof position_key, value, sizeof value);
}

enum rc database_write(struct database *db, struct database_batch *b, uint64_t position)
{
    char *error = NULL;
    if (db->is_read_only)
        return RC_UNSUPPORTED;
    put_position(b, position);
    (void)pthread_mutex_lock(&db->lock);
    rocksdb_write(db->rocks, db->writing, b->writes, &error);
    enum rc rc = take_error(error);
    if (rc == RC_OK)
        db->position = position;
    (void)pthread_mutex_unlock(&db->lock);
    return rc;
}

enum rc database_flush(struct database *db)
{
    char *error = NULL;
    if (db->is_read_only)
        return RC_UNSUPPORTED;
    rocksdb_flush(db->rocks, db->flushing, &error);
    return take_error(error);
}

/* Reading ------------------------------------------------------------------------------------- */

uint64_t database_position(const struct database *db)
{
    struct database *open = (struct database *)db; /* for the lock alone */
    (void)pthread_mutex_lock(&open->lock);
    uint64_t position = db->position;
    (void)pthread_mutex_unlock(&open->lock);
    return position;
}

enum rc database_get(struct database *db, struct str key, struct database_value *ret)
{
    char *error = NULL;
    rocksdb_pinnableslice_t *value =
        rocksdb_get_pinned(db->rocks, db->reading, key.p, key.n, &error);
    enum rc rc = take_error(error);
    if (rc || !value) {
        rocksdb_pinnableslice_destroy(value);
        return rc ? rc : RC_NOT_FOUND;
    }
    ret->handle = value;
    ret->bytes.p = rocksdb_pinnableslice_value(value, &ret->bytes.n);
    return RC_OK;
}

void database_value_done(struct database_value *v)
{
    rocksdb_pinnableslice_destroy(v->handle);
    v->handle = NULL;
}

struct database_cursor {
    rocksdb_iterator_t *at;
    bool has_begun; /* `at` is what the last call returned */
};

struct database_cursor *database_cursor_open(struct database *db)
{
    struct database_cursor *c = mem_zero(1, sizeof *c);
    if (!c)
        return NULL;
    c->at = rocksdb_create_iterator(db->rocks, db->reading);
    rocksdb_iter_seek_to_first(c->at);
    return c;
}

void database_cursor_close(struct database_cursor *c)
{
    if (!c)
        return;
    rocksdb_iter_destroy(c->at);
    mem_free(c);
}

enum rc database_cursor_next(struct database_cursor *c, struct str *ret_key, struct str *ret_value)
{
    char *error = NULL;
    if (c->has_begun && rocksdb_iter_valid(c->at))
        rocksdb_iter_next(c->at);
    c->has_begun = true;
    if (!rocksdb_iter_valid(c->at)) {
        rocksdb_iter_get_error(c->at, &error);
        enum rc rc = take_error(error);
        return rc ? rc : RC_NOT_FOUND;
    }
    ret_key->p = rocksdb_iter_key(c->at, &ret_key->n);
    ret_value->p = rocksdb_iter_value(c->at, &ret_value->n);
    return RC_OK;
}

uint64_t database_bytes(const struct database *db)
{
    static const char *const properties[] = {"rocksdb.total-sst-files-size",
                                             "rocksdb.cur-size-all-mem-tables",
                                             "rocksdb.block-cache-usage"};
    uint64_t sum = 0, one;
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (rocksdb_property_int(db->rocks, properties[i], &one) == 0)
            sum += one;
    return sum;
}
