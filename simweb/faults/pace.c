/* SPDX-License-Identifier: Apache-2.0 */
/* A host that asks for time, or has none. Back-off is the host's, so every variant has a host of
 * its own: /page is refused first and answered later, /other is always well, and a crawler that
 * holds back the URL instead of the host is caught by asking for /other at once. */
#include "faults/catalog.h"
#include "faults/tell.h"

#define MS_OF_1994 (UINT64_C(784111777) * 1000)
#define MS_OF_2099 (UINT64_C(4070908800) * 1000)
#define MS_OF_DAY (UINT64_C(24) * 3600 * 1000)

enum {
    SPRINKLED_NTH = 3, /* which request of an ordinary host is refused */
    SLACK_MS = 10,     /* a clock that counts in milliseconds may be early by one of them */
};

/* What Retry-After says. */
enum said {
    SAID_SECONDS,
    SAID_DATE,         /* Sun, 06 Nov 1994 08:49:37 GMT */
    SAID_DATE_RFC850,  /* Sunday, 06-Nov-94 08:49:37 GMT */
    SAID_DATE_ASCTIME, /* Sun Nov  6 08:49:37 1994 */
    SAID_PAST,
    SAID_2099,
    SAID_TEXT, /* the row's own */
};

struct refusal {
    const char *label;
    uint16_t status;
    enum said said;
    const char *text;
    uint32_t times; /* how often /page is refused */
};

static const struct refusal refusals[] = {
    {"busy429", 429, SAID_SECONDS, NULL, 1},
    {"busy503", 503, SAID_SECONDS, NULL, 1},
    {"thrice", 429, SAID_SECONDS, NULL, 3},
    {"imf", 429, SAID_DATE, NULL, 1},
    {"rfc850", 503, SAID_DATE_RFC850, NULL, 1},
    {"asctime", 503, SAID_DATE_ASCTIME, NULL, 1},
    {"past", 503, SAID_PAST, NULL, 1},
    {"zero", 429, SAID_TEXT, "0", 1},
    {"negative", 429, SAID_TEXT, "-5", 1},
    {"garbage", 503, SAID_TEXT, "when the tide is out", 1},
    {"fraction", 429, SAID_TEXT, "0.5", 1},
    {"far", 503, SAID_2099, NULL, UINT32_MAX},
    {"overflow", 429, SAID_TEXT, "18446744073709551617", UINT32_MAX},
};

static const struct refusal *refusal_of(struct str label)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        if (str_eq(label, str_c(refusals[i].label)))
            return &refusals[i];
    return NULL;
}

/* From "Sun, 06 Nov 1994 08:49:37 GMT" to the two older forms (RFC 9110, 5.6.7). */
static void date_write(enum said form, uint64_t wall_ms, struct buf *out)
{
    static const char *const days[] = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                       "Friday", "Saturday", "Sunday"};
    char room[64];
    struct buf imf = buf_on(room, sizeof room);
    buf_http_date(&imf, wall_ms);
    struct str d = buf_str(&imf);
    if (form == SAID_DATE_ASCTIME) {
        buf_printf(out, "%.3s %.3s %c%c %.8s %.4s", d.p, d.p + 8, d.p[5] == '0' ? ' ' : d.p[5],
                   d.p[6], d.p + 17, d.p + 12);
    } else if (form == SAID_DATE_RFC850) {
        const char *day = days[(wall_ms / MS_OF_DAY + 3) % 7]; /* 1970 began on a Thursday */
        buf_printf(out, "%s, %.2s-%.3s-%.2s %.8s GMT", day, d.p + 5, d.p + 8, d.p + 14, d.p + 17);
    } else {
        buf_add(out, d);
    }
}

static void retry_after(const struct fault_query *q, const struct refusal *row, struct buf *out)
{
    /* The next whole second, so that the time until the date is never less than was meant. */
    uint64_t until_ms = (q->wall_ms + 999) / 1000 * 1000 + q->knobs->retry_after_s * 1000;
    buf_add(out, STR("Retry-After: "));
    switch (row->said) {
    case SAID_SECONDS:
        buf_u64(out, q->knobs->retry_after_s);
        break;
    case SAID_DATE:
    case SAID_DATE_RFC850:
    case SAID_DATE_ASCTIME:
        date_write(row->said, until_ms, out);
        break;
    case SAID_PAST:
        date_write(SAID_DATE, MS_OF_1994, out);
        break;
    case SAID_2099:
        date_write(SAID_DATE, MS_OF_2099, out);
        break;
    case SAID_TEXT:
        buf_add(out, str_c(row->text));
        break;
    }
    buf_add(out, STR("\r\n"));
}

static void refuse(const struct fault_query *q, const struct refusal *row, struct reply *r)
{
    char room[128];
    struct buf more = buf_on(room, sizeof room);
    retry_after(q, row, &more);
    tell_page_as(q, r, row->status, buf_str(&more), "Not now", "");
    /* Whoever cannot wait until 2099 waits at least as long as for a sensible value. */
    bool is_date = row->said >= SAID_DATE && row->said <= SAID_DATE_ASCTIME;
    bool is_clear = row->said <= SAID_DATE_ASCTIME || row->times == UINT32_MAX;
    uint64_t asked_ms = q->knobs->retry_after_s * 1000;
    r->backoff_ms = is_clear && asked_ms > SLACK_MS ? asked_ms - SLACK_MS : 0;
    /* A client that goes by its own clock cannot tell how far a date of another one is. */
    if (is_date && !q->true_time)
        r->backoff_ms = 0;
}

