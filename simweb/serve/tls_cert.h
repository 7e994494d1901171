/* SPDX-License-Identifier: Apache-2.0 */
/* tls_cert: keys and certificates, made as a client expects them (RFC 5280): EC P-256, SHA-256, a
 * random serial number, subject alternative names. */
#ifndef SERVE_TLS_CERT_H
#define SERVE_TLS_CERT_H

#include "base/str.h"

#include <openssl/x509.h>

enum { CERT_MAX_NAME = 253 };

/* A zeroed one is none. */
struct authority {
    X509 *cert;
    EVP_PKEY *key;
};

/* NULL without memory or chance. */
EVP_PKEY *key_make(void);

/* RC_NOMEM, or RC_OK and a new authority called `name`; on failure *a may be half built. */
MUST_CHECK enum rc authority_make(struct authority *a, const char *name);
void authority_done(struct authority *a);

struct leaf_wish {
    struct str name; /* a DNS name or an IPv4 address */
    EVP_PKEY *key;
    const struct authority *issuer; /* NULL: signed by its own key */
    bool is_expired;
};

/* NULL without memory or if the name fits in no certificate. */
X509 *leaf_make(const struct leaf_wish *wish);

#endif
