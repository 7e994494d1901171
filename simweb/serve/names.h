/* SPDX-License-Identifier: Apache-2.0 */
/* names: the DNS server of the simulated web without its sockets: a question's bytes in, the
 * answer's bytes out, and when to send them.
 *
 * It answers for the zone `suffix` alone and refuses the rest. An ordinary host has one A record
 * with a TTL of 300 s and no AAAA; a host with a dns_mood (faults/mood.h) misbehaves by it. A chain
 * of CNAMEs goes over alias1.HOST, alias2.HOST, alias3.HOST, a loop over loop.HOST; those names can
 * be asked for too. */
#ifndef SERVE_NAMES_H
#define SERVE_NAMES_H

#include "base/buf.h"
#include "faults/mood.h"

#define NAMES_NEVER UINT64_MAX

enum names_limits {
    NAMES_TTL_S = 300,
    NAMES_NEGATIVE_TTL_S = 60,
    NAMES_MANY = 1000,           /* records of DNS_MANY */
    NAMES_MAX_COUNTED = 1 << 20, /* hosts whose queries are counted; later ones count as asked */
    NAMES_UNANSWERED = 0xffff,   /* what `saw` is told in place of an rcode when nothing is sent */
};

struct names_asks {
    /* How a host (lower case, no dot at the end) behaves and where it is; false: no such host. As
     * site_host(). */
    bool (*host)(void *ctx, struct str name, struct mood *ret_mood, uint32_t *ret_address);
    /* For the witness; may be NULL. */
    void (*saw)(void *ctx, struct str name, uint16_t type, uint16_t rcode);
    void *ctx;
};

struct names_settings {
    struct str suffix; /* "test"; copied */
    uint64_t slow_ms;  /* the delay of DNS_SLOW: the knobs' drip_ms */
    bool has_v6;       /* the server listens on ::1, so DNS_V6_TOO may name it */
};

struct names;

/* NULL without memory. */
struct names *names_open(const struct names_settings *s, struct names_asks asks);
void names_close(struct names *n);

/* Forgets who asked for what how often, as new (the control port's reset). */
void names_reset(struct names *n);

/* Appends the answer to `out` (over TCP without the two bytes of its length; at most DNS_MAX_BYTES)
 * and returns after how many ms it goes out: 0 = now. NAMES_NEVER: nothing is to be sent, and
 * nothing was appended; over TCP the connection stays open. */
uint64_t names_answer(struct names *n, struct str question, bool is_tcp, struct buf *out);

#endif
