/* SPDX-License-Identifier: Apache-2.0 */
/* keep: what the crawl and the engine (net/http.h) tell each other about idle connections.
 *
 *     answer ─► done ─► the host goes back to the frontier ─► http_expect(): keep it until then
 *     which of the ready hosts is next? ─► http_is_warm(): asking it costs no handshake
 *
 * Both are hints. Without them a connection is kept for `keep_ms`; with them a host that is asked
 * again after a longer delay still has its connection, and one for which no URL waits gives it up
 * early. Neither changes when a host is asked, or how often. */
#ifndef NET_KEEP_H
#define NET_KEEP_H

#include "base/str.h"

struct http;

struct http_origin {
    struct str host; /* without port */
    uint16_t port;
    bool is_https;
};

/* The next request to that origin comes at `due_ms` of the loop's clock at the earliest. Whether
 * there will be one is certain, or not: no URL waits, but the page that was just read may bring
 * some. Called when a request has ended, `done` included. */
void http_expect(struct http *h, const struct http_origin *o, uint64_t due_ms, bool is_certain);

/* Whether a connection to that origin waits. It may turn out to be closed when it is used. */
bool http_is_warm(const struct http *h, const struct http_origin *o);

/* Whether one more request finds a descriptor now. Waiting costs less than a request that fails. */
bool http_has_room(const struct http *h);

/* How many connections an engine may have, of `descriptors` that the process may open and `engines`
 * that share them. A quarter is left to files and everything else, at least 256, but no more than
 * five eighths. */
uint64_t http_socket_share(uint64_t descriptors, unsigned engines);

#endif
