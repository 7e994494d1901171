/* SPDX-License-Identifier: Apache-2.0 */
/* place: the part of a wiring that this process runs (docs/remote.md). */
#ifndef CLI_PLACE_H
#define CLI_PLACE_H

#include "flow/wiring.h"

/* Cuts the wiring down to `place`, with the secret in the file of that name; its last line's end is
 * not part of it. RC_INVALID and RC_NOT_FOUND come with `why`. */
MUST_CHECK enum rc place_cut(struct wiring *w, struct str place, struct str secret_file,
                             struct buf *why);

/* Whether the crawl's ledger is here. */
bool place_has_ledger(const struct wiring *w);

/* Runs a place without the ledger, which has no directory, no seeds and nothing to resume, until
 * the crawl ends or a signal comes. Returns the exit code. */
int place_run(const struct wiring *w, struct log *log);

#endif
