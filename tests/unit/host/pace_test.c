/* SPDX-License-Identifier: Apache-2.0 */
#include "host/pace.h"

#include "base/options.h"
#include "lib/test.h"

#define S_1994 INT64_C(784111777) /* Sun, 06 Nov 1994 08:49:37 GMT */
#define NOW_MS (INT64_C(1700000000) * 1000)
#define DAY_MS (UINT64_C(24) * 3600 * 1000)

/* Dates */

static const struct {
    const char *name, *text;
    int64_t seconds; /* -1: refused */
} dates[] = {
    {"IMF-fixdate", "Sun, 06 Nov 1994 08:49:37 GMT", S_1994},
    {"RFC 850", "Sunday, 06-Nov-94 08:49:37 GMT", S_1994},
    {"asctime", "Sun Nov  6 08:49:37 1994", S_1994},
    {"blanks around", "  Sun, 06 Nov 1994 08:49:37 GMT ", S_1994},
    {"any case", "sun, 06 nov 1994 08:49:37 gmt", S_1994},
    {"UTC for GMT", "Sun, 06 Nov 1994 08:49:37 UTC", S_1994},
    {"a day of one digit", "Sun, 6 Nov 1994 08:49:37 GMT", S_1994},
    {"hyphens with a long year", "Sun, 06-Nov-1994 08:49:37 GMT", S_1994},
    {"a wrong day of the week is not believed", "Mon, 06 Nov 1994 08:49:37 GMT", S_1994},
    {"the beginning", "Thu, 01 Jan 1970 00:00:00 GMT", 0},
    {"before the beginning", "Wed, 31 Dec 1969 23:59:58 GMT", -2},
    {"a leap day", "Thu, 29 Feb 2024 12:00:00 GMT", 1709208000},
    {"the first of March behind a leap day", "Fri, 01 Mar 2024 00:00:00 GMT", 1709251200},
    {"1900 was no leap year", "Thu, 29 Feb 1900 00:00:00 GMT", -1},
    {"2000 was one", "Tue, 29 Feb 2000 00:00:00 GMT", 951782400},
    {"a leap second", "Sat, 31 Dec 2016 23:59:60 GMT", 1483228800},
    {"the last year", "Fri, 31 Dec 9999 23:59:59 GMT", 253402300799},
    {"the year 0", "Sat, 01 Jan 0000 00:00:00 GMT", -62167219200},
    {"a short year soon", "Monday, 01-Jan-29 00:00:00 GMT", 1861920000},
    {"a short year at most 50 years ahead", "Sunday, 01-Jan-73 00:00:00 GMT", 3250454400},
    {"a short year farther ahead is past", "Tuesday, 01-Jan-74 00:00:00 GMT", 126230400},
    {"the 31st of April", "Sun, 31 Apr 2023 00:00:00 GMT", -1},
    {"day 0", "Sun, 00 Apr 2023 00:00:00 GMT", -1},
    {"24 o'clock", "Sun, 06 Nov 1994 24:00:00 GMT", -1},
    {"minute 60", "Sun, 06 Nov 1994 08:60:00 GMT", -1},
    {"second 61", "Sun, 06 Nov 1994 08:49:61 GMT", -1},
    {"no such month", "Sun, 06 Nox 1994 08:49:37 GMT", -1},
    {"another zone", "Sun, 06 Nov 1994 08:49:37 PST", -1},
    {"an offset", "Sun, 06 Nov 1994 08:49:37 +0100", -1},
    {"no zone", "Sun, 06 Nov 1994 08:49:37", -1},
    {"something behind it", "Sun, 06 Nov 1994 08:49:37 GMT x", -1},
    {"no day of the week", "06 Nov 1994 08:49:37 GMT", -1},
    {"a year of three digits", "Sun, 06 Nov 994 08:49:37 GMT", -1},
    {"a year of five digits", "Sun, 06 Nov 19940 08:49:37 GMT", -1},
    {"ISO 8601", "1994-11-06T08:49:37Z", -1},
    {"asctime with a short year", "Sun Nov  6 08:49:37 94", -1},
    {"half a date", "Sun, 06 Nov", -1},
    {"a number", "784111777", -1},
    {"nothing", "", -1},
};

