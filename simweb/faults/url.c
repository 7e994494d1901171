/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses that are not what they seem: userinfo, ports, numbers for names, IDN, percents. */
#include "faults/catalog.h"
#include "faults/fact.h"
#include "faults/tell.h"

enum { PAGE_BYTES = 1 << 16 };

/* The port of the simulated web as it stands in a URL, ":8080" or nothing. */
static void port_text(const struct world *w, struct buf *out)
{
    uint64_t port = world_settings(w)->http_port;
    if (port != 80)
        buf_printf(out, ":%llu", (unsigned long long)port);
}

static void odd_link(const struct fault_query *q, const char *before, const char *host,
                     const char *path, struct buf *out)
{
    buf_printf(out, "<p><a href=\"http://%s%s", before, host);
    port_text(q->world, out);
    buf_printf(out, "%s\">x</a></p>\n", path);
}

/* F82 */
static bool ports(const struct fault_query *q, struct reply *r)
{
    static const char *const bad[] = {"0", "22", "25", "6000", "65536", "99999"};
    if (!query_path_is(q, "/ports"))
        return false;
    struct str suffix = world_settings(q->world)->suffix;
    struct buf body = {.max = PAGE_BYTES};
    char host[300];
    struct buf h = buf_on(host, sizeof host);
    buf_printf(&h, "f82." STR_FMT, STR_ARG(suffix));
    tell_begin(q, "Userinfo and ports", "", &body);
    if (buf_c(&h))
        odd_link(q, "user:secret@", host, "/told/userinfo", &body);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        buf_printf(&body, "<p><a href=\"http://" STR_FMT ":%s/told/port-%s\">x</a></p>\n",
                   STR_ARG(buf_str(&h)), bad[i], bad[i]);
    tell_link("told/zeros", "one port", &body);
    for (const char *zeros = "00"; *zeros; zeros++)
        buf_printf(&body, "<p><a href=\"http://" STR_FMT ":%s%llu/told/zeros\">x</a></p>\n",
                   STR_ARG(buf_str(&h)), zeros,
                   (unsigned long long)world_settings(q->world)->http_port);
    buf_printf(&body,
               "<p><a href=\"http://" STR_FMT ":80/told/default\">x</a></p>\n"
               "<p><a href=\"http://" STR_FMT ":/told/default\">x</a></p>\n"
               "<p><a href=\"http://" STR_FMT "/told/default\">x</a></p>\n",
               STR_ARG(buf_str(&h)), STR_ARG(buf_str(&h)), STR_ARG(buf_str(&h)));
    tell_link("told/good", "and a plain one", &body);
    tell_send(q, r, &body);
    return true;
}

/* F83: all of them are 127.0.0.1, the trap, or an address that must not be asked. The path begins
 * with the fault's mount, so that a request is known for its doing whatever its Host says. */
static bool numbers(const struct fault_query *q, struct reply *r)
{
    static const char *const hosts[] = {
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "127.1",
        "0x7f.1",
        "127.0.0.1",
        "127.0.0.1.",
        "0",       /* 0.0.0.0, which is this machine too */
        "0.0.0.0", /* the same */
        "%31%32%37.0.0.1",
        "\xef\xbc\x91\xef\xbc\x92\xef\xbc\x97.0.0.1", /* 127 in wide digits */
        "[::1]",
        "[::ffff:7f00:1]",
        "[::ffff:127.0.0.1]",
        "localhost",
    };
    if (!query_path_is(q, "/numbers"))
        return false;
    struct buf body = {.max = PAGE_BYTES};
    tell_begin(q, "Numbers for names", "", &body);
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++)
        odd_link(q, "", hosts[i], "/f83/told/trap", &body);
    buf_add(&body, STR("<p><a href=\"http://[fe80::1%25eth0]/told/zone\">a zone id</a></p>\n"
                       "<p><a href=\"http://256.1.1.1/told/none\">no address</a></p>\n"));
    tell_link("told/good", "and a plain one", &body);
    tell_send(q, r, &body);
    return true;
}

