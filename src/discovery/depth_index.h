/* SPDX-License-Identifier: Apache-2.0 */
/* depth_index: how far from a seed each URL of a shard was found. It exists where the crawl has a
 * limit of depth that matters: below DEPTH_INDEX_FROM, the default of --depth.
 *
 * A crawl asks many hosts at once, so it may find a page first at the end of a longer path than
 * there is. The links of that page then seem too deep. When a shorter path turns up later, rejudge
 * judges them again.
 *
 *     depth_index_found ── waiting ── depth_index_done ── done ── depth_index_found: SHORTER_DONE
 *
 * A URL waits until it is done: its answer is there, and its links were judged by the path that the
 * URL was asked for with. Each shard has one, which its thread alone uses. A URL takes 24 bytes.
 * The number of URLs is bounded: a URL without room keeps the depth of its first path. */
#ifndef DISCOVERY_DEPTH_INDEX_H
#define DISCOVERY_DEPTH_INDEX_H

#include "base/str.h"

enum { DEPTH_INDEX_FROM = 100 }; /* links; with that limit, or a larger one, there is no index */

struct depth_index;

/* NULL without memory. `keeps_paths`: it keeps the path of every URL that waits, not only of those
 * with a shorter path. A cluster needs this: a page found here may turn out to be done by another
 * agent. */
struct depth_index *depth_index_open(uint32_t max_urls, bool keeps_paths);
void depth_index_close(struct depth_index *d);

/* A path of `depth` links to that URL was found. If it is shorter than all before:
 *     SHORTER_WAITING   the URL waits; depth_index_done gives the path
 *     SHORTER_DONE      the URL is done; its links have to be judged again */
enum shorter { SHORTER_NOT, SHORTER_WAITING, SHORTER_DONE };
enum shorter depth_index_found(struct depth_index *d, uint64_t fingerprint, unsigned depth,
                               struct str seed_path);

/* A URL of an earlier process waits, and its path is not known: any path is shorter. Does nothing
 * if the URL is here already. */
void depth_index_waits(struct depth_index *d, uint64_t fingerprint);

/* Whether a path as short as this one is known, or there is no room to learn more. */
bool depth_index_knows(const struct depth_index *d, uint64_t fingerprint, unsigned depth);

/* The shortest path to a URL that waits with `seed_path`; valid until the next call. */
struct str depth_index_seed_path(const struct depth_index *d, uint64_t fingerprint,
                                 struct str seed_path);

/* The URL is done; it was asked for at the end of `depth` links. True: a shorter path was found
 * meanwhile, *ret_seed_path (valid until the next call). */
bool depth_index_done(struct depth_index *d, uint64_t fingerprint, unsigned depth,
                      struct str *ret_seed_path);

/* Another agent has done the URL, at the end of `depth` links. True: a shorter path is known here,
 * *ret_seed_path (valid until the next call); the caller finds the URL again by it. */
bool depth_index_told(struct depth_index *d, uint64_t fingerprint, unsigned depth,
                      struct str *ret_seed_path);

/* The URL is done, and its path is not known: any path is shorter. Does nothing if it is known to
 * be done. True: a path is known, *ret_seed_path (valid until the next call). */
bool depth_index_is_done(struct depth_index *d, uint64_t fingerprint, struct str *ret_seed_path);

/* The URL will be asked for again, by the path that is found next. */
void depth_index_again(struct depth_index *d, uint64_t fingerprint);

/* Whether depth_index_again was called for the URL, and it waits by a path of fewer than `depth`
 * links. A report that the URL was done at the end of `depth` links is then old: it is the reason
 * why the URL waits. */
bool depth_index_waits_again(const struct depth_index *d, uint64_t fingerprint, unsigned depth);

/* Any path to a URL that is done counts as shorter from now on. Does nothing to a URL that waits.
 */
void depth_index_far(struct depth_index *d, uint64_t fingerprint);

/* A URL that waits is done now, by the shortest path known, *ret_seed_path (valid until the next
 * call). False: it is done, or it is not here. */
bool depth_index_take(struct depth_index *d, uint64_t fingerprint, struct str *ret_seed_path);

#endif
