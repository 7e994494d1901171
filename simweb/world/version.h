/* SPDX-License-Identifier: Apache-2.0 */
/* version: how often a page has changed by a given moment, and when it last did.
 *
 * Changes of a page are a Poisson process of known rate that starts at WORLD_EPOCH_MS. To count the
 * events before a moment without walking them, the number in a long interval is drawn once and
 * split in halves by binomial draws down to the moment: the same page gives the same events whoever
 * asks for whichever moment first. */
#ifndef WORLD_VERSION_H
#define WORLD_VERSION_H

#include "world/place.h"

/* 2025-01-01T00:00:00Z; 2^37 ms (over four years) later nothing changes any more. */
#define WORLD_EPOCH_MS UINT64_C(1735689600000)
#define WORLD_SPAN_MS (UINT64_C(1) << 37)

struct version {
    uint32_t structure; /* changes of each kind so far; their order is lost, nobody needs it */
    uint32_t text;
    uint32_t image;
    /* The last that changed the bytes of the place (an image's own, or structure and text), wall
     * clock; at or before the moment asked for. */
    uint64_t changed_ms;
    uint64_t image_changed_ms; /* of a page: the last change of its images */
};

/* The version of a page at a moment. A page that never changes, and any before its first change,
 * has zeros and a changed_ms of its own before the epoch. Images of a page share its counts. */
struct version page_version(const struct world *w, uint32_t host, uint32_t page, uint64_t wall_ms);

/* The same for any place: sitemaps and feeds change with their pages' latest change (and count all
 * changes of the pages they list). The index of a host with more than VERSION_WHOLE_PARTS sitemaps
 * is made anew every hour instead, which costs less to say. */
enum { VERSION_WHOLE_PARTS = 8 };
struct version place_version(const struct world *w, struct place p, uint64_t wall_ms);

#endif
