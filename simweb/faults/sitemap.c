/* SPDX-License-Identifier: Apache-2.0 */
/* Sitemaps and feeds that attack, or go round in circles. They are found through robots.txt. */
#include "content/content.h"
#include "faults/catalog.h"
#include "faults/tell.h"

enum {
    SITEMAP_URLS = 60 * 1000,
    SITEMAP_BYTES = 16 << 20,
    LARGE_BYTES = 55 * 1000 * 1000, /* more than the 50 MB that sitemaps.org allows */
    LAUGHS = 9,
};

#define URLSET "<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"

/* The absolute URL of a path of the fault's, as a <loc>. */
static void loc(const struct fault_query *q, const char *label, const char *path, struct buf *out)
{
    buf_add(out, STR("<loc>"));
    fault_url(q, label, str_c(path), out);
    buf_add(out, STR("</loc>"));
}

/* What stands at a path: XML that is written when it is asked for. */
struct xml_file {
    const char *path; /* NULL ends the table */
    void (*write)(const struct fault_query *q, struct buf *out);
};

static bool answer_xml(const struct xml_file *rows, const struct fault_query *q, struct reply *r)
{
    for (; rows->path; rows++)
        if (query_path_is(q, rows->path)) {
            struct buf body = {.max = SITEMAP_BYTES};
            rows->write(q, &body);
            tell_body(q, r, "application/xml", STR(""), &body);
            return true;
        }
    return false;
}

/* F80 */

static void external_entity(const struct fault_query *q, struct buf *out)
{
    buf_add(out, STR("<?xml version=\"1.0\"?>\n<!DOCTYPE urlset [<!ENTITY x SYSTEM \""));
    fault_url(q, "xxe", STR("/told/entity"), out);
    buf_add(out, STR("\"><!ENTITY f SYSTEM \"file:///etc/hostname\">]>\n" URLSET "<url>"));
    loc(q, "", "/told/beside-entity", out);
    buf_add(out, STR("</url><url><loc>&x;</loc></url><url><loc>&f;</loc></url></urlset>\n"));
}

static void billion_laughs(const struct fault_query *q, struct buf *out)
{
    buf_add(out, STR("<?xml version=\"1.0\"?>\n<!DOCTYPE urlset [<!ENTITY l0 \"lol\">"));
    for (int i = 1; i <= LAUGHS; i++) {
        buf_printf(out, "<!ENTITY l%d \"", i);
        for (int j = 0; j < 10; j++)
            buf_printf(out, "&l%d;", i - 1);
        buf_add(out, STR("\">"));
    }
    buf_add(out, STR("]>\n" URLSET "<url>"));
    loc(q, "", "/told/beside-laughs", out);
    buf_printf(out, "</url><url><loc>&l%d;</loc></url></urlset>\n", LAUGHS);
}

static void included(const struct fault_query *q, struct buf *out)
{
    buf_add(out, STR("<?xml version=\"1.0\"?>\n" URLSET "<xi:include "
                     "xmlns:xi=\"http://www.w3.org/2001/XInclude\" href=\""));
    fault_url(q, "xxe", STR("/told/include"), out);
    buf_add(out, STR("\"/><url>"));
    loc(q, "", "/told/beside-include", out);
    buf_add(out, STR("</url></urlset>\n"));
}

/* The same trick in a feed, which a page links to. */
static void feed_entity(const struct fault_query *q, struct buf *out)
{
    buf_add(out, STR("<?xml version=\"1.0\"?>\n<!DOCTYPE rss [<!ENTITY x SYSTEM \""));
    fault_url(q, "xxe", STR("/told/feed"), out);
    buf_add(out, STR("\">]>\n<rss version=\"2.0\"><channel><title>&x;</title><item><link>"));
    fault_url(q, "", STR("/told/beside-feed"), out);
    buf_add(out, STR("</link></item></channel></rss>\n"));
}

static bool hostile_xml(const struct fault_query *q, struct reply *r)
{
    static const char *const sitemaps[] = {"/entity.xml", "/laughs.xml", "/include.xml", NULL};
    static const struct xml_file files[] = {
        {"/entity.xml", external_entity},
        {"/laughs.xml", billion_laughs},
        {"/include.xml", included},
        {"/feed.xml", feed_entity},
        {0},
    };
    if (q->label.n)
        return false;
    if (!query_path_is(q, "/robots.txt"))
        return answer_xml(files, q, r);
    tell_sitemaps(q, r, sitemaps);
    return true;
}

/* F81 */

#define INDEX "<sitemapindex xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">"

