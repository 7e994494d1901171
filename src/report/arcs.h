/* SPDX-License-Identifier: Apache-2.0 */
/* arcs: the two files of links that a crawl writes, line by line.
 *
 *     links.nodes   0123456789abcdef http://example.org/
 *     links.arcs    0123456789abcdef L00000000deadbeef E1111111111111111
 *
 * A line of links.nodes says: a page brought this URL into the crawl. A URL has one line; in very
 * large crawls, and in directories of earlier versions, some have several, with the same
 * fingerprint and the same text (docs/outputs.md). A reader takes the first.
 * The URL is one node; an arc leads from a page to what it links to (L), embeds (E), redirects to
 * (R) or lists (X), by fingerprints. */
#ifndef REPORT_ARCS_H
#define REPORT_ARCS_H

#include "base/buf.h"

enum { ARCS_HEX_BYTES = 16 };

struct node_line {
    uint64_t fingerprint;
    struct str url;
};
MUST_CHECK enum rc node_line_parse(struct str line, struct node_line *ret); /* RC_INVALID */

struct arc_line {
    uint64_t page;
    struct str rest; /* private */
};

/* RC_INVALID unless the whole line is one. Without its LF. */
MUST_CHECK enum rc arc_line_parse(struct str line, struct arc_line *ret);
/* The next link; false behind the last. */
bool arc_line_next(struct arc_line *l, char *ret_hop, uint64_t *ret_to);

/* Exactly 16 lower-case digits of hexadecimal, and back. */
void buf_hex16(struct buf *b, uint64_t v);
bool hex16_read(struct str s, uint64_t *ret);

#endif