static void the_three_forms_of_a_date_are_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++) {
        int64_t ms = 7;
        enum rc rc = http_date_read(str_c(dates[i].text), NOW_MS, &ms);
        bool is_refused = dates[i].seconds == -1;
        if (rc != (is_refused ? RC_INVALID : RC_OK) ||
            ms != (is_refused ? 7 : dates[i].seconds * 1000))
            fail_msg("%s: %s, %lld", dates[i].name, rc_text(rc), (long long)ms);
    }
}

/* 1955 is the year of a clock that stands there: 06 is 1906, the nearest one not 50 years back. */
static void a_short_year_is_near_the_clock_s_own(void **state)
{
    (void)state;
    int64_t ms = 0, in_1955_ms = INT64_C(-460296000000);
    assert_rc(http_date_read(STR("Sunday, 02-Aug-06 00:43:23 GMT"), in_1955_ms, &ms), RC_OK);
    assert_int_equal(ms, INT64_C(-2001280597000));
    assert_rc(http_date_read(STR("Sunday, 02-Aug-06 00:43:23 GMT"), NOW_MS, &ms), RC_OK);
    assert_int_equal(ms, INT64_C(1154479403000));
}

static const struct {
    const char *name, *text;
    uint64_t wait_ms; /* 0: nothing of use */
} waits[] = {
    {"F35: seconds", "120", 120 * 1000},
    {"zeros in front", "0007", 7000},
    {"blanks around", " 5 ", 5000},
    {"F36: a date", "Tue, 14 Nov 2023 22:14:20 GMT", 60 * 1000},
    {"F36: a date with a short year", "Tuesday, 14-Nov-23 22:14:20 GMT", 60 * 1000},
    {"F36: a date of asctime", "Tue Nov 14 22:14:20 2023", 60 * 1000},
    {"F36: 2099 is cut", "Thu, 01 Jan 2099 00:00:00 GMT", DAY_MS},
    {"F36: more than 64 bits hold", "18446744073709551617", DAY_MS},
    {"the most that 64 bits hold", "18446744073709551615", DAY_MS},
    {"a second more than the most", "86401", DAY_MS},
    {"F36: 1994", "Sun, 06 Nov 1994 08:49:37 GMT", 0},
    {"this very moment", "Tue, 14 Nov 2023 22:13:20 GMT", 0},
    {"F36: 0", "0", 0},
    {"F36: negative", "-5", 0},
    {"F36: a fraction", "0.5", 0},
    {"F36: words", "when the tide is out", 0},
    {"a unit", "5s", 0},
    {"nothing", "", 0},
};

static void retry_after_is_read_or_means_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        uint64_t ms = 0;
        bool is_good = retry_after_read(str_c(waits[i].text), NOW_MS, DAY_MS, &ms);
        if (is_good != (waits[i].wait_ms > 0) || ms != waits[i].wait_ms)
            fail_msg("%s: %llu", waits[i].name, (unsigned long long)ms);
    }
    uint64_t ms = 9;
    assert_false(retry_after_read(STR("5"), NOW_MS, 0, &ms));
    assert_false(retry_after_read(STR("Thu, 01 Jan 2099 00:00:00 GMT"), NOW_MS, 0, &ms));
    assert_true(retry_after_read(STR("Thu, 01 Jan 2099 00:00:00 GMT"), INT64_MIN, 5, &ms));
    assert_int_equal(ms, 5);
    assert_false(retry_after_read(STR("Sat, 01 Jan 0000 00:00:00 GMT"), INT64_MAX, 5, &ms));
}

/* Verdicts */

static const struct pace_settings usual = {
    .delay_ms = 1000,
    .delay_most_ms = 30 * 1000,
    .backoff_ms = 5 * 1000,
    .backoff_most_ms = 900 * 1000,
    .retry_after_most_ms = DAY_MS,
    .tries = 4,
    .host_failures = 12,
};

enum {
    DONE = PACE_DONE,
    AGAIN = PACE_AGAIN,
    DEAD = PACE_DEAD,
    BACKOFF = 5 * 1000 /* after the first failure, without jitter */
};

