/* SPDX-License-Identifier: Apache-2.0 */
/* steps: a reply on its way: which step it is at, what it waits for.
 *
 * The end of an answer is stamped before the write that hands over its last byte, so that the
 * client cannot be seen to ask again before the end. */
#ifndef SERVE_STEPS_H
#define SERVE_STEPS_H

#include "serve/stream.h"
#include "wire/reply.h"

struct steps_limits {
    uint64_t bytes_per_s;   /* 0 = as fast as the client takes it */
    uint64_t endless_bytes; /* what a repetition without end sends before it ends all the same */
    uint64_t patience_ms;   /* of STEP_HOLD */
};

enum steps_wants {
    STEPS_WRITABLE, /* the socket to take more */
    STEPS_TIME,     /* due_ms */
    STEPS_OVER,     /* nothing: everything was handed over, no step ended the connection */
    STEPS_CLOSE,    /* a step ends it, or a limit does: an orderly end */
    STEPS_RESET,
    STEPS_BROKEN, /* the client is gone */
};

struct steps {
    const struct reply *reply; /* borrowed */
    struct steps_limits limits;
    uint32_t step;
    size_t base;     /* where the bytes of the step begin in those of the reply */
    size_t at;       /* bytes of it sent, in this round of a repetition */
    uint64_t round;  /* of a repetition */
    bool is_waiting; /* due_ms is set for this step */
    uint64_t due_ms; /* the end of a wait, the next chunk of a drip, the next bytes by bandwidth */
    uint64_t sent;   /* bytes handed to the kernel, all steps */
    uint64_t paced;  /* of those, since paced_ms */
    uint64_t paced_ms;
    uint64_t end_us; /* before the write that was the last so far */
    size_t again; /* bytes of a write that the socket did not take: TLS has made a record of them,
                     so the next write is of them, whatever the bandwidth */
};

void steps_begin(struct steps *s, const struct reply *r, struct steps_limits limits,
                 uint64_t now_us);

/* Does all that can be done now, at most about a megabyte at a time. */
enum steps_wants steps_run(struct steps *s, struct stream *to, uint64_t now_us);

#endif
