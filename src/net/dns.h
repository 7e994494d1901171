/* SPDX-License-Identifier: Apache-2.0 */
/* dns: names to addresses, without blocking, with a cache. c-ares stands behind this header.
 *
 * One a shard: the channel, its sockets and its cache belong to the shard's loop. A question for a
 * name that is being asked already joins it. Positive answers are kept for their TTL, clamped;
 * negative ones (NXDOMAIN, no data) for the SOA's, clamped; failures (SERVFAIL, timeout) for a
 * short while, so that a dead server is not asked for every URL. The cache is bounded; the least
 * recently used go first. Names that are addresses (as URLs write them) are answered at once.
 *
 * Names are absolute: no search domain is ever added. With the system's resolver /etc/hosts, read
 * when the dns is opened, comes first, and what ends in "localhost" is this machine (RFC
 * 6761, 6.3); a resolver that the operator named is asked for everything. A and AAAA are asked for
 * together; once one of them is there, dns waits for the other only as long as one try takes. */
#ifndef NET_DNS_H
#define NET_DNS_H

#include "base/loop.h"
#include "net/address.h"

enum { DNS_MAX_ADDRESSES = 8, DNS_MAX_OPEN = 1 << 16 };

enum dns_outcome {
    DNS_FOUND,
    DNS_NO_NAME, /* NXDOMAIN, or neither A nor AAAA */
    DNS_FAILED,  /* SERVFAIL, refused, nonsense */
    DNS_TIMEOUT,
};

struct dns_result {
    enum dns_outcome outcome;
    uint64_t until_ms; /* the loop's clock: it is good until then */
    uint32_t count;
    struct address addresses[DNS_MAX_ADDRESSES]; /* in the order to try: IPv4 and IPv6 by turns, the
                                                    first family first that last worked */
};

struct dns_settings {
    struct str resolver; /* "127.0.0.1:8053", several with commas; absent = the system's */
    uint64_t timeout_ms; /* of one try */
    uint64_t tries;
    uint64_t ttl_least_ms; /* clamps: 60 s and 24 h */
    uint64_t ttl_most_ms;
    uint64_t failed_ms;   /* how long a failure is kept */
    uint64_t cache_names; /* most */
    bool no_v6;           /* ask for A alone */
};
extern const struct option dns_options[];

struct dns;

MUST_CHECK enum rc dns_open(struct loop *loop, const struct dns_settings *s, struct dns **ret,
                            struct buf *why);
void dns_close(struct dns *d); /* no query is waiting */

/* In the caller's memory until done or cancelled. */
struct dns_query {
    void (*done)(struct dns_query *q, const struct dns_result *r);
    struct dns_query *next; /* dns's own, with the next */
    void *waiting;
};

/* Asks; `done` is called exactly once, from here if the answer is known, else from the loop.
 * RC_NOMEM, RC_INVALID (no host name) and RC_LIMIT (DNS_MAX_OPEN names are being asked for): it is
 * not called. From `done` the dns may be asked, not closed. */
MUST_CHECK enum rc dns_ask(struct dns *d, struct str name, struct dns_query *q);
void dns_cancel(struct dns *d, struct dns_query *q);

/* A connection to `a` came about: its family goes first from now on. At the beginning it is IPv4.
 */
void dns_worked(struct dns *d, const struct address *a);

/* Forgets a name (its address refused us); the next question asks again. */
void dns_forget(struct dns *d, struct str name);

struct dns_counts {
    uint64_t asked, from_cache, joined;       /* calls of dns_ask */
    uint64_t found, no_name, failed, timeout; /* what the servers said */
    uint32_t names;                           /* in the cache */
    uint32_t open;                            /* names being asked for */
};
struct dns_counts dns_counts(const struct dns *d);

#endif
