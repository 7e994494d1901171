/* SPDX-License-Identifier: Apache-2.0 */
/* dns_result: what was heard about a name's IPv4 and IPv6 addresses, made one result. */
#ifndef NET_DNS_RESULT_H
#define NET_DNS_RESULT_H

#include "net/dns_answer.h"

enum dns_family { DNS_V4, DNS_V6, DNS_FAMILIES };

enum dns_word {
    DNS_WORD_NONE, /* nothing yet */
    DNS_WORD_FOUND,
    DNS_WORD_NO_DATA, /* or not asked for */
    DNS_WORD_NO_NAME,
    DNS_WORD_FAILED,
    DNS_WORD_TIMEOUT,
    DNS_WORD_NOMEM, /* this process has no memory; it says nothing about the name */
};

struct dns_heard {
    enum dns_word word[DNS_FAMILIES];
    struct dns_answer answer[DNS_FAMILIES];
};

/* Makes one result of the answers for both families. The name is found if either family is. One
 * NXDOMAIN is enough for DNS_NO_NAME, because it speaks of the name. The result expires after the
 * TTL of the answers, clamped; after the shortest time allowed if a family that may have addresses
 * gave no clear answer; after failed_ms if it is a failure. IPv4 addresses come first. */
void dns_result_make(const struct dns_heard *heard, const struct dns_settings *s, uint64_t now_ms,
                     struct dns_result *ret);

/* Makes the families alternate; each keeps its own order. */
void dns_result_order(struct dns_result *r, bool v6_first);

#endif
