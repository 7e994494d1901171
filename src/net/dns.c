/* SPDX-License-Identifier: Apache-2.0 */
/* A question is one name that is being looked up. It is WAITING (too many are sent), SENT, ANSWERED
 * (its answers are there, its askers not told yet) or TOLD (all askers have their answer, but the
 * library still holds a call). Until it is told it stands in the table, so that others can join it.
 *
 * The library's callbacks only store the answer and mark the question answered; askers are told
 * afterwards, from the loop, where they may ask again. */
#include "net/dns.h"

#include "base/hash.h"
#include "base/mem.h"
#include "net/dns_cache.h"
#include "net/dns_channel.h"
#include "net/dns_hosts.h"
#include "net/dns_result.h"

#include <assert.h>
#include <sys/random.h>

enum {
    BUCKETS = 4096,
    MAX_SENT = 2000, /* two queries each, and ids have 16 bits */
    MAX_YOUNG = 64,  /* of them on the wire: more at once overflow a socket's buffer */
    YOUNG_MS = 200,  /* a server that has not answered by then is slow, and others may pass */
    MAX_DEADLINE_MS = 300000,
};

enum question_state { WAITING, SENT, ANSWERED, TOLD };

struct question {
    struct dns *dns;
    enum question_state state;
    struct question *in_bucket;
    struct question *next; /* in `waiting` or `answered` */
    struct dns_query *first, *last;
    struct timer deadline; /* while young: the end of its youth */
    uint64_t end_ms;
    bool is_young;
    struct dns_call calls[DNS_FAMILIES];
    bool is_open[DNS_FAMILIES];
    struct dns_heard heard;
    struct dns_name name;
};

struct line {
    struct question *first, *last;
};

struct dns {
    struct loop *loop;
    struct dns_settings settings;
    struct dns_channel *channel;
    struct dns_cache *cache;
    struct dns_hosts *hosts; /* of the system's resolver alone */
    struct dns_counts counts;
    struct line waiting, answered;
    size_t sent; /* SENT, or TOLD and still held */
    size_t young;
    uint64_t seed;
    bool v6_first;
    struct question *buckets[BUCKETS];
};

#define ROW(kind, field, ...) OPTION_##kind##_ROW(struct dns_settings, field, __VA_ARGS__)
const struct option dns_options[] = {
    ROW(TEXT, resolver, "resolver", NULL, "a DNS server to ask instead of the system's",
        .arg = "ADDR:PORT"),
    ROW(DURATION, timeout_ms, "dns-timeout", "3s", "how long a name server may take, at first",
        .min = 1, .max = 60000),
    ROW(COUNT, tries, "dns-tries", "3", "how often each name server is asked", .min = 1, .max = 10),
    ROW(DURATION, ttl_least_ms, "dns-ttl-least", "1m", "an address is kept that long at least",
        .max = 86400000),
    ROW(DURATION, ttl_most_ms, "dns-ttl-most", "1d", "an address is kept no longer than that",
        .max = UINT64_C(31536000000)),
    ROW(DURATION, failed_ms, "dns-failed", "1m", "how long a name that failed is not asked again",
        .max = 86400000),
    ROW(COUNT, cache_names, "dns-names", "100k", "how many names are kept", .max = UINT32_MAX),
    ROW(BOOL, no_v6, "no-ipv6", "no", "ask for IPv4 addresses alone"),
    {0},
};

/* Lists and the table ------------------------------------------------------------------------ */

static void line_add(struct line *l, struct question *q)
{
    q->next = NULL;
    *(l->last ? &l->last->next : &l->first) = q;
    l->last = q;
}

static struct question *line_take(struct line *l)
{
    struct question *q = l->first;
    if (q && !(l->first = q->next))
        l->last = NULL;
    return q;
}

static struct question **question_link(struct dns *d, const struct dns_name *name)
{
    uint64_t hash = hash64_seeded(dns_name_str(name), d->seed);
    struct question **at = &d->buckets[hash & (BUCKETS - 1)];
    while (*at && !str_eq(dns_name_str(&(*at)->name), dns_name_str(name)))
        at = &(*at)->in_bucket;
    return at;
}

static void query_add(struct question *q, struct dns_query *query)
{
    query->next = NULL;
    query->waiting = q;
    *(q->last ? &q->last->next : &q->first) = query;
    q->last = query;
}

