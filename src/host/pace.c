/* SPDX-License-Identifier: Apache-2.0 */
#include "host/pace.h"

#include "base/options.h"

enum { NO_NAME_TRIES = 2, BROKEN_TRIES = 2 };

#define DURATION(field, key, def, help) \
    OPTION_DURATION_ROW(struct pace_settings, field, key, def, help, .live = true)
#define COUNT(field, key, def, help) \
    OPTION_COUNT_ROW(struct pace_settings, field, key, def, help, .min = 1, .live = true)

const struct option pace_options[] = {
    DURATION(delay_ms, "delay", "1s", "least time between two requests to a host"),
    DURATION(delay_most_ms, "delay-most", "30s", "longest Crawl-delay of robots.txt that is kept"),
    DURATION(backoff_ms, "backoff", "5s", "how long a host is left alone after a failure; doubles"),
    DURATION(backoff_most_ms, "backoff-most", "15m", "where doubling ends"),
    OPTION_DURATION_ROW(struct pace_settings, retry_after_most_ms, "retry-after-most", "24h",
                        "longest time that a server may ask for by Retry-After",
                        .max = PACE_MOST_WAIT_MS, .live = true),
    COUNT(tries, "tries", "4", "how often a URL is asked for, at most"),
    COUNT(host_failures, "host-failures", "12",
          "failures in a row after which a host's other URLs are given up"),
    OPTION_BOOL_ROW(struct pace_settings, drop_dead, "drop-dead", "no",
                    "ask once, and not again, for what does not answer or is gone", .live = true),
    {0},
};

/* What an end means by itself, before earlier tries and failures count. */
struct meaning {
    int code;
    uint64_t tries;    /* that a URL gets for such ends; 1: done at once */
    int last_code;     /* behind the last of several; 0: as `code` */
    bool is_failure;   /* of the host: counted, and it is left alone for longer */
    bool is_good;      /* the host is well: what was counted is forgotten */
    bool is_ours;      /* our own trouble: neither a try nor a failure */
    bool ends_host;    /* no server is there: the last try is the end of the host */
    bool takes_longer; /* waits as after a failure */
    bool is_silent;    /* no server answers, or there is no such name */
};

static struct meaning again(int code, uint64_t tries)
{
    return (struct meaning){
        .code = code,
        .tries = tries,
        .last_code = FETCH_RETRIES,
        .is_failure = true,
        .takes_longer = true,
    };
}

static struct meaning silent(int code, uint64_t tries)
{
    struct meaning m = again(code, tries);
    m.is_silent = true;
    return m;
}

/* No server is there. A host that has answered before may come back, and its URLs wait for that; a
 * stranger is given up with its first URL. */
static struct meaning absent(const struct pace_settings *s, const struct pace_end *end, int code,
                             uint64_t tries)
{
    struct meaning m = silent(code, end->is_stranger ? tries : s->host_failures);
    m.last_code = 0;
    m.ends_host = true;
    return m;
}

/* The server has not said what was asked for, and may do so later. If a useless robots.txt were none
 * of these, each URL of the host would ask for it once. */
static bool is_busy(const struct pace_end *end)
{
    uint16_t status = end->status;
    return end->is_useless || status == 429 ||
           (status >= 500 && status < 600 && status != 501 && status != 505);
}

static struct meaning mean_answer(const struct pace_settings *s, const struct pace_end *end)
{
    if (end->is_unasked_304)
        return (struct meaning){
            .code = 304, .tries = BROKEN_TRIES, .last_code = FETCH_BROKEN, .is_good = true};
    if (is_busy(end)) { /* the last of them is the page's answer */
        struct meaning m = again(end->status, s->tries);
        m.last_code = 0;
        return m;
    }
    return (struct meaning){.code = end->status, .tries = 1, .is_good = true};
}

static struct meaning mean_http(const struct pace_settings *s, const struct pace_end *end)
{
    switch (end->http) {
    case HTTP_WHOLE:
    case HTTP_UNWANTED:
    case HTTP_TRUNCATED:
        return mean_answer(s, end);
    case HTTP_REFUSED_ADDRESS:
        return (struct meaning){.code = FETCH_BLOCKED, .tries = 1};
    case HTTP_NO_CONNECT:
        return absent(s, end, FETCH_NO_CONNECT, s->tries);
    case HTTP_NO_TLS: /* the server is there, so a longer wait would not help */
        return (struct meaning){.code = FETCH_NO_CONNECT, .tries = 1, .is_failure = true};
    case HTTP_TIMEOUT:
        return silent(FETCH_TIMEOUT, s->tries);
    case HTTP_CLOSED:
        return silent(FETCH_BROKEN, s->tries);
    case HTTP_NOT_HTTP: /* of one page, not of the host: its others may be well */
        return (struct meaning){.code = FETCH_BROKEN, .tries = BROKEN_TRIES};
    default:
        return (struct meaning){.code = FETCH_BROKEN, .is_ours = true, .takes_longer = true};
    }
}

