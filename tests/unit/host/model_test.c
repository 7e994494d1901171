/* SPDX-License-Identifier: Apache-2.0 */
/* A model of politeness: two hosts of up to three origins each, random answers, clocks and
 * restarts.
 *
 *   the crawler   carries out what host/ decides, as the steps of the crawl do; it decides nothing
 *   the web       draws what an origin answers
 *   the oracle    knows the rules in its own words, and never looks at a record: it sees requests
 *                 begin and end, and says which must not have been sent, or sent so early, or given
 *                 up, or kept waiting
 *
 * The main rule is the oracle's count of each URL's own tries: whatever the other URLs of the host
 * do, and whichever of its origins fails or answers meanwhile, the settings bound them.
 *
 * Model time goes on for ever; a restart gives the crawler a new clock that counts from elsewhere.
 * Each run has a seed of its own, and a run that fails prints it. */
#include "host/host_end.h"
#include "host/host_permit.h"
#include "host/host_robots.h"
#include "lib/test.h"

#include "base/mem.h"

#include <stdio.h>

enum {
    RUNS = TEST_IS_EMULATED    ? 100
           : TEST_IS_SANITIZED ? 1000
                               : 10000,
    EVENTS_MOST = 400, /* of a run, while URLs are added and clocks go wrong */
    END_MOST = 20000,  /* then all that is left must get its result */
    HOSTS = 2,
    ORIGINS = 3,
    PREFIXES = 3, /* of paths: /a, /b, /c, each allowed or not */
    URLS = 40,
    NONE = -1,
};

#define HOUR_MS (UINT64_C(3600) * 1000)
#define DAY_MS (24 * HOUR_MS)
#define WALL_MS (INT64_C(1700000000) * 1000)

static const struct {
    uint16_t port;
    bool is_https;
} origins[ORIGINS] = {{0, false}, {0, true}, {8080, false}};

static const struct pace_settings pace = {
    .delay_ms = 1000,
    .delay_most_ms = 30 * 1000,
    .backoff_ms = 5 * 1000,
    .backoff_most_ms = 900 * 1000,
    .retry_after_most_ms = DAY_MS,
    .tries = 4,
    .host_failures = 12,
};

struct url {
    int host, origin, prefix;
    char path[16];
    bool has_result;
    unsigned turn; /* of its host, when it was added */
    /* the oracle's, of the page [0] and of robots.txt on its behalf [1]: */
    uint32_t tries[2];    /* that count for the next verdict */
    uint64_t requests[2]; /* that ended, without trouble of our own */
};

/* What an origin answers. */
struct reply {
    enum dns_outcome dns;
    struct http_answer http;
    bool has_head;
    bool is_robots;
    bool had_condition;
    const char *retry_after; /* as written, or NULL; and what it means: */
    uint64_t retry_after_ms;
    bool forbids[PREFIXES]; /* of a robots.txt */
    uint64_t crawl_delay_ms;
    int redirects_to; /* a host, or NONE */
};

/* The oracle's notes on an origin. */
struct origin_notes {
    uint64_t not_before_ms, surely_ms; /* it is left alone until then, or with jitter until then */
    uint32_t failures;
    int trial; /* the URL whose result the others of the origin wait for, or NONE */
    bool is_dead;
    bool has_rules, robots_fails;
    bool forbids[PREFIXES];
    uint64_t crawl_delay_ms;
    int64_t robots_wall_ms, had_wall_ms;
};

struct host_notes {
    bool is_open;
    uint64_t not_before_ms, begun_ms;
    uint32_t failures;
    bool is_dead;
    uint64_t pages, bytes;
    struct origin_notes origins[ORIGINS];
};

enum phase { WAITING, OPEN, HOPPING };

/* The crawler's side of a host. */
struct side {
    struct host_record *record;
    int queue[URLS];
    size_t queued;
    uint64_t due_ms;
    unsigned turns;    /* in which a URL was not put back */
    uint64_t round_ms; /* when URLs began to be put back in a row; 0 = none was */
    enum phase phase;
    uint64_t phase_ms; /* OPEN: it ends; HOPPING: it is tried */
    bool is_robots;
    unsigned hops;
    int target; /* the host that is asked */
    struct host_permit permit;
    struct reply reply;
    int origin_count;
    int moods[ORIGINS];
};

struct run {
    uint64_t seed;
    struct rng rng, jitter;
    uint64_t t_ms, base_ms; /* model time; the crawler's clock is t_ms - base_ms */
    int64_t wall_ms;        /* minus t_ms */
    struct host_turn_settings settings;
    struct permit_table *addresses, *hosts;
    uint64_t conns, ip_delay_ms;
    bool shares_address;
    struct url urls[URLS];
    int url_count;
    struct side sides[HOSTS];
    /* the oracle's */
    struct host_notes notes[HOSTS];
    unsigned address_open[HOSTS];
    uint64_t address_begun_ms[HOSTS];
    uint64_t requests;
};

