/* SPDX-License-Identifier: Apache-2.0 */
/* post_streams: makes the streams of a plan on servers that run; those that exist stay. */
#ifndef CLI_POST_STREAMS_H
#define CLI_POST_STREAMS_H

#include "cluster/post_login.h"

/* Asks as the administrator until each is there, for at most `wait_ms` in all: servers that have
 * just been started need some seconds to agree. Says on standard error what was not made, and why.
 * EXIT_DONE: all are there. */
int post_streams_make(const struct post_plan *p, const struct post_login *admin, uint64_t wait_ms);

#endif
