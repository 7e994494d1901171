/* SPDX-License-Identifier: Apache-2.0 */
/* certificate: an authority of our own, and the certificates that it signs for machines, as PEM.
 *
 * They serve one purpose: the servers of one cluster recognise each other by them. Keys are
 * P-256. */
#ifndef BUS_CERTIFICATE_H
#define BUS_CERTIFICATE_H

#include "base/buf.h"

enum { CERTIFICATE_MAX_BYTES = 16 << 10, CERTIFICATE_MAX_HOST_BYTES = 253 };

struct certificate {
    struct buf cert, key; /* PEM; the caller ends it with certificate_done */
};

void certificate_init(struct certificate *c);
void certificate_done(struct certificate *c); /* wipes the key */

/* An authority that signs itself, valid for 20 years. RC_NOMEM: libcrypto failed. */
MUST_CHECK enum rc certificate_authority(struct str name, struct certificate *ret);

/* A certificate for a machine, under the name that others use: a name or an IPv4 address (letters,
 * digits, '.', '-'; RC_INVALID). Valid for 10 years, for both ends of a connection. RC_INVALID also
 * if `authority` is none. */
MUST_CHECK enum rc certificate_for(const struct certificate *authority, struct str host,
                                   struct certificate *ret);

#endif
