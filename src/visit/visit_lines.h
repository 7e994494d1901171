/* SPDX-License-Identifier: Apache-2.0 */
/* visit_lines: what the crawl's files say of a visit and of its links. outputs/ has the format of
 * each line; this fills the entries. */
#ifndef VISIT_VISIT_LINES_H
#define VISIT_VISIT_LINES_H

#include "outputs/line_batch.h"
#include "visit/visit.h"

/* Lines of a visit that has its result: in crawl.log, and where they belong in the index of the
 * archive, the list of pages or the list of skipped URLs. `code`: a status, or what went wrong
 * (host/pace.h). */
void visit_lines_result(struct line_batch *b, const struct visit *v, int code, unsigned shard,
                        int64_t wall_ms);

/* The line of links.arcs: what the page links to. Of a visit that is no page, or has no links:
 * none. */
void visit_lines_arcs(struct line_batch *b, const struct visit *v);

/* Lines of links.nodes: one for each new link. */
void node_lines(struct line_batch *b, const struct candidate *links, size_t count);

/* Lines of state/seeds: the links that are seeds. `from`: the URL that redirects there; absent:
 * they were given. */
void seed_lines(struct line_batch *b, const struct found_links *links, struct str from);

#endif
