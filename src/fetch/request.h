/* SPDX-License-Identifier: Apache-2.0 */
/* request: the head of a GET request, as it is sent and recorded: one fixed list of fields. */
#ifndef FETCH_REQUEST_H
#define FETCH_REQUEST_H

#include "base/arena.h"
#include "base/buf.h"
#include "url/url.h"

struct request_identity {
    struct str user_agent; /* "orbweaver/0.1.0 (+https://…)": made by identity_make() */
    struct str from;       /* a mail address, or absent */
    struct str encodings;  /* of Accept-Encoding; absent: REQUEST_ENCODINGS */
};
#define REQUEST_ENCODINGS "gzip, deflate, br, zstd"

/* The User-Agent value out of the name that robots.txt is read for, and the contact: a URL or mail
 * address in brackets behind a "+". RC_INVALID: something a header may not hold; `why`. */
MUST_CHECK enum rc identity_make(struct str user_agent, struct str contact, struct arena *arena,
                                 struct request_identity *ret, struct buf *why);

/* Appends the request: GET target, Host, User-Agent, From, Accept, Accept-Language,
 * Accept-Encoding; If-None-Match and If-Modified-Since where given; Connection
 * is left to HTTP/1.1's default. Values with CR, LF or NUL are left out. */
struct request_condition {
    struct str etag, last_modified; /* as the server said them; absent = none */
};
void request_write(struct buf *out, const struct url *u, const struct request_identity *identity,
                   const struct request_condition *condition);

/* The product token that robots.txt is asked about: the letters, '-' and '_' that the user agent
 * begins with ("orbweaver" of "orbweaver/0.1"). Borrowed. */
struct str request_robots_token(struct str user_agent);

#endif
