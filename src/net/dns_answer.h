/* SPDX-License-Identifier: Apache-2.0 */
/* dns_answer: reads one answer of a name server (RFC 1035), which may be anything.
 *
 * Believed are the addresses of the name that was asked for, or of the last name of the chain of
 * CNAMEs that begins there, in whatever order the records stand; all else is passed over. A chain
 * in a circle, or longer than DNS_MAX_CHAIN, is nonsense, as is a message cut short. Work is
 * bounded by the message: each name is unfolded once, over at most DNS_MAX_JUMPS pointers. */
#ifndef NET_DNS_ANSWER_H
#define NET_DNS_ANSWER_H

#include "net/dns.h"
#include "net/dns_name.h"

enum { DNS_MAX_CHAIN = 16, DNS_MAX_JUMPS = 64 };

enum dns_answer_kind {
    DNS_ANSWER_FOUND,
    DNS_ANSWER_NO_DATA,  /* the name is there, such addresses are not */
    DNS_ANSWER_NO_NAME,  /* NXDOMAIN */
    DNS_ANSWER_REFUSED,  /* any other code */
    DNS_ANSWER_NONSENSE, /* no answer to that question */
};

struct dns_answer {
    enum dns_answer_kind kind;
    uint32_t
        ttl_s; /* the least of chain and addresses; of no data and no name, the SOA's (RFC 2308,
                  5), 0 without one. What has the highest bit set counts as 0 (RFC 2181, 8). */
    uint32_t count;
    struct address addresses[DNS_MAX_ADDRESSES]; /* the first of them, each once */
};

void dns_answer_read(struct str message, const struct dns_name *asked, bool is_v6,
                     struct dns_answer *ret);

#endif
