/* SPDX-License-Identifier: Apache-2.0 */
/* Cookies nobody should keep. A crawler may keep none at all; one that does is caught by what it
 * sends to a neighbour, whose links stand on the pages that set the cookies. */
#include "faults/catalog.h"
#include "faults/fact.h"
#include "faults/tell.h"

enum {
    MANY_COOKIES = 500,
    LARGE_BYTES = 8 * 1024,  /* twice what RFC 6265 asks a client to be able to keep */
    HUGE_BYTES = 100 * 1024, /* more than many clients take as a header at all */
    MORE_BYTES = 256 * 1024, /* of all Set-Cookie lines of one answer */
    BODY_BYTES = 2048,
};

static void many(const struct fault_query *q, struct buf *out)
{
    (void)q;
    for (unsigned i = 0; i < MANY_COOKIES; i++)
        buf_printf(out, "Set-Cookie: c%03u=%032x; Path=/\r\n", i, i * 2654435761u);
}

static void one_of(struct buf *out, size_t bytes)
{
    buf_add(out, STR("Set-Cookie: big="));
    buf_fill(out, 'x', bytes);
    buf_add(out, STR("; Path=/\r\n"));
}

static void large(const struct fault_query *q, struct buf *out)
{
    (void)q;
    one_of(out, LARGE_BYTES);
}

static void huge(const struct fault_query *q, struct buf *out)
{
    (void)q;
    one_of(out, HUGE_BYTES);
}

/* For the neighbour, for a stranger, and for this host alone. */
static void wrong_domain(const struct fault_query *q, struct buf *out)
{
    struct str suffix = world_settings(q->world)->suffix;
    buf_printf(out,
               "Set-Cookie: a=1; Path=/; Domain=neighbour.f45." STR_FMT "\r\n"
               "Set-Cookie: b=1; Path=/; Domain=elsewhere.example\r\n"
               "Set-Cookie: c=1; Path=/\r\n",
               STR_ARG(suffix));
}

/* For everybody below the public suffix. */
static void supercookie(const struct fault_query *q, struct buf *out)
{
    struct str suffix = world_settings(q->world)->suffix;
    buf_printf(out,
               "Set-Cookie: d=1; Path=/; Domain=" STR_FMT "\r\n"
               "Set-Cookie: e=1; Path=/; Domain=." STR_FMT "\r\n"
               "Set-Cookie: f=1; Path=/; Domain=.\r\n",
               STR_ARG(suffix), STR_ARG(suffix));
}

/* No name, no value, controls, a date that never was. */
static void odd(const struct fault_query *q, struct buf *out)
{
    (void)q;
    buf_add(out, STR("Set-Cookie: \r\n"
                     "Set-Cookie: =\r\n"
                     "Set-Cookie: ;;;\r\n"
                     "Set-Cookie: g=caf\xe9\tau lait; Expires=Mon, 99 Foo 0000 99:99:99 GMT\r\n"
                     "Set-Cookie: h=1; Max-Age=99999999999999999999; Secure; Secure; Path\r\n"));
}

struct jar {
    const char *path;
    void (*write)(const struct fault_query *q, struct buf *out);
    const char *good; /* the page's tell-tales */
    const char *neighbour;
};

static const struct jar jars[] = {
    {"/many", many, "/told/many/good", NULL},
    {"/large", large, "/told/large/good", NULL},
    {"/huge", huge, "/told/huge/may", NULL},
    {"/wrong-domain", wrong_domain, "/told/wrong/good", "/told/next/wrong"},
    {"/supercookie", supercookie, "/told/super/good", "/told/next/super"},
    {"/odd", odd, "/told/odd/good", NULL},
};

static void jar_body(const struct fault_query *q, const struct jar *j, struct buf *out)
{
    tell_begin(q, "Have a cookie", j->good, out);
    if (j->neighbour && !q->mount.n) {
        buf_add(out, STR("<p><a href=\""));
        fault_url(q, "neighbour", str_c(j->neighbour), out);
        buf_add(out, STR("\">the neighbour</a></p>\n"));
    }
    tell_end(out);
}

static void jar_answer(const struct fault_query *q, const struct jar *j, struct reply *r)
{
    char room[BODY_BYTES];
    struct buf body = buf_on(room, sizeof room);
    struct buf more;
    buf_init(&more, MORE_BYTES);
    j->write(q, &more);
    jar_body(q, j, &body);
    tell_answer(q, r, 200, TELL_HTML, buf_str(&more), buf_str(&body));
    if (buf_rc(&more) != RC_OK)
        r->bytes.rc = buf_rc(&more);
    buf_done(&more);
}

static bool answer_cookies(const struct fault_query *q, struct reply *r)
{
    for (size_t i = 0; i < sizeof jars / sizeof *jars; i++)
        if (query_path_is(q, jars[i].path)) {
            jar_answer(q, &jars[i], r);
            return true;
        }
    return false;
}

static const struct fault_host f45_hosts[] = {
    {.label = "neighbour", .no_sprinkle = true},
    {0},
};

static const struct fault_case f45_cases[] = {
    {"", "/many", "500 cookies in one answer"},
    {"", "/large", "a cookie of 8 KB"},
    {"", "/huge", "a cookie of 100 KB"},
    {"", "/wrong-domain", "cookies for a neighbour and for a stranger"},
    {"", "/supercookie", "cookies for a whole public suffix"},
    {"", "/odd", "cookies without name, value or sense"},
    {0},
};

static const struct expect f45_expects[] = {
    {EXPECT_FETCHED, "", "/told/many/good", 0, "did not read a page with 500 cookies"},
    {EXPECT_FETCHED, "", "/told/large/good", 0, "did not read a page with a cookie of 8 KB"},
    {EXPECT_FETCHED, "", "/told/wrong/good", 0, "did not read a page over its cookies"},
    {EXPECT_FETCHED, "", "/told/super/good", 0, "did not read a page over its cookies"},
    {EXPECT_FETCHED, "", "/told/odd/good", 0, "did not read a page over its cookies"},
    {EXPECT_AT_MOST, "", "/huge", 5, "tries a huge header again and again"},
    {EXPECT_NO_FACT, "", "*", FACT_HUGE_COOKIE, "keeps a cookie of 100 KB and sends it back"},
    {EXPECT_NO_FACT, "neighbour", "/told/next/*", FACT_COOKIE,
     "sent a cookie to a host that never set one"},
    {0},
};

const struct fault faults_cookie[] = {
    {
        .id = "F45",
        .group = "cookie",
        .does = "sets 500 cookies at once, one of 8 KB, one of 100 KB, cookies for other hosts, "
                "for a whole public suffix, and senseless ones",
        .wants = "cookies are capped in number and bytes and dropped where the domain is not the "
                 "host's own; the page is read all the same (one with a header of 100 KB may be "
                 "refused). Ours: no cookies are kept at all",
        .hosts = f45_hosts,
        .cases = f45_cases,
        .expects = f45_expects,
        .answer = answer_cookies,
        .is_path = true,
    },
    {0},
};