struct row {
    const char *name;
    struct pace_end end;
    uint32_t tries, failures; /* before */
    int next, code;
    uint64_t wait_ms; /* the least; jitter may add a quarter where it is a back-off */
    uint32_t tries_now, failures_now;
};

#define STATUS(s)                                           \
    {                                                       \
        .dns = DNS_FOUND, .http = HTTP_WHOLE, .status = (s) \
    }
#define OUTCOME(o)                    \
    {                                 \
        .dns = DNS_FOUND, .http = (o) \
    }
#define ASKS_FOR(s, ms)                                                               \
    {                                                                                 \
        .dns = DNS_FOUND, .http = HTTP_WHOLE, .status = (s), .has_retry_after = true, \
        .retry_after_ms = (ms)                                                        \
    }
#define STRANGER(d, o)                               \
    {                                                \
        .dns = (d), .http = (o), .is_stranger = true \
    }
#define ROBOTS_STATUS(s)                                                             \
    {                                                                                \
        .dns = DNS_FOUND, .http = HTTP_WHOLE, .status = (s), .is_useless = (s) > 499 \
    }
#define UNASKED                                                                     \
    {                                                                               \
        .dns = DNS_FOUND, .http = HTTP_WHOLE, .status = 304, .is_unasked_304 = true \
    }

#define OTHER_VERSION(o, s)                                                      \
    {                                                                            \
        .dns = DNS_FOUND, .http = (o), .status = (s), .asks_other_version = true \
    }

