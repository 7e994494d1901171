/* SPDX-License-Identifier: Apache-2.0 */
/* fetch_net: fetches one URL at a time and waits for it, for `orbweaver fetch`. */
#ifndef CLI_OPERATE_FETCH_NET_H
#define CLI_OPERATE_FETCH_NET_H

#include "base/arena.h"
#include "base/loop.h"
#include "fetch/decode.h"
#include "fetch/request.h"
#include "net/dns.h"
#include "net/http.h"

struct fetch_net_settings {
    struct str user_agent, contact;
    struct str resolver, ca_file;
    struct option_list allow_private;
    bool insecure;
    unsigned http; /* enum http_version (net/http.h) */
    uint64_t body_bytes;
};

struct fetch_net {
    struct loop loop;
    bool has_loop;
    struct arena *arena; /* of everything that is handed out */
    struct dns *dns;
    struct http *http;
    struct guard *guard;
    struct decoder *decoder;
    struct request_identity identity;
    uint64_t body_bytes;
    bool offers_h2; /* to the next, although `http` is auto */
};

/* The result of one request. */
struct fetched {
    enum dns_outcome dns;
    uint32_t found;         /* addresses that the name has */
    uint32_t address_count; /* of them: may be asked */
    struct address addresses[DNS_MAX_ADDRESSES];
    struct str request;
    bool was_asked;
    struct http_answer answer; /* its texts are in the arena */
    struct str text;           /* the body without its codings */
    struct decode_report decoded;
};

/* RC_INVALID, ... with `why`. */
MUST_CHECK enum rc fetch_net_open(struct fetch_net *n, const struct fetch_net_settings *s,
                                  struct arena *arena, struct buf *why);
void fetch_net_close(struct fetch_net *n); /* accepts a half-open one */

/* Resolves, asks, waits, decodes. A failure of the network is data; RC_NOMEM and RC_IO are of this
 * machine. */
MUST_CHECK enum rc fetch_net_get(struct fetch_net *n, const struct url *u, struct fetched *ret);

/* Waits for that time, without a request. */
void fetch_net_pause(uint64_t ms);

#endif
