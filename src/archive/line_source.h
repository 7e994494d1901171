/* SPDX-License-Identifier: Apache-2.0 */
/* line_source: the lines of a file, one after the other; line_sink: a file that lines go to. Both
 * for line_sort, with one buffer each. */
#ifndef ARCHIVE_LINE_SOURCE_H
#define ARCHIVE_LINE_SOURCE_H

#include "disk/disk.h"

struct line_source {
    struct disk_file *file;
    uint64_t at, end; /* of the file: read so far, and where to stop */
    struct buf room;
    size_t used; /* of room: lines given already */
    size_t step_bytes;
    struct str line; /* the current one with its LF; absent behind the last */
};

/* `end` UINT64_MAX: all of it. Is at no line yet. The source is done with also after a failure. */
MUST_CHECK enum rc line_source_open(struct line_source *s, struct disk *d, const char *path,
                                    uint64_t end, size_t step_bytes, size_t max_line);
void line_source_done(struct line_source *s);

/* Steps to the next line; borrowed until the next step. Failures as line_sort's. */
MUST_CHECK enum rc line_source_next(struct line_source *s);

struct line_sink {
    struct disk_file *file;
    struct buf room;
    size_t step_bytes;
};

/* Empties what the file held. */
MUST_CHECK enum rc line_sink_open(struct line_sink *s, struct disk *d, const char *path,
                                  size_t step_bytes);
MUST_CHECK enum rc line_sink_add(struct line_sink *s, struct str line);
/* Writes what is left; with `sync` durably. */
MUST_CHECK enum rc line_sink_end(struct line_sink *s, bool sync);
void line_sink_done(struct line_sink *s);

#endif