#define CHECK(run, holds, ...)                                                       \
    do {                                                                             \
        if (!(holds)) {                                                              \
            print_error("seed %llu, moment %llu: ", (unsigned long long)(run)->seed, \
                        (unsigned long long)(run)->t_ms);                            \
            fail_msg(__VA_ARGS__);                                                   \
        }                                                                            \
    } while (0)

static uint64_t below(struct run *r, uint64_t n)
{
    return rng_below(&r->rng, n);
}

static bool chance(struct run *r, unsigned percent)
{
    return below(r, 100) < percent;
}

static uint64_t now_of(const struct run *r)
{
    return r->t_ms - r->base_ms;
}

static int64_t wall_of(const struct run *r)
{
    return (int64_t)r->t_ms + r->wall_ms;
}

static int address_of(const struct run *r, int host)
{
    return r->shares_address ? 0 : host;
}

/* The web -------------------------------------------------------------------------------------- */

enum mood { WELL, BUSY, DOWN, SILENT, CLOSING, NO_TLS, GARBAGE, STRANGE, OURS, MOODS };

static void draw_busy(struct run *r, struct reply *a)
{
    static const uint16_t statuses[] = {429, 500, 502, 503, 599};
    static const struct {
        const char *text;
        uint64_t ms;
    } waits[] = {{"120", 120 * 1000}, {"99999999", DAY_MS}, {"1", 1000}, {"soon", 0}, {"-3", 0}};
    a->http.status = statuses[below(r, 5)];
    if (chance(r, 40)) {
        size_t i = (size_t)below(r, 5);
        a->retry_after = waits[i].text;
        a->retry_after_ms = waits[i].ms;
    }
}

static void draw_well(struct run *r, struct reply *a, int host, bool is_robots)
{
    static const uint16_t pages[] = {200, 200, 200, 404, 301, 501, 505, 403};
    static const uint16_t robots[] = {200, 200, 200, 404, 301, 302, 501, 999};
    a->http.outcome = chance(r, 5) ? HTTP_TRUNCATED : HTTP_WHOLE;
    a->http.status = is_robots ? robots[below(r, 8)] : pages[below(r, 8)];
    for (int i = 0; i < PREFIXES; i++)
        a->forbids[i] = chance(r, 20);
    if (chance(r, 30))
        a->crawl_delay_ms = 1000 * (1 + below(r, 60));
    if (chance(r, 80))
        a->redirects_to = chance(r, 50) ? host : (int)below(r, HOSTS);
    if (chance(r, 10)) { /* means nothing on an answer that is no failure */
        a->retry_after = "3600";
        a->retry_after_ms = HOUR_MS;
    }
}

static struct reply draw(struct run *r, int host, int mood, bool is_robots)
{
    struct reply a = {.redirects_to = NONE, .is_robots = is_robots};
    a.had_condition = !is_robots && chance(r, 50);
    enum mood m = chance(r, 75) ? (enum mood)mood : (enum mood)below(r, MOODS);
    a.has_head = m == WELL || m == BUSY || m == STRANGE;
    a.http.bytes_in = a.has_head ? 1 + below(r, 1000) : 0;
    switch (m) {
    case BUSY:
        draw_busy(r, &a);
        break;
    case DOWN:
        a.http.outcome = HTTP_NO_CONNECT;
        break;
    case SILENT:
        a.http.outcome = HTTP_TIMEOUT;
        break;
    case CLOSING:
        a.http.outcome = HTTP_CLOSED;
        break;
    case NO_TLS:
        a.http.outcome = HTTP_NO_TLS;
        break;
    case GARBAGE:
        a.http.outcome = chance(r, 90) ? HTTP_NOT_HTTP : HTTP_REFUSED_ADDRESS;
        break;
    case STRANGE:
        a.http.status = 304;
        break;
    case OURS:
        a.http.outcome = HTTP_FAILED;
        break;
    default:
        draw_well(r, &a, host, is_robots);
    }
    return a;
}

/* The oracle ----------------------------------------------------------------------------------- */

static bool oracle_is_dead(const struct run *r, const struct url *u)
{
    const struct host_notes *h = &r->notes[u->host];
    return h->is_dead || h->origins[u->origin].is_dead;
}

