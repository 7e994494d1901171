/* SPDX-License-Identifier: Apache-2.0 */
/* claims: statements, outside of the crawl's files, about what these files hold. They show when a
 * file has lost something.
 *
 *   logs/SYNCED     a record a round: up to that position of the journal everything is durable,
 *                   archives too. Appended without a sync: a claim that a power cut takes away
 *                   was true all the same. It stands outside of state/, so that it also shows
 *                   that state/ was put back from an older copy
 *   state/WRITTEN   one number, in memory that the kernel shares with the file: up to that position
 *                   the kernel has the journal. It holds as long as the machine is not booted again
 *
 * So after kill -9 the journal must reach WRITTEN, and after a power cut SYNCED. A batch or a
 * capture before that point which cannot be read is damage; one behind it may be torn by a crash.
 *
 *   a record: position 8, generation 8, boot 8, recrawl 8, flags 8, hash 8 */
#ifndef LEDGER_CLAIMS_H
#define LEDGER_CLAIMS_H

#include "disk/disk.h"

struct claims {
    bool is_there;       /* an earlier process has made claims */
    bool is_same_boot;   /* and what it gave to the kernel is there */
    uint64_t position;   /* up to there of the journal everything is durable */
    uint64_t written;    /* the kernel had the journal up to there; at least `position` */
    uint64_t generation; /* the MANIFEST must name that snapshot of the frontier, or a later one */
    uint64_t recrawl;    /* the recrawl that state/RECRAWL must tell of, or a later one; 0: none */
    bool has_history;    /* there must be one */
};

/* `written` is the path of state/WRITTEN in the file system; NULL: none is kept. `boot`: of this
 * process; 0: not known. Changes nothing. */
MUST_CHECK enum rc claims_read(struct disk *d, const char *written, uint64_t boot,
                               struct claims *ret);

struct claim_writer;

/* Both files are made anew with these claims; *c belongs to the caller. */
MUST_CHECK enum rc claim_writer_open(struct disk *d, const char *written, uint64_t boot,
                                     const struct claims *c, struct claim_writer **ret);
void claim_writer_close(struct claim_writer *w); /* accepts NULL */

/* Claims what a round has made durable. One thread at a time. It waits for the disk about once in
 * 1,000 calls. */
MUST_CHECK enum rc claim_synced(struct claim_writer *w, const struct claims *c);

/* Claims that the kernel has the journal up to `position`. Positions only grow. Accepts NULL. */
void claim_written(struct claim_writer *w, uint64_t position);

#endif
