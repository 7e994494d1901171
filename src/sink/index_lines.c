/* SPDX-License-Identifier: Apache-2.0 */
#include "sink/index_lines.h"

#include "archive/line_source.h"
#include "archive/warc_files.h"
#include "base/mem.h"
#include "warc/cdxj.h"

#define INDEX_PATH "indexes/parts/index.cdxj"

enum { STEP_BYTES = 256 << 10, MAX_LINE = 1 << 20, MAX_FILES = 1 << 20 };

struct stretch {
    char name[WARC_FILES_NAME_BYTES];
    uint64_t from, to;
};

struct index_lines {
    struct disk *disk;
    uint64_t at; /* read so far: the end of a line */
    struct stretch *list;
    size_t count, room;
    struct buf line; /* room for cdxj_parse */
};

struct index_lines *index_lines_open(struct disk *d)
{
    struct index_lines *x = mem_zero(1, sizeof *x);
    if (!x)
        return NULL;
    x->disk = d;
    buf_init(&x->line, 2 * MAX_LINE);
    return x;
}

void index_lines_close(struct index_lines *x)
{
    if (!x)
        return;
    mem_free(x->list);
    buf_done(&x->line);
    mem_free(x);
}

/* From the end: files that are being written came last. */
static struct stretch *find_file(struct index_lines *x, struct str file)
{
    for (size_t i = x->count; i-- > 0;)
        if (str_eq(str_c(x->list[i].name), file))
            return &x->list[i];
    return NULL;
}

static enum rc add_file(struct index_lines *x, struct str file, uint64_t from)
{
    if (x->count == MAX_FILES)
        return RC_LIMIT;
    struct stretch *list = mem_grow(x->list, x->count, &x->room, sizeof *list);
    if (!list)
        return RC_NOMEM;
    x->list = list;
    struct stretch *s = &x->list[x->count++];
    *s = (struct stretch){.from = from, .to = from};
    memcpy(s->name, file.p, file.n);
    return RC_OK;
}

/* The file that a line is about; absent if the line does not tell. */
static struct str file_of(struct index_lines *x, struct str line)
{
    struct cdxj_entry e;
    if (cdxj_parse(line, &x->line, &e) || e.filename.n >= WARC_FILES_NAME_BYTES)
        return STR_NONE;
    return e.filename;
}

static enum rc note_line(struct index_lines *x, struct str line)
{
    struct str file = file_of(x, line);
    struct stretch *s = file.p ? find_file(x, file) : NULL;
    enum rc rc = RC_OK;
    if (file.p && !s) {
        rc = add_file(x, file, x->at);
        s = rc ? NULL : &x->list[x->count - 1];
    }
    x->at += line.n;
    if (s)
        s->to = x->at;
    return rc;
}

/* The index ends within a line while it is being written: *ret is the end of the last whole
 * line. */
static enum rc whole_bytes(struct disk *d, uint64_t *ret)
{
    struct disk_file *f = NULL;
    char *room = mem_alloc(MAX_LINE);
    uint64_t end = 0;
    enum rc rc = room ? disk_open(d, INDEX_PATH, DISK_READ, &f) : RC_NOMEM;
    rc = rc ? rc : disk_size(f, &end);
    uint64_t from = end > MAX_LINE ? end - MAX_LINE : 0;
    size_t n = 0;
    rc = rc ? rc : disk_read(f, from, room, (size_t)(end - from), &n);
    while (rc == RC_OK && n && room[n - 1] != '\n')
        n--;
    disk_file_close(f);
    mem_free(room);
    *ret = rc == RC_OK ? from + n : 0;
    return rc == RC_NOT_FOUND ? RC_OK : rc;
}

static enum rc read_on(struct index_lines *x)
{
    struct line_source s = {0};
    uint64_t end;
    enum rc rc = whole_bytes(x->disk, &end);
    if (rc || end <= x->at)
        return rc;
    rc = line_source_open(&s, x->disk, INDEX_PATH, end, STEP_BYTES, MAX_LINE);
    s.at = x->at;
    while (rc == RC_OK && (rc = line_source_next(&s)) == RC_OK && s.line.p)
        rc = note_line(x, s.line);
    line_source_done(&s);
    return rc;
}

static enum rc copy_lines(struct index_lines *x, const struct stretch *of, struct line_sink *out)
{
    struct line_source s = {0};
    enum rc rc = line_source_open(&s, x->disk, INDEX_PATH, of->to, STEP_BYTES, MAX_LINE);
    s.at = of->from;
    while (rc == RC_OK && (rc = line_source_next(&s)) == RC_OK && s.line.p)
        if (str_eq(file_of(x, s.line), str_c(of->name)))
            rc = line_sink_add(out, s.line);
    line_source_done(&s);
    return rc;
}

enum rc index_lines_pick(struct index_lines *x, struct str file, const char *to)
{
    struct line_sink out = {0};
    enum rc rc = read_on(x);
    if (rc)
        return rc;
    const struct stretch *s = find_file(x, file);
    rc = line_sink_open(&out, x->disk, to, STEP_BYTES);
    if (rc == RC_OK && s)
        rc = copy_lines(x, s, &out);
    rc = rc ? rc : line_sink_end(&out, false);
    line_sink_done(&out);
    return rc;
}
