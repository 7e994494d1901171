/* SPDX-License-Identifier: Apache-2.0 */
/* robots_redirect: follows a robots.txt that redirects.
 *
 * The answer that redirects becomes a visit of its own, which is archived and logged. The visit
 * itself goes back to its queue, and the record remembers the new URL (host/host_redirect.h). The
 * host's next turn asks for that, through all steps: the guard, the permits of that address, and the
 * turn of that host (guest.h). What is found at the end holds for the origin first asked. */
#ifndef ASKING_ROBOTS_REDIRECT_H
#define ASKING_ROBOTS_REDIRECT_H

#include "url/idn.h"
#include "visit/visit.h"

/* Puts the URL that the answer redirects to into the visit. False, and the visit is as it was: it
 * has led too far already (host_robots_follows()), names no URL that may be asked, or there is no
 * memory. */
bool robots_redirect_url(struct visit *v, const struct url_idn *idn, struct url_room room);

/* The answer that redirected, which was asked for at `from`, as a visit of its own. It borrows from
 * `v`, and ends before the answer is gone. NULL without memory. */
struct visit *robots_redirect_hop(const struct visit *v, const struct url *from);

/* The visit goes back to its queue until `due_ms`, forgets the answer, and the record remembers its
 * URL. */
void robots_redirect_later(struct visit *v, uint64_t due_ms);

/* A visit of a robots.txt gets the URL that the record remembers, if there is one that may be asked
 * for. RC_NOMEM. */
MUST_CHECK enum rc robots_redirect_name(struct visit *v);

#endif