/* An index that lists itself, an index that lists it back, and one good sitemap. */
static void index_of_indexes(const struct fault_query *q, const char *other, struct buf *out)
{
    buf_add(out, STR("<?xml version=\"1.0\"?>\n" INDEX "<sitemap>"));
    loc(q, "", "/index.xml", out);
    buf_add(out, STR("</sitemap><sitemap>"));
    loc(q, "", other, out);
    buf_add(out, STR("</sitemap></sitemapindex>\n"));
}

static void too_many(const struct fault_query *q, struct buf *out)
{
    double scale = q->knobs->scale < 1 ? q->knobs->scale : 1;
    unsigned count = (unsigned)(SITEMAP_URLS * scale) + 1;
    char path[32];
    buf_add(out, STR("<?xml version=\"1.0\"?>\n" URLSET "\n"));
    for (unsigned i = 1; i <= count; i++) {
        struct buf p = buf_on(path, sizeof path);
        buf_add(&p, STR("/told/listed-"));
        buf_u64(&p, i);
        buf_add(out, STR("<url>"));
        loc(q, "", buf_c(&p) ? path : "/", out);
        buf_add(out, STR("</url>\n"));
    }
    buf_add(out, STR("</urlset>\n"));
}

static void one_url(const struct fault_query *q, const char *label, const char *path,
                    struct buf *out)
{
    buf_add(out, STR("<?xml version=\"1.0\"?>\n" URLSET "<url>"));
    loc(q, label, path, out);
    buf_add(out, STR("</url></urlset>\n"));
}

static void outer_index(const struct fault_query *q, struct buf *out)
{
    index_of_indexes(q, "/inner.xml", out);
}

static void inner_index(const struct fault_query *q, struct buf *out)
{
    index_of_indexes(q, "/leaf.xml", out);
}

static void leaf(const struct fault_query *q, struct buf *out)
{
    one_url(q, "", "/told/leaf", out);
}

static void foreign(const struct fault_query *q, struct buf *out)
{
    one_url(q, "other", "/told/foreign", out);
}

/* Two URLs with more between them than a sitemap may have, sent without keeping it. */
static void send_large(const struct fault_query *q, struct reply *r)
{
    static const char filler[] = "<!-- and nothing here either, as far as the eye can see -->\n";
    char first[512], last[512];
    struct buf a = buf_on(first, sizeof first), z = buf_on(last, sizeof last);
    double scale = q->knobs->scale < 1 ? q->knobs->scale : 1;
    uint64_t times = (uint64_t)(LARGE_BYTES * scale) / (sizeof filler - 1) + 1;
    buf_add(&a, STR("<?xml version=\"1.0\"?>\n" URLSET "<url>"));
    loc(q, "", "/told/large-first", &a);
    buf_add(&a, STR("</url>\n"));
    buf_add(&z, STR("<url>"));
    loc(q, "", "/told/large-last", &z);
    buf_add(&z, STR("</url></urlset>\n"));
    unsigned long long length = a.n + z.n + times * (sizeof filler - 1);
    r->status = 200;
    reply_sendf(r,
                "HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: %llu\r\n\r\n",
                length);
    if (query_is_head(q))
        return;
    reply_send(r, buf_str(&a));
    reply_repeat(r, str_c(filler), times);
    reply_send(r, buf_str(&z));
}

/* gzip by its name alone: no Content-Encoding, a type that says nothing. */
static void send_gz(const struct fault_query *q, struct reply *r)
{
    struct buf plain = {.max = SITEMAP_BYTES};
    struct buf packed = {.max = SITEMAP_BYTES};
    one_url(q, "", "/told/packed", &plain);
    enum rc rc = buf_rc(&plain);
    if (rc == RC_OK)
        rc = content_encode(CODING_GZIP, buf_str(&plain), &packed);
    if (rc != RC_OK && buf_rc(&packed) == RC_OK)
        packed.rc = rc;
    tell_body(q, r, "application/octet-stream", STR(""), &packed);
    buf_done(&plain);
}

static bool circling_sitemaps(const struct fault_query *q, struct reply *r)
{
    static const char *const sitemaps[] = {"/index.xml",   "/many.xml",      "/large.xml",
                                           "/foreign.xml", "/packed.xml.gz", NULL};
    static const struct xml_file files[] = {
        {"/index.xml", outer_index}, {"/inner.xml", inner_index}, {"/leaf.xml", leaf},
        {"/many.xml", too_many},     {"/foreign.xml", foreign},   {0},
    };
    if (q->label.n)
        return false;
    if (query_path_is(q, "/robots.txt"))
        tell_sitemaps(q, r, sitemaps);
    else if (query_path_is(q, "/packed.xml.gz"))
        send_gz(q, r);
    else if (query_path_is(q, "/large.xml"))
        send_large(q, r);
    else
        return answer_xml(files, q, r);
    return true;
}