/* The ordinary host under it is refused once, in the middle of a crawl, whatever is asked for. */
static bool refuse_sprinkled(const struct fault_query *q, const struct refusal *row,
                             struct reply *r)
{
    if (q->nth_of_host != SPRINKLED_NTH || query_path_is(q, "/robots.txt") ||
        query_path_is(q, "/") || str_starts(q->path, STR("/told/")))
        return false;
    refuse(q, row, r);
    return true;
}

static bool answer_busy(const struct fault_query *q, struct reply *r)
{
    const struct refusal *row = refusal_of(q->label);
    if (!row)
        return false;
    if (query_path_is(q, "/other"))
        tell_page(q, r, "Another page of a busy host", "/told/other/good");
    else if (!query_path_is(q, "/page"))
        return refuse_sprinkled(q, row, r);
    else if (q->nth < row->times)
        refuse(q, row, r);
    else
        tell_page(q, r, "Here at last", "/told/page/good");
    return true;
}

static bool answer_broken(const struct fault_query *q, struct reply *r)
{
    uint16_t status = query_label_is(q, "e500")   ? 500
                      : query_label_is(q, "e502") ? 502
                      : query_label_is(q, "e503") ? 503
                                                  : 0;
    if (!status || !(query_path_is(q, "/page") || query_path_is(q, "/other")))
        return false;
    tell_page_as(q, r, status, STR(""), "Out of order", "");
    return true;
}

static const struct fault_host f35_hosts[] = {
    {.label = "busy429"},
    {.label = "busy503"},
    {.label = "thrice", .no_sprinkle = true},
    {0},
};

static const struct fault_case f35_cases[] = {
    {"busy429", "/page", "429 once with Retry-After in seconds, then a page"},
    {"busy429", "/other", "another page of that host, always well"},
    {"busy503", "/page", "503 once with Retry-After in seconds, then a page"},
    {"busy503", "/other", "another page of that host, always well"},
    {"thrice", "/page", "429 three times, then a page"},
    {"thrice", "/other", "another page of that host, always well"},
    {0},
};

static const struct expect f35_expects[] = {
    {EXPECT_GAP, NULL, "*", 0, "asked the host again before Retry-After was over"},
    {EXPECT_FETCHED, "busy429", "/page", 0, "never asked"},
    {EXPECT_FETCHED, "busy429", "/told/page/good", 0, "lost a URL that was refused with 429"},
    {EXPECT_FETCHED, "busy429", "/told/other/good", 0, "gave up a host for one 429"},
    {EXPECT_FETCHED, "busy503", "/page", 0, "never asked"},
    {EXPECT_FETCHED, "busy503", "/told/page/good", 0, "lost a URL that was refused with 503"},
    {EXPECT_FETCHED, "busy503", "/told/other/good", 0, "gave up a host for one 503"},
    {EXPECT_AT_MOST, "busy429", "/page", 8, "asked over and over"},
    {EXPECT_AT_MOST, "busy503", "/page", 8, "asked over and over"},
    {EXPECT_AT_MOST, "thrice", "/page", 10, "asked over and over"},
    {0},
};

static const struct fault_host f36_hosts[] = {
    {.label = "imf"},
    {.label = "rfc850"},
    {.label = "asctime"},
    {.label = "past"},
    {.label = "zero"},
    {.label = "negative"},
    {.label = "garbage"},
    {.label = "fraction"},
    {.label = "far", .no_sprinkle = true},
    {.label = "overflow", .no_sprinkle = true},
    {0},
};

static const struct fault_case f36_cases[] = {
    {"imf", "/page", "429 until a date as HTTP writes it today"},
    {"imf", "/other", "another page of that host"},
    {"rfc850", "/page", "503 until a date with a long day and a short year"},
    {"rfc850", "/other", "another page of that host"},
    {"asctime", "/page", "503 until a date as asctime() writes it"},
    {"asctime", "/other", "another page of that host"},
    {"past", "/page", "503 until a day in 1994"},
    {"zero", "/page", "429 for 0 seconds"},
    {"negative", "/page", "429 for -5 seconds"},
    {"garbage", "/page", "503 with words where a time should be"},
    {"fraction", "/page", "429 for 0.5 seconds, which is no number of HTTP's"},
    {"far", "/page", "503 until 2099, for ever"},
    {"far", "/other", "another page of that host"},
    {"overflow", "/page", "429 for more seconds than 64 bits hold, for ever"},
    {0},
};

