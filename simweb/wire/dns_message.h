/* SPDX-License-Identifier: Apache-2.0 */
/* dns_message: questions read, answers written (RFC 1035, EDNS0 of RFC 6891).
 *
 * A name in an answer is cut short by a pointer wherever it ends like the question's. Names in a
 * question may hold no pointer: there is nothing before them to point to. */
#ifndef WIRE_DNS_MESSAGE_H
#define WIRE_DNS_MESSAGE_H

#include "base/buf.h"

enum dns_type {
    DNS_A = 1,
    DNS_NS = 2,
    DNS_CNAME_RECORD = 5,
    DNS_SOA = 6,
    DNS_AAAA = 28,
    DNS_OPT = 41
};
enum dns_rcode {
    DNS_NOERROR = 0,
    DNS_FORMERR = 1,
    DNS_SERVFAIL_CODE = 2,
    DNS_NXDOMAIN_CODE = 3,
    DNS_NOTIMP = 4,
    DNS_REFUSED = 5
};
enum { DNS_MAX_NAME = 255, DNS_UDP_BYTES = 512, DNS_MAX_BYTES = 65535 };
enum { DNS_EDNS_BYTES = 4096, DNS_MAX_ADDITIONAL = 16 }; /* UDP with EDNS; records looked at */

struct dns_question {
    uint16_t id;
    bool recursion_desired;
    char name[DNS_MAX_NAME + 1]; /* lower case, dots between labels, none at the end */
    size_t name_bytes;
    uint16_t type;
    uint16_t class;
    uint16_t udp_bytes; /* the most it takes over UDP: 512, or what EDNS says (at most 4096) */
    bool has_edns;
    char wire[DNS_MAX_NAME]; /* the name as it was sent, which the answer repeats: clients compare
                                the case of its letters */
    size_t wire_bytes;       /* 0: not known, written anew from `name` */
};

/* RC_INVALID for anything that is no single question; nothing should be answered then. Labels that
 * hold a dot or a NUL are refused too: as text they would be another name. */
MUST_CHECK enum rc dns_question_read(struct str bytes, struct dns_question *ret);

/* An answer: begin, any number of records, end. From the first record that would exceed `max_bytes`
 * on all are left out and the TC bit is set. The question is borrowed until the end. Failures stick
 * in `out`; a name that is none (a label over 63 bytes) sticks there as RC_INVALID. */
struct dns_writer {
    struct buf *out;
    size_t start;
    size_t max_bytes;
    uint16_t answers;
    bool is_cut;
    uint16_t authorities;
    const struct dns_question *question;
};
void dns_begin(struct dns_writer *d, struct buf *out, const struct dns_question *q,
               enum dns_rcode rcode, size_t max_bytes);
void dns_a(struct dns_writer *d, struct str name, uint32_t ttl_s, uint32_t address);
void dns_aaaa(struct dns_writer *d, struct str name, uint32_t ttl_s, const uint8_t address[16]);
void dns_cname(struct dns_writer *d, struct str name, uint32_t ttl_s, struct str target);
/* The SOA that lets a negative answer be kept for ttl_s (RFC 2308); in the authority section. */
void dns_soa(struct dns_writer *d, struct str zone, uint32_t ttl_s);
void dns_end(struct dns_writer *d, const struct dns_question *q);

#endif