static const struct row rows[] = {
    {"a page", STATUS(200), 0, 0, DONE, 200, 1000, 0, 0},
    {"a page makes failures forgotten", STATUS(200), 2, 5, DONE, 200, 1000, 0, 0},
    {"not found", STATUS(404), 0, 3, DONE, 404, 1000, 0, 0},
    {"not modified", STATUS(304), 0, 0, DONE, 304, 1000, 0, 0},
    {"F34: refused for good", STATUS(451), 0, 0, DONE, 451, 1000, 0, 0},
    {"501 will not change", STATUS(501), 0, 0, DONE, 501, 1000, 0, 0},
    {"505 will not change", STATUS(505), 0, 0, DONE, 505, 1000, 0, 0},
    {"505 that another version of HTTP may change", OTHER_VERSION(HTTP_WHOLE, 505), 0, 3, AGAIN,
     505, 1000, 1, 3},
    {"a refusal in TLS is no failure then", OTHER_VERSION(HTTP_NO_TLS, 0), 9, 11, AGAIN,
     FETCH_NO_CONNECT, 1000, 10, 11},
    {"nor does a connection that was closed wait longer", OTHER_VERSION(HTTP_CLOSED, 0), 3, 2,
     AGAIN, FETCH_BROKEN, 1000, 4, 2},
    {"a status of no class", STATUS(999), 0, 0, DONE, 999, 1000, 0, 0},
    {"a robots.txt", ROBOTS_STATUS(200), 1, 1, DONE, 200, 1000, 0, 0},
    {"no robots.txt", ROBOTS_STATUS(404), 1, 1, DONE, 404, 1000, 0, 0},
    {"501 of robots.txt says nothing about rules", ROBOTS_STATUS(501), 0, 0, AGAIN, 501, BACKOFF, 1,
     1},
    {"nor does a status of no class", ROBOTS_STATUS(999), 1, 1, AGAIN, 999, 2 * BACKOFF, 2, 2},
    {"robots.txt without rules ends the host", ROBOTS_STATUS(505), 0, 11, DEAD, FETCH_RETRIES,
     900 * 1000, 0, 12},
    {"F06: a truncated page is a page",
     {.dns = DNS_FOUND, .http = HTTP_TRUNCATED, .status = 200},
     0,
     4,
     DONE,
     200,
     1000,
     0,
     0},
    {"F37: 500", STATUS(500), 0, 0, AGAIN, 500, BACKOFF, 1, 1},
    {"F37: each failure doubles the wait", STATUS(502), 1, 1, AGAIN, 502, 2 * BACKOFF, 2, 2},
    {"F37: and again", STATUS(503), 2, 2, AGAIN, 503, 4 * BACKOFF, 3, 3},
    {"F37: the last try is its answer", STATUS(503), 3, 3, DONE, 503, 8 * BACKOFF, 0, 4},
    {"the wait has a maximum", STATUS(503), 0, 9, AGAIN, 503, 900 * 1000, 1, 10},
    {"F37: the host is given up", STATUS(503), 0, 11, DEAD, FETCH_RETRIES, 900 * 1000, 0, 12},
    {"F35: 429 with seconds", ASKS_FOR(429, 120000), 0, 0, AGAIN, 429, 120000, 1, 1},
    {"F35: 503 with seconds", ASKS_FOR(503, 120000), 0, 0, AGAIN, 503, 120000, 1, 1},
    {"F35: also behind the last try", ASKS_FOR(503, 120000), 3, 0, DONE, 503, 120000, 0, 1},
    {"a short Retry-After never beats the delay", ASKS_FOR(429, 1), 0, 0, AGAIN, 429, 1000, 1, 1},
    {"F36: too far away", ASKS_FOR(429, UINT64_MAX), 0, 0, AGAIN, 429, DAY_MS, 1, 1},
    {"Retry-After of a page means nothing", ASKS_FOR(200, 120000), 0, 0, DONE, 200, 1000, 0, 0},
    {"429 without one", STATUS(429), 0, 0, AGAIN, 429, BACKOFF, 1, 1},
    {"F01: no connection", OUTCOME(HTTP_NO_CONNECT), 0, 0, AGAIN, FETCH_NO_CONNECT, BACKOFF, 1, 1},
    {"F01: for the last time", STRANGER(DNS_FOUND, HTTP_NO_CONNECT), 3, 3, DEAD, FETCH_NO_CONNECT,
     8 * BACKOFF, 0, 4},
    {"a host that has answered before comes back", OUTCOME(HTTP_NO_CONNECT), 3, 3, AGAIN,
     FETCH_NO_CONNECT, 8 * BACKOFF, 4, 4},
    {"but not for ever", OUTCOME(HTTP_NO_CONNECT), 11, 11, DEAD, FETCH_NO_CONNECT, 900 * 1000, 0,
     12},
    {"F03: no answer for the last time", OUTCOME(HTTP_TIMEOUT), 3, 3, DONE, FETCH_RETRIES,
     8 * BACKOFF, 0, 4},
    {"F03: no answer", OUTCOME(HTTP_TIMEOUT), 0, 0, AGAIN, FETCH_TIMEOUT, BACKOFF, 1, 1},
    {"F04: closed", OUTCOME(HTTP_CLOSED), 0, 0, AGAIN, FETCH_BROKEN, BACKOFF, 1, 1},
    {"F86: TLS that does not verify", OUTCOME(HTTP_NO_TLS), 0, 0, DONE, FETCH_NO_CONNECT, 1000, 0,
     1},
    {"F86: a host of nothing else", OUTCOME(HTTP_NO_TLS), 0, 11, DEAD, FETCH_RETRIES, 1000, 0, 12},
    {"F28: no HTTP", OUTCOME(HTTP_NOT_HTTP), 0, 2, AGAIN, FETCH_BROKEN, 1000, 1, 2},
    {"F28: no HTTP once more", OUTCOME(HTTP_NOT_HTTP), 1, 2, DONE, FETCH_BROKEN, 1000, 0, 2},
    {"F50: an address that is not asked", OUTCOME(HTTP_REFUSED_ADDRESS), 0, 2, DONE, FETCH_BLOCKED,
     1000, 0, 2},
    {"our own trouble is counted against nobody", OUTCOME(HTTP_FAILED), 3, 11, AGAIN, FETCH_BROKEN,
     BACKOFF, 3, 11},
    {"F46: a name server that fails",
     {.dns = DNS_FAILED},
     0,
     0,
     AGAIN,
     FETCH_NO_DNS,
     BACKOFF,
     1,
     1},
    {"F46: one that is silent", STRANGER(DNS_TIMEOUT, 0), 3, 3, DEAD, FETCH_NO_DNS, 8 * BACKOFF, 0,
     4},
    {"F46: no such name", STRANGER(DNS_NO_NAME, 0), 0, 0, AGAIN, FETCH_NO_DNS, BACKOFF, 1, 1},
    {"F46: no such name, twice", STRANGER(DNS_NO_NAME, 0), 1, 1, DEAD, FETCH_NO_DNS, 2 * BACKOFF, 0,
     2},
    {"a name that was there before",
     {.dns = DNS_NO_NAME},
     1,
     1,
     AGAIN,
     FETCH_NO_DNS,
     2 * BACKOFF,
     2,
     2},
    {"F92: a 304 nobody asked for", UNASKED, 0, 3, AGAIN, 304, 1000, 1, 0},
    {"F92: and once more", UNASKED, 1, 0, DONE, FETCH_BROKEN, 1000, 0, 0},
    {"tries past counting", STATUS(503), UINT32_MAX, 0, DONE, 503, BACKOFF, 0, 1},
    {"failures past counting", STATUS(503), 0, UINT32_MAX, DEAD, FETCH_RETRIES, 900 * 1000, 0,
     UINT32_MAX},
};

