/* SPDX-License-Identifier: Apache-2.0 */
/* host_turn: what to do with a host whose turn it is. Start here to learn how politeness works.
 *
 * This folder answers one question: when may a host be asked, and what for? It decides, and does
 * nothing else: no clock, no queue, no socket. Time, settings and the host's record are handed in,
 * and each answer is a plain value that a step of the crawl (src/steps) carries out.
 *
 * A host has one record (host_record.h) and, in the frontier, one queue of URLs and one moment
 * before which none of them is checked out. The frontier checks out one URL of a host at a time.
 * Permits (host_permit.h) do the same for what the frontier does not see, so a host has one open
 * request at most. The life of a checkout has four moments:
 *
 *                    ┌──────────────┐  the host's moment has come
 *      ┌────────────►│   waiting    │──────────────────────┐
 *      │             └──────────────┘                      ▼
 *      │ later                                  1  turn    host_turn_next()
 *      │◄──────────────────────────────────────────────────┤
 *      │                                                   ├── never: the result is a code ─┐
 *      │                                                   ▼                                │
 *      │                                        2  rules   host_robots_check()              │
 *      │                                                   ├── forbidden: a code ───────────┤
 *      │                                                   ▼                                │
 *      │ the address is busy                    3  permit  host_permit_take()               │
 *      │◄──────────────────────────────────────────────────┤                                │
 *      │                                                   ▼                                │
 *      │                                              the request                           │
 *      │                                                   ▼                                │
 *      │ again, last, or done                   4  end     host_judge(), host_end() ◄───────┘
 *      └───────────────────────────────────────────────────┘
 *
 *   1 turn    host_turn.h    Ask for the URL, for its origin's robots.txt first, for nothing yet,
 *                            or never again.
 *   2 rules   host_robots.h  The rules of the origin allow the path, or its result is a code. What
 *                            an answer for robots.txt means is there too.
 *   3 permit  host_permit.h  One request a host, and a few an address, over all shards.
 *   4 end     host_end.h     What the answer means for the URL, whose fault a failure is, what the
 *                            record says from now on, and when the host may be asked next. pace.h
 *                            has the arithmetic: delays, back-off, Retry-After, numbers of tries.
 *                            host_http.h says which version of HTTP the next request offers.
 *
 * A request goes to one address. If that refuses the connection, the URL goes back, and the next
 * turn asks another address (host_addresses.h); that is still one try. Within one request the engine
 * (net/http.h) may send the request again on a new connection when the server had closed the old
 * one before it had received the request, or when HTTP/2 failed.
 *
 * A place that has no records asks no host before the moment that host_begin.h says.
 *
 * A host may have several origins (a scheme and a port each). Robots rules belong to an origin. A
 * connection that fails is the fault of its origin if there are several, and the other origins are
 * asked meanwhile. Every other failure is the fault of the host. The life of an origin:
 *
 *     ┌──────────┐  a connection fails   ┌────────────┐  the last try, or too many    ┌──────────┐
 *     │   well   │──────────────────────►│ left alone │──────────────────────────────►│ given up │
 *     └──────────┘                       └────────────┘  failures in a row (pace.h)   └──────────┘
 *          ▲                                │      ▲                                    dead_code
 *          │              until next_ms ... │      │ it fails again, and waits longer
 *          │                                ▼      │
 *          │          an answer          ┌────────────┐
 *          └─────────────────────────────│  on trial  │  one URL is asked, the others wait
 *                                        └────────────┘
 *
 * A host with one origin goes the same way, with the record's own `failures`, and its queue's
 * moment for next_ms. The tries of each URL are its own (host_tries.h), whatever its origins do. */
#ifndef HOST_HOST_TURN_H
#define HOST_HOST_TURN_H

#include "host/host_record.h"

/* A checkout, as this folder sees it. */
struct host_request {
    struct host_record *record;
    struct str path; /* of the URL that is checked out */
    uint16_t port;   /* with is_https its origin; 0 = the scheme's own */
    bool is_https;
    bool has_several_origins; /* its host has more than this one */
    bool is_robots;           /* the request is for robots.txt, on behalf of the URL */
    bool is_elsewhere; /* robots.txt redirected: what fails there is not the origin's fault */
};

struct host_turn_settings {
    bool ignore_robots;
    uint64_t robots_fresh_ms; /* how long a robots.txt is used (RFC 9309, 2.4) */
    uint64_t robots_again_ms; /* the wait before one that fails is asked for again */
};

enum host_ask {
    HOST_ASK_PAGE,   /* the URL */
    HOST_ASK_ROBOTS, /* the robots.txt of its origin; the URL stays at the head of its queue */
    HOST_ASK_LATER,  /* nothing: the URL goes behind the others, and the host waits until due_ms */
    HOST_ASK_NEVER,  /* nothing: the host, or the origin, is given up, and the result is `code` */
};

struct host_turn {
    enum host_ask ask;
    uint64_t due_ms; /* of HOST_ASK_LATER; may be now: another URL of the host goes first */
    int code;        /* of HOST_ASK_NEVER */
};

/* `queued` is the number of URLs in the host's queue. Of the record, put_back and the trial of an
 * origin may change.
 *
 * Later: an origin that did not answer is left alone for a while, and has one URL on trial, so that
 * the tries of each URL are its own; the origin's other URLs wait for the result of the trial. Once
 * all of the queue was put back in turn the host itself waits for the origin's moment. If the URL
 * on trial was nowhere in the queue, this one takes its place. */
struct host_turn host_turn_next(const struct host_request *r, uint32_t queued,
                                const struct host_turn_settings *s, uint64_t now_ms,
                                int64_t wall_ms);

/* The code with which the host, or that origin of it, was given up; 0: it was not. */
int host_dead_code(const struct host_request *r);

/* Which URL of the origin it is, for host_origin.trial; never 0. */
uint64_t host_trial(struct str path);

#endif
