/* SPDX-License-Identifier: Apache-2.0 */
/* request: the head of an HTTP/1.1 request as a client sent it. Strict enough to be a witness: what
 * is not a request is refused, not guessed at. */
#ifndef WIRE_REQUEST_H
#define WIRE_REQUEST_H

#include "base/str.h"

enum { REQUEST_MAX_BYTES = 128 * 1024, REQUEST_MAX_HEADERS = 100 };

struct header {
    struct str name;
    struct str value; /* trimmed */
};

struct request {
    struct str method;
    struct str target; /* as on the request line; the path of an absolute form */
    struct str host;   /* of the Host header (or :authority), without the port, as sent */
    bool is_http10;
    bool keep_alive;
    bool is_proxied; /* the target was a whole URL: we are asked as a proxy, whatever the host */
    bool is_https;   /* these three are set by the connection */
    bool is_h2;
    struct str sni; /* absent without TLS or without SNI */
    struct header headers[REQUEST_MAX_HEADERS];
    uint32_t header_count;
    struct str raw; /* the whole head */
};

/* Reads one request head from the start of `bytes`. RC_AGAIN: no end of head yet; RC_INVALID,
 * RC_LIMIT: answer 400, 431 and close. *ret borrows from `bytes`; *ret_used is the head's length.
 */
MUST_CHECK enum rc request_read(struct str bytes, struct request *ret, size_t *ret_used);

/* The first header of that name (any case), or absent. */
struct str request_header(const struct request *r, struct str name);

/* Whether a comma-separated header lists the token, with no q=0 behind it. */
bool request_accepts(const struct request *r, struct str header, struct str token);

#endif