static void query_remove(struct question *q, struct dns_query *query)
{
    struct dns_query **at = &q->first, *before = NULL;
    while (*at != query) {
        before = *at;
        at = &before->next;
    }
    *at = query->next;
    if (q->last == query)
        q->last = before;
    query->waiting = NULL;
}

/* A question, step by step ------------------------------------------------------------------- */

static void question_free(struct question *q)
{
    loop_timer_stop(q->dns->loop, &q->deadline);
    mem_free(q);
}

static void grow_old(struct question *q)
{
    q->dns->young -= q->is_young;
    q->is_young = false;
}

static bool may_send(const struct dns *d)
{
    return d->sent < MAX_SENT && d->young < MAX_YOUNG;
}

static void answer_question(struct question *q)
{
    grow_old(q);
    loop_timer_stop(q->dns->loop, &q->deadline);
    q->state = ANSWERED;
    line_add(&q->dns->answered, q);
}

static bool is_held(const struct question *q)
{
    return q->is_open[DNS_V4] || q->is_open[DNS_V6];
}

/* Shortens the wait once one family has addresses or NXDOMAIN: the other family gets the time of
 * one more try. Moving a timer that runs cannot fail. */
static void hurry(struct question *q)
{
    struct dns *d = q->dns;
    grow_old(q);
    enum rc rc = loop_timer(d->loop, &q->deadline, d->loop->now_ms + d->settings.timeout_ms);
    (void)rc;
}

static enum dns_word word_of(struct question *q, int family, enum dns_said what, struct str message)
{
    static const enum dns_word of_answer[] = {
        [DNS_ANSWER_FOUND] = DNS_WORD_FOUND,     [DNS_ANSWER_NO_DATA] = DNS_WORD_NO_DATA,
        [DNS_ANSWER_NO_NAME] = DNS_WORD_NO_NAME, [DNS_ANSWER_REFUSED] = DNS_WORD_FAILED,
        [DNS_ANSWER_NONSENSE] = DNS_WORD_FAILED,
    };
    struct dns_answer *answer = &q->heard.answer[family];
    switch (what) {
    case DNS_SAID_MESSAGE:
        dns_answer_read(message, &q->name, family == DNS_V6, answer);
        return of_answer[answer->kind];
    case DNS_SAID_NO_NAME:
        return DNS_WORD_NO_NAME;
    case DNS_SAID_TIMEOUT:
        return DNS_WORD_TIMEOUT;
    case DNS_SAID_NOMEM:
        return DNS_WORD_NOMEM;
    case DNS_SAID_FAILED:
    case DNS_SAID_CLOSED:
        break;
    }
    return DNS_WORD_FAILED;
}

static void question_said(struct question *q, int family, enum dns_said what, struct str message)
{
    q->is_open[family] = false;
    if (!is_held(q))
        q->dns->sent--;
    if (q->state != SENT) {
        if (q->state == TOLD && !is_held(q))
            question_free(q);
        return;
    }
    enum dns_word word = q->heard.word[family] = word_of(q, family, what, message);
    if (!is_held(q))
        answer_question(q);
    else if (word == DNS_WORD_FOUND || word == DNS_WORD_NO_NAME)
        hurry(q);
}

static void v4_said(struct dns_call *c, enum dns_said what, struct str message)
{
    question_said(EVENT_OF(c, struct question, calls[DNS_V4]), DNS_V4, what, message);
}

static void v6_said(struct dns_call *c, enum dns_said what, struct str message)
{
    question_said(EVENT_OF(c, struct question, calls[DNS_V6]), DNS_V6, what, message);
}

/* The longest that the library can take, and a little more. */
static uint64_t deadline_ms(const struct dns *d)
{
    uint64_t rounds = (UINT64_C(1) << (d->settings.tries < 16 ? d->settings.tries : 16)) - 1;
    uint64_t ms = d->settings.timeout_ms * (rounds * dns_channel_servers(d->channel) + 1);
    return ms < MAX_DEADLINE_MS ? ms : MAX_DEADLINE_MS;
}

/* The library may answer before the call returns; nothing is freed by that. Only the first of the
 * two can find no memory for the channel's timer, and then nothing has been asked. */
