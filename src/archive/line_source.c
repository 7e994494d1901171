/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/line_source.h"

enum rc line_source_open(struct line_source *s, struct disk *d, const char *path, uint64_t end,
                         size_t step_bytes, size_t max_line)
{
    uint64_t there = 0;
    *s = (struct line_source){.end = end, .step_bytes = step_bytes};
    buf_init(&s->room, max_line + step_bytes);
    enum rc rc = disk_open(d, path, DISK_READ, &s->file);
    rc = rc ? rc : disk_size(s->file, &there);
    if (rc == RC_OK && end == UINT64_MAX)
        s->end = there;
    return rc ? rc : there < s->end ? RC_CORRUPT : RC_OK;
}

void line_source_done(struct line_source *s)
{
    disk_file_close(s->file);
    s->file = NULL;
    buf_done(&s->room);
}

/* Moves what is left to the front and reads more behind it. */
static enum rc read_more(struct line_source *s)
{
    uint64_t left = s->end - s->at;
    size_t got = 0, want = left < s->step_bytes ? (size_t)left : s->step_bytes;
    if (s->used) {
        memmove(s->room.p, s->room.p + s->used, s->room.n - s->used);
        s->room.n -= s->used;
        s->used = 0;
    }
    char *to = buf_reserve(&s->room, want);
    enum rc rc = to ? disk_read(s->file, s->at, to, want, &got) : buf_rc(&s->room);
    if (rc)
        return rc;
    s->room.n += got;
    s->at += got;
    return got ? RC_OK : RC_CORRUPT;
}

enum rc line_source_next(struct line_source *s)
{
    size_t looked = s->used;
    for (;;) {
        struct str rest = str_from(buf_str(&s->room), looked);
        size_t end = str_find(rest, '\n');
        if (end < rest.n) {
            s->line = str_make(s->room.p + s->used, looked + end + 1 - s->used);
            s->used = looked + end + 1;
            return RC_OK;
        }
        size_t begun = s->room.n - s->used;
        if (s->at == s->end) {
            s->line = STR_NONE;
            return begun ? RC_INVALID : RC_OK;
        }
        enum rc rc = read_more(s);
        if (rc)
            return rc;
        looked = begun;
    }
}

enum rc line_sink_open(struct line_sink *s, struct disk *d, const char *path, size_t step_bytes)
{
    *s = (struct line_sink){.step_bytes = step_bytes};
    buf_init(&s->room, SIZE_MAX / 2);
    enum rc rc = disk_open(d, path, DISK_APPEND, &s->file);
    return rc ? rc : disk_truncate(s->file, 0);
}

static enum rc sink_write(struct line_sink *s)
{
    struct str bytes = buf_str(&s->room);
    enum rc rc = buf_rc(&s->room);
    if (rc == RC_OK && bytes.n)
        rc = disk_append(s->file, &bytes, 1);
    buf_clear(&s->room);
    return rc;
}

enum rc line_sink_add(struct line_sink *s, struct str line)
{
    buf_add(&s->room, line);
    return s->room.rc || s->room.n >= s->step_bytes ? sink_write(s) : RC_OK;
}

enum rc line_sink_end(struct line_sink *s, bool sync)
{
    enum rc rc = sink_write(s);
    return rc || !sync ? rc : disk_sync(s->file);
}

void line_sink_done(struct line_sink *s)
{
    disk_file_close(s->file);
    s->file = NULL;
    buf_done(&s->room);
}
