/* SPDX-License-Identifier: Apache-2.0 */
/* tls_ca: the certificate authority of the simulated web, and the certificates it gives.
 *
 * ca.pem and ca.key are made once in the folder: EC P-256, ten years, the key readable by its owner
 * alone. A folder with a key and no certificate is one whose making was cut short: both are made
 * anew, since nobody can trust a certificate that never was. Certificates for names are made on
 * demand, share one key that lives as long as the process, and are kept: the `most_kept` that were
 * asked for last. The dates are the real clock's: clients look at theirs. */
#ifndef SERVE_TLS_CA_H
#define SERVE_TLS_CA_H

#include "base/str.h"

#include <openssl/x509.h>

enum leaf_kind {
    LEAF_GOOD,
    LEAF_EXPIRED,
    LEAF_WRONG_HOST,  /* for another name */
    LEAF_SELF_SIGNED, /* by the leaf's own key */
    LEAF_UNKNOWN_CA,  /* by an authority that nobody has ever seen; a new one each run */
    LEAF_KINDS_
};

struct tls_ca;

/* Failures as of tls_open. `most_kept` is at least 1. */
MUST_CHECK enum rc tls_ca_open(const char *folder, uint32_t most_kept, struct tls_ca **ret);
void tls_ca_close(struct tls_ca *ca);

/* The certificate for a DNS name or an IPv4 address as text; borrowed until the next call. NULL
 * without memory, or for a name no certificate can hold. */
X509 *tls_ca_leaf(struct tls_ca *ca, enum leaf_kind kind, struct str name);

/* The key of all of them. */
EVP_PKEY *tls_ca_leaf_key(const struct tls_ca *ca);

/* How many are kept now, for tests. */
uint32_t tls_ca_kept(const struct tls_ca *ca);

#endif
