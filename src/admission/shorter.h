/* SPDX-License-Identifier: Apache-2.0 */
/* shorter: is a link the end of a shorter path than was known, and what has to be judged again?
 * (discovery/depth_index.h tells why.)
 *
 *     a page that waits    it is asked for by its first path; when it is done its links are judged
 *                          again (outcome/shorter_path.h); the history gets a note
 *     a page that is done  its links are judged again; the history gets a note
 *     an origin            a path to a URL is one to the robots.txt of its origin: the sitemaps
 *                          that this names are judged again */
#ifndef ADMISSION_SHORTER_H
#define ADMISSION_SHORTER_H

#include "discovery/depth_index.h"
#include "frontier/frontier.h"
#include "ledger/ledger.h"

/* Of one shard, both borrowed; its thread alone uses them. */
struct shorter_index {
    const struct frontier *frontier;
    struct depth_index *depths;
};

/* Notes the depth of the link. SHORTER_DONE: the links of its page have to be judged again. Unless
 * it is SHORTER_NOT, the path must be remembered (shorter_remember). */
enum shorter shorter_to_page(const struct shorter_index *s, const struct candidate *c);

/* Notes the depth of the link's origin. True: the sitemaps of the origin have to be judged again, or
 * may have to because its host is swapped. *ret is its robots.txt, at the end of the shortest path;
 * its texts are those of `c`, or valid until the next call with these depths. Until the robots.txt
 * is known the path waits in the index, and the step robots takes it; in a cluster the record may
 * come with the host. */
bool shorter_to_sitemaps(const struct shorter_index *s, const struct candidate *c,
                         struct candidate *ret);

/* Notes a shorter path in the history, so that a crash does not forget it (ledger/depth_recall.h).
 * For a page that waits the frontier keeps its first path; of a page that is done the links have
 * yet to be judged again. Fails as ledger_record_outcome does. */
MUST_CHECK enum rc shorter_remember(struct ledger *l, unsigned shard, const struct candidate *c);

#endif
