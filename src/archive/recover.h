/* SPDX-License-Identifier: Apache-2.0 */
/* recover: the WARC files after a crash, cut to what the journal names.
 *
 *     warc_recovery_open(d, "archive", sent, &r);
 *     for each (file, length) of the last durable commit:   warc_recovery_trust(r, file, length)
 *     for each outcome behind it, in the journal's order:   warc_recovery_name(r, location, &holds)
 *     ... the journal is cut at the first outcome that does not hold, and synced ...
 *     warc_recovery_finish(r, &ends, &report);
 *     warc_recovery_close(r);
 *
 * Only names that end with ".open" are looked at (warc_files.h, 1). Of such a file stays what was
 * trusted and the captures that were named and are whole; a file of which nothing stays is removed.
 * What stays is synced and gets its last name. Until finish nothing is changed; finish may be
 * interrupted anywhere and the whole done again with the same journal.
 *
 * A file that was acknowledged by an archive machine (sent.h) may have been removed: it counts as
 * there, in the length that was acknowledged.
 *
 * Trust is for lengths that a sync had passed before the commit that says them was written. A
 * capture behind them is read: its gzip members have checksums. Once one does not hold, none
 * behind it does, in whatever file, because the journal ends there. */
#ifndef ARCHIVE_RECOVER_H
#define ARCHIVE_RECOVER_H

#include "archive/sealed.h"
#include "archive/sent.h"

struct warc_recovery;

struct warc_recovery_report {
    uint64_t kept_files, removed_files;
    uint64_t cut_bytes; /* of files kept and removed */
};

/* A folder that is not there has no files. `folder` and `sent` (NULL: nothing was) are borrowed
 * until the close. */
MUST_CHECK enum rc warc_recovery_open(struct disk *d, const char *folder, const struct sent *sent,
                                      struct warc_recovery **ret);
void warc_recovery_close(struct warc_recovery *r);

/* `file` is a name without ".open". RC_CORRUPT: it is not there in that length, though it was
 * synced. */
MUST_CHECK enum rc warc_recovery_trust(struct warc_recovery *r, struct str file, uint64_t bytes);

/* Whether the capture at [offset, offset + bytes) is whole. Failures are those of the disk and of
 * memory. */
MUST_CHECK enum rc warc_recovery_name(struct warc_recovery *r, struct str file, uint64_t offset,
                                      uint64_t bytes, bool *ret_holds);

/* Whether the file ends before `end`: then its end is torn off, else something in it is wrong. */
MUST_CHECK enum rc warc_recovery_is_short(struct warc_recovery *r, struct str file, uint64_t end,
                                          bool *ret);

/* What finish does beside cutting. */
struct warc_recovery_ends {
    struct sealed *sealed; /* gets each file that stays; NULL: there is no list */
    const char *aside;     /* a folder, made if absent: whole records that the journal does not name
                              are copied there before they are cut, as NAME.OFFSET; NULL: they go */
    bool saves_all;        /* bytes that are no whole record are copied there too */
    /* So many bytes are cut off the end of the file; `saved` is their copy, NULL: there is none.
     * NULL: nothing is told. */
    void (*cut)(void *ctx, const char *file, uint64_t bytes, const char *saved);
    void *ctx;
};

/* The outcomes that hold are durable: cuts, removes, seals. `ends` and *ret may be NULL. */
MUST_CHECK enum rc warc_recovery_finish(struct warc_recovery *r,
                                        const struct warc_recovery_ends *ends,
                                        struct warc_recovery_report *ret);

#endif
