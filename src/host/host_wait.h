/* SPDX-License-Identifier: Apache-2.0 */
/* host_wait: why a host may not be asked before its moment, for people (`orbweaver url`, `status`).
 *
 * Each decision that holds a host back for more than a moment leaves its reason on the host's
 * record. The reason is not stored: after a restart it is HOST_WAIT_UNKNOWN until the host was
 * asked again. */
#ifndef HOST_HOST_WAIT_H
#define HOST_HOST_WAIT_H

#include <stdint.h>

struct buf;

enum host_wait {
    HOST_WAIT_UNKNOWN, /* an earlier process or another agent has set the moment */
    HOST_WAIT_DELAY,
    HOST_WAIT_CRAWL_DELAY,
    HOST_WAIT_BACKOFF, /* after a failure */
    HOST_WAIT_RETRY_AFTER,
    HOST_WAIT_ORIGIN,  /* an origin of the host does not answer, and no URL of another waits */
    HOST_WAIT_ADDRESS, /* its address has its requests, or was just asked */
    HOST_WAIT_BUDGET,  /* a limit of the crawl is used up, or is about to be */
    HOST_WAIT_GUEST,   /* its robots.txt redirects to a host that may not be asked yet */
    HOST_WAIT_CLUSTER, /* its former owner has not handed it over, or this agent may not ask now */
    HOST_WAIT_MEMBER,  /* the member of the pool that is to ask it has no room, or is not there */
};

/* "retry-after"; for JSON. */
const char *host_wait_key(enum host_wait why);

/* "back-off after 503 Service Unavailable"; nothing for HOST_WAIT_UNKNOWN. `code` is the result of
 * the last try: a status or enum fetch_code. */
void host_wait_print(enum host_wait why, int32_t code, struct buf *out);

#endif
