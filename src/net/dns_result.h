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
    DNS_WORD_NOMEM, /* our own trouble, not the name's */
};

struct dns_heard {
    enum dns_word word[DNS_FAMILIES];
    struct dns_answer answer[DNS_FAMILIES];
};

/* Found, if either family is; as NXDOMAIN is said of the name, one family's word is enough for
 * that. Until when it is good: what the answers say, clamped; the shortest time if a family that
 * may have addresses was not heard clearly; failed_ms for failures. Addresses stand IPv4 first. */
void dns_result_make(const struct dns_heard *heard, const struct dns_settings *s, uint64_t now_ms,
                     struct dns_result *ret);

/* Families by turns, each in its own order. */
void dns_result_order(struct dns_result *r, bool v6_first);

#endif
