/* SPDX-License-Identifier: Apache-2.0 */
/* Keys are fingerprints, 8 bytes, big endian. */
#include "store/history.h"

#include "base/bytes.h"
#include "base/mem.h"
#include "store/database.h"
#include "store/history_entry.h"

#include <stdlib.h>

enum { KEY_BYTES = 8, BATCH_MAX_BYTES = 256 << 20 };

/* Only a pointer of this type is ever handed out: a history is its database. */
static struct database *db_of(const struct history *h)
{
    return (struct database *)(uintptr_t)h;
}

struct put {
    uint64_t fingerprint;
    size_t at, bytes; /* of the value, in `values` */
};

struct history_batch {
    struct put *list;
    size_t count, room;
    struct buf values;
    struct database_batch *sorted; /* empty between calls */
    enum rc rc;                    /* the first failure of a put */
};

/* Opening ------------------------------------------------------------------------------------- */

static enum rc open_either(const char *path, uint64_t bytes, bool is_read_only,
                           struct history **ret, struct buf *why)
{
    struct database_settings s = {.name = "history", .bytes = bytes, .is_read_only = is_read_only};
    struct database *db = NULL;
    enum rc rc = database_open(path, &s, &db, why);
    if (rc == RC_OK)
        *ret = (struct history *)(void *)db;
    return rc;
}

enum rc history_look(const char *path, uint64_t *ret_position, struct buf *why)
{
    struct history *h = NULL;
    enum rc rc = open_either(path, 0, true, &h, why);
    if (rc == RC_OK)
        *ret_position = history_position(h);
    history_close(h);
    return rc;
}

enum rc history_open(const char *path, uint64_t bytes, struct history **ret, struct buf *why)
{
    return open_either(path, bytes, false, ret, why);
}

enum rc history_open_read(const char *path, struct history **ret, struct buf *why)
{
    return open_either(path, HISTORY_USUAL_BYTES, true, ret, why);
}

void history_close(struct history *h)
{
    database_close(db_of(h));
}

/* Writing ------------------------------------------------------------------------------------- */

struct history_batch *history_batch_open(void)
{
    struct history_batch *b = mem_zero(1, sizeof *b);
    if (!b)
        return NULL;
    b->sorted = database_batch_open();
    if (!b->sorted) {
        mem_free(b);
        return NULL;
    }
    buf_init(&b->values, BATCH_MAX_BYTES + HISTORY_ENTRY_MAX_BYTES);
    return b;
}

void history_batch_close(struct history_batch *b)
{
    if (!b)
        return;
    database_batch_close(b->sorted);
    buf_done(&b->values);
    mem_free(b->list);
    mem_free(b);
}

static enum rc add_put(struct history_batch *b, uint64_t fingerprint, const struct history_entry *p)
{
    struct put *list = mem_grow(b->list, b->count, &b->room, sizeof *list);
    size_t at = b->values.n;
    if (!list)
        return RC_NOMEM;
    b->list = list;
    if (at > BATCH_MAX_BYTES)
        return RC_LIMIT;
    history_entry_write(p, &b->values);
    size_t bytes = b->values.n - at;
    if (buf_rc(&b->values) == RC_OK && bytes > HISTORY_ENTRY_MAX_BYTES)
        return RC_LIMIT;
    list[b->count++] = (struct put){fingerprint, at, bytes};
    return buf_rc(&b->values);
}

void history_put(struct history_batch *b, uint64_t fingerprint, const struct history_entry *p)
{
    if (b->rc == RC_OK)
        b->rc = add_put(b, fingerprint, p);
}

/* By key, and of the same key in the order in which they came. */
static int in_order(const void *left, const void *right)
{
    const struct put *a = left, *b = right;
    if (a->fingerprint != b->fingerprint)
        return a->fingerprint < b->fingerprint ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

/* In the order of the keys, because RocksDB finds the place of a key that follows the one before
 * it with half of the comparisons. */
static void put_sorted(struct history_batch *b)
{
    char key[KEY_BYTES];
    if (b->count)
        qsort(b->list, b->count, sizeof *b->list, in_order);
    for (size_t i = 0; i < b->count; i++) {
        const struct put *p = &b->list[i];
        put_be64(key, p->fingerprint);
        database_put(b->sorted, str_make(key, sizeof key),
                     str_first(str_from(buf_str(&b->values), p->at), p->bytes));
    }
}

enum rc history_write(struct history *h, struct history_batch *b, uint64_t position)
{
    enum rc rc = b->rc;
    if (rc == RC_OK) {
        put_sorted(b);
        rc = database_write(db_of(h), b->sorted, position);
    }
    database_batch_clear(b->sorted);
    buf_clear(&b->values);
    b->count = 0;
    b->rc = RC_OK;
    return rc;
}

enum rc history_flush(struct history *h)
{
    return database_flush(db_of(h));
}

/* Reading ------------------------------------------------------------------------------------- */

uint64_t history_position(const struct history *h)
{
    return database_position(db_of(h));
}

enum rc history_get(struct history *h, uint64_t fingerprint, struct arena *arena,
                    struct history_entry *ret)
{
    char key[KEY_BYTES];
    struct database_value value;
    put_be64(key, fingerprint);
    enum rc rc = database_get(db_of(h), str_make(key, sizeof key), &value);
    if (rc)
        return rc;
    rc = history_entry_read(value.bytes, arena, ret);
    database_value_done(&value);
    return rc;
}

static struct database_cursor *cursor_of(struct history_cursor *c)
{
    return (struct database_cursor *)(void *)c;
}

struct history_cursor *history_cursor_open(struct history *h)
{
    return (struct history_cursor *)(void *)database_cursor_open(db_of(h));
}

void history_cursor_close(struct history_cursor *c)
{
    database_cursor_close(cursor_of(c));
}

enum rc history_cursor_next(struct history_cursor *c, struct arena *arena,
                            uint64_t *ret_fingerprint, struct history_entry *ret)
{
    struct str key, value;
    enum rc rc;
    while ((rc = database_cursor_next(cursor_of(c), &key, &value)) == RC_OK) {
        if (key.n != KEY_BYTES) /* the position */
            continue;
        *ret_fingerprint = get_be64(key.p);
        return history_entry_read(value, arena, ret);
    }
    return rc;
}

uint64_t history_bytes(const struct history *h)
{
    return database_bytes(db_of(h));
}