static bool oracle_wants_robots(const struct run *r, const struct url *u)
{
    const struct origin_notes *o = &r->notes[u->host].origins[u->origin];
    int64_t age_ms = wall_of(r) - o->robots_wall_ms;
    uint64_t good_ms = o->robots_fails ? r->settings.robots_again_ms : r->settings.robots_fresh_ms;
    return !r->settings.ignore_robots &&
           (!o->has_rules || age_ms < 0 || (uint64_t)age_ms > good_ms);
}

/* A request begins at `target`, for that URL or its robots.txt. */
static void oracle_begins(struct run *r, const struct url *u, int target, bool is_robots,
                          unsigned hops)
{
    struct host_notes *h = &r->notes[target];
    const struct host_notes *own = &r->notes[u->host];
    const struct origin_notes *o = &own->origins[u->origin];
    int address = address_of(r, target);
    CHECK(r, !h->is_open, "two requests are open to a host");
    CHECK(r, r->address_open[address] < r->conns, "too many are open to an address");
    CHECK(r, !h->begun_ms || r->t_ms - h->begun_ms >= pace.delay_ms, "two begin within a delay");
    CHECK(r,
          !r->address_begun_ms[address] || r->t_ms - r->address_begun_ms[address] >= r->ip_delay_ms,
          "two begin at an address within its delay");
    CHECK(r, hops <= 5, "%u redirects of a robots.txt are followed", hops);
    CHECK(r, r->t_ms >= own->not_before_ms, "the host is asked %llu ms early",
          (unsigned long long)(own->not_before_ms - r->t_ms));
    CHECK(r, hops || r->t_ms >= o->not_before_ms, "the origin is asked early");
    CHECK(r, !oracle_is_dead(r, u), "it was given up, and is asked");
    CHECK(r, hops || is_robots == oracle_wants_robots(r, u), "%s",
          is_robots ? "robots.txt is asked for without need" : "robots.txt must be asked first");
    CHECK(r, is_robots || r->settings.ignore_robots || !o->forbids[u->prefix],
          "robots.txt forbids it");
    h->is_open = true;
    h->begun_ms = r->t_ms;
    r->address_open[address]++;
    r->address_begun_ms[address] = r->t_ms;
    r->requests++;
}

static void oracle_ends(struct run *r, int target)
{
    r->notes[target].is_open = false;
    r->address_open[address_of(r, target)]--;
}

static void oracle_robots(struct run *r, struct origin_notes *o, const struct reply *a)
{
    int status = a->has_head ? a->http.status : 0;
    bool is_unchanged = status == 304 && o->has_rules;
    bool is_cut = status >= 200 && status < 300 && a->http.outcome == HTTP_TRUNCATED;
    bool fails = (!is_unchanged && status == 304) || status < 200 || status == 429 ||
                 status >= 500 || is_cut;
    bool is_body = status >= 200 && status < 300 && !is_cut;
    bool has_waited = o->had_wall_ms && wall_of(r) - o->had_wall_ms > 30 * (int64_t)DAY_MS;
    o->robots_wall_ms = wall_of(r);
    o->robots_fails = fails;
    if (!fails)
        o->had_wall_ms = wall_of(r);
    if (is_unchanged || (fails && !has_waited))
        return;
    o->has_rules = true;
    for (int i = 0; i < PREFIXES; i++)
        o->forbids[i] = is_body && a->forbids[i];
    o->crawl_delay_ms = is_body ? a->crawl_delay_ms : 0;
}

/* What kind of an end it is. */
struct kind {
    bool is_good, is_failure, is_ours;
    bool ends_host; /* nothing is there */
    bool is_origins;
    uint64_t tries;            /* that a URL gets for it */
    uint64_t least_ms, jitter; /* that the host, or the origin, is left alone */
};

static bool reply_is_busy(const struct reply *a)
{
    uint16_t s = a->http.status;
    bool is_final = !a->is_robots && (s == 501 || s == 505 || s > 599);
    bool is_cut = a->is_robots && a->http.outcome == HTTP_TRUNCATED && s >= 200 && s < 300;
    return a->has_head && (s == 429 || (s >= 500 && !is_final) || is_cut);
}

static uint64_t tries_of(const struct run *r, const struct url *u, const struct reply *a)
{
    const struct host_notes *h = &r->notes[u->host];
    bool is_several = r->sides[u->host].origin_count > 1;
    bool was_had = h->origins[u->origin].had_wall_ms || (h->pages && !is_several);
    if (a->dns != DNS_FOUND || a->http.outcome == HTTP_NO_CONNECT)
        return was_had ? pace.host_failures : a->dns == DNS_NO_NAME ? 2 : pace.tries;
    if (a->http.outcome == HTTP_TIMEOUT || a->http.outcome == HTTP_CLOSED || reply_is_busy(a))
        return pace.tries;
    return a->http.outcome == HTTP_NOT_HTTP || (a->http.status == 304 && !a->had_condition) ? 2 : 1;
}

