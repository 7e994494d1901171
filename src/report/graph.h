/* SPDX-License-Identifier: Apache-2.0 */
/* graph: the links of a crawl as a numbered graph, and the pages that link to a URL.
 *
 * Nodes are numbered from 0 in the order they were found, so that a later export of the same crawl
 * keeps their numbers. A URL has one number, however many lines of links.nodes name it. Several
 * directories are numbered one after the other: there a later export may number anew. Arcs are
 * sorted by both numbers, each once, whatever number of links stands behind it. An arc to a URL
 * that was not admitted has no number and is left out. Everything is done by sorting
 * (docs/outputs.md), in bounded memory. */
#ifndef REPORT_GRAPH_H
#define REPORT_GRAPH_H

#include "outputs/crawl_dir.h"

struct graph_counts {
    uint64_t nodes, arcs;
    uint64_t outside; /* arcs left out */
    uint64_t damaged; /* lines that could not be read */
};

/* Writes links.nodes ("number url") and links.arcs ("from to") into `to`, each whole or not at all;
 * `to` also holds what is sorted meanwhile. */
MUST_CHECK enum rc graph_export(struct crawl_set crawls, struct disk *to, struct graph_counts *ret);

/* Makes of all arcs the sorted file `path` in `to`: lines "target page", in fingerprints, each
 * once. Adds the lines that could not be read to *damaged. */
MUST_CHECK enum rc graph_sort_arcs(struct crawl_set crawls, struct disk *to, const char *path,
                                   uint64_t *damaged);

/* Calls `each` once for every page that has a link to the URL with that fingerprint; `letters` are
 * those of the links. A directory with a link index is asked there, the arcs of others are read:
 * then pages come in the order they were found. A damaged index is RC_CORRUPT with `why`. */
typedef enum rc graph_each_page(void *ctx, struct str url, struct str letters);
MUST_CHECK enum rc graph_pages_to(struct crawl_set crawls, uint64_t fingerprint,
                                  graph_each_page *each, void *ctx, struct buf *why);

/* Counts them, and calls `each` for at most `most` of them (GRAPH_MOST_SOME). RC_NOT_FOUND: a
 * directory has no link index. */
enum { GRAPH_MOST_SOME = 64 };
MUST_CHECK enum rc graph_some_pages_to(struct crawl_set crawls, uint64_t fingerprint, size_t most,
                                       graph_each_page *each, void *ctx, uint64_t *ret_count,
                                       struct buf *why);

#endif
