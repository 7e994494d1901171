/* SPDX-License-Identifier: Apache-2.0 */
/* Servers that lose count, change their mind, or have no idea what time it is. */
#include "faults/catalog.h"
#include "faults/fact.h"
#include "faults/tell.h"

enum {
    TRIES = 8,
    VISITS = 50, /* of one page that is never the same twice; a crawl of days comes again */
};

/* F90 --------------------------------------------------------------------------------------- */

/* A second whole answer behind the first, which nobody asked for. */
static void extra_page(const struct fault_query *q, struct reply *r)
{
    tell_page(q, r, "One answer and another", "/told/extra/good");
    tell_page(q, r, "The answer to nothing", "/told/smuggled/bad");
}

static void extra_redirect(const struct fault_query *q, struct reply *r)
{
    tell_page(q, r, "One answer and a redirect", "/told/redirect/good");
    tell_redirect_path(q, r, 302, STR("/told/smuggled-redirect/bad"));
    r->status = 200;
}

static void extra_junk(const struct fault_query *q, struct reply *r)
{
    tell_page(q, r, "One answer and some bytes", "/told/junk/good");
    reply_send(r, STR("\0\xff these bytes belong to no answer at all \xff\0"));
}

/* As servers do that lose patience with a connection. */
static void goodbye(const struct fault_query *q, struct reply *r)
{
    tell_page(q, r, "One answer and a goodbye", "/told/goodbye/good");
    reply_send(r, STR("HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n"
                      "Content-Length: 0\r\n\r\n"));
    reply_close(r);
}

static bool answer_extra(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/extra", 200, extra_page},
        {"/redirect", 200, extra_redirect},
        {"/junk", 200, extra_junk},
        {"/goodbye", 200, goodbye},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f90_cases[] = {
    {"", "/extra", "two answers to one request"},
    {"", "/redirect", "an answer and a redirect to one request"},
    {"", "/junk", "an answer and bytes that are none"},
    {"", "/goodbye", "an answer, 408, and the end"},
    {0},
};

static const struct expect f90_expects[] = {
    {EXPECT_FETCHED, "", "/told/extra/good", 0, "did not read the first answer"},
    {EXPECT_FETCHED, "", "/told/redirect/good", 0, "did not read the first answer"},
    {EXPECT_FETCHED, "", "/told/junk/good", 0, "did not read the answer"},
    {EXPECT_FETCHED, "", "/told/goodbye/good", 0, "did not read the answer"},
    {EXPECT_NEVER, "", "/told/smuggled/bad", 0, "only an answer to no request links it"},
    {EXPECT_NEVER, "", "/told/smuggled-redirect/bad", 0, "only an answer to no request names it"},
    {EXPECT_NO_REUSE, "", "/extra", 0, "goes on where bytes were left over"},
    {EXPECT_NO_REUSE, "", "/redirect", 0, "goes on where bytes were left over"},
    {EXPECT_NO_REUSE, "", "/junk", 0, "goes on where bytes were left over"},
    {0},
};

/* F91 --------------------------------------------------------------------------------------- */

static void by_agent(const struct fault_query *q, struct reply *r)
{
    struct str agent = request_header(q->request, STR("User-Agent"));
    bool is_browser = agent.p && str_find_str(agent, STR("Mozilla")) < agent.n;
    tell_page(q, r, is_browser ? "For people" : "For everybody else", "/told/agent/good");
}

/* Never the same: the moment and the number of visits stand on the page. */
static void by_time(const struct fault_query *q, struct reply *r)
{
    char room[96];
    struct buf title = buf_on(room, sizeof room);
    buf_printf(&title, "Visit %u at %llu", q->nth + 1, (unsigned long long)q->wall_ms);
    const char *text = buf_c(&title);
    tell_page(q, r, text ? text : "A visit", "/told/time/good");
}

static void now_and_then(const struct fault_query *q, struct reply *r)
{
    if (q->nth % 2 == 0)
        tell_page(q, r, "Here", "/told/here/good");
    else
        tell_page_as(q, r, 404, STR(""), "Gone, until somebody looks again", "");
}

/* Each visit finds one more item. */
static void news(const struct fault_query *q, struct reply *r)
{
    char room[64];
    struct buf item = buf_on(room, sizeof room);
    buf_printf(&item, "/news/item?n=%u", q->nth + 1);
    const char *text = buf_c(&item);
    tell_page(q, r, "News", text ? text : "");
}

static void news_item(const struct fault_query *q, struct reply *r)
{
    tell_page(q, r, "An item", "/news");
}

static bool answer_flapping(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/agent", 200, by_agent},
        {"/time", 200, by_time},
        {"/now-and-then", 200, now_and_then},
        {"/news", 200, news},
        {"/news/item", 200, news_item},
        {0},
    };
    return tell_by_path(rows, q, r);
}

static const struct fault_case f91_cases[] = {
    {"", "/agent", "one page for browsers, another for everybody else"},
    {"", "/time", "another page each time"},
    {"", "/now-and-then", "here the first time, gone the second, here the third"},
    {"", "/news", "a link to a new item each time, and the item links back"},
    {0},
};

