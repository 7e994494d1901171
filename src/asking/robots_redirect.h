/* SPDX-License-Identifier: Apache-2.0 */
/* robots_redirect: follows a robots.txt that redirects.
 *
 * The answer that redirects becomes a visit of its own, which is archived and logged. The visit
 * itself gets the new URL and goes back to resolve, and so passes the guard and takes permits of
 * that address and host. What is found at the end holds for the origin first asked. */
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

/* The visit is on its way again, and forgets the answer. */
void robots_redirect_again(struct visit *v);

#endif
