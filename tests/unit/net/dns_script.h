/* SPDX-License-Identifier: Apache-2.0 */
/* dns_script: a name server inside the test, on the test's own loop, that says what its rows say.
 */
#ifndef TESTS_UNIT_NET_DNS_SCRIPT_H
#define TESTS_UNIT_NET_DNS_SCRIPT_H

#include "base/buf.h"
#include "base/loop.h"

enum { DNS_RCODE_SERVFAIL = 2, DNS_RCODE_NXDOMAIN = 3, DNS_RCODE_REFUSED = 5 };

struct dns_row {
    const char *name; /* "*" is any; NULL ends the rows */
    unsigned rcode;
    uint32_t ttl_s;
    unsigned a, aaaa; /* how many of each: 10.0.0.1, 10.0.0.2, ... and fd00::1, ... */
    bool has_soa;
    uint32_t soa_ttl_s, soa_minimum_s;
    bool silent_a, silent_aaaa;
    bool lies_first; /* wrong id, wrong question and nonsense before the truth */
};

struct dns_script {
    struct watch watch;
    struct loop *loop;
    const struct dns_row *rows;
    uint16_t port;
    size_t seen;         /* questions */
    size_t seen_v6;      /* of them for AAAA */
    char last_name[256]; /* as it was asked for */
};

/* Asserts that it listens. */
void dns_script_begin(struct dns_script *s, struct loop *loop, const struct dns_row *rows);
void dns_script_end(struct dns_script *s);

/* Writing messages, for tests of the reader too. Names in dotted text; counts in the header are
 * added up. `flags` as in the header: 0x8180 and the rcode. */
void message_begin(struct buf *m, uint16_t id, unsigned flags);
void message_question(struct buf *m, const char *name, unsigned type);
void message_record(struct buf *m, const char *owner, unsigned type, uint32_t ttl_s,
                    struct str data);
void message_a(struct buf *m, const char *owner, uint32_t ttl_s, uint32_t v4);
void message_aaaa(struct buf *m, const char *owner, uint32_t ttl_s, uint8_t last);
void message_cname(struct buf *m, const char *owner, uint32_t ttl_s, const char *target);
void message_soa(struct buf *m, const char *owner, uint32_t ttl_s, uint32_t minimum_s);

#endif
