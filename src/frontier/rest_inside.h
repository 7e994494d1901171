/* SPDX-License-Identifier: Apache-2.0 */
/* rest inside: what rest_turns.c asks of rest.c. */
#ifndef FRONTIER_REST_INSIDE_H
#define FRONTIER_REST_INSIDE_H

#include "frontier/rest.h"

struct away;

/* From now on the bucket rests in that file; NULL without memory. */
struct away *rest_add(struct frontier *f, unsigned bucket, const struct rest_summary *s,
                      struct rest_file file);

/* Gives the carrier a job. Takes what is to be written, whose first REST_HEAD_BYTES it fills; NULL
 * to read. `looker` is of REST_LOOK. RC_NOMEM. */
MUST_CHECK enum rc rest_send(struct frontier *f, enum rest_errand what, unsigned bucket,
                             struct rest_file file, struct buf *bytes, unsigned looker);

/* Fills a bucket that is empty in `to` with what a file says and what is in memory of its inbox.
 * `is_old`: its hosts are told. RC_CORRUPT, RC_NOMEM, ... */
MUST_CHECK enum rc rest_fill(struct frontier *to, unsigned bucket, struct str file,
                             struct str inbox, bool is_old, const struct image_context *c);

/* rest_look.c: a look has come back; those that nobody has taken for a while are dropped; all. */
MUST_CHECK enum rc look_came(struct frontier *f, struct rest_job *job,
                             const struct image_context *c);
void look_expire(struct frontier *f, uint64_t now_ms);
void look_close(struct frontier *f);

#endif
