/* SPDX-License-Identifier: Apache-2.0 */
/* place: the part of a wiring that this process runs (docs/remote.md). */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include "flow/wiring.h"

struct place_choice {
    struct str place;
    struct str
        secret_file; /* without a pool: the secret of all places; its last line's end is not part
                               of it */
    struct str member, member_secret; /* of a member of a pool */
    struct str manager;               /* of a pool: address:port; absent or empty: the wiring's */
    struct str dir; /* of a manager: has the keys of its members (member_file.h) */
};

/* Cuts the wiring down to that place. RC_INVALID and RC_NOT_FOUND come with `why`. */
MUST_CHECK enum rc place_cut(struct wiring *w, const struct place_choice *c, struct buf *why);

/* Whether the crawl's ledger is here. */
bool place_has_ledger(const struct wiring *w);

/* Runs a place without the ledger, which has no directory, no seeds and nothing to resume, until
 * the crawl ends or a signal comes. Returns the exit code. */
int place_run(const struct wiring *w, struct log *log);

#endif
