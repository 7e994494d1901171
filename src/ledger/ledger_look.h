/* SPDX-License-Identifier: Apache-2.0 */
/* ledger_look: everything that an opening reads, before it changes anything.
 *
 * A crash leaves a directory in few ways only: the journal and the archives may end with bytes that
 * are torn, behind what is known to be safe (claims.h). Everything else is damage: the opening is
 * refused, nothing has been changed, and `orbweaver repair` or a copy can still mend it. */
#ifndef LEDGER_LEDGER_LOOK_H
#define LEDGER_LEDGER_LOOK_H

#include "archive/recover.h"
#include "ledger/claims.h"
#include "ledger/ledger_internal.h"

struct named_capture { /* one behind the last commit */
    uint64_t position; /* of its outcome in the journal */
    uint64_t offset, bytes;
    uint8_t file_bytes;
    char file[UINT8_MAX];
};

struct recovery {
    struct ledger *l;
    struct ledger_report *report;
    struct buf *why;
    bool only_looks; /* nothing will be changed behind the look */
    struct claims claims;
    struct journal_found found;
    uint64_t commit_behind; /* the largest position that a commit behind a gap vouches for */
    struct buf commit;      /* bytes of the last one; empty: there is none */
    struct batch_commit said;
    struct named_capture *named;
    size_t named_count, named_room;
    struct drops drops;
    struct sent *sent;
    struct warc_recovery *warc;
    uint64_t broken;   /* the first outcome whose capture a crash has torn; UINT64_MAX: none */
    uint64_t new_void; /* where this recovery's own begins; UINT64_MAX: there is none */
    uint64_t outcomes; /* that hold */
    uint64_t history_from, history_puts;
    uint64_t now_ms, wall_ms;
};

/* Looks at all files, and loads the snapshot into the frontiers. RC_CORRUPT: damage, *why says
 * where; RC_VERSION; and the disk's. On failure no file has changed. */
MUST_CHECK enum rc ledger_look(struct recovery *r);
/* Before and after it. */
void recovery_init(struct recovery *r, struct ledger *l, struct ledger_report *report,
                   struct buf *why);
void recovery_done(struct recovery *r);

/* For the second reading: a batch of the journal, and a stretch of it that has not happened. */
MUST_CHECK enum rc recovery_read_batch(struct recovery *r, uint64_t position, struct str bytes,
                                       struct batch *ret);
MUST_CHECK enum rc recovery_add_void(struct recovery *r, uint64_t from, uint64_t to);

#endif
