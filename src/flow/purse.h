/* SPDX-License-Identifier: Apache-2.0 */
/* purse: the credits of one source, and who is told when they come back.
 *
 * `out` is what messages under way carry. The source's shard takes; any thread gives back. A shard
 * that finds too little sets `wanted` and looks once more; who gives back sees `wanted` and wakes
 * it. Both orders of the two leave one side knowing, so no wake-up is lost. */
#ifndef FLOW_PURSE_H
#define FLOW_PURSE_H

#include "flow/message.h"

#include <stdatomic.h>
#include <stdbool.h>

struct loop;

struct purse {
    _Atomic int64_t out;
    _Atomic bool wanted;
    _Atomic uint64_t overdrawn; /* credits taken by part_derive() beyond what was charged */
    int64_t limit;
    struct loop *owner;
    /* NULL, or called when all that was taken has come back; the purse may be gone after it. */
    void (*whole)(struct purse *p);
};

/* Are `credits` left? If not, the owner is woken once some have come back. Owner's thread. */
bool purse_has(struct purse *p, uint32_t credits);

/* Is nothing under way? If something is, the owner is woken as above. Owner's thread. */
bool purse_is_whole(struct purse *p);

/* Puts credits into a fresh message. Owner's thread. */
void purse_charge(struct purse *p, struct message *m, uint32_t credits);

/* Gives `child` a credit of `parent`, or one on top. Any thread that owns both. */
void purse_split(struct message *parent, struct message *child);

#endif
