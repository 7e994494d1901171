/* SPDX-License-Identifier: Apache-2.0 */
/* waiting: visits that wait in a part, each for a moment of its own. Hosts wait in the frontier; a
 * robots.txt that redirects is the exception, for it would begin anew if its visit went back. */
#ifndef ASKING_WAITING_H
#define ASKING_WAITING_H

#include "visit/visit.h"

/* Stands in the part's state; self and due are set, the list is empty. */
struct waiting {
    struct instance *self;
    void (*due)(struct instance *self, struct visit *v); /* takes the visit at its moment */
    struct list visits;
};

/* Takes the visit until `moment_ms`. RC_NOMEM: it stays the caller's. */
MUST_CHECK enum rc waiting_add(struct waiting *w, struct visit *v, uint64_t moment_ms);

/* Ends all that wait: the part stops. */
void waiting_stop(struct waiting *w);

#endif
