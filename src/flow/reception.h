/* SPDX-License-Identifier: Apache-2.0 */
/* reception: links of other processes until their first frame, which says who they are. Private to the
 * framework.
 *
 *     a process dials ─► a guest ─► its first frame ─► welcome: the link belongs to an end
 *                          │ 10 s                   └► a refusal is sent, and the link goes
 *                          └► it goes
 *
 * There are few seats, and few for one address. One more takes that of the oldest (base/newcomers.h). */
#ifndef FLOW_RECEPTION_H
#define FLOW_RECEPTION_H

#include "base/newcomers.h"
#include "flow/part.h"
#include "net/link.h"

enum { RECEPTION_SEATS = 64, RECEPTION_SEATS_EACH = 32, RECEPTION_FRAME_BYTES = 4096 };

struct guest;

/* Stands in the state of a part; the first lines are set before reception_open(). */
struct reception {
    struct instance *self;
    struct link_context *links; /* the caller's */
    void *ctx;
    /* The first frame. True: `l` is the callee's now, with all that it holds. False: it goes; *ret_why,
     * if it is set, is told to the other end before. */
    bool (*welcome)(void *ctx, struct link *l, struct str frame, const char **ret_why);
    void (*refuse)(struct link *l, const char *why); /* puts the frame that says so */

    struct watch listening;
    struct newcomers newcomers;
    struct guest *guests[RECEPTION_SEATS]; /* one for each of the newcomers */
};

/* RC_IO and others with `why`. On failure nothing is left to be closed. */
MUST_CHECK enum rc reception_open(struct reception *r, struct str address, struct buf *why);
void reception_close(struct reception *r);

#endif
