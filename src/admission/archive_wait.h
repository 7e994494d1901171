/* SPDX-License-Identifier: Apache-2.0 */
/* archive_wait: pages that wait until the history and the archive have them, so that their links can
 * be found again (links_again.h). The owner tries all of them from time to time. A page that is not
 * there after ARCHIVE_WAIT_TRIES is given up: the crawl goes on as if the shorter path had not been
 * found. */
#ifndef ADMISSION_ARCHIVE_WAIT_H
#define ADMISSION_ARCHIVE_WAIT_H

#include "visit/links.h"

enum { ARCHIVE_WAIT_TRIES = 100 };

/* Zeroed it is empty. */
struct archive_wait {
    struct archive_wait_links *first;
};

struct archive_wait_asks {
    /* Looks for the links of one page of `from`. False: it is not there yet. */
    bool (*look)(void *ctx, struct links *from, const struct candidate *page);
    /* A page was not there at the last try. */
    void (*give_up)(void *ctx);
    /* No page of it waits any more. Takes it. */
    void (*ended)(void *ctx, struct links *l);
    void *ctx;
};

static inline bool archive_wait_is_empty(const struct archive_wait *w)
{
    return !w->first;
}

/* The pages of `l` wait. Takes it. RC_NOMEM: it is still the caller's. */
MUST_CHECK enum rc archive_wait_add(struct archive_wait *w, struct links *l);

/* Looks for every page that waits. `look` may add more; they wait for the next call. */
void archive_wait_try(struct archive_wait *w, const struct archive_wait_asks *asks);

/* Nothing waits any more: `ended` gets all. */
void archive_wait_clear(struct archive_wait *w, const struct archive_wait_asks *asks);

#endif
