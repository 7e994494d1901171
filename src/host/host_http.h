/* SPDX-License-Identifier: Apache-2.0 */
/* host_http: which version of HTTP a host is asked with, under `--http auto`.
 *
 *   HTTP_1_1 ── it refuses HTTP/1.1 ──► TRIAL ── an answer over HTTP/2 ──► HTTP_2
 *                                         │
 *                                         └── HTTP/2 is refused too ──► HTTP_1_1_ONLY
 *
 * A request that the server refuses because of its version is no result: the URL stays at the head
 * of its queue and is asked for in the host's next turn, after the usual delay, with h2 offered.
 * The engine sends no second request for that reason, so a host has one request at a time and each
 * of them counts as a try. Under TRIAL and HTTP_2 the server chooses between h2 and HTTP/1.1, so a
 * host with several origins needs one state only, and one that learns HTTP/1.1 later is asked well.
 *
 * What counts as a refusal is what says so, and nothing that may have another reason:
 *
 *   TLS alert no_application_protocol  the server speaks none of what ALPN offered (RFC 7301, 3.2)
 *   505 HTTP Version Not Supported     over TLS (RFC 9110, 15.6.6)
 *   426 Upgrade Required               over TLS, if its Upgrade names HTTP/2 or nothing (15.5.22)
 *
 * A connection that is closed or reset without an answer, another alert, and pages with 400, 403 or
 * 5xx have many reasons (load, filters, a URL): asking each such host twice would be a burden for
 * servers, and most answers would be the same. Without TLS there is no h2 here.
 *
 * Under TRIAL only what says that HTTP/2 is no better ends the trial: a refusal, or an answer that
 * breaks HTTP's rules. A connection that breaks off, a handshake that fails and silence have many
 * reasons. They are failures like any other, with their tries and back-off, and HTTP/2 is tried
 * again: otherwise one broken connection would cost all pages of the host.
 *
 * The state is in the host's record, so it outlives a restart and moves with the host to another
 * agent. A recrawl begins anew. Each arrow is gone once, so a refusal costs a host one request, and
 * a host that refuses HTTP/2 too costs two. */
#ifndef HOST_HOST_HTTP_H
#define HOST_HOST_HTTP_H

#include "net/http.h"

/* Numbers as stored. */
enum host_http {
    HOST_HTTP_1_1,
    HOST_HTTP_TRIAL,    /* it has refused HTTP/1.1, and has not answered since */
    HOST_HTTP_2,        /* it refuses HTTP/1.1 and answers over HTTP/2 */
    HOST_HTTP_1_1_ONLY, /* it refuses HTTP/1.1, and HTTP/2 was no better: a refusal is a result */
    HOST_HTTP_STATES_
};

/* The end of a request, as far as the version matters. Zeroed: it says nothing. */
struct host_http_end {
    enum http_outcome outcome;
    enum http_offer offer;
    bool is_h2;      /* answered over HTTP/2 */
    bool is_refusal; /* host_http_is_refusal() */
};

/* Whether the end refuses the version of HTTP that was spoken. */
bool host_http_is_refusal(const struct http_answer *a);
struct host_http_end host_http_end(const struct http_answer *a);

/* Whether the next request offers h2. */
static inline bool host_http_offers_h2(enum host_http h)
{
    return h == HOST_HTTP_TRIAL || h == HOST_HTTP_2;
}

/* What is known after the end. */
enum host_http host_http_next(enum host_http before, const struct host_http_end *end);

/* Whether the end is no result, because the URL is asked for again with the other version. */
bool host_http_asks_again(enum host_http before, const struct host_http_end *end);

#endif