/* F84 */
static bool idn(const struct fault_query *q, struct reply *r)
{
    if (!query_path_is(q, "/idn"))
        return false;
    static const char *const names[] = {
        "b\xc3\xbc"
        "cher", /* xn--bcher-kva */
        "BU\xcc\x88"
        "CHER",         /* the same, decomposed and in capitals */
        "b%C3%BCcher",  /* the same, percent-encoded */
        "\xd0\xb0pple", /* a Cyrillic a: another name, xn--pple-43d */
    };
    struct str suffix = world_settings(q->world)->suffix;
    struct buf body = {.max = PAGE_BYTES};
    tell_begin(q, "Names in every script", "", &body);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char host[300];
        struct buf h = buf_on(host, sizeof host);
        buf_printf(&h, "%s.f84." STR_FMT, names[i], STR_ARG(suffix));
        if (buf_c(&h))
            odd_link(q, "", host, "/told/idn", &body);
    }
    for (const char *dot = ""; dot; dot = *dot ? NULL : ".") {
        char host[300];
        struct buf h = buf_on(host, sizeof host);
        buf_printf(&h, "dot.f84." STR_FMT "%s", STR_ARG(suffix), dot);
        if (buf_c(&h))
            odd_link(q, "", host, "/told/dot", &body);
    }
    buf_add(&body, STR("<p><a href=\"http://"));
    buf_fill(&body, 'a', 64);
    buf_printf(&body, ".f84." STR_FMT "/told/long\">a label of 64</a></p>\n", STR_ARG(suffix));
    tell_link("told/good", "and a plain one", &body);
    tell_send(q, r, &body);
    return true;
}

/* F85 */
static const struct tell_fixed percent_pages[] = {
    {"/percent", NULL, NULL,
     STR("<title>Percents</title><a href=\"told/slash%2Fin\">a</a><a href=\"told/twice%252F\">b</a>"
         "<a href=\"told/tilde-%7e\">c</a><a href=\"told/tilde-%7E\">d</a>"
         "<a href=\"told/tilde-~\">e</a><a href=\"told/nul%00x\">f</a><a "
         "href=\"told/bare%zz\">g</a>"
         "<a href=\"told/query?a=%26b\">h</a><a href=told/good>i</a>")},
    {0},
};

static bool percents(const struct fault_query *q, struct reply *r)
{
    return tell_fixed_by_path(percent_pages, q, r);
}

/* Tables ------------------------------------------------------------------------------------ */

static const struct fault_case port_cases[] = {
    {"", "/ports", "userinfo, and ports from 0 to 99999"},
    {0},
};
static const struct expect port_expects[] = {
    {EXPECT_FETCHED, "", "/told/userinfo", 0, "userinfo is dropped, not a reason to skip"},
    {EXPECT_FETCHED, "", "/told/good", 0, "the plain link was lost"},
    {EXPECT_NO_FACT, "", "*", FACT_AUTHORIZATION, "userinfo became credentials"},
    {EXPECT_FETCHED, "", "/told/zeros", 0, "a port was lost"},
    {EXPECT_AT_MOST, "", "/told/zeros", 2, "one port in three spellings is one port"},
    {EXPECT_AT_MOST, "", "/told/default", 2, "no port, an empty one and 80 are one port"},
    {0},
};

static const struct fault_case number_cases[] = {
    {"", "/numbers", "127.0.0.1 in octal, hex, decimal, IPv6"},
    {0},
};
static const struct expect number_expects[] = {
    {EXPECT_FETCHED, "", "/told/good", 0, "the plain link was lost"},
    {EXPECT_NOT_AT, NULL, "*", ADDRESS_TRAP, "a number led past the address guard"},
    {EXPECT_NEVER, "127.0.0.1", "/told/trap", 0, "a number led past the address guard"},
    {0},
};