static struct kind kind_of(const struct run *r, const struct url *u, const struct reply *a,
                           unsigned hops)
{
    struct kind k = {.tries = tries_of(r, u, a)};
    bool is_silent = !a->has_head && a->http.outcome != HTTP_NOT_HTTP &&
                     a->http.outcome != HTTP_FAILED && a->http.outcome != HTTP_REFUSED_ADDRESS;
    k.ends_host = a->dns != DNS_FOUND || a->http.outcome == HTTP_NO_CONNECT;
    k.is_failure = a->dns != DNS_FOUND || is_silent || reply_is_busy(a);
    k.is_good = a->has_head && !reply_is_busy(a);
    k.is_ours = a->dns == DNS_FOUND && a->http.outcome == HTTP_FAILED;
    k.is_origins = a->dns == DNS_FOUND && is_silent && !hops && r->sides[u->host].origin_count > 1;
    return k;
}

/* The delay of a host: the longest that the rules of its origins ask for. */
static uint64_t host_delay_of(const struct host_notes *h)
{
    uint64_t longest = pace.delay_ms;
    for (size_t i = 0; i < sizeof h->origins / sizeof *h->origins; i++) {
        uint64_t asked = h->origins[i].crawl_delay_ms;
        asked = asked < pace.delay_most_ms ? asked : pace.delay_most_ms;
        longest = asked > longest ? asked : longest;
    }
    return longest;
}

/* How long it is left alone after so many failures in a row. */
static void wait_of(struct kind *k, const struct reply *a, uint32_t failures, uint64_t asked_ms)
{
    uint64_t least = pace.delay_ms, backoff = pace.backoff_ms;
    if (asked_ms > least)
        least = asked_ms < pace.delay_most_ms ? asked_ms : pace.delay_most_ms;
    for (uint32_t i = 1; i < failures && !k->is_ours && backoff < pace.backoff_most_ms; i++)
        backoff *= 2;
    if (backoff > pace.backoff_most_ms)
        backoff = pace.backoff_most_ms;
    bool is_tls = a->dns == DNS_FOUND && a->http.outcome == HTTP_NO_TLS;
    if (reply_is_busy(a) && a->retry_after_ms)
        backoff = a->retry_after_ms;
    else if ((k->is_failure && !is_tls) || k->is_ours)
        k->jitter = backoff / 4;
    else
        backoff = 0;
    k->least_ms = backoff > least ? backoff : least;
}

/* The tries of a URL have an end, and so have those of robots.txt before each of them. */
static void oracle_counts(struct run *r, struct url *u, const struct kind *k, bool is_robots)
{
    uint64_t most = pace.tries > pace.host_failures ? pace.tries : pace.host_failures;
    u->requests[is_robots] += !k->is_ours;
    CHECK(r, u->requests[0] <= most, "%s was asked for %llu times", u->path,
          (unsigned long long)u->requests[0]);
    CHECK(r, u->requests[1] <= most * (most + 1), "robots.txt was asked for %llu times for %s",
          (unsigned long long)u->requests[1], u->path);
}

/* Says whether the request must be sent again, and notes what follows from its end. */
static bool oracle_judges(struct run *r, struct url *u, int url, const struct reply *a,
                          unsigned hops, bool is_robots, struct kind *ret)
{
    struct host_notes *h = &r->notes[u->host];
    struct origin_notes *o = &h->origins[u->origin];
    struct kind k = kind_of(r, u, a, hops);
    uint32_t *failures = k.is_origins ? &o->failures : &h->failures;
    uint32_t tries = u->tries[is_robots];
    oracle_counts(r, u, &k, is_robots);
    *failures = k.is_good ? 0 : *failures + k.is_failure;
    wait_of(&k, a, *failures, o->crawl_delay_ms);
    bool is_worn = k.is_failure && *failures >= pace.host_failures;
    bool is_again = k.is_ours || (!is_worn && tries + 1 < k.tries);
    bool is_dead = is_worn || (!is_again && k.ends_host);
    tries = !is_again ? 0 : k.is_ours ? tries : tries + 1;
    u->tries[is_robots] = tries;
    if (k.is_origins) {
        o->trial = tries ? url : NONE;
        o->is_dead = is_dead;
        o->not_before_ms = r->t_ms + k.least_ms;
        o->surely_ms = o->not_before_ms + k.jitter;
    } else {
        h->is_dead |= is_dead;
        bool ends_url = is_robots && !is_again && (!o->has_rules || is_dead);
        if (a->has_head && !hops && !ends_url) {
            o->failures = 0;
            o->trial = NONE;
            o->not_before_ms = 0;
        }
    }
    h->not_before_ms = r->t_ms + (k.is_origins ? host_delay_of(h) : k.least_ms);
    bool is_broken = a->http.status == 304 && !a->had_condition;
    if (!is_robots && !is_again && a->has_head && !is_broken && !is_worn) {
        h->pages++;
        h->bytes += a->http.bytes_in;
    }
    *ret = k;
    return is_again;
}

