/* SPDX-License-Identifier: Apache-2.0 */
/* depth_key: keys for what the crawl knows about depth and that is not a URL.
 *
 * The depth index and the history have a URL under its fingerprint. Two more things stand there,
 * each under a key that is derived:
 *
 *     depth_index_note_key     in the history: a note that a shorter path to that URL was found.
 *                              The entry under the URL itself has the path by which its links were
 *                              judged. At the next start the two are compared
 *                              (ledger/depth_recall.h)
 *     depth_index_origin_key   in the depth index: an origin, whose robots.txt names sitemaps. A
 *                              path to any URL of the origin is a path to its robots.txt. The
 *                              origin is done when its sitemaps were judged
 *
 * Keys of notes are on disk, so their derivation stays. A derived key equals the fingerprint of
 * some URL with a chance of 2^-64 each; then one shorter path is missed. */
#ifndef DISCOVERY_DEPTH_KEY_H
#define DISCOVERY_DEPTH_KEY_H

#include <stdbool.h>
#include <stdint.h>

uint64_t depth_index_note_key(uint64_t fingerprint);

/* `port`: 0 is the port of the scheme. */
uint64_t depth_index_origin_key(uint64_t host_hash, bool is_https, uint16_t port);

#endif
