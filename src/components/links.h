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
    unsigned epoch; /* the ledger's */
    uint64_t batch; /* the ledger's: where they are journalled */
    bool is_told;   /* another agent told of them: they are merged whoever owns their hosts now */
    uint64_t generation; /* the cluster's, when they were journalled */
    struct str from;     /* the host of the page they were found on; "" for seeds */
    size_t count;
    struct candidate list[];
};

/* Copies the candidates with their texts. NULL without memory. */
struct links *links_open(const struct candidate *const *list, size_t count, struct str from,
                         unsigned epoch, uint64_t batch);

/* It can go to another place; what it says of the ledger only means something to that ledger. */
extern const struct message_type links_type;
enum { LINKS_MAX = 50000 + 64, LINKS_MAX_TEXT_BYTES = 65535 }; /* that unpack believes; each text */

/* Its URL. */
void candidate_print(const struct candidate *c, struct buf *out);

static inline struct links *links_of(struct message *m)
{
    return (struct links *)(void *)m;
}

#endif