/* With drop_dead: what is silent, forbidden or gone has one try; what asks for time gets it. */
static const struct row dropping[] = {
    {"no answer", OUTCOME(HTTP_TIMEOUT), 0, 0, DONE, FETCH_TIMEOUT, BACKOFF, 0, 1},
    {"closed", OUTCOME(HTTP_CLOSED), 0, 1, DONE, FETCH_BROKEN, 2 * BACKOFF, 0, 2},
    {"no connection to a stranger", STRANGER(DNS_FOUND, HTTP_NO_CONNECT), 0, 0, DEAD,
     FETCH_NO_CONNECT, BACKOFF, 0, 1},
    {"no connection to a host that has answered", OUTCOME(HTTP_NO_CONNECT), 0, 0, DONE,
     FETCH_NO_CONNECT, BACKOFF, 0, 1},
    {"and once too often", OUTCOME(HTTP_NO_CONNECT), 0, 11, DEAD, FETCH_RETRIES, 900 * 1000, 0, 12},
    {"no such name", STRANGER(DNS_NO_NAME, 0), 0, 0, DEAD, FETCH_NO_DNS, BACKOFF, 0, 1},
    {"a name that is gone", {.dns = DNS_NO_NAME}, 0, 0, DEAD, FETCH_NO_DNS, BACKOFF, 0, 1},
    {"a name server that fails", {.dns = DNS_FAILED}, 0, 0, DONE, FETCH_NO_DNS, BACKOFF, 0, 1},
    {"a stranger's name server", STRANGER(DNS_TIMEOUT, 0), 0, 0, DEAD, FETCH_NO_DNS, BACKOFF, 0, 1},
    {"forbidden", STATUS(403), 0, 0, DONE, 403, 1000, 0, 0},
    {"unauthorised", STATUS(401), 0, 0, DONE, 401, 1000, 0, 0},
    {"not found", STATUS(404), 0, 0, DONE, 404, 1000, 0, 0},
    {"gone", STATUS(410), 0, 0, DONE, 410, 1000, 0, 0},
    {"503 is an answer", STATUS(503), 0, 0, AGAIN, 503, BACKOFF, 1, 1},
    {"429 asks for time", ASKS_FOR(429, 120000), 0, 0, AGAIN, 429, 120000, 1, 1},
    {"503 that asks for time, for the last time", ASKS_FOR(503, 120000), 3, 0, DONE, 503, 120000, 0,
     1},
    {"a robots.txt that fails", ROBOTS_STATUS(500), 0, 0, AGAIN, 500, BACKOFF, 1, 1},
    {"no HTTP is an answer", OUTCOME(HTTP_NOT_HTTP), 0, 2, AGAIN, FETCH_BROKEN, 1000, 1, 2},
    {"HTTP/1.1 is refused by closing", OTHER_VERSION(HTTP_CLOSED, 0), 0, 0, AGAIN, FETCH_BROKEN,
     1000, 1, 0},
    {"TLS that does not verify", OUTCOME(HTTP_NO_TLS), 0, 0, DONE, FETCH_NO_CONNECT, 1000, 0, 1},
    {"our own trouble", OUTCOME(HTTP_FAILED), 3, 11, AGAIN, FETCH_BROKEN, BACKOFF, 3, 11},
    {"a page", STATUS(200), 0, 3, DONE, 200, 1000, 0, 0},
};

