/* SPDX-License-Identifier: Apache-2.0 */
#include "store/seen_db.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "store/database.h"

enum { KEY_BYTES = 12, ERA_BYTES = 4, PART_BYTES = 4 << 20 };

struct seen_db {
    struct database *db;
    struct database_batch *batch;
    enum rc rc; /* of a part that was written before its time */
};

enum rc seen_db_look(const char *path, uint64_t *ret_generation, struct buf *why)
{
    struct database_settings s = {.name = "set of known URLs", .is_read_only = true};
    struct database *db = NULL;
    enum rc rc = database_open(path, &s, &db, why);
    if (rc == RC_OK)
        *ret_generation = database_position(db);
    database_close(db);
    return rc;
}

enum rc seen_db_open(const char *path, uint64_t bytes, struct seen_db **ret, struct buf *why)
{
    struct database_settings s = {.name = "set of known URLs", .bytes = bytes};
    struct seen_db *db = mem_zero(1, sizeof *db);
    if (!db)
        return RC_NOMEM;
    db->batch = database_batch_open();
    enum rc rc = db->batch ? database_open(path, &s, &db->db, why) : RC_NOMEM;
    if (rc)
        seen_db_close(db);
    else
        *ret = db;
    return rc;
}

void seen_db_close(struct seen_db *db)
{
    if (!db)
        return;
    database_close(db->db);
    database_batch_close(db->batch);
    mem_free(db);
}

static struct str key_of(char room[KEY_BYTES], uint32_t era, uint64_t fingerprint)
{
    put_be32(room, era);
    put_be64(room + ERA_BYTES, fingerprint);
    return str_make(room, KEY_BYTES);
}

enum rc seen_db_has(struct seen_db *db, uint32_t era, uint64_t fingerprint, bool *ret)
{
    char room[KEY_BYTES];
    struct database_value value;
    enum rc rc = database_get(db->db, key_of(room, era, fingerprint), &value);
    *ret = rc == RC_OK;
    if (rc == RC_OK)
        database_value_done(&value);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* Keeps the batch small: what it holds goes to the database under the position that this has. */
static void make_room(struct seen_db *db)
{
    if (database_batch_bytes(db->batch) < PART_BYTES)
        return;
    enum rc rc = database_write(db->db, db->batch, database_position(db->db));
    db->rc = db->rc ? db->rc : rc;
    database_batch_clear(db->batch);
}

void seen_db_add(struct seen_db *db, uint32_t era, uint64_t fingerprint)
{
    char room[KEY_BYTES];
    make_room(db);
    database_put(db->batch, key_of(room, era, fingerprint), STR(""));
}

void seen_db_remove(struct seen_db *db, uint32_t era, uint64_t fingerprint)
{
    char room[KEY_BYTES];
    make_room(db);
    database_remove(db->batch, key_of(room, era, fingerprint));
}

void seen_db_remove_before(struct seen_db *db, uint32_t era)
{
    char from[KEY_BYTES], to[KEY_BYTES];
    database_remove_range(db->batch, key_of(from, 0, 0), key_of(to, era, 0));
}

enum rc seen_db_write(struct seen_db *db, uint64_t generation)
{
    enum rc rc = db->rc ? db->rc : database_write(db->db, db->batch, generation);
    database_batch_clear(db->batch);
    db->rc = RC_OK;
    return rc;
}

enum rc seen_db_flush(struct seen_db *db)
{
    return database_flush(db->db);
}

uint64_t seen_db_bytes(const struct seen_db *db)
{
    return database_bytes(db->db);
}
