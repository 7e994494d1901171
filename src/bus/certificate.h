/* SPDX-License-Identifier: Apache-2.0 */
/* certificate: an authority of our own, and certificates that it gives to machines, as PEM.
 *
 * They serve one purpose: servers of one cluster know each other by them. Keys are P-256. */
#ifndef BUS_CERTIFICATE_H
#define BUS_CERTIFICATE_H

#include "base/buf.h"

enum { CERTIFICATE_MAX_BYTES = 16 << 10, CERTIFICATE_MAX_HOST_BYTES = 253 };

struct certificate {
    struct buf cert, key; /* PEM; the caller's, ended with certificate_done */
};

void certificate_init(struct certificate *c);
void certificate_done(struct certificate *c); /* forgets the key */

/* An authority that signs itself, good for 20 years. RC_NOMEM: libcrypto refused. */
MUST_CHECK enum rc certificate_authority(struct str name, struct certificate *ret);

/* For a machine, as others call it: a name or an IPv4 address (letters, digits, '.', '-';
 * RC_INVALID). Good for 10 years, for both ends of a connection. RC_INVALID too if `authority` is
 * none. */
MUST_CHECK enum rc certificate_for(const struct certificate *authority, struct str host,
                                   struct certificate *ret);

#endif
