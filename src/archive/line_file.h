/* SPDX-License-Identifier: Apache-2.0 */
/* line_file: a text that only grows: parts of the index, pages.jsonl, crawl.log, lists of links.
 *
 * As with warc_files, the owner adds lines to memory, line_file_write gives them to the kernel
 * once a turn, and a helper's line_file_sync makes them durable while the owner goes on adding and
 * writing.
 *
 * At resume a file is cut to the length in the last durable commit, and its later lines are written
 * again from the journal's batches. So a commit has a length together with the journal position
 * that it belongs to, and only once a sync has passed that length. */
#ifndef ARCHIVE_LINE_FILE_H
#define ARCHIVE_LINE_FILE_H

#include "disk/disk.h"

enum {
    LINE_FILE_MAX_LINE = 4 << 20, /* what readers of these files have to expect */
    LINE_FILE_MAX_ADD = 64 << 20, /* of the lines that are added at once */
};

struct line_file;

/* Bytes of a file up to its last LF; 0 if it is not there. */
MUST_CHECK enum rc line_file_whole(struct disk *d, const char *path, uint64_t *ret);

/* Opens the file, made if absent (its folder must be there), and cuts it to `bytes`, durably.
 * RC_CORRUPT: it is shorter, though it was synced. */
MUST_CHECK enum rc line_file_open(struct disk *d, const char *path, uint64_t bytes,
                                  struct line_file **ret);

/* Writes and syncs nothing. Accepts NULL. */
void line_file_close(struct line_file *f);

/* Adds one line or several, each with its LF and within LINE_FILE_MAX_LINE, which is the caller's
 * word. RC_INVALID: the last has none. RC_LIMIT, RC_NOMEM; then nothing was added. Any thread. */
MUST_CHECK enum rc line_file_add(struct line_file *f, struct str lines);

/* Gives to the kernel what was added, unless another thread is doing that. A failure sticks. Any
 * thread. */
MUST_CHECK enum rc line_file_write(struct line_file *f);

/* Writes, then makes durable what was added before the call. RC_SYNC is for ever. One thread. */
MUST_CHECK enum rc line_file_sync(struct line_file *f);

/* The length with all that was added; the length that is durable. Any thread. */
uint64_t line_file_bytes(struct line_file *f);
uint64_t line_file_synced(struct line_file *f);

#endif
