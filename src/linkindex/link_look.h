/* SPDX-License-Identifier: Apache-2.0 */
/* link_look: asks the link index of a directory. The crawl may run in another process or thread:
 * files are only read, and what no run has yet is read from the end of the texts. */
#ifndef LINKINDEX_LINK_LOOK_H
#define LINKINDEX_LINK_LOOK_H

#include "linkindex/index_list.h"
#include "linkindex/pair_run.h"

struct link_look {
    struct disk *disk;
    struct {
        uint64_t covered;
        struct run *runs;
        size_t count;
    } of[PAIR_KINDS];
};

/* RC_NOT_FOUND: there is no link index. RC_CORRUPT and others, with `why`. */
MUST_CHECK enum rc link_look_open(struct link_look *l, struct disk *d, struct buf *why);
void link_look_close(struct link_look *l);

/* Calls `each` for every page that links to the URL with that fingerprint. A page may come more
 * than once, in any order. Stops when `each` returns other than RC_OK, and returns that. */
typedef enum rc link_look_page(void *ctx, uint64_t page, uint32_t letters);
MUST_CHECK enum rc link_look_pages(const struct link_look *l, uint64_t target, link_look_page *each,
                                   void *ctx);

/* Calls `each` for the URLs with these fingerprints (sorted, none twice), as far as links.nodes has
 * them. One may come more than once, in any order. */
typedef enum rc link_look_url(void *ctx, uint64_t fingerprint, struct str url);
MUST_CHECK enum rc link_look_urls(const struct link_look *l, const uint64_t *fingerprints,
                                  size_t count, link_look_url *each, void *ctx);

#endif
