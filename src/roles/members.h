/* SPDX-License-Identifier: Apache-2.0 */
/* The role `members`: which member of the pool gets a visit (docs/pools.md). One for each shard. Where the
 * crawl runs in one process, or the wiring has no pool, every visit may go on. */
#ifndef ROLES_MEMBERS_H
#define ROLES_MEMBERS_H

#include "base/jsonw.h"
#include "net/address.h"

#define MEMBERS_INTERFACE "members"

/* A URL is given up when so many members were lost while they had it. */
enum { MEMBERS_MOST_ORPHANINGS = 3 };

struct members_key {
    uint64_t fingerprint; /* of the URL */
    struct str url;
    const struct address *address; /* that will be asked; NULL: not known */
};

struct members_service;
struct members_ops {
    /* Whether any member has room: if none has, nothing is checked out. */
    bool (*has_room)(struct members_service *s);
    /* The route to the member that is to have it; 0: that member has no room now. */
    uint64_t (*choose)(struct members_service *s, const struct members_key *key);
    /* A member was lost while it had that URL: how often that happened so far, with this time. */
    unsigned (*orphaned)(struct members_service *s, uint64_t fingerprint);
    /* The URL has a result. */
    void (*settled)(struct members_service *s, uint64_t fingerprint);
    /* How long nothing is asked after a start, for members of the process before may still be asking. */
    uint64_t (*quiet_ms)(struct members_service *s);
    /* `call` runs on the shard's thread when there may be room again. */
    void (*wake_with)(struct members_service *s, void (*call)(void *ctx), void *ctx);
    /* Whether any member is connected. Any thread. */
    bool (*has_any)(struct members_service *s);
    /* A list for people: an array of objects. Any thread. */
    void (*view)(struct members_service *s, struct jsonw *j);
};

struct members_service {
    const struct members_ops *ops;
};

#endif