/* A turn of that URL. While its origin has another one on trial it must wait for the result of
 * that; unless the queue began to go round before the origin's moment came, and so missed the
 * trial. */
static void oracle_turn(struct run *r, const struct url *u, int url)
{
    struct origin_notes *o = &r->notes[u->host].origins[u->origin];
    uint64_t round_ms = r->sides[u->host].round_ms;
    if (o->trial == NONE || o->trial == url || oracle_is_dead(r, u))
        return;
    CHECK(r, r->urls[o->trial].has_result || (round_ms && round_ms < o->surely_ms),
          "another URL of the origin is on trial");
    o->trial = NONE;
}

/* The whole host waits for one of its origins. A URL that was added while the queue went round may
 * have been missed. */
static void oracle_waits(struct run *r, int host, uint64_t due_ms)
{
    const struct side *s = &r->sides[host];
    CHECK(r, due_ms >= r->t_ms, "it waits for the past");
    for (size_t i = 0; due_ms > r->t_ms && i < s->queued; i++) {
        const struct url *u = &r->urls[s->queue[i]];
        const struct origin_notes *o = &r->notes[host].origins[u->origin];
        CHECK(r, o->failures || u->turn == s->turns, "an origin that fails stops one that is well");
    }
}

/* The crawler ---------------------------------------------------------------------------------- */

static struct host_request request_of(const struct run *r, const struct url *u)
{
    const struct side *s = &r->sides[u->host];
    return (struct host_request){.record = s->record,
                                 .path = str_c(u->path),
                                 .port = origins[u->origin].port,
                                 .is_https = origins[u->origin].is_https,
                                 .has_several_origins = s->origin_count > 1,
                                 .is_robots = s->is_robots,
                                 .is_elsewhere = s->hops > 0};
}

static void take_head(struct side *s)
{
    s->queued--;
    memmove(s->queue, s->queue + 1, s->queued * sizeof *s->queue);
}

/* The URL at the head of the queue goes where host/ says. */
static void put_away(struct run *r, struct side *s, enum host_return how, uint64_t due_ms)
{
    int head = s->queue[0];
    if (how != HOST_RETURN_AGAIN)
        take_head(s);
    if (how == HOST_RETURN_LAST)
        s->queue[s->queued++] = head;
    r->urls[head].has_result |= how == HOST_RETURN_DONE;
    s->due_ms = due_ms + r->base_ms;
    s->phase = WAITING;
}

static void refuse(struct run *r, struct side *s, int code)
{
    struct host_request q = request_of(r, &r->urls[s->queue[0]]);
    struct host_outcome o = {.is_refused = true, .code = code};
    struct host_ending e = host_end(&q, &o);
    CHECK(r, e.how == HOST_RETURN_DONE && e.verdict.code == code && !e.origin && !e.is_taken,
          "a refusal is no result");
    uint64_t due_ms = host_end_due_ms(&e, &pace, now_of(r));
    CHECK(r, due_ms == now_of(r), "a refusal costs a wait");
    host_end_keep(&q, &o, &e, now_of(r));
    put_away(r, s, e.how, due_ms);
}

static enum robots_status_meaning robots_meaning(const struct host_request *q,
                                                 const struct reply *a)
{
    return host_robots_meaning(q, a->has_head ? a->http.status : 0,
                               a->http.outcome == HTTP_TRUNCATED);
}

