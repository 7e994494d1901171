/* SPDX-License-Identifier: Apache-2.0 */
/* index_key: a line of the index with the key that this version computes.
 *
 * Earlier versions wrote keys without a path's last slash, and replay tools did not find such a
 * page among many neighbours. The lines of an older directory stay as they are; every reader that
 * sorts or looks up computes the key anew from the line's "url". */
#ifndef REPORT_INDEX_KEY_H
#define REPORT_INDEX_KEY_H

#include "base/buf.h"

struct index_key {
    struct buf texts, key; /* of the line at hand */
    char *room;            /* of its URL */
};

MUST_CHECK enum rc index_key_init(struct index_key *k); /* RC_NOMEM */
void index_key_done(struct index_key *k);

/* Appends the line, without its LF as it came, to `out`. A line that cannot be read, or whose URL
 * is none, keeps its key. Failures stick in `out`. */
void index_key_put(struct index_key *k, struct str line, struct buf *out);

#endif
