/* SPDX-License-Identifier: Apache-2.0 */
/* witness: what the crawler did, by what the server saw.
 *
 * Per URL how often it was fetched; per host and per address how many requests were open at once,
 * the smallest gaps from start to start and from end to start, requests during a back-off that was
 * asked for, requests to what robots.txt forbids; per fault every request (up to a limit), for the
 * judge.
 *
 * A start is stamped after the read that completed the request, an end before the last write of the
 * answer: what the machine delays only widens the gap from end to start and narrows an overlap, so
 * the witness never accuses falsely. (From start to start it may widen or narrow it.) One thread.
 */
#ifndef WITNESS_WITNESS_H
#define WITNESS_WITNESS_H

#include "witness/sight.h"

enum witness_limits {
    WITNESS_MAX_HOSTS = 4 * 1000 * 1000,
    WITNESS_MAX_URLS = 64 * 1000 * 1000,
    WITNESS_MAX_SIGHTS = 1000 * 1000, /* of all faults; later ones are counted, not kept */
};

struct witness;

/* `keep_urls`: remember every URL's text, not only its count. NULL without memory. */
struct witness *witness_open(bool keep_urls);
void witness_close(struct witness *w);

/* Forgets everything, as new; requests that are open are forgotten too. */
void witness_reset(struct witness *w);

struct witness_request {
    struct str host; /* lower case, without port */
    struct str url;  /* whole, as the witness should print it */
    uint32_t address;
    uint64_t connection; /* a number never used for another */
    uint32_t nth_on_conn;
    bool is_resumed;   /* the connection resumed a TLS session */
    bool is_forbidden; /* robots.txt said no to it, to everybody */
    bool is_robots;    /* it is robots.txt: counted apart, politeness holds all the same */
    uint32_t delay_ms; /* of robots.txt: the Crawl-delay its answer will ask for, 0 = none */
    unsigned facts;
    const struct fault *fault; /* NULL on the ordinary web */
    struct str label;
    struct str path;
    bool is_pipelined;      /* sent before the answer before it, on the same connection … */
    bool is_pipelined_host; /* … and that was the same host's */
};

/* A request begins. The result names it until witness_end; 0 when memory ran out (then counted in
 * the report as missed). Everything is copied. */
uint64_t witness_start(struct witness *w, const struct witness_request *r, uint64_t now_us);

/* And ends. `backoff_ms`: its answer asked the host to be left alone that long, 0 if not; it counts
 * from the start of the request (see backoff_until_us). */
void witness_end(struct witness *w, uint64_t ticket, uint64_t now_us, uint16_t status,
                 uint64_t bytes, enum sight_end end, uint64_t backoff_ms);

/* How often a URL, or anything of a host, was asked for so far. */
uint32_t witness_url_count(const struct witness *w, struct str url);
uint32_t witness_host_count(const struct witness *w, struct str host);

/* A DNS query, for the report: by name, type and what was answered. */
void witness_dns(struct witness *w, struct str name, uint16_t type, uint16_t rcode);

/* All requests to one fault, in the order they started; borrowed until the next call. Ones still
 * open have end_us 0. */
const struct sight *witness_sights(const struct witness *w, const struct fault *f,
                                   uint32_t *ret_count);

#endif