static void end_request(struct run *r, struct side *s)
{
    int url = s->queue[0];
    struct url *u = &r->urls[url];
    struct host_request q = request_of(r, u);
    const struct reply *a = &s->reply;
    struct host_standing standing = host_standing(&q);
    struct host_outcome o = {.has_answer = a->has_head, .answer_bytes = a->http.bytes_in};
    struct kind k;
    o.end = a->dns == DNS_FOUND
                ? host_end_of_answer(&a->http, a->retry_after ? str_c(a->retry_after) : STR_NONE,
                                     a->had_condition, wall_of(r))
                : host_end_of_name(a->dns, q.is_elsewhere);
    o.end.is_useless = s->is_robots && a->has_head && robots_meaning(&q, a) == ROBOTS_RETRY;
    o.verdict = host_judge(&standing, &o.end, q.is_elsewhere, &pace, &r->jitter);
    struct host_ending e = host_end(&q, &o);
    uint64_t due_ms = host_end_due_ms(&e, &pace, now_of(r));
    host_end_keep(&q, &o, &e, now_of(r));
    bool is_again = oracle_judges(r, u, url, a, s->hops, s->is_robots, &k);
    bool has_rules = r->notes[u->host].origins[u->origin].has_rules;
    bool stays = is_again || (s->is_robots && has_rules && !oracle_is_dead(r, u));
    CHECK(r, e.is_final == !is_again, "it is %s", is_again ? "given up early" : "tried too often");
    CHECK(r, (e.origin != NULL) == k.is_origins, "the fault is not where it belongs");
    CHECK(r,
          e.how == (!stays         ? HOST_RETURN_DONE
                    : k.is_origins ? HOST_RETURN_LAST
                                   : HOST_RETURN_AGAIN),
          "the URL goes to the wrong end of the queue");
    uint64_t most_ms =
        (k.is_origins ? host_delay_of(&r->notes[u->host]) : k.least_ms + k.jitter) + 1;
    CHECK(r, due_ms > now_of(r) && due_ms <= now_of(r) + most_ms, "the host waits too long");
    put_away(r, s, e.how, due_ms);
}

/* robots.txt has answered, or failed. True: the visit is on its way to where that redirects. */
static bool robots_answered(struct run *r, struct side *s)
{
    const struct url *u = &r->urls[s->queue[0]];
    struct host_request q = request_of(r, u);
    const struct reply *a = &s->reply;
    enum robots_status_meaning meaning = robots_meaning(&q, a);
    if (meaning == ROBOTS_REDIRECT && a->redirects_to != NONE && host_robots_follows(s->hops)) {
        s->hops++;
        s->target = a->redirects_to;
        s->phase = HOPPING;
        s->phase_ms = r->t_ms + host_robots_hop_ms(q.record, &pace);
        r->notes[u->host].not_before_ms = r->t_ms + host_delay_of(&r->notes[u->host]);
        return true;
    }
    char body[256];
    struct robots *rules = NULL;
    int n =
        snprintf(body, sizeof body, "User-agent: *\n%s%s%s", a->forbids[0] ? "Disallow: /a\n" : "",
                 a->forbids[1] ? "Disallow: /b\n" : "", a->forbids[2] ? "Disallow: /c\n" : "");
    if (a->crawl_delay_ms)
        n += snprintf(body + n, sizeof body - (size_t)n, "Crawl-delay: %llu\n",
                      (unsigned long long)a->crawl_delay_ms / 1000);
    if (meaning == ROBOTS_USE_BODY)
        assert_rc(robots_parse(str_make(body, (size_t)n), STR("orbweaver"), &rules), RC_OK);
    assert_rc(host_robots_learn(&q, meaning, rules, wall_of(r)), RC_OK);
    oracle_robots(r, &r->notes[u->host].origins[u->origin], a);
    return false;
}

static void finish(struct run *r, struct side *s)
{
    oracle_ends(r, s->target);
    host_permit_return(&s->permit, r->addresses, r->hosts, now_of(r));
    if (s->is_robots && robots_answered(r, s))
        return;
    end_request(r, s);
}

/* DNS, then the permit; the request begins, or waits for its moment. */
static void begin(struct run *r, struct side *s)
{
    const struct url *u = &r->urls[s->queue[0]];
    bool is_own = !s->hops;
    bool is_known = is_own && host_record_has_addresses(s->record, now_of(r));
    s->reply = draw(r, s->target, s->moods[u->origin], s->is_robots);
    if (!is_known && chance(r, 3)) {
        s->reply =
            (struct reply){.dns = is_own ? DNS_NO_NAME + (enum dns_outcome)below(r, 3) : DNS_FOUND,
                           .http = {.outcome = HTTP_NO_CONNECT},
                           .redirects_to = NONE};
        if (!is_own) /* as if its name had an address that does not answer */
            oracle_robots(r, &r->notes[u->host].origins[u->origin], &s->reply);
        if (!is_own)
            assert_rc(
                host_robots_learn(&(struct host_request){.record = s->record,
                                                         .port = origins[u->origin].port,
                                                         .is_https = origins[u->origin].is_https},
                                  ROBOTS_RETRY, NULL, wall_of(r)),
                RC_OK);
        end_request(r, s);
        return;
    }
    struct address address = {.bytes = {192, 0, 2, (uint8_t)(1 + address_of(r, s->target))}};
    if (is_own && !is_known)
        host_record_set_addresses(s->record, &address, 1, now_of(r) + HOUR_MS);
    s->permit = (struct host_permit){.address_group = address_group(&address),
                                     .host_hash = (uint64_t)s->target + 77};
    uint64_t when_ms = host_permit_take(&s->permit, r->addresses, r->hosts, now_of(r));
    if (when_ms && is_own) {
        put_away(r, s, HOST_RETURN_AGAIN, when_ms);
    } else if (when_ms) {
        s->phase_ms = when_ms + r->base_ms;
    } else {
        oracle_begins(r, u, s->target, s->is_robots, s->hops);
        s->phase = OPEN;
        s->phase_ms = r->t_ms + below(r, chance(r, 10) ? 60000 : 300);
    }
}