static void check_rows(const struct pace_settings *s, const struct row *list, size_t count)
{
    struct rng rng;
    rng_init(&rng, test_seed(3));
    for (size_t i = 0; i < count; i++) {
        const struct row *row = &list[i];
        for (int round = 0; round < 50; round++) {
            struct pace_verdict v = pace_judge(s, &row->end, row->tries, row->failures, 0, &rng);
            bool has_jitter = row->wait_ms % BACKOFF == 0 && !row->end.has_retry_after;
            uint64_t most = row->wait_ms + (has_jitter ? row->wait_ms / 4 : 0);
            if (v.next != (enum pace_next)row->next || v.code != row->code ||
                v.tries != row->tries_now || v.failures != row->failures_now ||
                v.wait_ms < row->wait_ms || v.wait_ms > most)
                fail_msg("%s: next %d, code %d, tries %u, failures %u, wait %llu", row->name,
                         v.next, v.code, v.tries, v.failures, (unsigned long long)v.wait_ms);
        }
    }
}

static void each_end_has_its_verdict(void **state)
{
    (void)state;
    check_rows(&usual, rows, sizeof rows / sizeof *rows);
}

static void what_is_dead_is_dropped_at_once_if_asked(void **state)
{
    (void)state;
    struct pace_settings s = usual;
    s.drop_dead = true;
    check_rows(&s, dropping, sizeof dropping / sizeof *dropping);
}

/* Only what would be asked for again is dropped, and nothing waits less than without. */
static void dropping_changes_tries_and_nothing_else(void **state)
{
    (void)state;
    struct pace_settings s = usual;
    s.drop_dead = true;
    unsigned dropped = 0;
    for (int i = 0; i < 40000; i++) {
        struct rng rng, same, choose;
        rng_init(&choose, (uint64_t)i + test_seed(9));
        struct pace_end end = {.dns = (enum dns_outcome)rng_below(&choose, DNS_TIMEOUT + 1),
                               .http = (enum http_outcome)rng_below(&choose, HTTP_OUTCOMES_),
                               .status = (uint16_t)(100 + rng_below(&choose, 500)),
                               .is_stranger = rng_below(&choose, 2),
                               .has_retry_after = rng_below(&choose, 2),
                               .retry_after_ms = rng_below(&choose, 100000),
                               .asks_other_version = rng_below(&choose, 5) == 0};
        uint32_t tries = (uint32_t)rng_below(&choose, 5),
                 failures = (uint32_t)rng_below(&choose, 12);
        rng_init(&rng, (uint64_t)i);
        rng_init(&same, (uint64_t)i);
        struct pace_verdict a = pace_judge(&usual, &end, tries, failures, 0, &rng);
        struct pace_verdict b = pace_judge(&s, &end, tries, failures, 0, &same);
        assert_true(a.wait_ms == b.wait_ms && a.failures == b.failures && a.why == b.why);
        assert_false(a.is_dropped);
        if (b.is_dropped) {
            assert_true(a.next == PACE_AGAIN && b.next != PACE_AGAIN);
            assert_true(end.dns != DNS_FOUND || end.http == HTTP_TIMEOUT ||
                        end.http == HTTP_CLOSED || end.http == HTTP_NO_CONNECT);
            assert_true(b.code < 0 && strstr(pace_dropped_text(b.code), "dropped at once"));
            dropped++;
        } else {
            assert_true((a.next == PACE_AGAIN) == (b.next == PACE_AGAIN));
        }
    }
    assert_true(dropped > 1000);
}

