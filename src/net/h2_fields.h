/* SPDX-License-Identifier: Apache-2.0 */
/* h2_fields: the head of a request as HTTP/2 says it (RFC 9113, 8.3.1).
 *
 *     GET /a HTTP/1.1          :method GET     :scheme https
 *     Host: x.test        ──►  :authority x.test     :path /a
 *     Accept: text/html        Accept text/html
 *     Connection: close
 *
 * What concerns the connection alone is left out: Connection and the fields it names, Keep-Alive,
 * Proxy-Connection, Transfer-Encoding, Upgrade, HTTP2-Settings, and TE unless it says "trailers".
 * Names keep their case; the sender writes them in lower case. */
#ifndef NET_H2_FIELDS_H
#define NET_H2_FIELDS_H

#include "base/str.h"

enum { H2_FIELDS_MOST = 64 };

struct h2_field {
    struct str name, value; /* of the request, or constants */
};

struct h2_fields {
    size_t count;
    struct h2_field at[H2_FIELDS_MOST];
};

/* RC_INVALID: no head of a request, or one without Host or with a folded field; RC_LIMIT: too many
 * fields. Then *ret is undefined. */
MUST_CHECK enum rc h2_fields_read(struct str request, struct h2_fields *ret);

#endif