static void take_turn(struct run *r, int host)
{
    struct side *s = &r->sides[host];
    const struct url *u = &r->urls[s->queue[0]];
    s->is_robots = false;
    s->hops = 0;
    s->target = host;
    struct host_request q = request_of(r, u);
    struct host_turn turn =
        host_turn_next(&q, (uint32_t)s->queued, &r->settings, now_of(r), wall_of(r));
    if (turn.ask == HOST_ASK_LATER) {
        oracle_waits(r, host, turn.due_ms + r->base_ms);
        put_away(r, s, HOST_RETURN_LAST, turn.due_ms);
        s->round_ms = turn.due_ms > now_of(r) ? 0 : s->round_ms ? s->round_ms : r->t_ms;
        return;
    }
    oracle_turn(r, u, s->queue[0]);
    s->turns++;
    s->round_ms = 0;
    if (turn.ask == HOST_ASK_NEVER) {
        CHECK(r, oracle_is_dead(r, u) && turn.code < 0, "it is given up without reason");
        refuse(r, s, turn.code);
        return;
    }
    s->is_robots = turn.ask == HOST_ASK_ROBOTS;
    int code = s->is_robots || r->settings.ignore_robots ? 0 : host_robots_check(&q, q.path);
    if (code) {
        const struct origin_notes *o = &r->notes[host].origins[u->origin];
        CHECK(r, code == FETCH_ROBOTS && o->has_rules && o->forbids[u->prefix],
              "robots.txt allows it, and it is refused");
        refuse(r, s, code);
        return;
    }
    begin(r, s);
}

/* A run ---------------------------------------------------------------------------------------- */

static void add_url(struct run *r, int host)
{
    struct side *s = &r->sides[host];
    if (r->url_count == URLS)
        return;
    struct url *u = &r->urls[r->url_count];
    *u = (struct url){.host = host,
                      .origin = (int)below(r, (uint64_t)s->origin_count),
                      .prefix = (int)below(r, PREFIXES),
                      .turn = s->turns};
    (void)snprintf(u->path, sizeof u->path, "/%c%d", 'a' + u->prefix, r->url_count);
    bool is_first = s->phase == WAITING && chance(r, 30); /* of a better class than the others */
    if (is_first)
        memmove(s->queue + 1, s->queue, s->queued * sizeof *s->queue);
    s->queue[is_first ? 0 : s->queued] = r->url_count++;
    s->queued++;
}

static void open_tables(struct run *r)
{
    permit_table_close(r->addresses);
    permit_table_close(r->hosts);
    assert_rc(permit_table_open(r->conns, r->ip_delay_ms, &r->addresses), RC_OK);
    assert_rc(permit_table_open(1, pace.delay_ms, &r->hosts), RC_OK);
}

/* Records are written and read back, open requests are lost, and the crawler's clock begins anew.
 */
static void restart(struct run *r)
{
    uint64_t base_ms = r->t_ms - below(r, 5000);
    for (int i = 0; i < HOSTS; i++) {
        struct side *s = &r->sides[i];
        struct buf bytes = {.max = 1 << 20};
        struct host_record_clocks then = {now_of(r), (uint64_t)wall_of(r), DAY_MS};
        struct host_record_clocks now = {r->t_ms - base_ms, (uint64_t)wall_of(r), DAY_MS};
        struct host_record *copy = host_record_open();
        host_record_write_all(s->record, &then, true, &bytes);
        assert_rc(host_record_read_all(copy, &now, buf_str(&bytes)), RC_OK);
        host_record_close(s->record);
        s->record = copy;
        buf_done(&bytes);
        s->phase = WAITING;
        s->round_ms = 0;
        uint64_t soon_ms = r->t_ms + pace_delay_ms(&pace, host_record_delay_ms(copy)) + 1;
        s->due_ms = s->due_ms > soon_ms ? s->due_ms : soon_ms;
        r->notes[i].is_open = false;
        r->address_open[i] = 0;
        r->address_begun_ms[i] = 0; /* a new process knows nothing of addresses */
        for (int k = 0; k < ORIGINS; k++)
            r->notes[i].origins[k].trial = NONE;
    }
    r->base_ms = base_ms;
    open_tables(r);
}

