/* SPDX-License-Identifier: Apache-2.0 */
/* swap internal: what swap_turns.c and swap_look.c ask of swap.c. */
#ifndef FRONTIER_SWAP_INTERNAL_H
#define FRONTIER_SWAP_INTERNAL_H

#include "frontier/swap.h"

struct away;

/* From now on the bucket is in that file; NULL without memory. */
struct away *swap_add(struct frontier *f, unsigned bucket, const struct swap_summary *s,
                      struct swap_file file);

/* Gives the carrier a job. Takes what is to be written, whose first SWAP_HEAD_BYTES it fills; NULL
 * to read. `looker` is of SWAP_LOOK. RC_NOMEM. */
MUST_CHECK enum rc swap_send(struct frontier *f, enum swap_task what, unsigned bucket,
                             struct swap_file file, struct buf *bytes, unsigned looker);

/* Fills a bucket that is empty in `to` with what a file says and what is in memory of its inbox.
 * `is_old`: its hosts are told. RC_CORRUPT, RC_NOMEM, ... */
MUST_CHECK enum rc swap_fill(struct frontier *to, unsigned bucket, struct str file,
                             struct str inbox, bool is_old, const struct snapshot_context *c);

/* swap_look.c: a look has come back. */
MUST_CHECK enum rc look_came(struct frontier *f, struct swap_job *job,
                             const struct snapshot_context *c);
/* Drops the looks that no walk has taken for a while. */
void look_expire(struct frontier *f, uint64_t now_ms);
/* Drops all looks. */
void look_close(struct frontier *f);

#endif
