/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that is read was checked by a hash first; what is not as run_writer writes it is
 * RC_CORRUPT all the same, so that no file leads astray. */
#include "linkindex/pair_run.h"
#include "linkindex/run_internal.h"

#include "base/hash.h"
#include "base/taker.h"

enum { TABLE_MAX_BYTES = 1 << 30 };

static enum rc read_exactly(struct disk_file *f, uint64_t at, void *to, size_t bytes)
{
    size_t got = 0;
    enum rc rc = disk_read(f, at, to, bytes, &got);
    return rc ? rc : got == bytes ? RC_OK : RC_CORRUPT;
}

/* Opening ------------------------------------------------------------------------------------- */

static enum rc read_head(struct run *r, uint64_t *ret_hash)
{
    char room[RUN_HEAD_BYTES];
    enum rc rc = read_exactly(r->file, 0, room, sizeof room);
    if (rc)
        return rc;
    struct str hashed = str_make(room, RUN_HEAD_BYTES - RUN_HASH_BYTES);
    struct taker t = {.rest = str_make(room, sizeof room)};
    struct str magic = take_bytes(&t, RUN_MAGIC_BYTES);
    uint32_t kind = take_u32(&t), zero = take_u32(&t);
    r->from = take_u64(&t);
    r->to = take_u64(&t);
    *ret_hash = take_u64(&t);
    if (!str_eq(magic, str_make(RUN_MAGIC, RUN_MAGIC_BYTES)) || *ret_hash != hash64(hashed) ||
        kind >= PAIR_KINDS || zero || r->from > r->to)
        return RC_CORRUPT;
    r->kind = (enum pair_kind)kind;
    return RC_OK;
}

static uint64_t row_key(const struct run *r, uint64_t block)
{
    return get_le64(r->table.p + block * RUN_ROW_BYTES);
}

static uint64_t row_end(const struct run *r, uint64_t block)
{
    return get_le64(r->table.p + block * RUN_ROW_BYTES + 8);
}

static uint64_t row_begin(const struct run *r, uint64_t block)
{
    return block ? row_end(r, block - 1) : RUN_HEAD_BYTES;
}

static bool is_table_right(const struct run *r, uint64_t table_at)
{
    uint64_t at = RUN_HEAD_BYTES;
    for (uint64_t i = 0; i < r->blocks; i++) {
        uint64_t end = row_end(r, i);
        if (end <= at + RUN_HASH_BYTES || end - at > RUN_BLOCK_MAX)
            return false;
        if (i && row_key(r, i) < row_key(r, i - 1))
            return false;
        at = end;
    }
    return at == table_at;
}

static enum rc read_table(struct run *r, uint64_t table_at, uint64_t hash, uint64_t head_hash)
{
    size_t bytes = (size_t)(r->blocks * RUN_ROW_BYTES);
    char *to = bytes ? buf_reserve(&r->table, bytes) : NULL;
    if (bytes && !to)
        return buf_rc(&r->table);
    enum rc rc = bytes ? read_exactly(r->file, table_at, to, bytes) : RC_OK;
    if (rc)
        return rc;
    r->table.n = bytes;
    bool is_right = hash64_seeded(buf_str(&r->table), head_hash) == hash;
    return is_right && is_table_right(r, table_at) ? RC_OK : RC_CORRUPT;
}

static enum rc read_foot(struct run *r, uint64_t head_hash)
{
    char room[RUN_FOOT_BYTES];
    enum rc rc = read_exactly(r->file, r->bytes - RUN_FOOT_BYTES, room, sizeof room);
    if (rc)
        return rc;
    struct taker t = {.rest = str_make(room, sizeof room)};
    uint64_t table_at = take_u64(&t);
    r->blocks = take_u64(&t);
    r->pairs = take_u64(&t);
    uint64_t hash = take_u64(&t), own = take_u64(&t);
    uint64_t table_bytes = r->bytes - RUN_FOOT_BYTES - table_at;
    if (own != hash64(str_make(room, RUN_FOOT_BYTES - RUN_HASH_BYTES)) ||
        table_at < RUN_HEAD_BYTES || table_at > r->bytes - RUN_FOOT_BYTES ||
        r->blocks > TABLE_MAX_BYTES / RUN_ROW_BYTES || table_bytes != r->blocks * RUN_ROW_BYTES)
        return RC_CORRUPT;
    return read_table(r, table_at, hash, head_hash);
}

enum rc run_open(struct run *r, struct disk *d, const char *path)
{
    uint64_t head_hash = 0;
    *r = (struct run){0};
    buf_init(&r->table, TABLE_MAX_BYTES);
    enum rc rc = disk_open(d, path, DISK_READ, &r->file);
    rc = rc ? rc : disk_size(r->file, &r->bytes);
    if (rc == RC_OK && r->bytes < RUN_HEAD_BYTES + RUN_FOOT_BYTES)
        rc = RC_CORRUPT;
    rc = rc ? rc : read_head(r, &head_hash);
    rc = rc ? rc : read_foot(r, head_hash);
    if (rc)
        run_close(r);
    return rc;
}

