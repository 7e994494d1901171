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
#ifndef OUTPUTS_ARCS_H
#define OUTPUTS_ARCS_H

#include "base/hex.h"

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

/* Writing. A line of links.nodes is the fingerprint (node_line_begin), the URL, and LF. A line of
 * links.arcs is begun with the page, gets its links one by one, and LF. */
void node_line_begin(struct buf *out, uint64_t fingerprint);
void arc_line_begin(struct buf *out, uint64_t page);
void arc_line_add(struct buf *out, char hop, uint64_t to);

#endif
