/* SPDX-License-Identifier: Apache-2.0 */
/* links: new URLs that a visit or a list brought, on their way to the shard that owns their hosts.
 * One piece of memory, so that it can end on any thread. It may be empty: then it only says that a
 * host was returned. */
#ifndef VISIT_LINKS_H
#define VISIT_LINKS_H

#include "base/arena.h"
#include "flow/message.h"
#include "frontier/frontier.h"
#include "url/url.h"

#define LINKS_TYPE "links"

struct links {
    struct message head;
    unsigned epoch;  /* the ledger's */
    uint64_t batch;  /* the ledger's: where they are journalled */
    bool is_told;    /* by another agent: they are merged, whichever agent owns their hosts now */
    bool is_origins; /* each stands for its origin, whose links are the sitemaps of robots.txt */
    uint64_t generation; /* the cluster's, when they were journalled */
    struct str from;     /* the host of the page they were found on; "" for seeds */
    size_t count;
    size_t repeats; /* behind those: known URLs to which more pages link, for --order priority.
                       They stay at this place */
    struct candidate list[];
};

/* Copies the candidates with their texts. NULL without memory. */
struct links *links_open(const struct candidate *const *list, size_t count, struct str from,
                         unsigned epoch, uint64_t batch);

/* It can go to another place; what it says of the ledger means something to that ledger alone. */
extern const struct message_type links_type;
enum { LINKS_MAX = 50000 + 64, LINKS_MAX_TEXT_BYTES = 65535 }; /* that unpack believes; each text */

/* Prints its URL; reads that as a URL, in the arena. RC_NOMEM, RC_INVALID. */
void candidate_print(const struct candidate *c, struct buf *out);
MUST_CHECK enum rc candidate_url(const struct candidate *c, struct arena *arena, struct url *ret);

static inline struct links *links_of(struct message *m)
{
    return (struct links *)(void *)m;
}

#endif
