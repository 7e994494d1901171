/* SPDX-License-Identifier: Apache-2.0 */
/* ask: what a visit asks a server, and what the visit keeps of the answer. asker.h sends it. */
#ifndef ASKING_ASK_H
#define ASKING_ASK_H

#include "fetch/request.h"
#include "fetch/type_set.h"
#include "visit/visit.h"

/* Asks for the page only if it changed since it was captured. A date later than the capture says
 * nothing, and is left out. Borrowed from the visit's history. */
struct request_condition ask_condition(const struct visit *v);

/* The bytes of a body that are taken: of a page `most`, of a robots.txt as many as are read. */
uint64_t ask_body_bytes(const struct visit *v, uint64_t most);

/* Whether h2 is offered: its host refuses HTTP/1.1 (host/host_http.h). */
bool ask_offers_h2(const struct visit *v);

/* Whether the body is taken; sets v->answer.has_other_type. A redirect has a body that no step
 * reads, a 304 has none, and the crawl itself asks for sitemaps: their type does not matter. */
bool ask_wants(struct visit *v, const struct type_set *types, uint16_t status, struct str head);

/* Whether the start of the body may be judged by the crawl's topic: neither that of robots.txt, nor
 * of a sitemap that it names, nor of a seed. */
bool ask_peeks(const struct visit *v);

/* The transfer has ended: puts the answer into the visit, if a head came. The caller sets its end.
 * Borrows the answer. */
void ask_answered(struct visit *v, const struct http_answer *answer);

/* How it ended. `wall_ms` is read only if the answer has a Retry-After; ask_answered() comes first.
 */
struct pace_end ask_end(const struct visit *v, const struct http_answer *answer, int64_t wall_ms);

/* Whether its address has refused the connection, and the host has another one: the visit goes back
 * to its queue, for the other address needs a permit of its own (host/host_addresses.h). */
bool ask_has_other_address(const struct visit *v);

/* The transfer could not begin: trouble of our own. */
void ask_failed(struct visit *v);

#endif
