/* SPDX-License-Identifier: Apache-2.0 */
#include "net/keep.h"

#include "net/exchange.h"

enum { REST_LEAST = 256 };

void http_expect(struct http *h, const struct http_origin *o, uint64_t due_ms, bool is_certain)
{
    pool_expect(&h->pool, o, due_ms, is_certain);
}

bool http_is_warm(const struct http *h, const struct http_origin *o)
{
    return pool_has(&h->pool, o);
}

bool http_has_room(const struct http *h)
{
    uint64_t most = h->settings.sockets_most;
    return !most || h->counts.running < most;
}

uint64_t http_socket_share(uint64_t descriptors, unsigned engines)
{
    uint64_t others = descriptors / 8 * 5, quarter = descriptors / 4;
    others = others < REST_LEAST ? others : REST_LEAST;
    others = others > quarter ? others : quarter;
    uint64_t share = (descriptors - others) / (engines ? engines : 1);
    return share ? share : 1;
}
