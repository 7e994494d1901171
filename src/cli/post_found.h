/* SPDX-License-Identifier: Apache-2.0 */
/* post_found: the first entry of a cluster's roster: its timings and its ring (cluster/roster.h).
 */
#ifndef CLI_POST_FOUND_H
#define CLI_POST_FOUND_H

#include "cluster/post_login.h"
#include "cluster/roster.h"

/* Appends it as the agent of that login, in at most `wait_ms`. Only the first one ever counts, so
 * it does no harm to do it again. EXIT_DONE, or says why not: EXIT_USAGE where no roster would take
 * it. */
int post_found(const struct post_login *login, const struct roster_timings *t, uint64_t wait_ms);

#endif
