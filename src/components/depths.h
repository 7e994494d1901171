/* SPDX-License-Identifier: Apache-2.0 */
/* depths: how far from a seed each URL of a shard was found, where the crawl has a limit for that.
 *
 * A crawl asks many hosts at once, so a page may first be found on a longer way than there is, and
 * its links then seem too deep. When a shorter way turns up later, what was found on that page has
 * to be judged once more (deepen.c). One a shard, its thread's alone; 24 bytes a URL, and bounded:
 * a URL that finds no room keeps the depth it was first found at. */
#ifndef COMPONENTS_DEPTHS_H
#define COMPONENTS_DEPTHS_H

#include "base/str.h"

struct depths;

/* NULL without memory. `keeps_ways`: the hops of all that waits are kept, not of shorter ways
 * alone: in a cluster a page that was found here may turn out to be done elsewhere. */
struct depths *depths_open(uint32_t max_urls, bool keeps_ways);
void depths_close(struct depths *d);

/* A way of so many links to that URL was found, by these hops. If it is shorter than all before:
 * NEARER_WAITING, the page is not done yet, and depths_done will tell; NEARER_DONE, its links have
 * to be judged again. */
enum nearer { NEARER_NOT, NEARER_WAITING, NEARER_DONE };
enum nearer depths_found(struct depths *d, uint64_t fingerprint, unsigned depth, struct str hops);

/* A URL of which an earlier process knew, and of which only this is known here: it waits, having
 * been found by a way that may be longer than any. Does nothing if there is more to say of it. */
void depths_waits(struct depths *d, uint64_t fingerprint);

/* Whether a way as short as this one is known, or nothing more can be learnt. */
bool depths_knows(const struct depths *d, uint64_t fingerprint, unsigned depth);

/* The shortest way known to a URL that waits with these hops; good until the next call. */
struct str depths_way(const struct depths *d, uint64_t fingerprint, struct str hops);

/* It is done, having been asked for at the end of a way of so many links. True: a shorter one was
 * found meanwhile, by *ret_hops (good until the next call). */
bool depths_done(struct depths *d, uint64_t fingerprint, unsigned depth, struct str *ret_hops);

/* It was done elsewhere, having been asked for at the end of a way of so many links. True: a
 * shorter one is known, by *ret_hops (good until the next call): whoever finds it again with these
 * finds it nearer. */
bool depths_told(struct depths *d, uint64_t fingerprint, unsigned depth, struct str *ret_hops);

/* It is done, however far away it was: any way is nearer. Nothing if it is known to be. True: one
 * is known, by *ret_hops (good until the next call). */
bool depths_is_done(struct depths *d, uint64_t fingerprint, struct str *ret_hops);

/* It is going to be asked for again, by whatever way is found next. */
void depths_again(struct depths *d, uint64_t fingerprint);

/* Whether it is, and waits for that, by a shorter way than one of so many links: that it was done
 * at the end of such a one is why, and nothing new. */
bool depths_waits_again(const struct depths *d, uint64_t fingerprint, unsigned depth);

/* Its links have to be judged again by whatever way is found next. Nothing if it is not done. */
void depths_far(struct depths *d, uint64_t fingerprint);

/* The name of a note on that URL: in the history, beside what is known of the URL itself. */
uint64_t depths_note(uint64_t fingerprint);

/* What stands for an origin's robots.txt, whose links are the sitemaps: a way to any URL of the
 * origin is a way to it. It is done when its sitemaps were judged. */
uint64_t depths_origin(uint64_t position, bool is_https, uint16_t port);

/* Of one that waits: it is done now, by the shortest way known, *ret_hops (good until the next
 * call). False: it is done, or nothing is known of it. */
bool depths_take(struct depths *d, uint64_t fingerprint, struct str *ret_hops);

#endif
