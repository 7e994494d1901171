/* SPDX-License-Identifier: Apache-2.0 */
/* address: IPv4 and IPv6 addresses, what kind each is, and which of them may be asked.
 *
 * The guard stands before every connection, on the address really connected to: for seeds, links,
 * redirects, robots.txt and sitemaps alike. Without --allow-private it lets only addresses through
 * that the whole internet can reach. An IPv4 address inside an IPv6 one (mapped, NAT64, 6to4,
 * Teredo) is judged as that IPv4 address. */
#ifndef NET_ADDRESS_H
#define NET_ADDRESS_H

#include "base/buf.h"
#include "base/options.h"

struct address {
    uint8_t bytes[16]; /* IPv4: the first four */
    bool is_v6;
};

enum { ADDRESS_TEXT_BYTES = 46 };

enum address_kind {
    ADDRESS_PUBLIC,
    ADDRESS_LOOPBACK,    /* 127.0.0.0/8, ::1 */
    ADDRESS_PRIVATE,     /* RFC 1918, unique local, shared (100.64.0.0/10) */
    ADDRESS_LINK_LOCAL,  /* 169.254.0.0/16, where clouds keep metadata; fe80::/10 */
    ADDRESS_UNSPECIFIED, /* 0.0.0.0/8, :: */
    ADDRESS_MULTICAST,
    ADDRESS_RESERVED, /* documentation, benchmarking, future use, broadcast, discard (RFC 6890) */
    ADDRESS_PLATFORM, /* a cloud answers its own machines here; no registry marks it */
    ADDRESS_KINDS_
};
const char *address_kind_name(enum address_kind kind); /* "loopback" */

/* Dotted IPv4, or IPv6 with or without brackets; nothing else: no zone, no octal. RC_INVALID. */
MUST_CHECK enum rc address_read(struct str text, struct address *ret);
void address_print(const struct address *a, struct buf *out);
bool address_eq(const struct address *a, const struct address *b);

/* The kind of an address. An IPv6 address with an IPv4 address inside has the kind of that one. */
enum address_kind address_kind(const struct address *a);

/* Addresses of the same group count as one server for politeness: an IPv4 address, or the /64 of an
 * IPv6 address. */
uint64_t address_group(const struct address *a);

struct guard;

/* The guard lets public addresses through, and those in `allow`: CIDRs ("127.1.0.0/16", "fd00::/8",
 * one address), or "all". RC_INVALID: `why` names the item. */
MUST_CHECK enum rc guard_open(const struct option_list *allow, struct guard **ret, struct buf *why);
void guard_close(struct guard *g);
bool guard_allows(const struct guard *g, const struct address *a);

/* Ports that are never crawled: those that the Fetch Standard blocks, and 0. */
bool port_is_bad(uint16_t port);

#endif
