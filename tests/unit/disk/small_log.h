/* SPDX-License-Identifier: Apache-2.0 */
/* small log: records that survive a crash once they are committed. It exists to try the crash
 * harness on: written as disk.h asks, it must lose nothing; with one rule left out on purpose (a
 * flaw) the harness must notice.
 *
 *   MANIFEST      "small-log SEGMENT HASH": which segment counts; replaced by rename
 *   log/SEGMENT   records: length (4 bytes), hash of length and payload (8 bytes), payload
 *
 * A batch of records is appended, then committed by one sync. Compacting copies all records into a
 * new segment and removes the old one. */
#ifndef TESTS_DISK_SMALL_LOG_H
#define TESTS_DISK_SMALL_LOG_H

#include "disk/disk.h"

enum small_log_flaw {
    FLAW_NONE,
    FLAW_COMMIT_WITHOUT_SYNC,
    FLAW_SEGMENT_NAME_NOT_SYNCED,   /* no dirsync before the MANIFEST names it */
    FLAW_SEGMENT_BYTES_NOT_SYNCED,  /* the copy is not synced before the MANIFEST names it */
    FLAW_MANIFEST_BYTES_NOT_SYNCED, /* renamed before it is synced */
    FLAW_MANIFEST_NAME_NOT_SYNCED,  /* the old segment goes before the rename is durable */
    FLAW_FOLDER_NOT_SYNCED,         /* log/ is made, its name is not */
    FLAW_CHECKSUM_NOT_CHECKED,
    FLAW_TAIL_NOT_CUT,       /* new records are appended behind a torn one */
    FLAW_CUT_NOT_SYNCED,     /* the torn tail is cut, and appended to at once */
    FLAW_BAD_RECORD_SKIPPED, /* what stands behind a bad record is believed */
    FLAW_COUNT
};

enum { SMALL_LOG_HEAD_BYTES = 12, SMALL_LOG_MAX_RECORD_BYTES = 1 << 20 };

struct small_log {
    struct disk *disk;
    struct disk_file *file;
    enum small_log_flaw flaw;
    uint64_t segment;
    struct buf records; /* as in the file, whole ones only */
    uint32_t count;
};

/* Recovers what is on the disk, or begins a log. RC_CORRUPT: the log contradicts itself. The caller
 * ends it with small_log_done also after a failure. */
MUST_CHECK enum rc small_log_init(struct small_log *log, struct disk *d, enum small_log_flaw flaw);
void small_log_done(struct small_log *log);

MUST_CHECK enum rc small_log_add(struct small_log *log, struct str payload);

/* On RC_OK all that was added is safe. */
MUST_CHECK enum rc small_log_commit(struct small_log *log);
MUST_CHECK enum rc small_log_compact(struct small_log *log);

/* Takes the next whole record out of *bytes; false if there is none, and *bytes is untouched. */
bool small_log_take(struct str *bytes, bool check, struct str *ret_payload);

#endif
