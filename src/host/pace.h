/* SPDX-License-Identifier: Apache-2.0 */
/* pace: the arithmetic of politeness. From the end of a request follow its code in crawl.log,
 * whether the URL is asked for again, and how long the host is left alone.
 *
 * Time is handed in, and jitter comes from the caller's generator. host_turn.h tells where this
 * stands in the life of a host. */
#ifndef HOST_PACE_H
#define HOST_PACE_H

#include "base/rng.h"
#include "host/host_http.h"
#include "host/host_wait.h"
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
    FETCH_ORPHANED = -7002, /* each member of the pool that had it was lost with it */
    FETCH_ROBOTS = -9998,
};
const char *fetch_code_text(int code); /* "robots.txt forbids it"; of a status "404 Not Found" */

/* Retry-After (RFC 9110, 10.2.3): seconds, or any of HTTP's three dates seen from `wall_ms`. False:
 * it says nothing of use (past, 0, negative, garbage). At most `most_ms`. */
bool retry_after_read(struct str value, int64_t wall_ms, uint64_t most_ms, uint64_t *ret_wait_ms);

/* An HTTP date (IMF-fixdate, RFC 850, asctime) in milliseconds since 1970; RC_INVALID. */
MUST_CHECK enum rc http_date_read(struct str value, int64_t wall_ms, int64_t *ret_ms);

/* No host waits longer than this: a Retry-After is cut to it, and so is a moment that was read from
 * disk, so that a clock that jumped freezes no host. */
#define PACE_MOST_WAIT_MS (UINT64_C(24) * 3600 * 1000)

struct pace_settings {
    uint64_t delay_ms;            /* between two requests to a host */
    uint64_t delay_most_ms;       /* the longest Crawl-delay that is kept; 30 s */
    uint64_t backoff_ms;          /* after the first failure; doubles; 5 s */
    uint64_t backoff_most_ms;     /* 15 min */
    uint64_t retry_after_most_ms; /* PACE_MOST_WAIT_MS, or less */
    uint64_t tries;               /* of one URL; 4 */
    uint64_t host_failures; /* in a row, before the rest of the host's URLs are given up; 12 */
    bool drop_dead;         /* what is silent or gone gets one try */
};
extern const struct option pace_options[]; /* of struct pace_settings */

/* The least time between two requests to a host whose robots.txt asks for that Crawl-delay (0: for
 * none). */
uint64_t pace_delay_ms(const struct pace_settings *s, uint64_t crawl_delay_ms);

/* How a request ended. */
struct pace_end {
    enum dns_outcome dns; /* DNS_FOUND: it got as far as HTTP */
    enum http_outcome http;
    uint16_t status;
    bool has_retry_after;
    uint64_t retry_after_ms;
    bool is_useless;     /* an answer for robots.txt that says nothing of the rules, or not all */
    bool is_unasked_304; /* a 304, though the request had no condition */
    bool is_stranger;    /* nothing of the host has ever been had */
    struct host_http_end http_version;
    bool asks_other_version; /* of HTTP: host_http_asks_again() */
};

enum pace_next {
    PACE_DONE,  /* that is its result */
    PACE_AGAIN, /* ask for it again, after the wait */
    PACE_DEAD, /* its result, and the host's other URLs need not be tried: they get this code too */
};

struct pace_verdict {
    enum pace_next next;
    int code; /* the status, or enum fetch_code: of the try, or FETCH_RETRIES behind the last */
    uint64_t wait_ms;   /* how long the host is left alone, from now; never below the delay */
    uint32_t tries;     /* of the URL from now on: 0 unless PACE_AGAIN */
    uint32_t failures;  /* of the host in a row from now on */
    enum host_wait why; /* the reason of the wait */
    bool is_dropped;    /* without drop_dead it would be asked for again */
};

/* Why a URL was dropped, for people; `code` is that of the verdict. */
const char *pace_dropped_text(int code);

/* `tries` and `failures` are those before this end; `crawl_delay_ms` is robots.txt's, 0 = none.
 *
 *   end                              tries of a URL          code behind the last   wait, failures
 *   another version of HTTP is asked no end                                         the delay, same
 *   any answer but those below       1                       the status             the delay, 0
 *   304 without a condition          2                       FETCH_BROKEN           the delay, 0
 *   429, 5xx but 501 and 505; a      `tries`                 the status             back-off, + 1
 *   robots.txt that is useless
 *   timeout, closed                  `tries`                 FETCH_RETRIES          back-off, + 1
 *   no connection, DNS fails         `tries` of a stranger   FETCH_NO_CONNECT,      back-off, + 1
 *                                    (NXDOMAIN: 2), else     FETCH_NO_DNS: dead
 *                                    `host_failures`
 *   TLS fails or does not verify     1                       FETCH_NO_CONNECT       the delay, + 1
 *   the answer breaks HTTP's rules   2                       FETCH_BROKEN           the delay, same
 *   the guard refuses the address    1                       FETCH_BLOCKED          the delay, same
 *   trouble of our own               no end                                         back-off, same
 *
 * The back-off doubles with each failure in a row, with up to a quarter of jitter on top.
 * Retry-After of a 429 or 5xx takes its place. No wait is shorter than the delay or the
 * Crawl-delay.
 *
 * With `drop_dead` a URL gets one try where no server answers: timeout, closed, no connection, DNS
 * fails or knows no such name. Its code is that of the try (FETCH_TIMEOUT, FETCH_BROKEN, ...). The
 * host is dead at once if it is a stranger that no connection reaches, or if its name is gone. An
 * answer is an answer: 429 and 5xx ask for time and get their tries. Waits and failures are the
 * same, so nothing is asked for sooner.
 *
 * After `host_failures` of any kind in a row the host is dead. This URL and the host's others,
 * which are not asked any more, get the code FETCH_RETRIES (or FETCH_NO_DNS, FETCH_NO_CONNECT if
 * that was the last).
 */
struct pace_verdict pace_judge(const struct pace_settings *s, const struct pace_end *end,
                               uint32_t tries, uint32_t failures, uint64_t crawl_delay_ms,
                               struct rng *rng);

#endif