/* Tables ------------------------------------------------------------------------------------ */

static const struct fault_host xml_hosts[] = {
    {.label = "xxe", .no_sprinkle = true}, /* only an entity or an include leads there */
    {0},
};
static const struct fault_case xml_cases[] = {
    {"", "/told/start", "the sitemaps are named by robots.txt"},
    {"", "/feed.xml", "a feed with an external entity"},
    {0},
};
static const struct expect xml_expects[] = {
    {EXPECT_FETCHED, "", "/entity.xml", 0, "the sitemap that robots.txt names was not read"},
    {EXPECT_FETCHED, "", "/laughs.xml", 0, "the sitemap that robots.txt names was not read"},
    {EXPECT_FETCHED, "", "/include.xml", 0, "the sitemap that robots.txt names was not read"},
    {EXPECT_NEVER, "xxe", "/told/entity", 0, "an external entity was fetched"},
    {EXPECT_NEVER, "xxe", "/told/include", 0, "an XInclude was fetched"},
    {EXPECT_NEVER, "xxe", "/told/feed", 0, "an external entity of a feed was fetched"},
    {EXPECT_FETCHED, "", "/told/beside-include", 0, "the plain URL of that sitemap was lost"},
    {EXPECT_AT_MOST, "", "/told/beside-entity", 2, "asked for again and again"},
    {EXPECT_AT_MOST, "", "/told/beside-feed", 2, "asked for again and again"},
    {EXPECT_AT_MOST, "", "/told/beside-laughs", 2, "asked for again and again"},
    {0},
};

static const struct fault_host sitemap_hosts[] = {
    {.label = "other", .no_sprinkle = true},
    {0},
};
static const struct fault_case sitemap_cases[] = {
    {"", "/told/start", "the sitemaps are named by robots.txt"},
    {0},
};
static const struct expect sitemap_expects[] = {
    {EXPECT_FETCHED, "", "/index.xml", 0, "the index that robots.txt names was not read"},
    {EXPECT_AT_MOST, "", "/index.xml", 3, "an index that lists itself was read again and again"},
    {EXPECT_AT_MOST, "", "/inner.xml", 3, "two indexes sent it round in circles"},
    {EXPECT_AT_MOST, "", "/leaf.xml", 3, "asked for again and again"},
    {EXPECT_AT_MOST, "", "/told/leaf", 3, "asked for again and again"},
    {EXPECT_AT_MOST, "", "/large.xml", 5, "asked for again and again"},
    {EXPECT_AT_MOST, "", "/told/large-*", 5, "asked for again and again"},
    {EXPECT_AT_MOST, "", "/foreign.xml", 5, "asked for again and again"},
    {EXPECT_AT_MOST, "", "/packed.xml.gz", 5, "asked for again and again"},
    {EXPECT_FETCHED, "", "/many.xml", 0, "the sitemap with too many URLs was not read"},
    {EXPECT_FETCHED, "", "/told/listed-1", 0, "a sitemap with too many URLs still has its first"},
    {EXPECT_AT_MOST, "", "/told/listed-*", 60 * 1000 + 1, "listed URLs were fetched repeatedly"},
    {EXPECT_FETCHED, "", "/told/packed", 0, "a sitemap that is gzip by name was not unpacked"},
    {EXPECT_NEVER, "other", "/told/foreign", 0, "a sitemap spoke for another host"},
    {0},
};

const struct fault faults_sitemap[] = {
    {.id = "F80",
     .group = "html",
     .does = "sitemaps with external entities, a billion laughs, and an XInclude; a feed with an "
             "external entity",
     .wants = "no document type, entity or include is ever expanded; a sitemap with a document "
              "type may be refused whole",
     .hosts = xml_hosts,
     .cases = xml_cases,
     .expects = xml_expects,
     .answer = hostile_xml,
     .shows = "/include.xml"},
    {.id = "F81",
     .group = "sitemap",
     .does = "an index of indexes that lists itself, 60,000 URLs, more than 50 MB (both times "
             "--fault-scale), another host's URLs, gzip by name only",
     .wants = "each sitemap once, a depth limit (an index inside an index may be left), at least "
              "the first 50,000 URLs, unpacked by content; URLs of other hosts are not taken from "
              "it. What is too large may be refused whole or read up to a limit; whoever reads no "
              "sitemaps at all is not judged",
     .hosts = sitemap_hosts,
     .cases = sitemap_cases,
     .expects = sitemap_expects,
     .answer = circling_sitemaps,
     .shows = "/index.xml"},
    {0},
};
