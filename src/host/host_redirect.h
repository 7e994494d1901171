/* SPDX-License-Identifier: Apache-2.0 */
/* host_redirect: where the robots.txt of an origin redirects to, while that is followed.
 *
 * Each redirect is followed in a turn of its own: of the host that has the robots.txt, and of the
 * host that it leads to (host_guest.h). Between two turns the URL is back in its queue, and the
 * record remembers the next one to ask for. It is stored with the record, so a wait for the other
 * host may outlast a restart, a move to another agent, and the host's time in memory. One origin of
 * a host is remembered; another one begins anew. */
#ifndef HOST_HOST_REDIRECT_H
#define HOST_HOST_REDIRECT_H

#include "host/host_record.h"

struct host_redirect {
    uint16_t port; /* of the origin; 0 = the scheme's own */
    bool is_https;
    uint8_t count; /* redirects so far */
    uint32_t url_bytes;
    char url[]; /* to be asked for next */
};

/* NULL: nothing is remembered of that origin. */
const struct host_redirect *host_redirect_of(const struct host_record *c, bool is_https,
                                             uint16_t port);

/* Without memory nothing is remembered. */
void host_redirect_set(struct host_record *c, bool is_https, uint16_t port, struct str url,
                       unsigned count);

/* It was followed to its end, or to a failure. */
void host_redirect_forget(struct host_record *c);

#endif
