/* SPDX-License-Identifier: Apache-2.0 */
/* outcome: everything that one batch of the journal says of a visit, of a robots.txt that redirects
 * or of a list, and what follows from it once the batch is journalled.
 *
 *     outcome_of_visit(&here, v, &e, wall_ms, &o)   what is to be said
 *     outcome_record(&here, &o)                     journalled: "done" implies that links are safe
 *     hand_out_links(..., &o.fresh)                 the links go to their shards
 *
 * Making an outcome asks, counts and logs; it journals nothing and sends nothing. */
#ifndef OUTCOME_OUTCOME_H
#define OUTCOME_OUTCOME_H

#include "outcome/fresh_links.h"
#include "outcome/outcome_lines.h"

/* What the outcomes of one shard need; its thread uses it. The caller sets the first six. */
struct outcome_shard {
    struct ledger_service *ledger; /* these four are borrowed */
    struct budget *budget;
    struct cluster_service *cluster;
    struct log *log; /* may be NULL */
    unsigned shard;
    bool has_graph; /* the files of links are written */
    struct link_finder finder;
    struct outcome_lines lines;
    struct sent_filter sent; /* large: the whole is never on a stack */
    struct order_lists bands;
};

/* All shards see the filter of this one (ledger->sent) until it is done. `s` was zeroed. */
void outcome_shard_init(struct outcome_shard *s);
void outcome_shard_done(struct outcome_shard *s);

/* Borrows from the visit or the list, and its lines from the shard until the next outcome. Must
 * stay where it is: `batch` points into it. */
struct outcome {
    struct ledger_outcome batch;
    struct fresh_links fresh;
    struct history_entry history; /* where batch.history points to it */
    bool has_shorter_path;        /* a shorter path to the page was found: */
    struct candidate page;        /* its links must be judged again (shorter_path.h) */
};

/* Each sets *ret. RC_NOMEM, RC_LIMIT, RC_INVALID: the outcome must not be recorded. The visit of a
 * robots.txt that ends its page is that of the page from then on (outcome_lines_of_visit). */
MUST_CHECK enum rc outcome_of_visit(struct outcome_shard *s, struct visit *v,
                                    const struct ending *e, int64_t wall_ms, struct outcome *ret);
MUST_CHECK enum rc outcome_of_redirect(struct outcome_shard *s, struct visit *v, int64_t wall_ms,
                                       struct outcome *ret);
MUST_CHECK enum rc outcome_of_list(struct outcome_shard *s, struct url_list *l,
                                   struct outcome *ret);

/* Journals the outcome, and checks the URL in (ledger_record_outcome, which has the failures).
 * o->fresh says from then on where its links are journalled. A list that says nothing new leaves
 * no batch. */
MUST_CHECK enum rc outcome_record(struct outcome_shard *s, struct outcome *o);

#endif