static enum rc question_send(struct question *q)
{
    struct dns *d = q->dns;
    if (loop_timer(d->loop, &q->deadline, d->loop->now_ms + YOUNG_MS))
        return RC_NOMEM;
    q->state = SENT;
    q->end_ms = d->loop->now_ms + deadline_ms(d);
    q->is_young = true;
    d->young++;
    q->is_open[DNS_V4] = true;
    q->is_open[DNS_V6] = !d->settings.no_v6;
    d->sent++;
    for (int f = DNS_V4; f < DNS_FAMILIES; f++) {
        if (q->is_open[f] && dns_channel_ask(d->channel, q->name.text, f == DNS_V6, &q->calls[f])) {
            assert(f == DNS_V4);
            q->is_open[DNS_V4] = q->is_open[DNS_V6] = false;
            grow_old(q);
            d->sent--;
            return RC_NOMEM;
        }
    }
    return RC_OK;
}

static void send_waiting(struct dns *d)
{
    while (d->waiting.first && may_send(d)) {
        struct question *q = line_take(&d->waiting);
        if (question_send(q)) {
            q->heard.word[DNS_V4] = q->heard.word[DNS_V6] = DNS_WORD_NOMEM;
            answer_question(q);
        }
    }
}

static void count_outcome(struct dns *d, enum dns_outcome outcome)
{
    uint64_t *counts[] = {
        [DNS_FOUND] = &d->counts.found,
        [DNS_NO_NAME] = &d->counts.no_name,
        [DNS_FAILED] = &d->counts.failed,
        [DNS_TIMEOUT] = &d->counts.timeout,
    };
    ++*counts[outcome];
}

static void tell_askers(struct question *q)
{
    struct dns *d = q->dns;
    struct dns_result r;
    struct question **at = question_link(d, &q->name);
    *at = q->in_bucket;
    d->counts.open--;
    q->state = TOLD;
    dns_result_make(&q->heard, &d->settings, d->loop->now_ms, &r);
    count_outcome(d, r.outcome);
    if (r.until_ms > d->loop->now_ms) {
        enum rc rc = dns_cache_put(d->cache, &q->name, &r);
        (void)rc; /* without memory to cache it, the name is asked for again */
    }
    dns_result_order(&r, d->v6_first);
    while (q->first) {
        struct dns_query *query = q->first;
        query_remove(q, query);
        query->done(query, &r);
    }
    if (!is_held(q))
        question_free(q);
}

static void tell_settled(void *ctx)
{
    struct dns *d = ctx;
    while (d->answered.first || (d->waiting.first && may_send(d))) {
        if (d->answered.first)
            tell_askers(line_take(&d->answered));
        send_waiting(d);
    }
}

static void deadline_due(struct timer *t, uint64_t now_ms)
{
    struct question *q = EVENT_OF(t, struct question, deadline);
    struct dns *d = q->dns;
    if (!q->is_young || loop_timer(d->loop, t, q->end_ms))
        answer_question(q);
    else
        grow_old(q);
    (void)now_ms;
    tell_settled(d);
}

/* Opening and closing ------------------------------------------------------------------------ */

static enum rc dns_begin(struct dns *d, struct buf *why)
{
    const struct dns_settings *s = &d->settings;
    if (getrandom(&d->seed, sizeof d->seed, GRND_NONBLOCK) != (ssize_t)sizeof d->seed)
        d->seed = hash64_mix((uint64_t)(uintptr_t)d);
    d->cache = dns_cache_open(s->cache_names, d->seed);
    if (!d->cache)
        return RC_NOMEM;
    if (!s->resolver.n && dns_hosts_open("/etc/hosts", &d->hosts))
        return RC_NOMEM;
    return dns_channel_open(d->loop, s->resolver, s->timeout_ms, s->tries, tell_settled, d,
                            &d->channel, why);
}

enum rc dns_open(struct loop *loop, const struct dns_settings *s, struct dns **ret, struct buf *why)
{
    struct dns *d = mem_zero(1, sizeof *d);
    if (!d)
        return RC_NOMEM;
    d->loop = loop;
    d->settings = *s;
    enum rc rc = dns_begin(d, why);
    d->settings.resolver = STR_NONE; /* the caller's; read once */
    if (rc)
        dns_close(d);
    else
        *ret = d;
    return rc;
}

