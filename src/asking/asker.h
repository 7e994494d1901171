/* SPDX-License-Identifier: Apache-2.0 */
/* asker: sends the requests of visits and hands their answers on.
 *
 *     asker_send(&a, v) ─► the engine (net/http.h) ─► on_answer(self, v)
 *                                                  └► asker_cancel(&a): it is given up
 *
 * It lists the open requests, so that all of them can be given up. ask.h says what is asked for. */
#ifndef ASKING_ASKER_H
#define ASKING_ASKER_H

#include "asking/ask.h"
#include "asking/running.h"
#include "base/clock.h"
#include "base/options.h"

/* What has come of an answer whose transfer goes on; gone after the call. */
struct answer_start {
    struct str type, encoding; /* of its headers; absent = none */
    struct str body;           /* as it came */
    bool is_chunked;
};

struct asker_settings {
    struct str user_agent, contact, encodings;
    uint64_t body_bytes;
    struct option_list types;
    struct option_list keywords; /* the next three are for `on_start` */
    double keep_score;
    uint64_t peek_bytes; /* 0: no page is peeked at */
};

/* Stands in the state of the part that asks. The first lines are set before asker_open(). */
struct asker {
    struct instance *self;
    const struct asker_settings *settings;
    struct clock *clock;
    struct http *http;
    const struct guard *guard;
    /* The visit has ended: its `end` is set, its verdict is not. The answer's bytes are gone after
     * the call. */
    void (*on_answer)(struct instance *self, struct visit *v);
    /* NULL, or called once the first peek_bytes of a page's body are there (ask_peeks). False ends
     * the transfer. Nothing may be emitted. */
    bool (*on_start)(struct instance *self, struct visit *v, const struct answer_start *start);
    struct running running; /* running.open is set before */

    struct arena *arena; /* of the identity */
    struct request_identity identity;
    struct type_set *types; /* NULL: all */
    struct buf request;     /* the last one written */
};

/* RC_INVALID: a setting that no header may hold, or no media type; `why`. On failure nothing is
 * left to be undone. */
MUST_CHECK enum rc asker_open(struct asker *a, struct buf *why);
void asker_done(struct asker *a); /* nothing is open */

/* False: the request could not begin. The visit has ended, and stays the caller's. */
MUST_CHECK bool asker_send(struct asker *a, struct visit *v);

/* Gives up one open request, and gives its visit to the caller; NULL: none is open. The second takes
 * only those that may not go on (flow/part.h). */
struct visit *asker_cancel(struct asker *a);
struct visit *asker_cancel_stopped(struct asker *a);

#endif
