/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_dir: a crawl's directory, read after the crawl or while it runs.
 *
 * Files of the crawl are only read here. A file of lines may end within a line that is just being
 * written: it is read up to its last line end. Sorting writes into DIR/scratch, which one process
 * has at a time. If DIR cannot be written, it writes into a new folder of $TMPDIR or /tmp. */
#ifndef OUTPUTS_CRAWL_DIR_H
#define OUTPUTS_CRAWL_DIR_H

#include "disk/disk.h"

enum { CRAWL_DIR_SORT_BYTES = 64 << 20 }; /* memory of a sort */

/* RC_NOT_FOUND: there is no such folder; RC_INVALID: it is none of a crawl; `why`. */
MUST_CHECK enum rc crawl_dir_open(const char *path, struct disk **ret, struct buf *why);

/* Bytes of a file up to its last LF; 0 if it is not there. */
MUST_CHECK enum rc crawl_dir_bytes(struct disk *d, const char *path, uint64_t *ret);

/* Every line without its LF; a file that is not there has none. Stops when `each` returns other
 * than RC_OK, and returns that. */
typedef enum rc crawl_dir_line(void *ctx, struct str line);
MUST_CHECK enum rc crawl_dir_each(struct disk *d, const char *path, crawl_dir_line *each,
                                  void *ctx);

/* Directories that are looked at as one crawl, as those of a cluster's agents; at least one. */
struct crawl_set {
    struct disk *const *list; /* borrowed */
    size_t count;
};
static inline struct crawl_set crawl_set_one(struct disk *const *d)
{
    return (struct crawl_set){d, 1};
}
/* Every line of that file, directory by directory. */
MUST_CHECK enum rc crawl_set_each(struct crawl_set s, const char *path, crawl_dir_line *each,
                                  void *ctx);

/* RC_OK also if it is there. */
MUST_CHECK enum rc crawl_dir_folder(struct disk *d, const char *path);

/* The scratch folder, empty: "scratch/NAME" of `disk`. That is `d` itself, or another disk if `d`
 * cannot be written. RC_LOCKED: another export or report is at work. */
enum { CRAWL_SCRATCH_PATH_BYTES = 4096 };
struct crawl_scratch {
    struct disk *disk;
    struct disk_lock *lock;
    struct disk *own;                      /* NULL: it is in the crawl's directory */
    char folder[CRAWL_SCRATCH_PATH_BYTES]; /* of `own`, in the file system */
};
MUST_CHECK enum rc crawl_scratch_open(struct disk *d, struct crawl_scratch *ret);
void crawl_scratch_close(struct crawl_scratch *s); /* removes what is in it */

/* Sorts `from` into `to` (archive/line_sort.h) and removes the former. */
MUST_CHECK enum rc crawl_scratch_sort(struct disk *d, const char *from, const char *to);

#endif
