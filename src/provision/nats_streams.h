/* SPDX-License-Identifier: Apache-2.0 */
/* nats_streams: creates the streams of a plan on running servers; streams that exist stay. */
#ifndef PROVISION_NATS_STREAMS_H
#define PROVISION_NATS_STREAMS_H

#include "cluster/wire/nats_login.h"

/* Asks as the administrator until each stream exists, for at most `wait_ms` in all: servers that
 * have just been started need some seconds to agree. On a failure `why` has a line for each stream
 * that was not created; the first failure is returned. */
MUST_CHECK enum rc nats_streams_make(const struct nats_plan *p, const struct nats_login *admin,
                                     uint64_t wait_ms, struct buf *why);

#endif
