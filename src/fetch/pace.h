/* SPDX-License-Identifier: Apache-2.0 */
/* pace: how an ended fetch tells when its host may be asked again, and whether for the same URL.
 *
 * Pure arithmetic: time is handed in, jitter comes from the caller's generator. What a fetch ended
 * as becomes one of the codes of crawl.log (docs: shared formats), a decision, and a moment. */
#ifndef FETCH_PACE_H
#define FETCH_PACE_H

#include "base/rng.h"
#include "net/dns.h"
#include "net/http.h"

/* Below zero in crawl.log, as Heritrix has them. */
enum fetch_code {
    FETCH_NO_DNS = -1,
    FETCH_NO_CONNECT = -2,
    FETCH_BROKEN = -3,
    FETCH_TIMEOUT = -4,
    FETCH_RETRIES = -8, /* given up after the last try */
    FETCH_NO_ROBOTS = -61,
    FETCH_TOO_DEEP = -4001,
    FETCH_OUT_OF_SCOPE = -5000,
    FETCH_BLOCKED = -5001, /* the address guard, a bad port */
    FETCH_QUOTA = -5003,
    FETCH_ROBOTS = -9998,
};
const char *fetch_code_text(int code); /* "robots.txt forbids it"; of a status "404 Not Found" */

/* Retry-After (RFC 9110, 10.2.3): seconds, or any of HTTP's three dates seen from `wall_ms`. False:
 * it says nothing of use (past, 0, negative, garbage). At most `most_ms` (F36). */
bool retry_after_read(struct str value, int64_t wall_ms, uint64_t most_ms, uint64_t *ret_wait_ms);

/* An HTTP date (IMF-fixdate, RFC 850, asctime) in milliseconds since 1970; RC_INVALID. */
MUST_CHECK enum rc http_date_read(struct str value, int64_t wall_ms, int64_t *ret_ms);

struct pace_settings {
    uint64_t delay_ms;            /* between two requests to a host */
    uint64_t delay_most_ms;       /* the longest Crawl-delay that is kept; 30 s */
    uint64_t backoff_ms;          /* after the first failure; doubles; 5 s */
    uint64_t backoff_most_ms;     /* 15 min */
    uint64_t retry_after_most_ms; /* 24 h */
    uint64_t tries;               /* of one URL; 4 */
    uint64_t host_failures; /* in a row, before the rest of the host's URLs are given up; 12 */
};
extern const struct option pace_options[]; /* of struct pace_settings */

/* How a fetch ended, of which http_outcome and status are all that matters here. */
struct pace_end {
    enum dns_outcome dns; /* DNS_FOUND: it got as far as HTTP */
    enum http_outcome http;
    uint16_t status;
    bool has_retry_after;
    uint64_t retry_after_ms;
    bool is_unasked_304; /* F92 */
    bool is_stranger;    /* nothing of the host has ever been had */
};

enum pace_next {
    PACE_DONE,  /* that is its result */
    PACE_AGAIN, /* ask for it again, after the wait */
    PACE_DEAD, /* its result, and the host's other URLs need not be tried: they get this code too */
};

struct pace_verdict {
    enum pace_next next;
    int code; /* the status, or enum fetch_code: of the try, or FETCH_RETRIES behind the last */
    uint64_t wait_ms;  /* the host is left alone so long from now; never below the delay */
    uint32_t tries;    /* of the URL from now on: 0 unless PACE_AGAIN */
    uint32_t failures; /* of the host in a row from now on */
};

/* `tries` and `failures` are those before this end; `crawl_delay_ms` is robots.txt's, 0 = none.
 *
 * Done: any answer below 500 but 429; 304; what breaks HTTP's rules (a second try would not mend
 * it) gets one more try, as a 304 that nobody asked for does: then FETCH_BROKEN. Again: 429 and 5xx
 * but 501 and 505, timeouts, closed, each up to `tries`: the last answer is then the result, or
 * FETCH_RETRIES; no connection and DNS that failed up to `tries` of a stranger (NXDOMAIN: twice),
 * up to `host_failures` of a host that has answered before. TLS that does not verify is done at
 * once (FETCH_NO_CONNECT). HTTP_FAILED is our own trouble: again, and counted against nobody.
 * HTTP_REFUSED_ADDRESS: FETCH_BLOCKED, done. Waits double with `failures`, up to a quarter of
 * jitter on top; Retry-After of 429 and 5xx stands in their place. An answer that is no failure
 * sets `failures` to 0; what breaks HTTP's rules and TLS cost no more than the delay, the former is
 * not counted either.
 *
 * Dead: nobody is there, for the last time (FETCH_NO_DNS, FETCH_NO_CONNECT), or `host_failures` of
 * any kind in a row (FETCH_RETRIES, whatever the last one was: the others were not asked for). */
struct pace_verdict pace_judge(const struct pace_settings *s, const struct pace_end *end,
                               uint32_t tries, uint32_t failures, uint64_t crawl_delay_ms,
                               struct rng *rng);

#endif