static struct meaning mean(const struct pace_settings *s, const struct pace_end *end)
{
    if (end->dns == DNS_FOUND && end->asks_other_version) /* host_http.h limits how often */
        return (struct meaning){.code = mean_http(s, end).code, .tries = UINT64_MAX};
    if (end->dns == DNS_FOUND)
        return mean_http(s, end);
    return absent(s, end, FETCH_NO_DNS, end->dns == DNS_NO_NAME ? NO_NAME_TRIES : s->tries);
}

/* One try is the last. A host that has answered before is not given up for one URL, unless its name
 * is gone. */
static void drop(struct meaning *m, const struct pace_end *end)
{
    m->tries = 1;
    m->last_code = 0;
    m->ends_host = m->ends_host && (end->is_stranger || end->dns == DNS_NO_NAME);
}

const char *pace_dropped_text(int code)
{
    switch (code) {
    case FETCH_NO_DNS:
        return "its name has no address; dropped at once (--drop-dead)";
    case FETCH_NO_CONNECT:
        return "no connection; dropped at once (--drop-dead)";
    case FETCH_TIMEOUT:
        return "no answer in time; dropped at once (--drop-dead)";
    default:
        return "the answer broke off; dropped at once (--drop-dead)";
    }
}

uint64_t pace_delay_ms(const struct pace_settings *s, uint64_t crawl_delay_ms)
{
    uint64_t asked = crawl_delay_ms < s->delay_most_ms ? crawl_delay_ms : s->delay_most_ms;
    return asked > s->delay_ms ? asked : s->delay_ms;
}

/* Doubled for every failure behind the first, with up to a quarter on top, so that hosts that went
 * away together do not come back together. */
static uint64_t backoff_of(const struct pace_settings *s, uint32_t failures, struct rng *rng)
{
    uint64_t wait = s->backoff_ms;
    for (uint32_t i = 1; i < failures && wait && wait < s->backoff_most_ms; i++)
        wait = wait > s->backoff_most_ms / 2 ? s->backoff_most_ms : wait * 2;
    if (wait > s->backoff_most_ms)
        wait = s->backoff_most_ms;
    return wait + rng_below(rng, wait / 4 + 1);
}

static uint64_t wait_of(const struct pace_settings *s, const struct pace_end *end,
                        const struct meaning *m, uint32_t failures, uint64_t delay_ms,
                        struct rng *rng)
{
    uint64_t wait = m->takes_longer ? backoff_of(s, m->is_ours ? 1 : failures, rng) : 0;
    if (m->is_failure && end->has_retry_after && is_busy(end)) {
        wait = end->retry_after_ms;
        if (wait > s->retry_after_most_ms)
            wait = s->retry_after_most_ms;
    }
    return wait > delay_ms ? wait : delay_ms;
}

static enum host_wait why_of(const struct pace_settings *s, const struct pace_end *end,
                             const struct meaning *m, uint64_t wait_ms, uint64_t delay_ms)
{
    if (wait_ms > delay_ms)
        return m->is_failure && end->has_retry_after && is_busy(end) ? HOST_WAIT_RETRY_AFTER
                                                                     : HOST_WAIT_BACKOFF;
    return delay_ms > s->delay_ms ? HOST_WAIT_CRAWL_DELAY : HOST_WAIT_DELAY;
}

static bool has_more(const struct meaning *m, uint32_t tries)
{
    return tries < UINT32_MAX && tries + 1 < m->tries;
}

struct pace_verdict pace_judge(const struct pace_settings *s, const struct pace_end *end,
                               uint32_t tries, uint32_t failures, uint64_t crawl_delay_ms,
                               struct rng *rng)
{
    struct meaning m = mean(s, end);
    bool drops = s->drop_dead && m.is_silent && has_more(&m, tries);
    if (drops)
        drop(&m, end);
    struct pace_verdict v = {.code = m.code, .failures = m.is_good ? 0 : failures};
    if (m.is_failure && failures < UINT32_MAX)
        v.failures++;
    v.wait_ms = wait_of(s, end, &m, v.failures, pace_delay_ms(s, crawl_delay_ms), rng);
    v.why = why_of(s, end, &m, v.wait_ms, pace_delay_ms(s, crawl_delay_ms));
    if (m.is_ours) {
        v.next = PACE_AGAIN;
        v.tries = tries;
    } else if (m.is_failure && v.failures >= s->host_failures) {
        v.next = PACE_DEAD;
        v.code = m.ends_host ? m.code : FETCH_RETRIES;
    } else if (has_more(&m, tries)) {
        v.next = PACE_AGAIN;
        v.tries = tries + 1;
    } else {
        v.next = m.ends_host ? PACE_DEAD : PACE_DONE;
        v.is_dropped = drops;
        if (m.last_code)
            v.code = m.last_code;
    }
    return v;
}