static const struct expect f36_expects[] = {
    {EXPECT_GAP, NULL, "*", 0, "asked the host again before the moment that Retry-After names"},
    {EXPECT_FETCHED, "imf", "/told/page/good", 0, "lost a URL that was refused for a while"},
    {EXPECT_FETCHED, "rfc850", "/told/page/good", 0, "lost a URL that was refused for a while"},
    {EXPECT_FETCHED, "asctime", "/told/page/good", 0, "lost a URL that was refused for a while"},
    {EXPECT_FETCHED, "imf", "/told/other/good", 0, "gave up a host for one refusal"},
    {EXPECT_FETCHED, "rfc850", "/told/other/good", 0, "gave up a host for one refusal"},
    {EXPECT_FETCHED, "asctime", "/told/other/good", 0, "gave up a host for one refusal"},
    {EXPECT_FETCHED, "past", "/told/page/good", 0, "lost a URL over a date in the past"},
    {EXPECT_FETCHED, "zero", "/told/page/good", 0, "lost a URL over a wait of 0 seconds"},
    {EXPECT_FETCHED, "negative", "/told/page/good", 0, "lost a URL over a negative wait"},
    {EXPECT_FETCHED, "garbage", "/told/page/good", 0, "lost a URL over an unreadable wait"},
    {EXPECT_FETCHED, "fraction", "/told/page/good", 0, "lost a URL over an unreadable wait"},
    {EXPECT_AT_MOST, "imf", "/page", 8, "asked over and over"},
    {EXPECT_AT_MOST, "rfc850", "/page", 8, "asked over and over"},
    {EXPECT_AT_MOST, "asctime", "/page", 8, "asked over and over"},
    {EXPECT_AT_MOST, "past", "/page", 8, "took a date in the past for leave to spin"},
    {EXPECT_AT_MOST, "zero", "/page", 8, "took 0 seconds for leave to spin"},
    {EXPECT_AT_MOST, "negative", "/page", 8, "took a negative wait for leave to spin"},
    {EXPECT_AT_MOST, "garbage", "/page", 8, "spun on a wait it could not read"},
    {EXPECT_AT_MOST, "fraction", "/page", 8, "spun on a wait it could not read"},
    {EXPECT_AT_MOST, "far", "/page", 8, "spun on a date too far to wait for"},
    {EXPECT_AT_MOST, "overflow", "/page", 8, "spun on a number that does not fit"},
    {0},
};

/* If robots.txt failed too it would be F53, so a sprinkled host could not be told from that. */
static const struct fault_host f37_hosts[] = {
    {.label = "e500", .no_sprinkle = true},
    {.label = "e502", .no_sprinkle = true},
    {.label = "e503", .no_sprinkle = true},
    {0},
};

static const struct fault_case f37_cases[] = {
    {"e500", "/page", "500, always"},
    {"e500", "/other", "and another page, 500 too"},
    {"e502", "/page", "502, always"},
    {"e502", "/other", "and another page, 502 too"},
    {"e503", "/page", "503, always"},
    {"e503", "/other", "and another page, 503 too"},
    {0},
};

static const struct expect f37_expects[] = {
    {EXPECT_AT_MOST, "e500", "/page", 12, "asks a broken host without end"},
    {EXPECT_AT_MOST, "e500", "/other", 12, "asks a broken host without end"},
    {EXPECT_AT_MOST, "e502", "/page", 12, "asks a broken host without end"},
    {EXPECT_AT_MOST, "e502", "/other", 12, "asks a broken host without end"},
    {EXPECT_AT_MOST, "e503", "/page", 12, "asks a broken host without end"},
    {EXPECT_AT_MOST, "e503", "/other", 12, "asks a broken host without end"},
    {0},
};

const struct fault faults_pace[] = {
    {
        .id = "F35",
        .group = "pace",
        .does = "answers 429 or 503 with Retry-After in seconds (--retry-after, 120 by default), "
                "once or three times, then with the page; sprinkled over a host it refuses one "
                "request, the fourth",
        .wants = "the whole host waits at least that long (ours: at most 24 h), then asks again; "
                 "the URL is not lost, the host's other URLs wait too",
        .hosts = f35_hosts,
        .cases = f35_cases,
        .expects = f35_expects,
        .answer = answer_busy,
    },
    {
        .id = "F36",
        .group = "pace",
        .does = "sends Retry-After as a date in each of HTTP's three forms, in 1994, in 2099, 0, "
                "negative, a fraction, words, and more seconds than 64 bits hold; dates follow the "
                "simulated clock, and are judged while that shows the machine's time",
        .wants = "all three dates are read and waited for; the past, 0 and what cannot be read "
                 "mean the crawler's own back-off, then the URL is asked again; ours: a value too "
                 "far away is cut to 24 h",
        .hosts = f36_hosts,
        .cases = f36_cases,
        .expects = f36_expects,
        .answer = answer_busy,
    },
    {
        .id = "F37",
        .group = "pace",
        .does = "answers every page with 500, 502 or 503 and no Retry-After, for ever; robots.txt "
                "is well",
        .wants = "the host is left alone for longer and longer and given up after a number of "
                 "tries (any up to 12 a URL will do); its URLs stay known",
        .hosts = f37_hosts,
        .cases = f37_cases,
        .expects = f37_expects,
        .answer = answer_broken,
    },
    {0},
};
