/* SPDX-License-Identifier: Apache-2.0 */
/* links: URLs that a settled visit brought, on their way to the shard that owns them. One piece of
 * memory, so that it can end on any thread. A batch may be empty: it then only tells that a loan
 * has come back. */
#ifndef COMPONENTS_LINKS_H
#define COMPONENTS_LINKS_H

#include "flow/message.h"
#include "frontier/frontier.h"

#define LINKS_TYPE "links"

struct links {
    struct message head;
    unsigned epoch;  /* the ledger's */
    uint64_t batch;  /* the ledger's: where they are journalled */
    struct str from; /* the host of the page they were found on; "" for seeds */
    size_t count;
    struct candidate list[];
};

/* Copies the candidates with their texts. NULL without memory. */
struct links *links_open(const struct candidate *const *list, size_t count, struct str from,
                         unsigned epoch, uint64_t batch);

/* Its URL. */
void candidate_print(const struct candidate *c, struct buf *out);

static inline struct links *links_of(struct message *m)
{
    return (struct links *)(void *)m;
}

#endif
