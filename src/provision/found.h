/* SPDX-License-Identifier: Apache-2.0 */
/* found_crawl: writes the first entry of a cluster's roster: its timings and its ring
 * (cluster/roster/roster.h). */
#ifndef PROVISION_FOUND_H
#define PROVISION_FOUND_H

#include "cluster/roster/roster.h"
#include "cluster/wire/nats_login.h"

/* Appends the entry with the login of an agent, in at most `wait_ms`. Only the first entry ever
 * counts, so a second one does no harm. RC_INVALID: no roster accepts these timings; any other
 * failure: the servers have not taken the entry; `why`. */
MUST_CHECK enum rc found_crawl(const struct nats_login *login, const struct roster_timings *t,
                               uint64_t wait_ms, struct buf *why);

#endif
