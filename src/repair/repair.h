/* SPDX-License-Identifier: Apache-2.0 */
/* repair: a crawl's directory after damage: what is wrong with it, and a directory to go on with.
 *
 *   check    state/ as an opening would look at it; every archive file, its length and its records
 *   repair   archives  keep every whole record; what is torn at the end of a file is put aside
 *            index     is made again from the archives
 *            links/index   is made again from links/
 *            state/    is put aside as state.damaged-N and made again: what is done, from crawl.log
 *                      and the archives; what is queued, from links/ and the seeds
 *
 * Nothing is deleted. What cannot be made again is listed. */
#ifndef REPAIR_REPAIR_H
#define REPAIR_REPAIR_H

#include "base/buf.h"
#include "base/log.h"
#include "disk/disk.h"

struct repair_settings {
    const char *path; /* of the directory */
    bool only_check;
    struct log *log;
};

struct repair_counts {
    uint64_t archives, records;
    uint64_t damaged_ranges; /* in archives: bytes that are no whole record */
    uint64_t lost_files;     /* archive files that are missing or have another length */
    uint64_t captures;       /* lines of the index made again */
    uint64_t done, queued;   /* URLs of the state made again */
};

struct repair_result {
    bool is_damaged; /* the directory was damaged when the check began */
    bool is_repaired;
    struct repair_counts counts;
    struct buf text; /* for a person: what was found, what was done, what cannot be made again */
};

/* RC_OK: the directory was checked, and repaired if that was asked for and needed. RC_LOCKED: a
 * crawl runs there. RC_VERSION: a newer program made it. Others are the disk's and memory's; then
 * the text says how far it came, and it can be called again. */
MUST_CHECK enum rc repair_run(struct disk *d, const struct repair_settings *s,
                              struct repair_result *ret);
void repair_result_done(struct repair_result *r);

#endif