static const struct expect f91_expects[] = {
    {EXPECT_FETCHED, "", "/told/agent/good", 0, "did not read the page"},
    {EXPECT_FETCHED, "", "/told/time/good", 0, "did not read the page"},
    {EXPECT_FETCHED, "", "/told/here/good", 0, "did not read the page"},
    {EXPECT_FETCHED, "", "/news/item?n=1", 0, "did not read the page"},
    {EXPECT_AT_MOST, "", "/agent", VISITS, "comes again and again"},
    {EXPECT_AT_MOST, "", "/time", VISITS, "comes again and again for what is always new"},
    {EXPECT_AT_MOST, "", "/now-and-then", VISITS, "comes again and again"},
    {EXPECT_AT_MOST, "", "/news", VISITS, "comes again and again for what is always new"},
    {EXPECT_AT_MOST, "", "/news/item*", VISITS, "follows what is always new without end"},
    {0},
};

/* F92 --------------------------------------------------------------------------------------- */

static bool has_condition(const struct fault_query *q)
{
    return request_header(q->request, STR("If-None-Match")).p ||
           request_header(q->request, STR("If-Modified-Since")).p;
}

static void not_modified(const struct fault_query *q, struct reply *r)
{
    char room[64];
    struct buf date = buf_on(room, sizeof room);
    tell_date(q, &date);
    r->status = 304;
    reply_sendf(r, "HTTP/1.1 304 Not Modified\r\n" STR_FMT "ETag: \"never-given\"\r\n\r\n",
                STR_ARG(buf_str(&date)));
}

/* Pages whose validators are of no use; whoever trusts them all the same is told 304. */
struct validated {
    const char *path;
    struct str more; /* header lines */
    const char *title, *told;
};

static const struct validated validated[] = {
    {"/future", STR("Last-Modified: Thu, 01 Jan 2099 00:00:00 GMT\r\n"), "Written in 2099",
     "/told/future/good"},
    {"/garbage", STR("Last-Modified: last week\r\nETag: no quotes, W/, \"\r\n"),
     "Written last week", "/told/garbage/good"},
    {"/same-tag", STR("ETag: \"always\"\r\n"), NULL, "/told/same/good"},
};

static bool answer_validated(const struct fault_query *q, struct reply *r)
{
    for (size_t i = 0; i < sizeof validated / sizeof *validated; i++) {
        const struct validated *row = &validated[i];
        const char *changing = q->nth % 2 ? "Another page" : "A page";
        if (!query_path_is(q, row->path))
            continue;
        if (has_condition(q))
            not_modified(q, r);
        else
            tell_page_as(q, r, 200, row->more, row->title ? row->title : changing, row->told);
        return true;
    }
    return false;
}

static void new_tag(const struct fault_query *q, struct reply *r)
{
    char room[64];
    struct buf more = buf_on(room, sizeof room);
    buf_printf(&more, "ETag: \"visit-%u\"\r\n", q->nth);
    tell_page_as(q, r, 200, buf_str(&more), "The same page under another tag", "/told/tag/good");
}

static void first_not_modified(const struct fault_query *q, struct reply *r)
{
    if (q->nth == 0)
        not_modified(q, r);
    else
        tell_page(q, r, "Modified after all", "/told/first/may");
}

static bool answer_validators(const struct fault_query *q, struct reply *r)
{
    static const struct tell_row rows[] = {
        {"/new-tag", 200, new_tag},
        {"/first-304", 304, first_not_modified},
        {"/always-304", 304, not_modified},
        {0},
    };
    return answer_validated(q, r) || tell_by_path(rows, q, r);
}

static const struct fault_case f92_cases[] = {
    {"", "/future", "last modified in 2099"},
    {"", "/garbage", "last modified last week, with a broken ETag"},
    {"", "/new-tag", "the same page, another ETag each time"},
    {"", "/same-tag", "another page each time, the same ETag"},
    {"", "/first-304", "304 to the first request, which had no condition"},
    {"", "/always-304", "304 to every request"},
    {0},
};

static const struct expect f92_expects[] = {
    {EXPECT_FETCHED, "", "/told/future/good", 0, "did not read a page from the future"},
    {EXPECT_FETCHED, "", "/told/garbage/good", 0, "did not read a page over its validators"},
    {EXPECT_FETCHED, "", "/told/tag/good", 0, "did not read a page over its validators"},
    {EXPECT_FETCHED, "", "/told/same/good", 0, "did not read a page over its validators"},
    {EXPECT_FETCHED, "", "/first-304", 0, "never asked"},
    {EXPECT_AT_MOST, "", "/first-304", TRIES, "asks over and over"},
    {EXPECT_AT_MOST, "", "/always-304", TRIES, "asks over and over"},
    {EXPECT_AT_MOST, "", "/told/first/may", TRIES, "asks over and over"},
    {EXPECT_NO_FACT, "", "/always-304", FACT_CONDITION,
     "took the ETag of a 304 for that of a page it has"},
    {0},
};

/* F93 --------------------------------------------------------------------------------------- */

