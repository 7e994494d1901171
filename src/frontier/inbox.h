/* SPDX-License-Identifier: Apache-2.0 */
/* inbox: records that came for a bucket while it was swapped out, as bytes. They are done in order
 * when it is loaded.
 *
 *   link      1, flags 1 (1: https, 2: it was admitted once), class 1, fingerprint 8, via 8,
 *             port 2, lengths: host 1, from 1, seed_path 1, path 2; host, from, seed_path, path
 *   outcome   2, flags 1 (1: https), class 1, how 1, due by the wall clock 8, port 2, lengths:
 *             host 1, path 2, extra 4; host, path, extra
 *   done      3, length: host 1; fingerprint 8, host      another owner has done that URL
 *   host      4, length: host 1; next by the wall clock 8, length: extra 4; host, extra
 *   forget    5, length: host 1; host                     it was handed over
 *   unknow    6, as done                                  to be asked for again: it is lost
 *
 * Integers are little endian. */
#ifndef FRONTIER_INBOX_H
#define FRONTIER_INBOX_H

#include "frontier/redo.h"

enum inbox_kind {
    INBOX_LINK = 1,
    INBOX_OUTCOME = 2,
    INBOX_DONE = 3,
    INBOX_HOST = 4,
    INBOX_FORGET = 5,
    INBOX_UNKNOW = 6
};

struct inbox_record { /* everything borrows the bytes */
    enum inbox_kind kind;
    struct candidate link;
    bool is_sure; /* a link that was admitted once: limits do not hold */
    struct redo outcome;
    struct str extra;     /* of an outcome, and of a host */
    uint64_t due_wall_ms; /* likewise */
    struct str host;      /* of the last four kinds */
    uint64_t fingerprint; /* that is done, or to be unknown */
};

/* Failures stick in `out`. */
void inbox_put_link(struct buf *out, const struct candidate *c, bool is_sure);
void inbox_put_outcome(struct buf *out, const struct redo *r, struct str extra,
                       uint64_t due_wall_ms);
void inbox_put_done(struct buf *out, struct str host, uint64_t fingerprint);
void inbox_put_unknow(struct buf *out, struct str host, uint64_t fingerprint);
void inbox_put_host(struct buf *out, struct str host, struct str extra, uint64_t next_wall_ms);
void inbox_put_forget(struct buf *out, struct str host);

/* The host_hash that a record is about. */
uint64_t inbox_host_hash(const struct inbox_record *r);

/* Takes the first record off the front. RC_NOT_FOUND: there is none; RC_CORRUPT. */
MUST_CHECK enum rc inbox_next(struct str *records, struct inbox_record *ret);

#endif
