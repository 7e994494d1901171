/* SPDX-License-Identifier: Apache-2.0 */
/* seen/rocksdb: fingerprints in a database (store/seen_db.h), so that they take next to no memory.
 * A crawl's database is the ledger's; the one here is for lines, opened with the first line: it
 * keeps what it has seen from one run to the next. */
#include "roles/seen.h"

#include "base/mem.h"
#include "flow/part.h"
#include "store/seen_db.h"

struct rocksdb_settings {
    uint64_t memory_bytes;
    struct str path;
};

struct rocksdb_part {
    struct seen seen; /* first */
    const struct rocksdb_settings *settings;
    unsigned shard;
    struct seen_db *db;
    uint64_t count; /* of this run */
};

static const struct option rocksdb_options[] = {
    OPTION_SIZE_ROW(struct rocksdb_settings, memory_bytes, "memory", "64M",
                    "for URLs that are not written yet, or were read lately"),
    OPTION_TEXT_ROW(struct rocksdb_settings, path, "path", NULL,
                    "for lines, not for a crawl: the database's folder; a shard adds its number",
                    .arg = "DIR"),
    {0},
};

static enum rc open_db(struct rocksdb_part *p)
{
    struct buf path = {.max = 4096}, why = {.max = 4096};
    if (!p->settings->path.n)
        return RC_INVALID;
    buf_add(&path, p->settings->path);
    buf_byte(&path, '-');
    buf_u64(&path, p->shard);
    buf_byte(&path, '\0');
    enum rc rc = buf_rc(&path);
    rc = rc ? rc : seen_db_open(path.p, p->settings->memory_bytes, &p->db, &why);
    buf_done(&path);
    buf_done(&why);
    return rc;
}

static enum rc rocksdb_add(struct seen *s, uint64_t fingerprint, bool *ret_was_there)
{
    struct rocksdb_part *p = (struct rocksdb_part *)(void *)s;
    enum rc rc = p->db ? RC_OK : open_db(p);
    rc = rc ? rc : seen_db_has(p->db, 0, fingerprint, ret_was_there);
    if (rc || *ret_was_there)
        return rc;
    seen_db_add(p->db, 0, fingerprint);
    p->count++;
    return seen_db_write(p->db, 0);
}

static uint64_t rocksdb_count(const struct seen *s)
{
    return ((const struct rocksdb_part *)(const void *)s)->count;
}

static enum rc rocksdb_part_open(struct instance *self, struct buf *why)
{
    const struct rocksdb_settings *s = self->settings;
    struct rocksdb_part *p = mem_zero(1, sizeof *p);
    (void)why;
    if (!p)
        return RC_NOMEM;
    p->seen = (struct seen){
        rocksdb_add, rocksdb_count, {.kind = SEEN_ROCKSDB, .memory_bytes = s->memory_bytes}};
    p->settings = s;
    p->shard = self->shard;
    self->state = p;
    return RC_OK;
}

static void rocksdb_part_close(struct instance *self)
{
    struct rocksdb_part *p = self->state;
    if (p->db)
        (void)!seen_db_flush(p->db); /* lines have no journal: what fails here comes again */
    seen_db_close(p->db);
    mem_free(p);
}

static void *rocksdb_provide(struct instance *self)
{
    return self->state;
}

const struct part part_seen_rocksdb = {
    .abi = PART_ABI,
    .kind = PART_PROVIDER,
    .name = "rocksdb",
    .help = "every fingerprint, in a database on disk: next to no memory, and slower",
    .where = PART_ON_EACH_SHARD,
    .provides = SEEN_INTERFACE,
    .is_of_one_place = true,
    .options = rocksdb_options,
    .settings_bytes = sizeof(struct rocksdb_settings),
    .open = rocksdb_part_open,
    .close = rocksdb_part_close,
    .provide = rocksdb_provide,
};
