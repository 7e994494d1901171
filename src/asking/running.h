/* SPDX-License-Identifier: Apache-2.0 */
/* running: the open transfers of a shard, so that all of them can be given up. */
#ifndef ASKING_RUNNING_H
#define ASKING_RUNNING_H

#include "visit/visit.h"

/* Zeroed it is empty, and counts nowhere. */
struct running {
    struct list visits;
    _Atomic uint64_t *open; /* counts them, with those of other shards; NULL: nothing does */
};

void running_add(struct running *r, struct visit *v);
void running_remove(struct running *r, struct visit *v); /* it is there */

/* Cancels the transfer that began last, and gives its visit to the caller; NULL: none is open. With
 * `self` only those that may not go on (flow/part.h). */
struct visit *running_cancel(struct running *r, struct http *http, struct instance *self);

#endif
