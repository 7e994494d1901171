/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/file_list.h"

#include "archive/warc_files.h"
#include "base/map.h"
#include "base/mem.h"

enum { MAX_LINE_BYTES = WARC_FILES_NAME_BYTES + 24 + FILE_LIST_WORD_BYTES };

struct file_list {
    struct disk *disk;
    const char *path;
    struct disk_file *file; /* NULL: it is only read */
    struct map entries;     /* their names to them */
    bool is_torn;           /* it has a line that cannot be read */
};

static bool is_name(struct str name)
{
    return name.n > 0 && name.n < WARC_FILES_NAME_BYTES && str_find(name, ' ') >= name.n &&
           str_find(name, '\n') >= name.n;
}

static struct file_entry *entry_make(struct str name)
{
    struct file_entry *e = mem_zero(1, sizeof *e + name.n);
    if (!e)
        return NULL;
    char *copy = (char *)(e + 1);
    memcpy(copy, name.p, name.n);
    e->name = str_make(copy, name.n);
    return e;
}

static enum rc put_entry(struct file_list *l, struct str name, uint64_t bytes, struct str word)
{
    if (!is_name(name) || !word.n || word.n >= FILE_LIST_WORD_BYTES)
        return RC_INVALID;
    struct file_entry *e = map_get(&l->entries, name);
    enum rc rc = RC_OK;
    if (!e) {
        e = entry_make(name);
        rc = e ? map_put(&l->entries, e->name, e) : RC_NOMEM;
    }
    if (rc) {
        mem_free(e);
        return rc;
    }
    e->bytes = bytes;
    memset(e->word, 0, sizeof e->word);
    memcpy(e->word, word.p, word.n);
    return RC_OK;
}

static void print(struct buf *out, struct str name, uint64_t bytes, const char *word)
{
    buf_add(out, name);
    buf_byte(out, ' ');
    buf_u64(out, bytes);
    buf_byte(out, ' ');
    buf_add(out, str_c(word));
    buf_byte(out, '\n');
}

/* RC_INVALID: it is no line of such a list. */
static enum rc take_line(struct file_list *l, struct str line)
{
    uint64_t bytes;
    struct str name = str_take_until(&line, ' ');
    struct str number = line.p ? str_take_until(&line, ' ') : STR("");
    if (!line.p || str_to_u64(number, &bytes))
        return RC_INVALID;
    return put_entry(l, name, bytes, line);
}

static enum rc read_all(struct file_list *l)
{
    struct buf all = {.max = (size_t)FILE_LIST_MAX_FILES * MAX_LINE_BYTES};
    enum rc rc = disk_read_whole(l->disk, l->path, &all);
    struct str rest = buf_str(&all);
    while (rc == RC_OK && rest.n) {
        size_t end = str_find(rest, '\n');
        enum rc took = end < rest.n ? take_line(l, str_first(rest, end)) : RC_INVALID;
        l->is_torn = l->is_torn || took == RC_INVALID;
        rc = took == RC_INVALID ? RC_OK : took;
        rest = str_from(rest, end < rest.n ? end + 1 : rest.n);
    }
    buf_done(&all);
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

/* A line that is not whole was not durable: nothing has relied on it. */
static enum rc write_anew(struct file_list *l)
{
    struct buf all = {.max = (size_t)FILE_LIST_MAX_FILES * MAX_LINE_BYTES};
    for (uint32_t i = 0; i < l->entries.count; i++) {
        const struct file_entry *e = file_list_at(l, i);
        print(&all, e->name, e->bytes, e->word);
    }
    enum rc rc = buf_rc(&all);
    rc = rc ? rc : disk_replace(l->disk, l->path, buf_str(&all));
    buf_done(&all);
    return rc;
}

static enum rc open_to_write(struct file_list *l)
{
    enum rc rc = l->is_torn ? write_anew(l) : RC_OK;
    rc = rc ? rc : disk_open(l->disk, l->path, DISK_APPEND, &l->file);
    return rc ? rc : disk_dirsync(l->disk, "state");
}

enum rc file_list_open(struct disk *d, const char *path, bool writes, struct file_list **ret)
{
    struct file_list *l = mem_zero(1, sizeof *l);
    if (!l)
        return RC_NOMEM;
    l->disk = d;
    l->path = path;
    map_init(&l->entries, FILE_LIST_MAX_FILES);
    enum rc rc = read_all(l);
    if (rc == RC_OK && writes)
        rc = open_to_write(l);
    if (rc)
        file_list_close(l);
    else
        *ret = l;
    return rc;
}

void file_list_close(struct file_list *l)
{
    if (!l)
        return;
    disk_file_close(l->file);
    for (uint32_t i = 0; i < l->entries.count; i++)
        mem_free(l->entries.rows[i].value);
    map_done(&l->entries);
    mem_free(l);
}

const struct file_entry *file_list_get(const struct file_list *l, struct str name)
{
    return map_get(&l->entries, name);
}

uint32_t file_list_count(const struct file_list *l)
{
    return l->entries.count;
}

const struct file_entry *file_list_at(const struct file_list *l, uint32_t i)
{
    return l->entries.rows[i].value;
}

/* A line that was not written whole must not stand before the next one. */
static enum rc append(struct file_list *l, struct str line)
{
    uint64_t before = 0;
    enum rc rc = disk_size(l->file, &before);
    if (rc)
        return rc;
    rc = disk_append(l->file, &line, 1);
    if (rc && disk_truncate(l->file, before)) {
        disk_file_close(l->file);
        l->file = NULL;
    }
    return rc;
}

enum rc file_list_add(struct file_list *l, struct str name, uint64_t bytes, const char *word)
{
    char room[MAX_LINE_BYTES];
    struct buf line = buf_on(room, sizeof room);
    if (!l->file || !is_name(name) || !word[0] || strlen(word) >= FILE_LIST_WORD_BYTES)
        return RC_INVALID;
    print(&line, name, bytes, word);
    enum rc rc = buf_rc(&line);
    rc = rc ? rc : append(l, buf_str(&line));
    return rc ? rc : put_entry(l, name, bytes, str_c(word));
}

enum rc file_list_sync(struct file_list *l)
{
    return l->file ? disk_sync(l->file) : RC_INVALID;
}