void run_close(struct run *r)
{
    disk_file_close(r->file);
    buf_done(&r->table);
    *r = (struct run){0};
}

/* A cursor ------------------------------------------------------------------------------------ */

static bool take_varint(struct str *from, uint64_t *ret)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < VARINT_MAX_BYTES && i < from->n; i++) {
        uint64_t bits = (uint8_t)from->p[i] & 0x7f;
        if (i == VARINT_MAX_BYTES - 1 && bits > 1)
            return false;
        v |= bits << (7 * i);
        if (!((uint8_t)from->p[i] & 0x80)) {
            *ret = v;
            *from = str_from(*from, i + 1);
            return true;
        }
    }
    return false;
}

/* Leaves `letters` in front of as many varints. */
static bool pass_letters(struct str *rest, size_t count)
{
    uint64_t letters;
    for (size_t i = 0; i < count; i++)
        if (!take_varint(rest, &letters) || !letters || letters > PAIR_ALL_LETTERS)
            return false;
    return true;
}

static bool take_group(struct run_cursor *c)
{
    uint64_t difference, head;
    if (!take_varint(&c->rest, &difference) || !take_varint(&c->rest, &head) ||
        difference > UINT64_MAX - c->key)
        return false;
    uint64_t count = head / 2;
    if (!count || count > RUN_GROUP_MAX)
        return false;
    c->key += difference;
    c->letters = head & RUN_PLAIN ? NULL : c->rest.p;
    if (c->letters && !pass_letters(&c->rest, (size_t)count))
        return false;
    if (c->rest.n < count * RUN_VALUE_BYTES)
        return false;
    c->left = (size_t)count;
    c->values = c->rest.p;
    c->rest = str_from(c->rest, (size_t)count * RUN_VALUE_BYTES);
    c->value = get_le64(c->values);
    return true;
}

static enum rc read_block(struct run_cursor *c)
{
    const struct run *r = c->run;
    uint64_t block = c->next_block++, begin = row_begin(r, block), end = row_end(r, block);
    size_t bytes = (size_t)(end - begin);
    enum rc rc = read_exactly(r->file, begin, c->room.p, bytes);
    if (rc)
        return rc;
    c->rest = str_make(c->room.p + RUN_HASH_BYTES, bytes - RUN_HASH_BYTES);
    c->key = 0;
    bool is_right = get_le64(c->room.p) == hash64(c->rest) && take_group(c);
    return is_right && c->key == row_key(r, block) ? RC_OK : RC_CORRUPT;
}

/* To the next group, in the next block if need be. */
static enum rc next_group(struct run_cursor *c)
{
    if (c->rest.n)
        return take_group(c) ? RC_OK : RC_CORRUPT;
    if (c->next_block < c->run->blocks)
        return read_block(c);
    c->is_behind = true;
    return RC_OK;
}

/* The block before the first one that begins with the key or a greater one: the key may begin at
 * its end. */
static uint64_t find_block(const struct run *r, uint64_t key)
{
    uint64_t low = 0, high = r->blocks;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (row_key(r, middle) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : 0;
}

enum rc run_seek(struct run_cursor *c, const struct run *r, uint64_t key)
{
    *c = (struct run_cursor){.run = r, .next_block = find_block(r, key)};
    buf_init(&c->room, RUN_BLOCK_MAX);
    if (!buf_reserve(&c->room, RUN_BLOCK_MAX))
        return buf_rc(&c->room);
    enum rc rc = next_group(c);
    while (rc == RC_OK && !c->is_behind && c->key < key)
        rc = next_group(c);
    return rc;
}

void run_cursor_done(struct run_cursor *c)
{
    buf_done(&c->room);
}

static uint32_t next_letters(struct run_cursor *c)
{
    struct str from = str_make(c->letters, VARINT_MAX_BYTES);
    uint64_t letters = 0;
    if (!c->letters || !take_varint(&from, &letters))
        return PLAIN_LETTERS;
    c->letters = from.p;
    return (uint32_t)letters;
}

enum rc run_next(struct run_cursor *c, struct pair *ret)
{
    *ret = (struct pair){.key = c->key, .value = c->value, .letters = next_letters(c)};
    c->values += RUN_VALUE_BYTES;
    if (--c->left) {
        uint64_t value = get_le64(c->values);
        if (value <= c->value)
            return RC_CORRUPT;
        c->value = value;
        return RC_OK;
    }
    enum rc rc = next_group(c);
    if (rc || c->is_behind)
        return rc;
    bool is_behind = c->key > ret->key || (c->key == ret->key && c->value > ret->value);
    return is_behind ? RC_OK : RC_CORRUPT;
}

enum rc run_check(const struct run *r)
{
    struct run_cursor c;
    struct pair p;
    uint64_t pairs = 0;
    enum rc rc = run_seek(&c, r, 0);
    for (; rc == RC_OK && !c.is_behind; pairs++)
        rc = run_next(&c, &p);
    run_cursor_done(&c);
    return rc ? rc : pairs == r->pairs ? RC_OK : RC_CORRUPT;
}
