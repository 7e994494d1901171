/* SPDX-License-Identifier: Apache-2.0 */
/* oracle: what a correct crawl of the simulated web must fetch, must not, and may.
 *
 * It walks the world's own graph, breadth first, from a seed; it reads no HTML and knows no code of
 * the crawler. Depth counts links from the seed (the seed is 0); a redirect's target has the depth
 * of what redirected, what a page needs (images, styles, scripts) and its feed the depth of the
 * page; a host's sitemap has the least depth of what is reached of that host, and what a sitemap or
 * feed lists is one link further.
 *
 * Followed are <a>, <area>, <iframe>, meta refresh, Location, sitemaps named by robots.txt, feeds.
 * A URL that is known and not fetched has the first reason that holds:
 *   scope        it is on a host that does not belong to the crawl
 *   pages-only   a page needs it, and the crawl fetches pages alone
 *   no-sitemaps  it is a sitemap or a feed, and the crawl reads none
 *   f46          it is within depth, on a host that this fault was sprinkled over and made dead
 *   robots       it is within depth, and robots.txt forbids it
 *   depth        a link to follow leads there, but no way is short enough
 *   nofollow     only links lead there that say nofollow, or stand on a page that says it
 * What a page that says nofollow needs is fetched all the same: it is no link of a person's choice.
 *
 * A fault's rows come from its table (oracle/fault_rows.h); paths ending in '*' stand for all that
 * begin so. A host fault that leaves its host alive (F35, F51) takes nothing from what must be
 * fetched. At most 50 million URLs: half a gigabyte for the set of them, as much for the queue. */
#ifndef ORACLE_ORACLE_H
#define ORACLE_ORACLE_H

#include "faults/fault.h"

enum oracle_scope { ORACLE_HOST, ORACLE_DOMAIN, ORACLE_ANY };

struct oracle_wish {
    struct str seed_url;
    unsigned scope;   /* enum oracle_scope */
    uint64_t depth;   /* UINT64_MAX = no limit */
    bool pages_only;  /* nothing a page needs is fetched */
    bool no_sitemaps; /* sitemaps and feeds are not read */
    bool follow_nofollow;
    bool ignore_robots;
};

enum oracle_class {
    ORACLE_MUST,  /* fetched exactly once (a fault's: as its row says) */
    ORACLE_KNOWN, /* known, and not fetched: `why` says so */
    ORACLE_MAY,   /* the table leaves it to the crawler */
};

struct oracle_row {
    enum oracle_class class;
    struct str url;
    const char *why; /* "robots", "scope", "depth", "nofollow", "f46", …; NULL for MUST */
    uint64_t depth;  /* UINT64_MAX where only links that say nofollow lead */
};

/* Calls `row` for every URL, each once, in the order visited; what is too deep or not followed
 * comes last. A non-zero result of `row` stops it with RC_OK. On RC_INVALID `why` says what is
 * wrong with the seed (no such place); a crawl of a fault begins at its index page or at the zoo's.
 * robots.txt of every host of which something is reached is among the MUSTs, with depth 0, also
 * when robots.txt is ignored (it names the sitemap); that of a dead host is a MAY. RC_LIMIT past 50
 * million. */
MUST_CHECK enum rc oracle_walk(const struct world *w, const struct oracle_wish *wish,
                               int (*row)(void *ctx, const struct oracle_row *row), void *ctx,
                               struct buf *why);

#endif
