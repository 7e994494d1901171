/* SPDX-License-Identifier: Apache-2.0 */
#include "store/segments.h"

#include "base/mem.h"
#include "store/journal.h"

#include <stdio.h>

static enum rc segments_add(struct segments *s, uint64_t start)
{
    if (s->count == JOURNAL_MAX_SEGMENTS)
        return RC_LIMIT;
    uint64_t *starts = mem_grow(s->starts, s->count, &s->cap, sizeof *starts);
    if (!starts)
        return RC_NOMEM;
    s->starts = starts;
    s->starts[s->count++] = start;
    return RC_OK;
}

static enum rc read_name(void *ctx, struct str name, bool is_folder)
{
    uint64_t start = 0;
    if (is_folder || name.n != SEGMENT_NAME_BYTES)
        return RC_CORRUPT;
    for (size_t i = 0; i < name.n; i++) {
        int digit = ascii_hex(name.p[i]);
        if (digit < 0)
            return RC_CORRUPT;
        start = start << 4 | (uint64_t)digit;
    }
    return segments_add(ctx, start);
}

/* The folder's own name must last too, or all that is in it may be gone. */
static enum rc make_folder(struct disk *d, const char *folder)
{
    char parent[SEGMENTS_PATH_BYTES];
    const char *slash = strrchr(folder, '/');
    int n = slash ? (int)(slash - folder) : 0;
    (void)snprintf(parent, sizeof parent, "%.*s", n, folder);
    enum rc rc = disk_mkdir(d, folder);
    return rc == RC_OK || rc == RC_EXISTS ? disk_dirsync(d, parent) : rc;
}

enum rc segments_list(struct segments *s, struct disk *d, const char *folder)
{
    *s = (struct segments){.disk = d};
    int n = snprintf(s->folder, sizeof s->folder, "%s", folder);
    if (n < 0 || (size_t)n >= sizeof s->folder)
        return RC_LIMIT;
    enum rc rc = disk_list(d, folder, read_name, s);
    if (rc)
        segments_done(s);
    return rc;
}

enum rc segments_open(struct segments *s, struct disk *d, const char *folder)
{
    *s = (struct segments){.disk = d};
    enum rc rc = make_folder(d, folder);
    return rc ? rc : segments_list(s, d, folder);
}

void segments_done(struct segments *s)
{
    mem_free(s->starts);
    s->starts = NULL;
    s->count = s->cap = 0;
}

const char *segment_path(const struct segments *s, uint64_t start, char *room)
{
    (void)snprintf(room, SEGMENTS_PATH_BYTES, "%s/%016llx", s->folder, (unsigned long long)start);
    return room;
}

enum rc segments_create(struct segments *s, uint64_t start, struct disk_file **ret)
{
    char path[SEGMENTS_PATH_BYTES];
    enum rc rc = segments_add(s, start);
    if (rc)
        return rc;
    rc = disk_open(s->disk, segment_path(s, start, path), DISK_CREATE, ret);
    if (rc)
        s->count--;
    return rc;
}

enum rc segments_sync(struct segments *s)
{
    return disk_dirsync(s->disk, s->folder);
}

enum rc segments_remove_from(struct segments *s, size_t from)
{
    char path[SEGMENTS_PATH_BYTES];
    while (s->count > from) {
        enum rc rc = disk_unlink(s->disk, segment_path(s, s->starts[s->count - 1], path));
        if (rc)
            return rc;
        s->count--;
    }
    return RC_OK;
}

enum rc segments_remove_first(struct segments *s, size_t count)
{
    char path[SEGMENTS_PATH_BYTES];
    enum rc rc = RC_OK;
    size_t gone = 0;
    while (gone < count && rc == RC_OK) {
        rc = disk_unlink(s->disk, segment_path(s, s->starts[gone], path));
        gone += rc == RC_OK;
    }
    memmove(s->starts, s->starts + gone, (s->count - gone) * sizeof *s->starts);
    s->count -= gone;
    return rc;
}
