/* SPDX-License-Identifier: Apache-2.0 */
/* seed_path: how a URL was found, as letters from the seed to the URL.
 *
 *     ""      a seed                          "LLE"   an image of a page two links away
 *     "R"     where a seed redirects to       "PX"    a URL that a sitemap of a seed's host names
 *
 * crawl.log prints it as the discovery path. This file alone knows the letters: other files ask the
 * questions below. */
#ifndef DISCOVERY_SEED_PATH_H
#define DISCOVERY_SEED_PATH_H

#include "base/str.h"

/* A letter of the path: how one URL leads to the next. */
enum hop_kind {
    HOP_LINK = 'L',
    HOP_REDIRECT = 'R',
    HOP_EMBED = 'E',
    HOP_PREREQUISITE = 'P', /* robots.txt, a sitemap, a feed */
    HOP_LISTED = 'X'        /* a URL that a sitemap or a feed lists */
};

enum {
    SEED_PATH_MAX = 250,                /* letters; the frontier keeps no more */
    SEED_PATH_ROOM = SEED_PATH_MAX + 1, /* for seed_path_append */
};

/* Whether it is one of the letters. */
static inline bool hop_is_known(char hop)
{
    return hop == HOP_LINK || hop == HOP_REDIRECT || hop == HOP_EMBED || hop == HOP_PREREQUISITE ||
           hop == HOP_LISTED;
}

/* Whether the letter makes the path one link longer: L and X. */
static inline bool hop_is_deeper(char hop)
{
    return hop == HOP_LINK || hop == HOP_LISTED;
}

/* The number of links from the seed: letters L and X. */
unsigned seed_path_depth(struct str path);

/* The last letter; 0: the path is empty, so the URL is a seed. */
static inline char seed_path_last(struct str path)
{
    return path.n ? path.p[path.n - 1] : '\0';
}

/* Whether the crawl asks for the URL because something else needs it: the last letter is P. */
static inline bool seed_path_is_prerequisite(struct str path)
{
    return seed_path_last(path) == HOP_PREREQUISITE;
}

/* Whether the URL is a seed, or redirects alone lead from a seed to it. */
bool seed_path_is_seeds(struct str path);

/* Whether the URL joins the seeds: one to five redirects lead from a seed to it, and nothing else.
 */
bool seed_path_joins_seeds(struct str path);

/* The parts of a path that the scope limits, counted from its end. */
struct seed_path_parts {
    size_t redirects; /* R's at the end */
    size_t embeds;    /* E's before those, R's and P's between them passed over */
    size_t links;     /* L's and X's before those */
};
struct seed_path_parts seed_path_parts(struct str path);

/* The number of listings (robots.txt, sitemaps, indexes of sitemaps, feeds) on the way to a URL.
 * The URL counts if a listing names it as a sitemap: "P" is 1, "PP" is 2, "PX" is 1 because the X
 * at the end is a page. Redirects do not count. A P behind an X begins anew: it may be the feed of
 * a page. */
unsigned seed_path_listings(struct str path);

/* Whether the frontier takes a URL with that path. */
static inline bool seed_path_fits(struct str path)
{
    return path.n <= SEED_PATH_MAX;
}

/* The path with one more letter, in `room` of SEED_PATH_ROOM bytes. A path of more than
 * SEED_PATH_MAX letters is cut there first; then the result has one letter too many, and
 * seed_path_fits says no. */
struct str seed_path_append(struct str path, char hop, char *room);

#endif
