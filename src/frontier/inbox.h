/* SPDX-License-Identifier: Apache-2.0 */
/* inbox: what came for a bucket while it rested, as bytes; done in order when it is loaded.
 *
 *   link      1, flags 1 (1: https, 2: it was admitted once), class 1, fingerprint 8, via 8, port
 * 2, lengths: host 1, from 1, hops 1, path 2; host, from, hops, path outcome   2, flags 1 (1:
 * https), class 1, how 1, due by the wall clock 8, port 2, lengths: host 1, path 2, extra 4; host,
 * path, extra
 *
 * Integers are little endian. */
#ifndef FRONTIER_INBOX_H
#define FRONTIER_INBOX_H

#include "frontier/redo.h"

enum inbox_kind { INBOX_LINK = 1, INBOX_OUTCOME = 2 };

struct inbox_record { /* everything borrows the bytes */
    enum inbox_kind kind;
    struct candidate link;
    bool is_sure; /* a link that was admitted once: nobody is asked again */
    struct redo outcome;
    struct str extra;
    uint64_t due_wall_ms;
};

/* Failures stick in `out`. */
void inbox_put_link(struct buf *out, const struct candidate *c, bool is_sure);
void inbox_put_outcome(struct buf *out, const struct redo *r, struct str extra,
                       uint64_t due_wall_ms);

/* Takes the first record off the front. RC_NOT_FOUND: there is none; RC_CORRUPT. */
MUST_CHECK enum rc inbox_next(struct str *records, struct inbox_record *ret);

#endif