static void surprise(struct run *r)
{
    struct side *s = &r->sides[below(r, HOSTS)];
    switch (below(r, 60)) {
    case 0:
        r->wall_ms += (int64_t)below(r, 2 * DAY_MS) - (int64_t)DAY_MS;
        break;
    case 1:
        r->wall_ms += (int64_t)below(r, 40 * DAY_MS);
        break;
    case 2:
        r->t_ms += below(r, 30 * HOUR_MS);
        break;
    case 3:
        restart(r);
        break;
    case 4:
    case 5:
    case 6:
        s->moods[below(r, ORIGINS)] = (int)below(r, MOODS);
        break;
    case 7:
    case 8:
        s->moods[below(r, ORIGINS)] = WELL;
        break;
    case 9:
    case 10:
        add_url(r, (int)below(r, HOSTS));
        break;
    default:
        break;
    }
}

static uint64_t next_ms(const struct side *s)
{
    return s->phase != WAITING ? s->phase_ms : s->queued ? s->due_ms : UINT64_MAX;
}

/* The next thing that happens to a host. False: nothing is left. */
static bool step(struct run *r)
{
    int host = next_ms(&r->sides[0]) <= next_ms(&r->sides[1]) ? 0 : 1;
    struct side *s = &r->sides[host];
    uint64_t at_ms = next_ms(s);
    if (at_ms == UINT64_MAX)
        return false;
    if (at_ms > r->t_ms)
        r->t_ms = at_ms;
    if (s->phase == WAITING)
        take_turn(r, host);
    else if (s->phase == OPEN)
        finish(r, s);
    else
        begin(r, s);
    return true;
}

static void run_open(struct run *r, uint64_t seed)
{
    *r = (struct run){.seed = seed, .t_ms = 1000000, .wall_ms = WALL_MS};
    rng_init(&r->rng, seed);
    rng_init(&r->jitter, seed + 1);
    r->settings = (struct host_turn_settings){
        .ignore_robots = chance(r, 5), .robots_fresh_ms = DAY_MS, .robots_again_ms = 5 * 60 * 1000};
    r->shares_address = chance(r, 50);
    r->conns = 1 + below(r, 2);
    r->ip_delay_ms = chance(r, 50) ? 100 : 2500;
    open_tables(r);
    for (int i = 0; i < HOSTS; i++) {
        struct side *s = &r->sides[i];
        s->record = host_record_open();
        s->origin_count = 1 + (int)below(r, ORIGINS);
        s->due_ms = r->t_ms;
        for (int k = 0; k < ORIGINS; k++) {
            s->moods[k] = chance(r, 60) ? WELL : (int)below(r, MOODS);
            r->notes[i].origins[k].trial = NONE;
        }
        for (uint64_t k = 0, n = 1 + below(r, 12); k < n; k++)
            add_url(r, i);
    }
}

static void run_close(struct run *r)
{
    for (int i = 0; i < HOSTS; i++)
        host_record_close(r->sides[i].record);
    permit_table_close(r->addresses);
    permit_table_close(r->hosts);
}

/* Every URL has its result, and the records count what was had. */
static void check_end(struct run *r)
{
    for (int i = 0; i < r->url_count; i++)
        CHECK(r, r->urls[i].has_result, "%s of host %d has no result", r->urls[i].path,
              r->urls[i].host);
    for (int i = 0; i < HOSTS; i++)
        CHECK(r,
              r->sides[i].record->pages == r->notes[i].pages &&
                  r->sides[i].record->bytes == r->notes[i].bytes,
              "pages or bytes are counted wrong");
}

static void hosts_are_asked_as_the_rules_say(void **state)
{
    (void)state;
    uint64_t first = test_seed(20261118), requests = 0;
    int64_t live = mem_live();
    for (uint64_t i = 0; i < RUNS; i++) {
        struct run r;
        unsigned events = 0;
        run_open(&r, first + i);
        while (step(&r) && events++ < END_MOST)
            if (events < EVENTS_MOST)
                surprise(&r);
        check_end(&r);
        requests += r.requests;
        run_close(&r);
    }
    assert_int_equal(mem_live(), live);
    print_message("# %d runs, %llu requests\n", RUNS, (unsigned long long)requests);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_are_asked_as_the_rules_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
