/* SPDX-License-Identifier: Apache-2.0 */
/* seed_request: seeds that another thread gives to the step `seeds` of a running crawl.
 *
 *     control                   calls               seeds
 *     seed_request_open()
 *     fills `urls`, calls_ask ──▶ CALLS_SEEDS ──▶   queues the URLs, writes `known`
 *     reads the result        ◀── call_end          when the journal has them
 *
 * The call has no `run` of its own: the queue of `seeds` serves it. It ends with RC_OK when the
 * seeds are in the journal, so that they are never lost. The step takes them also while the crawl
 * is paused, because it fetches nothing for them. */
#ifndef ROLES_SEED_REQUEST_H
#define ROLES_SEED_REQUEST_H

#include "base/arena.h"
#include "roles/call_queue.h"

struct seed_request {
    struct call call;
    struct arena *arena;    /* of `urls`; closed with the request */
    const struct str *urls; /* http or https; the caller has parsed each and found it good */
    size_t count;
    size_t known; /* of them: seeds of earlier runs. Written before the call ends */
};

/* Held by the caller until call_leave(). NULL without memory. */
struct seed_request *seed_request_open(struct calls *calls);

#endif
