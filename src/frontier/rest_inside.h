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
 * to read. RC_NOMEM. */
MUST_CHECK enum rc rest_send(struct frontier *f, enum rest_errand what, unsigned bucket,
                             struct rest_file file, struct buf *bytes);

#endif
