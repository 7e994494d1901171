/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/sent.h"

#include "archive/warc_files.h"
#include "base/map.h"
#include "base/mem.h"

#define SENT_PATH "state/sent"

enum { MAX_LINE_BYTES = WARC_FILES_NAME_BYTES + 32 };

struct entry {
    uint64_t bytes;
    size_t name_n;
    char name[];
};

struct sent {
    struct disk *disk;
    struct disk_file *file; /* NULL: it is only read */
    struct map entries;     /* their names to them */
    uint64_t bytes;
};

static bool is_name(struct str name)
{
    return name.n > 0 && name.n < WARC_FILES_NAME_BYTES && str_find(name, ' ') >= name.n &&
           str_find(name, '\n') >= name.n;
}

static enum rc put(struct sent *s, struct str name, uint64_t bytes)
{
    if (!is_name(name))
        return RC_INVALID;
    if (map_has(&s->entries, name))
        return RC_EXISTS;
    struct entry *e = mem_alloc(sizeof *e + name.n);
    if (!e)
        return RC_NOMEM;
    e->bytes = bytes;
    e->name_n = name.n;
    memcpy(e->name, name.p, name.n);
    enum rc rc = map_put(&s->entries, str_make(e->name, e->name_n), e);
    if (rc)
        mem_free(e);
    else
        s->bytes += bytes;
    return rc;
}

static void print(struct buf *out, struct str name, uint64_t bytes)
{
    buf_add(out, name);
    buf_byte(out, ' ');
    buf_u64(out, bytes);
    buf_add(out, STR(" sent\n"));
}

/* RC_INVALID: a crash has torn it. */
static enum rc take_line(struct sent *s, struct str line)
{
    uint64_t bytes;
    struct str name = str_take_until(&line, ' ');
    struct str number = line.p ? str_take_until(&line, ' ') : STR("");
    if (!line.p || !str_eq(line, STR("sent")) || str_to_u64(number, &bytes))
        return RC_INVALID;
    enum rc rc = put(s, name, bytes);
    return rc == RC_EXISTS ? RC_OK : rc;
}

static enum rc read_all(struct sent *s, bool *ret_is_torn)
{
    struct buf all = {.max = (size_t)SENT_MAX_FILES * MAX_LINE_BYTES};
    enum rc rc = disk_read_whole(s->disk, SENT_PATH, &all);
    struct str rest = buf_str(&all);
    while (rc == RC_OK && rest.n) {
        size_t end = str_find(rest, '\n');
        enum rc took = end < rest.n ? take_line(s, str_first(rest, end)) : RC_INVALID;
        *ret_is_torn = *ret_is_torn || took == RC_INVALID;
        rc = took == RC_INVALID ? RC_OK : took;
        rest = str_from(rest, end < rest.n ? end + 1 : rest.n);
    }
    buf_done(&all);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* What was torn was not durable: nobody has relied on it. */
static enum rc write_anew(struct sent *s)
{
    struct buf all = {.max = (size_t)SENT_MAX_FILES * MAX_LINE_BYTES};
    for (uint32_t i = 0; i < s->entries.count; i++)
        print(&all, s->entries.rows[i].key, ((struct entry *)s->entries.rows[i].value)->bytes);
    enum rc rc = buf_rc(&all);
    rc = rc ? rc : disk_replace(s->disk, SENT_PATH, buf_str(&all));
    buf_done(&all);
    return rc;
}

enum rc sent_open(struct disk *d, bool writes, struct sent **ret)
{
    bool is_torn = false;
    struct sent *s = mem_zero(1, sizeof *s);
    if (!s)
        return RC_NOMEM;
    s->disk = d;
    map_init(&s->entries, SENT_MAX_FILES);
    enum rc rc = read_all(s, &is_torn);
    if (rc == RC_OK && writes && is_torn)
        rc = write_anew(s);
    if (rc == RC_OK && writes)
        rc = disk_open(d, SENT_PATH, DISK_APPEND, &s->file);
    if (rc == RC_OK && writes)
        rc = disk_dirsync(d, "state");
    if (rc)
        sent_close(s);
    else
        *ret = s;
    return rc;
}

void sent_close(struct sent *s)
{
    if (!s)
        return;
    disk_file_close(s->file);
    for (uint32_t i = 0; i < s->entries.count; i++)
        mem_free(s->entries.rows[i].value);
    map_done(&s->entries);
    mem_free(s);
}

bool sent_has(const struct sent *s, struct str name, uint64_t *ret_bytes)
{
    const struct entry *e = map_get(&s->entries, name);
    if (e && ret_bytes)
        *ret_bytes = e->bytes;
    return e != NULL;
}

/* A line that was not written whole must not stand before the next one. */
static enum rc append(struct sent *s, struct str line)
{
    uint64_t before = 0;
    enum rc rc = disk_size(s->file, &before);
    if (rc)
        return rc;
    rc = disk_append(s->file, &line, 1);
    if (rc && disk_truncate(s->file, before)) {
        disk_file_close(s->file);
        s->file = NULL;
    }
    return rc ? rc : disk_sync(s->file);
}

enum rc sent_add(struct sent *s, struct str name, uint64_t bytes)
{
    char room[MAX_LINE_BYTES];
    struct buf line = buf_on(room, sizeof room);
    if (!s->file || !is_name(name))
        return RC_INVALID;
    if (map_has(&s->entries, name))
        return RC_EXISTS;
    print(&line, name, bytes);
    enum rc rc = buf_rc(&line);
    rc = rc ? rc : append(s, buf_str(&line));
    return rc ? rc : put(s, name, bytes);
}

uint64_t sent_files(const struct sent *s)
{
    return s->entries.count;
}

uint64_t sent_bytes(const struct sent *s)
{
    return s->bytes;
}
