/* SPDX-License-Identifier: Apache-2.0 */
/* message: what travels from an outlet to an inlet.
 *
 * A message is any struct whose first member is a struct message. Exactly one holder owns it at any
 * moment: emitting gives it away, handling takes it, and its last owner ends it, once.
 *
 *     struct line { struct message head; struct str text; };
 *     static const struct message_type line_type = {"line", line_release};
 *     message_init(&line->head, &line_type);
 *
 * Every message on its way carries credits of the source it descends from (see part.h); they go
 * back when it ends. That is how a source knows how much of its work is still under way, and how
 * the flow knows that nothing is. */
#ifndef FLOW_MESSAGE_H
#define FLOW_MESSAGE_H

#include "base/rc.h"

#include <stddef.h>
#include <stdint.h>

struct buf;
struct message;
struct str;
struct credit_account; /* the framework's: where a source's credits are counted */

/* Messages of types with equal names have the same layout: `check` compares the names.
 *
 * A type that can go to another place (docs/remote.md) has pack, unpack and stay. There a message stays
 * behind while its copy is elsewhere; the copy ends there, or comes back and is put into the one
 * that stayed. What arrives may be anything: unpack bounds every length, and refuses junk. */
struct message_type {
    const char *name;
    void (*release)(struct message *m); /* frees it; may run on any shard's thread */

    /* Appends what a copy needs. RC_UNSUPPORTED: this one cannot leave the process. */
    enum rc (*pack)(const struct message *m, struct buf *out);
    /* Reads what pack wrote, all of it: into *m, which stayed behind, or into a new one if that is
     * NULL. On RC_INVALID and RC_NOMEM a new one is not made, and one that stayed is only fit to
     * be ended. Keeps nothing of `bytes`. */
    enum rc (*unpack)(struct str bytes, struct message **m);
    /* Looks into what unpack took as it came, of a process that is not trusted (docs/pools.md). Nothing
     * that it undoes may be longer than `most_bytes`. RC_INVALID: it is not what it says, and only fit
     * to be ended. RC_NOMEM. NULL: unpack has looked at all of it. */
    enum rc (*check)(struct message *m, uint64_t most_bytes);
    /* Its copy has gone: what it borrowed for the call is forgotten. NULL: it borrows nothing. */
    void (*stay)(struct message *m);

    /* It was sent to a member of a pool that will not answer (docs/pools.md): what its copy may have
     * put into it is undone, and it says what happened to it. `is_blamed`: that member may have died of it.
     * NULL: a message of this type does not go to a pool. */
    void (*lost)(struct message *m, bool is_blamed);

    /* False: it has not come to its last step, so that a part which ends it now loses it. The flow
     * then fails and names that part. NULL: any part may end it. */
    bool (*may_end)(const struct message *m);
};

struct message {
    const struct message_type *type;
    struct credit_account *origin; /* the framework's; NULL until a source emits it */
    struct message *next;          /* for lists of its present owner */
    uint64_t route;                /* `route: hash` sends it to shard route % shards */
    uint32_t credits;              /* the framework's */
    uint32_t is_copy;              /* the framework's: of one that waits at another place */
};

static inline void message_init(struct message *m, const struct message_type *type)
{
    *m = (struct message){.type = type};
}

/* Ends a message outside any part: gives its credits back and releases it. Parts use part_end(). */
void message_end(struct message *m);

#endif