static void a_crawl_delay_is_kept_within_bounds(void **state)
{
    (void)state;
    static const struct {
        uint64_t asked_ms, wait_ms;
    } cases[] = {{0, 1000},      {200, 1000},          {5000, 5000},
                 {30000, 30000}, {3600 * 1000, 30000}, {UINT64_MAX, 30000}};
    struct pace_end page = STATUS(200), busy = ASKS_FOR(429, 2000);
    struct pace_settings slow = usual;
    struct rng rng;
    rng_init(&rng, 1);
    slow.delay_ms = 60 * 1000; /* the operator's own is never undercut */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t asked = cases[i].asked_ms;
        assert_int_equal(pace_judge(&usual, &page, 0, 0, asked, &rng).wait_ms, cases[i].wait_ms);
        assert_int_equal(pace_judge(&slow, &page, 0, 0, asked, &rng).wait_ms, 60 * 1000);
        assert_true(pace_judge(&usual, &busy, 0, 0, asked, &rng).wait_ms >= cases[i].wait_ms);
    }
}

/* Whatever happens, a URL is asked for `tries` times at most, and a host that only fails ends. */
static void asking_ends(void **state)
{
    (void)state;
    struct rng rng;
    rng_init(&rng, test_seed(5));
    for (int http = HTTP_WHOLE; http < HTTP_FAILED; http++) {
        for (uint16_t status = 100; status < 700; status++) {
            struct pace_end end = {
                .http = (enum http_outcome)http, .status = status, .is_stranger = true};
            struct pace_verdict v = {.next = PACE_AGAIN};
            unsigned asked = 0;
            while (v.next == PACE_AGAIN && asked < 100) {
                v = pace_judge(&usual, &end, v.tries, v.failures, 0, &rng);
                assert_true(v.wait_ms >= usual.delay_ms);
                assert_true(v.next == PACE_AGAIN ? v.tries == asked + 1 : v.tries == 0);
                asked++;
            }
            assert_true(asked <= usual.tries);
        }
    }
}

static void odd_settings_do_no_harm(void **state)
{
    (void)state;
    struct pace_settings odd = {.backoff_ms = UINT64_MAX / 2, .backoff_most_ms = UINT64_MAX / 2};
    struct pace_end busy = STATUS(503);
    struct rng rng;
    rng_init(&rng, 1);
    struct pace_verdict v = pace_judge(&odd, &busy, 0, 60, 0, &rng);
    assert_true(v.wait_ms >= UINT64_MAX / 2 && v.next == PACE_DEAD);
    odd = (struct pace_settings){.host_failures = 12};
    assert_int_equal(pace_judge(&odd, &busy, 0, 3, 0, &rng).wait_ms, 0);
}

static void the_defaults_are_the_ones_written_down(void **state)
{
    (void)state;
    struct arena *arena = arena_open(4096, 1 << 16);
    struct pace_settings s;
    assert_rc(options_default(pace_options, &s, arena), RC_OK);
    assert_true(s.delay_ms == usual.delay_ms && s.delay_most_ms == usual.delay_most_ms);
    assert_true(s.backoff_ms == usual.backoff_ms && s.backoff_most_ms == usual.backoff_most_ms);
    assert_true(s.retry_after_most_ms == usual.retry_after_most_ms);
    assert_true(s.tries == usual.tries && s.host_failures == usual.host_failures);
    assert_false(s.drop_dead);
    arena_close(arena);
}

static void every_code_has_a_text(void **state)
{
    (void)state;
    assert_string_equal(fetch_code_text(404), "404 Not Found");
    assert_string_equal(fetch_code_text(FETCH_ROBOTS), "robots.txt forbids it");
    for (int code = -10000; code < 1100; code++)
        assert_true(strlen(fetch_code_text(code)) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_three_forms_of_a_date_are_read),
        cmocka_unit_test(a_short_year_is_near_the_clock_s_own),
        cmocka_unit_test(retry_after_is_read_or_means_nothing),
        cmocka_unit_test(each_end_has_its_verdict),
        cmocka_unit_test(what_is_dead_is_dropped_at_once_if_asked),
        cmocka_unit_test(dropping_changes_tries_and_nothing_else),
        cmocka_unit_test(a_crawl_delay_is_kept_within_bounds),
        cmocka_unit_test(asking_ends),
        cmocka_unit_test(odd_settings_do_no_harm),
        cmocka_unit_test(the_defaults_are_the_ones_written_down),
        cmocka_unit_test(every_code_has_a_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
