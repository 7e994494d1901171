/* SPDX-License-Identifier: Apache-2.0 */
/* credit_account: the credits of one source, and the wake-up when they come back.
 *
 * `out` is what messages under way carry. The source's shard takes; any thread gives back. A shard
 * that finds too little sets `wanted` and looks once more; a thread that gives back sees `wanted`
 * and wakes the shard. In either order one side sees the other's write, so no wake-up is lost. */
#ifndef FLOW_CREDIT_ACCOUNT_H
#define FLOW_CREDIT_ACCOUNT_H

#include "flow/message.h"

#include <stdatomic.h>
#include <stdbool.h>

struct loop;

struct credit_account {
    _Atomic int64_t out;
    _Atomic bool wanted;
    _Atomic uint64_t overdrawn; /* credits taken by part_derive() beyond what was charged */
    int64_t limit;
    struct loop *owner;
    /* NULL, or called when all that was taken has come back; the account may be gone after it. */
    void (*whole)(struct credit_account *p);
};

/* Are `credits` left? If not, the owner is woken once some have come back. Owner's thread. */
bool credit_account_has(struct credit_account *p, uint32_t credits);

/* Is nothing under way? If something is, the owner is woken as above. Owner's thread. */
bool credit_account_is_whole(struct credit_account *p);

/* Puts credits into a fresh message. Owner's thread. */
void credit_account_charge(struct credit_account *p, struct message *m, uint32_t credits);

/* Gives `child` a credit of `parent`, or one on top. Any thread that owns both. */
void credit_account_split(struct message *parent, struct message *child);

#endif