static const struct fault_case idn_cases[] = {
    {"", "/idn", "one name in three spellings, one homograph, one with a dot, one too long"},
    {0},
};
static const struct expect idn_expects[] = {
    {EXPECT_FETCHED, "xn--bcher-kva", "/told/idn", 0, "an IDN was not brought to ASCII"},
    {EXPECT_AT_MOST, "xn--bcher-kva", "/told/idn", 2, "three spellings of one name are one URL"},
    {EXPECT_FETCHED, "xn--pple-43d", "/told/idn", 0, "a homograph is a name of its own"},
    {EXPECT_FETCHED, "dot", "/told/dot", 0, "a dot at the end cost the host"},
    {EXPECT_AT_MOST, "dot", "/told/dot", 2, "asked for again and again"},
    {EXPECT_FETCHED, "", "/told/good", 0, "the plain link was lost"},
    {0},
};

static const struct fault_case percent_cases[] = {
    {"", "/percent", "%2F, %7e, %00, %252F and worse"},
    {0},
};
static const struct expect percent_expects[] = {
    {EXPECT_FETCHED, "", "/told/slash%2Fin", 0, "%2F must stay as it is"},
    {EXPECT_FETCHED, "", "/told/twice%252F", 0, "%252F must stay as it is"},
    {EXPECT_FETCHED, "", "/told/query?a=%26b", 0, "%26 must stay as it is"},
    {EXPECT_FETCHED, "", "/told/good", 0, "the plain link was lost"},
    {EXPECT_NEVER, "", "/told/slash/in", 0, "%2F was decoded"},
    {EXPECT_NEVER, "", "/told/twice%2F", 0, "%252F was decoded"},
    {EXPECT_NEVER, "", "/told/query?a=&b", 0, "%26 was decoded"},
    {EXPECT_NEVER, "", "/told/nul", 0, "%00 was decoded, and cut the URL"},
    {EXPECT_AT_MOST, "", "/told/nul%00x", 3, "asked for again and again"},
    {EXPECT_AT_MOST, "", "/told/bare*", 3, "asked for again and again"},
    {EXPECT_AT_MOST, "", "/told/tilde-*", 3, "asked for again and again"},
    {0},
};

const struct fault faults_url[] = {
    {.id = "F82",
     .group = "url",
     .does = "links with userinfo, with ports that are no web server's or no ports, with an empty "
             "port, "
             "with port 80, with zeros before the port",
     .wants =
         "userinfo is dropped and never sent; ports on Fetch's list of bad ones are not asked; the "
         "default port in any form is none, zeros before a port are nothing",
     .cases = port_cases,
     .expects = port_expects,
     .answer = ports},
    {.id = "F83",
     .group = "url",
     .does = "IPv4 addresses as octal, hexadecimal and decimal numbers, IPv6 and zone ids",
     .wants = "brought to the usual form, then past the same address guard as names",
     .cases = number_cases,
     .expects = number_expects,
     .answer = numbers},
    {.id = "F84",
     .group = "url",
     .does =
         "an international name in three spellings, a homograph of two scripts, a name with a dot "
         "at its end, a label of 64 bytes",
     .wants =
         "UTS 46 to ASCII; spellings of one name are one host, a homograph is another; labels "
         "that are too long are no host. With and without the dot may be one host or two; ours: "
         "one",
     .cases = idn_cases,
     .expects = idn_expects,
     .answer = idn},
    {.id = "F85",
     .group = "url",
     .does = "percent-encoding in every variant",
     .wants =
         "reserved characters are never decoded, %00 least of all; what is no percent-encoding "
         "stays or has its percent encoded. %7e, %7E and ~ may be one URL or three; ours: one",
     .cases = percent_cases,
     .expects = percent_expects,
     .answer = percents,
     .is_path = true},
    {0},
};
