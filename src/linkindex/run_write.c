/* SPDX-License-Identifier: Apache-2.0 */
#include "linkindex/pair_run.h"
#include "linkindex/run_internal.h"

#include "base/hash.h"
#include "base/mem.h"

enum { GROUP_MAX_BYTES = 2 * VARINT_MAX_BYTES + RUN_GROUP_MAX * (5 + RUN_VALUE_BYTES) };
_Static_assert(RUN_HASH_BYTES + RUN_BLOCK_BYTES + GROUP_MAX_BYTES <= RUN_BLOCK_MAX,
               "no block is longer");

static void put_varint(char **at, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        *(*at)++ = (char)(v | 0x80);
    *(*at)++ = (char)v;
}

static enum rc write_bytes(struct run_writer *w, struct str bytes)
{
    w->at += bytes.n;
    return disk_append(w->file, &bytes, 1);
}

static enum rc write_head(struct run_writer *w, enum pair_kind kind, uint64_t from, uint64_t to)
{
    char room[RUN_HEAD_BYTES];
    struct buf head = buf_on(room, sizeof room);
    buf_add(&head, str_make(RUN_MAGIC, RUN_MAGIC_BYTES));
    buf_le32(&head, (uint32_t)kind);
    buf_le32(&head, 0);
    buf_le64(&head, from);
    buf_le64(&head, to);
    w->head_hash = hash64(buf_str(&head));
    buf_le64(&head, w->head_hash);
    return write_bytes(w, buf_str(&head));
}

enum rc run_writer_open(struct run_writer *w, struct disk *d, const char *path, enum pair_kind kind,
                        uint64_t from, uint64_t to)
{
    *w = (struct run_writer){.all_plain = true};
    buf_init(&w->block, RUN_BLOCK_MAX);
    buf_init(&w->table, SIZE_MAX / 2);
    w->group = mem_alloc(RUN_GROUP_MAX * sizeof *w->group);
    if (!w->group || !buf_reserve(&w->block, RUN_BLOCK_MAX))
        return RC_NOMEM;
    enum rc rc = disk_open(d, path, DISK_CREATE, &w->file);
    return rc ? rc : write_head(w, kind, from, to);
}

/* The row of the block's first key is there already. */
static enum rc end_block(struct run_writer *w)
{
    struct str bytes = buf_str(&w->block);
    if (!bytes.n)
        return RC_OK;
    put_le64(w->block.p, hash64(str_from(bytes, RUN_HASH_BYTES)));
    enum rc rc = write_bytes(w, bytes);
    buf_le64(&w->table, w->at);
    buf_clear(&w->block);
    return rc ? rc : buf_rc(&w->table);
}

static void begin_block(struct run_writer *w)
{
    buf_le64(&w->block, 0);
    buf_le64(&w->table, w->group[0].key);
    w->last_key = 0;
}

/* There is room for it: blocks end at RUN_BLOCK_BYTES. */
static enum rc end_group(struct run_writer *w)
{
    size_t count = w->group_count;
    if (!count)
        return RC_OK;
    if (!w->block.n)
        begin_block(w);
    char *at = w->block.p + w->block.n;
    put_varint(&at, w->group[0].key - w->last_key);
    put_varint(&at, count * 2 + (w->all_plain ? RUN_PLAIN : 0));
    for (size_t i = 0; i < count && !w->all_plain; i++)
        put_varint(&at, w->group[i].letters);
    for (size_t i = 0; i < count; i++, at += RUN_VALUE_BYTES)
        put_le64(at, w->group[i].value);
    w->block.n = (size_t)(at - w->block.p);
    w->last_key = w->group[0].key;
    w->pairs += count;
    w->group_count = 0;
    w->all_plain = true;
    return w->block.n >= RUN_BLOCK_BYTES ? end_block(w) : RC_OK;
}

enum rc run_writer_add(struct run_writer *w, struct pair p)
{
    struct pair *last = w->group_count ? &w->group[w->group_count - 1] : NULL;
    enum rc rc = RC_OK;
    if (last && last->key == p.key && last->value == p.value) {
        last->letters |= p.letters;
        w->all_plain = w->all_plain && last->letters == PLAIN_LETTERS;
        return RC_OK;
    }
    /* A full group is written when the next pair comes, for that may be its last one again. */
    if (last && (last->key != p.key || w->group_count == RUN_GROUP_MAX))
        rc = end_group(w);
    w->group[w->group_count++] = p;
    w->all_plain = w->all_plain && p.letters == PLAIN_LETTERS;
    return rc;
}

enum rc run_writer_end(struct run_writer *w, uint64_t *ret_bytes)
{
    char room[RUN_FOOT_BYTES];
    struct buf foot = buf_on(room, sizeof room);
    enum rc rc = end_group(w);
    rc = rc ? rc : end_block(w);
    buf_le64(&foot, w->at);
    buf_le64(&foot, w->table.n / RUN_ROW_BYTES);
    buf_le64(&foot, w->pairs);
    buf_le64(&foot, hash64_seeded(buf_str(&w->table), w->head_hash));
    buf_le64(&foot, hash64(buf_str(&foot)));
    rc = rc ? rc : buf_rc(&w->table);
    if (rc == RC_OK && w->table.n)
        rc = write_bytes(w, buf_str(&w->table));
    rc = rc ? rc : write_bytes(w, buf_str(&foot));
    rc = rc ? rc : disk_sync(w->file);
    *ret_bytes = w->at;
    return rc;
}

void run_writer_done(struct run_writer *w)
{
    disk_file_close(w->file);
    buf_done(&w->block);
    buf_done(&w->table);
    mem_free(w->group);
    *w = (struct run_writer){0};
}