/* Closing the channel ends the library's calls; then the table holds all that is left. */
void dns_close(struct dns *d)
{
    if (!d)
        return;
    dns_channel_close(d->channel);
    for (size_t i = 0; i < BUCKETS; i++) {
        while (d->buckets[i]) {
            struct question *q = d->buckets[i];
            assert(!q->first);
            d->buckets[i] = q->in_bucket;
            question_free(q);
        }
    }
    dns_cache_close(d->cache);
    dns_hosts_close(d->hosts);
    mem_free(d);
}

/* Asking ------------------------------------------------------------------------------------- */

static void localhost_fill(struct dns_result *r)
{
    r->addresses[r->count++] = (struct address){.bytes = {127, 0, 0, 1}};
    r->addresses[r->count++] = (struct address){.bytes = {[15] = 1}, .is_v6 = true};
}

static bool is_localhost(struct str name)
{
    return str_eq(name, STR("localhost")) || str_ends(name, STR(".localhost"));
}

/* Answers that are known without a question to a server. */
static bool is_known(struct dns *d, const struct dns_name *name, struct dns_result *r)
{
    *r = (struct dns_result){.outcome = DNS_FOUND, .until_ms = LOOP_NEVER};
    if (d->hosts && dns_hosts_find(d->hosts, name, r))
        return true;
    if (d->hosts && is_localhost(dns_name_str(name))) {
        localhost_fill(r);
        return true;
    }
    if (!dns_cache_get(d->cache, name, d->loop->now_ms, r))
        return false;
    d->counts.from_cache++;
    return true;
}

static struct question *question_open(struct dns *d, const struct dns_name *name)
{
    struct question *q = mem_zero(1, sizeof *q);
    if (!q)
        return NULL;
    q->dns = d;
    q->name = *name;
    q->deadline.due = deadline_due;
    q->calls[DNS_V4].said = v4_said;
    q->calls[DNS_V6].said = v6_said;
    q->heard.word[DNS_V6] = d->settings.no_v6 ? DNS_WORD_NO_DATA : DNS_WORD_NONE;
    return q;
}

static enum rc question_begin(struct dns *d, const struct dns_name *name, struct question **at)
{
    if (d->counts.open >= DNS_MAX_OPEN)
        return RC_LIMIT;
    struct question *q = question_open(d, name);
    if (!q)
        return RC_NOMEM;
    if (d->waiting.first || !may_send(d)) {
        line_add(&d->waiting, q);
    } else if (question_send(q)) {
        question_free(q);
        return RC_NOMEM;
    }
    d->counts.open++;
    q->in_bucket = *at;
    *at = q;
    return RC_OK;
}

static enum rc name_ask(struct dns *d, const struct dns_name *name, struct dns_query *query)
{
    struct question **at = question_link(d, name);
    if (*at) {
        d->counts.joined++;
    } else {
        enum rc rc = question_begin(d, name, at);
        if (rc)
            return rc;
    }
    query_add(*at, query);
    return RC_OK;
}

enum rc dns_ask(struct dns *d, struct str name, struct dns_query *query)
{
    struct dns_result r = {.outcome = DNS_FOUND, .until_ms = LOOP_NEVER, .count = 1};
    struct dns_name host;
    query->waiting = NULL;
    if (address_read(name, &r.addresses[0])) {
        if (dns_name_read(name, &host))
            return RC_INVALID;
        if (!is_known(d, &host, &r)) {
            enum rc rc = name_ask(d, &host, query);
            d->counts.asked += rc == RC_OK;
            return rc;
        }
        dns_result_order(&r, d->v6_first);
    }
    d->counts.asked++;
    query->done(query, &r);
    return RC_OK;
}

void dns_cancel(struct dns *d, struct dns_query *query)
{
    (void)d;
    if (query->waiting)
        query_remove(query->waiting, query);
}

void dns_forget(struct dns *d, struct str name)
{
    struct dns_name host;
    if (dns_name_read(name, &host) == RC_OK)
        dns_cache_drop(d->cache, &host);
}

void dns_worked(struct dns *d, const struct address *a)
{
    d->v6_first = a->is_v6;
}

struct dns_counts dns_counts(const struct dns *d)
{
    struct dns_counts counts = d->counts;
    counts.names = dns_cache_count(d->cache);
    return counts;
}
