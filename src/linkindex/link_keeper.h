/* SPDX-License-Identifier: Apache-2.0 */
/* link_keeper: the thread that lets a running crawl's link index grow. Shards know nothing of it:
 * it reads what they have written. */
#ifndef LINKINDEX_LINK_KEEPER_H
#define LINKINDEX_LINK_KEEPER_H

#include "base/log.h"
#include "linkindex/link_index.h"

struct link_keeper_settings {
    struct disk *disk;                /* the crawl's directory */
    struct link_index_settings index; /* `stops` is filled in */
    uint64_t look_ms; /* between two looks whether there is something to do; 0: 1,000 */
    /* How much of each text is durable and stays; called on the keeper's thread. */
    void (*durable)(void *ctx, uint64_t ret[PAIR_KINDS]);
    void *ctx;
    struct log *log;
};

struct link_keeper;

/* Failures as link_index_open's, with `why`. */
MUST_CHECK enum rc link_keeper_open(const struct link_keeper_settings *s, struct link_keeper **ret,
                                    struct buf *why);
/* Stops the thread soon, also within a merge. Accepts NULL. */
void link_keeper_close(struct link_keeper *k);

#endif
