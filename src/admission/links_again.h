/* SPDX-License-Identifier: Apache-2.0 */
/* links_again: finds the links of a page again when a shorter path to the page is found, so that
 * they are judged at their true depth.
 *
 *     a page     its links stand in the archive, and the history says where
 *     an origin  its links are the sitemaps that its robots.txt names (sitemaps.h)
 *
 * History and archive are written a moment behind the crawl, so a page may not be there yet. A page
 * of a host that has moved stands in the archive of the agent that owned the host then: this
 * agent sends it the shorter path (through the journal, like everything for other agents), and that
 * agent judges the links. No page is asked for twice. */
#ifndef ADMISSION_LINKS_AGAIN_H
#define ADMISSION_LINKS_AGAIN_H

#include "ledger/ledger.h"
#include "roles/cluster.h"
#include "visit/url_list.h"

/* Where links are looked for, all borrowed. The shard's thread alone uses it. */
struct links_again {
    struct ledger *ledger;
    const struct frontier *frontier;
    struct cluster_service *cluster;
};

enum links_again_found {
    LINKS_AGAIN_HERE,
    LINKS_AGAIN_FORWARDED, /* another agent has the page and was told */
    LINKS_AGAIN_LATER,     /* it is not written yet, or its host is swapped to disk */
    LINKS_AGAIN_LOST,      /* it cannot be read */
};

/* `page` is at the end of the shorter path; `is_origin`: it stands for its origin. HERE: *ret has
 * the links as a LIST_REJUDGED, and is the caller's. LOST: *ret_why says why. It may wait for the
 * disk. */
enum links_again_found links_again_find(const struct links_again *a, const struct candidate *page,
                                        bool is_origin, struct url_list **ret, enum rc *ret_why);

#endif
