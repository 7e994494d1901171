/* SPDX-License-Identifier: Apache-2.0 */
/* queue: a bounded ring of pointers between threads, without locks.
 *
 * `spsc` has one thread at each end; `mpsc` has any number that push and one that pops. Neither
 * waits: a full or empty ring answers RC_AGAIN, and the caller decides how to wait. The popper sees
 * after the pop what the pusher wrote before the push. NULL cannot be sent. */
#ifndef BASE_QUEUE_H
#define BASE_QUEUE_H

#include "base/rc.h"

#include <stddef.h>

struct spsc;
struct mpsc;

/* Room for exactly `length` pointers, not rounded up to a power of two. NULL without memory.
 * Closing does not touch what is still inside. */
struct spsc *spsc_open(size_t length);
void spsc_close(struct spsc *q);
MUST_CHECK enum rc spsc_push(struct spsc *q, void *item);
void *spsc_pop(struct spsc *q);

/* How many are inside; exact for the caller's own end, a moment old for the other. */
size_t spsc_count(const struct spsc *q);

struct mpsc *mpsc_open(size_t length);
void mpsc_close(struct mpsc *q);
MUST_CHECK enum rc mpsc_push(struct mpsc *q, void *item);
void *mpsc_pop(struct mpsc *q);
size_t mpsc_count(const struct mpsc *q);

#endif
