/* SPDX-License-Identifier: Apache-2.0 */
/* outcome_lines: which lines a visit or a list leaves in the crawl's files. visit/visit_lines.h
 * fills the entries, outputs/ has the format of each line, and the ledger writes them.
 *
 *     outcome_lines_of_visit(l, v, &e, &new, wall_ms)
 *     outcome_lines_take(l, &o)                          for ledger_record_outcome */
#ifndef OUTCOME_OUTCOME_LINES_H
#define OUTCOME_OUTCOME_LINES_H

#include "outcome/ending.h"
#include "outputs/line_batch.h"
#include "roles/ledger.h"
#include "visit/new_links.h"
#include "visit/url_list.h"

/* The lines of one outcome at a time; its shard's thread uses it. */
struct outcome_lines {
    struct line_batch batch;
    struct ledger_line list[LINE_BATCH_ROWS]; /* of the batch, for the ledger */
    struct ledger_service *ledger;            /* borrowed: names the page that led to a URL */
    unsigned shard;
    bool has_graph; /* the files of links are written */
};

void outcome_lines_init(struct outcome_lines *l, struct ledger_service *ledger, unsigned shard,
                        bool has_graph);
void outcome_lines_done(struct outcome_lines *l);

/* Each of these three begins anew. */

/* A visit that has ended: its result if it has one, and its links. Of a robots.txt that ends its
 * page, lines of both: the visit is that of the page from then on (ending_make_page). Sets
 * v->stored.via where a line needs it. RC_NOMEM, RC_INVALID. */
MUST_CHECK enum rc outcome_lines_of_visit(struct outcome_lines *l, struct visit *v,
                                          const struct ending *e, const struct new_links *new,
                                          int64_t wall_ms);
/* A robots.txt that redirects: its result. */
void outcome_lines_of_redirect(struct outcome_lines *l, const struct visit *v, int64_t wall_ms);
/* A list: its new links, and the seeds in it. What is asked for again is in the graph already. */
void outcome_lines_of_list(struct outcome_lines *l, const struct url_list *list,
                           const struct new_links *new);

/* Puts the lines into `o`, which borrows them until the next begin. RC_NOMEM, RC_LIMIT: a line is
 * missing. */
MUST_CHECK enum rc outcome_lines_take(struct outcome_lines *l, struct ledger_outcome *o);

#endif
