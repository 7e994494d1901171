/* SPDX-License-Identifier: Apache-2.0 */
/* flow: a wiring that runs.
 *
 *     flow_open      providers, then components, in the order of the file; undone in reverse when
 *                    one fails
 *     flow_start     one thread for each shard (or none: the caller's own)
 *     flow_wait      until it has ended: by itself, by drain, by stop, or by a failing part
 *     flow_close     components in reverse, then providers
 *
 * It ends by itself when every source is idle and no message is under way. Drain, stop, pause,
 * change and the statistics may be called from any thread between open and close; the rest belong
 * to the thread that opened it. */
#ifndef FLOW_FLOW_H
#define FLOW_FLOW_H

#include "flow/wiring.h"

struct flow;

struct flow_setup {
    /* All shards take turns on the thread that calls flow_wait() or flow_turn(): the same order of
     * events every time. So it is anyway with a clock that is not the kernel's. */
    bool one_thread;
    struct log *log; /* what part_log() gives to parts; borrowed, NULL swallows all */
};

/* The wiring is borrowed until flow_close. On failure `why` says which part, and why. */
MUST_CHECK enum rc flow_open(const struct wiring *wiring, struct flow_setup setup,
                             struct flow **ret_flow, struct buf *why);
void flow_close(struct flow *f);

MUST_CHECK enum rc flow_start(struct flow *f);

/* RC_OK, or the first failure, told in `why` with the name of the component. */
MUST_CHECK enum rc flow_wait(struct flow *f, struct buf *why);

/* With one_thread: every shard has a turn; false when the flow has ended. When no shard has
 * anything to do it waits, or moves a simulated clock to the next timer. */
bool flow_turn(struct flow *f);

/* Sources are asked no more, what is under way comes to its end, then the flow ends. May be called
 * from a signal handler. */
void flow_drain(struct flow *f);

/* The flow ends at once; messages under way are released. May be called from a signal handler. */
void flow_stop(struct flow *f);

/* Sources are not asked until unpaused; what is under way goes on. */
void flow_pause(struct flow *f);
void flow_unpause(struct flow *f);
bool flow_is_paused(const struct flow *f);

/* Gives a live option of a component or provider another value. RC_NOT_FOUND (no such name or key),
 * RC_UNSUPPORTED (not while running) and RC_INVALID come with `why`. A list is replaced by the one
 * value, or by nothing if that is empty. Each instance gets it on its
 * own thread at its next turn. */
MUST_CHECK enum rc flow_change(struct flow *f, struct str component, struct str key,
                               struct str value, struct buf *why);

/* What the provider with that role offers, on the first shard; NULL if there is none. For the
 * program that runs the flow, to read counters and to end what the provider holds. */
void *flow_provider(const struct flow *f, struct str role);

/* Whether it has been told to drain or stop, or has come to its end. Any thread. */
bool flow_is_ending(const struct flow *f);

/* Moments old, summed over shards, or of one (`shard` >= 0). held = came in or was made there, and
 * has neither left nor ended. */
struct flow_counts {
    uint64_t in, out, ended, errors, held;
    uint64_t credits_out, overdrawn; /* sources */
};
struct flow_counts flow_component_counts(const struct flow *f, unsigned component, int shard);

/* Messages inside a connection: in its rings, and waiting in its senders. */
struct flow_waiting {
    size_t queued, waiting;
};
struct flow_waiting flow_connection_waiting(const struct flow *f, unsigned connection);

/* A table of both for a person. */
void flow_print_counts(const struct flow *f, struct buf *out);

#endif
