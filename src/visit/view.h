/* SPDX-License-Identifier: Apache-2.0 */
/* view: a visit as a part from outside sees it.
 *
 * Such a part may stand between any two steps of the crawl that exchange visits. It reads what the
 * steps before it found, may drop the visit, and emits it in any case: every visit goes on to the
 * last step, which returns its host. A part that ends one stops the crawl (flow/message.h).
 *
 *     static void drop_handle(struct instance *self, unsigned inlet, struct message *m)
 *     {
 *         struct visit *v = visit_view(m);
 *         if (visit_is_page(v) && is_spam(visit_text(v)))
 *             visit_drop(v, STR("it is spam"));
 *         part_emit(self, 0, m);
 *     }
 *
 * examples/drop is such a part. Texts are borrowed until the visit is emitted; absent: the page has
 * none, or no step before this one has read it. */
#ifndef VISIT_VIEW_H
#define VISIT_VIEW_H

#include "base/str.h"
#include "flow/message.h"

#define VISIT_TYPE "visit"

struct visit;
struct visit *visit_view(struct message *m);

/* An answer to a URL of the crawl. False: a robots.txt, a URL that was not asked. */
bool visit_is_page(const struct visit *v);
struct str visit_url(const struct visit *v);
/* Of the answer: the status, the media type as the server says it, without parameters. */
unsigned visit_status(const struct visit *v);
struct str visit_mime(const struct visit *v);
/* Behind `read`: the title, and the body without its codings, of HTML in UTF-8; at another place than
 * `pack-answer` there is no body. */
struct str visit_title(const struct visit *v);
struct str visit_text(const struct visit *v);

/* Drops a page: its answer is not archived and its links are not followed. crawl.log gets the line,
 * with `why`, a few words. The first call counts. Call it between `read` and `judge-links`. A visit
 * that is not a page stays as it is. */
void visit_drop(struct visit *v, struct str why);

#endif
