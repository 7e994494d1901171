/* SPDX-License-Identifier: Apache-2.0 */
/* shorter_path: a page is done, and a shorter path to it turns up (discovery/depth_index.h). The
 * history keeps the path by which the page's links were judged; rejudge judges them again by the
 * shorter one. */
#ifndef OUTCOME_SHORTER_PATH_H
#define OUTCOME_SHORTER_PATH_H

#include "discovery/depth_index.h"
#include "ledger/ledger.h"
#include "visit/url_list.h"
#include "visit/visit.h"

/* The visit is done: the index says so from now on. `depth` may be NULL: the crawl has no limit
 * that needs it. True: a shorter path was found since the URL was queued, and the page has
 * links that must be judged again: *ret_page is the page by that path. A page without links gets
 * the path in `history` at once. Texts are borrowed from the visit, and the path from the index
 * until its next call. */
bool shorter_path_found(struct depth_index *depth, const struct visit *v,
                        struct history_entry *history, struct candidate *ret_page);

/* Links were judged again: the history of their page has the shorter path from now on. Nothing for
 * a list without such a page. `o` borrows from the list. */
void shorter_path_keep(struct url_list *l, struct ledger_outcome *o);

#endif