struct dated {
    const char *path;
    const char *head; /* header lines */
    const char *told;
};

static const struct dated dates[] = {
    {"/1970",
     "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\nLast-Modified: Thu, 01 Jan 1970 00:00:01 GMT\r\n",
     "/told/1970/good"},
    {"/2099", "Date: Thu, 01 Jan 2099 00:00:00 GMT\r\nExpires: Fri, 02 Jan 2099 00:00:00 GMT\r\n",
     "/told/2099/good"},
    {"/before-1970", "Date: Wed, 31 Dec 1969 23:59:59 GMT\r\n", "/told/before/good"},
    {"/year-9999", "Date: Fri, 31 Dec 9999 23:59:60 GMT\r\n", "/told/9999/good"},
    {"/no-date", "", "/told/none/good"},
    {"/garbage", "Date: the day before yesterday\r\nExpires: -1\r\nAge: -86400\r\n",
     "/told/garbage/good"},
};

static void send_dated(const struct fault_query *q, const char *head, const char *told,
                       struct reply *r)
{
    struct tell_room page;
    struct str body = tell_text(q, &page, "What time is it?", told);
    tell_head(r, 200, "Content-Length: %zu\r\n%s", body.n, head);
    if (!query_is_head(q))
        reply_send(r, body);
}

static bool answer_dates(const struct fault_query *q, struct reply *r)
{
    if (query_path_is(q, "/jumps")) {
        const struct dated *d = &dates[q->nth_of_host % 2];
        send_dated(q, d->head, "/jumps?again /told/jumps/good", r);
        return true;
    }
    for (size_t i = 0; i < sizeof dates / sizeof *dates; i++)
        if (query_path_is(q, dates[i].path)) {
            send_dated(q, dates[i].head, dates[i].told, r);
            return true;
        }
    return false;
}

static const struct fault_case f93_cases[] = {
    {"", "/1970", "it is 1970"},
    {"", "/2099", "it is 2099"},
    {"", "/before-1970", "it is 1969"},
    {"", "/year-9999", "it is the last second of 9999"},
    {"", "/no-date", "nobody knows"},
    {"", "/garbage", "it is no date at all"},
    {"", "/jumps", "from 1970 to 2099 and back, from answer to answer"},
    {0},
};

static const struct expect f93_expects[] = {
    {EXPECT_FETCHED, "", "/told/1970/good", 0, "did not read a page over its date"},
    {EXPECT_FETCHED, "", "/told/2099/good", 0, "did not read a page over its date"},
    {EXPECT_FETCHED, "", "/told/before/good", 0, "did not read a page over its date"},
    {EXPECT_FETCHED, "", "/told/9999/good", 0, "did not read a page over its date"},
    {EXPECT_FETCHED, "", "/told/none/good", 0, "did not read a page without a date"},
    {EXPECT_FETCHED, "", "/told/garbage/good", 0, "did not read a page over its date"},
    {EXPECT_FETCHED, "", "/told/jumps/good", 0, "stopped at a host whose clock jumps"},
    {EXPECT_AT_MOST, "", "/1970", TRIES, "takes a page from 1970 for always out of date"},
    {EXPECT_AT_MOST, "", "/jumps*", TRIES, "lets a server's clock drive it"},
    {0},
};

const struct fault faults_server[] = {
    {
        .id = "F90",
        .group = "server",
        .does = "sends something behind a whole answer, on the same connection: another page, a "
                "redirect, bytes that are nothing, or a 408 and the end",
        .wants = "the first answer counts, the rest belongs to nobody: the connection is closed "
                 "and not one byte of it becomes the answer to the next request",
        .cases = f90_cases,
        .expects = f90_expects,
        .answer = answer_extra,
        .is_path = true,
    },
    {
        .id = "F91",
        .group = "server",
        .does = "answers otherwise for each user agent, at each visit, with 404 every second time, "
                "and lists a new item at each visit",
        .wants = "what is seen is stored and the change is noted; a page is not fetched again "
                 "because it differs, but when its turn comes",
        .cases = f91_cases,
        .expects = f91_expects,
        .answer = answer_flapping,
        .is_path = true,
    },
    {
        .id = "F92",
        .group = "server",
        .does = "says Last-Modified in 2099 or unreadably, a new ETag for the same page, the same "
                "ETag for a new one, and 304 to a request without a condition, once or always",
        .wants = "the page is read, a date from the future is not trusted; a 304 nobody asked for "
                 "is no page and no proof of one: asked again without a condition, a few times at "
                 "most. Ours: recorded as failed after one more try",
        .cases = f92_cases,
        .expects = f92_expects,
        .answer = answer_validators,
        .is_path = true,
    },
    {
        .id = "F93",
        .group = "server",
        .does = "says it is 1970, 1969, 2099, 9999, nothing readable, nothing at all, or jumps "
                "between answers",
        .wants = "the page is read like any other; what is scheduled goes by the crawler's own "
                 "monotonic clock, dates of a server are clamped",
        .cases = f93_cases,
        .expects = f93_expects,
        .answer = answer_dates,
        .is_path = true,
    },
    {0},
};
