/* SPDX-License-Identifier: Apache-2.0 */
/* Names that do not resolve, resolve to where they must not, or resolve too well. The moods are
 * acted out by the DNS server; here stand the hosts, the pages and what is expected. */
#include "faults/catalog.h"
#include "faults/tell.h"

enum {
    FARM_LINKS = 10,      /* hosts each page of the wildcard site names */
    FARM_BUDGET = 2200,   /* 1,000 hosts of one domain, once more for the zoo's link, and tries */
    SHARED_WAIT_MS = 200, /* so that requests at once are seen to be at once */
    SHARED_OPEN = 8,      /* twice our own limit for one address */
};
#define FARM_LAST UINT64_C(10000000000000) /* nobody comes that far */

/* A page on every label, whatever became of the name. */
static bool answer_page(const struct fault_query *q, struct reply *r)
{
    if (!query_path_is(q, "/page"))
        return false;
    tell_page(q, r, "A page", "/told/page/good");
    return true;
}

/* F46 --------------------------------------------------------------------------------------- */

static const struct fault_host f46_hosts[] = {
    {.label = "nx", .mood = {.dns = DNS_NXDOMAIN}, .is_dead = true},
    {.label = "servfail", .mood = {.dns = DNS_SERVFAIL}, .is_dead = true},
    {.label = "silent", .mood = {.dns = DNS_SILENT}, .is_dead = true},
    {.label = "lies", .mood = {.dns = DNS_LIES}, .is_dead = true},
    {.label = "slow", .mood = {.dns = DNS_SLOW}, .no_sprinkle = true},
    {.label = "good", .no_sprinkle = true},
    {0},
};

static const struct fault_case f46_cases[] = {
    {"nx", "/page", "the name does not exist"},
    {"servfail", "/page", "the name server fails"},
    {"silent", "/page", "the name server never answers"},
    {"lies", "/page", "the name server answers something else"},
    {"slow", "/page", "the name server takes its time"},
    {"good", "/page", "a neighbour that is well"},
    {0},
};

static const struct expect f46_expects[] = {
    {EXPECT_NEVER, "nx", "*", 0, "the name does not exist"},
    {EXPECT_NEVER, "servfail", "*", 0, "the name cannot be resolved"},
    {EXPECT_NEVER, "silent", "*", 0, "the name cannot be resolved"},
    {EXPECT_NEVER, "lies", "*", 0, "believed an answer to another question"},
    {EXPECT_FETCHED, "good", "/told/page/good", 0, "lost a host over its neighbours' names"},
    {EXPECT_AT_MOST, "slow", "/told/page/good", 5, "asks over and over"},
    {0},
};

/* F47 --------------------------------------------------------------------------------------- */

/* The page of host aK names a(10K+1) to a(10K+10): every name is new, there is no last one. */
static void farm_page(const struct fault_query *q, uint64_t k, struct reply *r)
{
    char room[4096];
    struct buf body = buf_on(room, sizeof room);
    tell_begin(q, "One of very many hosts", "", &body);
    for (uint64_t i = 1; i <= FARM_LINKS && k < FARM_LAST; i++) {
        char name[32];
        struct buf label = buf_on(name, sizeof name);
        buf_byte(&label, 'a');
        buf_u64(&label, FARM_LINKS * k + i);
        const char *c = buf_c(&label);
        buf_add(&body, STR("<p><a href=\""));
        fault_url(q, c ? c : "a1", STR("/"), &body);
        buf_add(&body, STR("\">another</a></p>\n"));
    }
    tell_end(&body);
    tell_answer(q, r, 200, TELL_HTML, STR(""), buf_str(&body));
}

static bool answer_farm(const struct fault_query *q, struct reply *r)
{
    if (!q->label.n || !query_path_is(q, "/"))
        return false;
    farm_page(q, number_behind(q->label, "a", 1), r);
    return true;
}

static const struct fault_host f47_hosts[] = {
    {.label = "*", .no_sprinkle = true},
    {0},
};

static const struct fault_case f47_cases[] = {
    {"a1", "/", "a host that names ten others, each of which names ten others"},
    {"a2", "/", "another"},
    {"a3", "/", "and another"},
    {0},
};

static const struct expect f47_expects[] = {
    {EXPECT_FETCHED, "a1", "/", 0, "never asked"},
    {EXPECT_AT_MOST, "*", "/", FARM_BUDGET, "has no budget for the hosts of one domain"},
    {0},
};

/* F48 --------------------------------------------------------------------------------------- */

static bool answer_shared(const struct fault_query *q, struct reply *r)
{
    if (!query_path_is(q, "/page"))
        return false;
    reply_wait(r, SHARED_WAIT_MS);
    tell_page(q, r, "One of many on this address", "/told/page/good");
    return true;
}

static const struct fault_host f48_hosts[] = {
    {.label = "s01", .mood = {.address = ADDRESS_SHARED}},
    {.label = "s02", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {.label = "s03", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {.label = "s04", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {.label = "s05", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {.label = "s06", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {.label = "s07", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {.label = "s08", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {.label = "s09", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {.label = "s10", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {.label = "s11", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {.label = "s12", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {.label = "s13", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {.label = "s14", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {.label = "s15", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {.label = "s16", .mood = {.address = ADDRESS_SHARED}, .no_sprinkle = true},
    {0},
};

static const struct fault_case f48_cases[] = {
    {"s01", "/page", "on the shared address"},
    {"s02", "/page", "on the shared address"},
    {"s03", "/page", "on the shared address"},
    {"s04", "/page", "on the shared address"},
    {"s05", "/page", "on the shared address"},
    {"s06", "/page", "on the shared address"},
    {"s07", "/page", "on the shared address"},
    {"s08", "/page", "on the shared address"},
    {"s09", "/page", "on the shared address"},
    {"s10", "/page", "on the shared address"},
    {"s11", "/page", "on the shared address"},
    {"s12", "/page", "on the shared address"},
    {"s13", "/page", "on the shared address"},
    {"s14", "/page", "on the shared address"},
    {"s15", "/page", "on the shared address"},
    {"s16", "/page", "on the shared address"},
    {0},
};

static const struct expect f48_expects[] = {
    {EXPECT_FETCHED, "s01", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s02", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s03", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s04", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s05", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s06", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s07", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s08", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s09", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s10", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s11", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s12", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s13", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s14", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s15", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_FETCHED, "s16", "/told/page/good", 0, "took hosts of one address for one host"},
    {EXPECT_AT_ONCE, "*", "/page", SHARED_OPEN, "has no limit for one address"},
    {0},
};

/* F49 --------------------------------------------------------------------------------------- */

static bool answer_rebind(const struct fault_query *q, struct reply *r)
{
    if (query_path_is(q, "/hop")) {
        char room[512];
        struct buf url = buf_on(room, sizeof room);
        fault_url(q, "hop", STR("/page"), &url);
        tell_redirect(q, r, 302, buf_str(&url));
        return true;
    }
    if (!query_path_is(q, "/page"))
        return false;
    tell_page(q, r, "The right address, so far", "/told/1/may /told/2/may /told/3/may");
    return true;
}

static const struct fault_host f49_hosts[] = {
    {.label = "rebind", .mood = {.dns = DNS_REBIND}, .no_sprinkle = true},
    {.label = "hop", .mood = {.dns = DNS_REBIND}, .no_sprinkle = true},
    {.label = "second", .mood = {.dns = DNS_TRAP_SECOND}, .is_dead = true, .no_sprinkle = true},
    {0},
};

static const struct fault_case f49_cases[] = {
    {"rebind", "/page", "the right address once, 127.0.0.1 ever after"},
    {"", "/hop", "a redirect to such a host"},
    {"second", "/page", "an address that refuses, and 127.0.0.1 beside it"},
    {0},
};

static const struct expect f49_expects[] = {
    {EXPECT_FETCHED, "", "/hop", 0, "never asked"},
    {EXPECT_NOT_AT, NULL, "*", ADDRESS_TRAP, "connected to an address that it had not checked"},
    {EXPECT_NEVER, "second", "*", 0, "its only address that answers is 127.0.0.1"},
    {EXPECT_AT_MOST, "rebind", "/told/*", 20, "asks over and over"},
    {EXPECT_AT_MOST, "hop", "/page", 20, "asks over and over"},
    {EXPECT_AT_MOST, "hop", "/told/*", 20, "asks over and over"},
    {0},
};

/* F50 --------------------------------------------------------------------------------------- */

static const struct fault_host f50_hosts[] = {
    {.label = "ten", .mood = {.dns = DNS_PRIVATE_10}, .is_dead = true},
    {.label = "b172", .mood = {.dns = DNS_PRIVATE_172}, .is_dead = true},
    {.label = "c192", .mood = {.dns = DNS_PRIVATE_192}, .is_dead = true},
    {.label = "linklocal", .mood = {.dns = DNS_LINK_LOCAL}, .is_dead = true},
    {.label = "loopback", .mood = {.dns = DNS_LOOPBACK}, .is_dead = true},
    {.label = "zero", .mood = {.dns = DNS_ZERO}, .is_dead = true},
    {.label = "mapped", .mood = {.dns = DNS_MAPPED}, .is_dead = true},
    {.label = "nat64", .mood = {.dns = DNS_NAT64}, .is_dead = true},
    {.label = "mappedloop", .mood = {.dns = DNS_MAPPED_LOOPBACK}, .is_dead = true},
    {.label = "uniquelocal", .mood = {.dns = DNS_UNIQUE_LOCAL}, .is_dead = true},
    {.label = "dual", .mood = {.dns = DNS_V6_TOO}, .no_sprinkle = true},
    {0},
};

static const struct fault_case f50_cases[] = {
    {"ten", "/page", "10.0.0.1"},
    {"b172", "/page", "172.16.0.0/12"},
    {"c192", "/page", "192.168.0.0/16"},
    {"linklocal", "/page", "169.254.169.254"},
    {"loopback", "/page", "127.0.0.1"},
    {"zero", "/page", "0.0.0.0"},
    {"mapped", "/page", "::ffff:10.0.0.1"},
    {"nat64", "/page", "64:ff9b::a00:1"},
    {"mappedloop", "/page", "::ffff:127.0.0.1"},
    {"uniquelocal", "/page", "fd00::1"},
    {"dual", "/page", "a good address, and ::1"},
    {0},
};

static const struct expect f50_expects[] = {
    {EXPECT_NEVER, "ten", "*", 0, "its address is private"},
    {EXPECT_NEVER, "b172", "*", 0, "its address is private"},
    {EXPECT_NEVER, "c192", "*", 0, "its address is private"},
    {EXPECT_NEVER, "linklocal", "*", 0, "its address is link-local"},
    {EXPECT_NEVER, "loopback", "*", 0, "its address is 127.0.0.1"},
    {EXPECT_NEVER, "zero", "*", 0, "its address is 0.0.0.0"},
    {EXPECT_NEVER, "mapped", "*", 0, "its address is a private one in IPv6 clothes"},
    {EXPECT_NEVER, "nat64", "*", 0, "its address is a private one behind NAT64"},
    {EXPECT_NEVER, "mappedloop", "*", 0, "its address is 127.0.0.1 in IPv6 clothes"},
    {EXPECT_NEVER, "uniquelocal", "*", 0, "its address is private"},
    {EXPECT_NOT_AT, NULL, "*", ADDRESS_TRAP, "asked 127.0.0.1"},
    {EXPECT_AT_MOST, "dual", "/told/page/good", 5, "asks over and over"},
    {0},
};

/* F51 --------------------------------------------------------------------------------------- */

static const struct fault_host f51_hosts[] = {
    {.label = "chain", .mood = {.dns = DNS_CNAME}},
    {.label = "loop", .mood = {.dns = DNS_CNAME_LOOP}, .is_dead = true},
    {.label = "thousand", .mood = {.dns = DNS_MANY}, .no_sprinkle = true},
    {.label = "brief", .mood = {.dns = DNS_TTL_ZERO}},
    {.label = "eternal", .mood = {.dns = DNS_TTL_HUGE}},
    {.label = "half", .mood = {.dns = DNS_DEAD_FIRST}, .no_sprinkle = true},
    {0},
};

static const struct fault_case f51_cases[] = {
    {"chain", "/page", "three CNAMEs and then an address"},
    {"loop", "/page", "CNAMEs in a circle"},
    {"thousand", "/page", "a thousand addresses, too many for UDP"},
    {"brief", "/page", "an address for 0 seconds"},
    {"eternal", "/page", "an address for 68 years"},
    {"half", "/page", "two addresses, the first of which refuses"},
    {0},
};

static const struct expect f51_expects[] = {
    {EXPECT_FETCHED, "chain", "/told/page/good", 0, "does not follow CNAMEs"},
    {EXPECT_NEVER, "loop", "*", 0, "its name leads round in a circle"},
    {EXPECT_FETCHED, "brief", "/told/page/good", 0, "lost a host over a TTL of 0"},
    {EXPECT_FETCHED, "eternal", "/told/page/good", 0, "lost a host over a large TTL"},
    {EXPECT_AT_MOST, "thousand", "/page", 5, "asks address by address"},
    {EXPECT_AT_MOST, "thousand", "/told/page/good", 5, "asks address by address"},
    {EXPECT_AT_MOST, "half", "/told/page/good", 5, "asks over and over"},
    {0},
};

const struct fault faults_dns[] = {
    {
        .id = "F46",
        .group = "dns",
        .does = "answers the question for an address with NXDOMAIN, SERVFAIL, nothing, something "
                "else, or the right thing after --drip",
        .wants = "the failure is kept for a while, the host's queue is parked and not dropped, "
                 "nobody else waits; an answer that does not fit its question is ignored. A slow "
                 "answer may be waited for or not",
        .hosts = f46_hosts,
        .cases = f46_cases,
        .expects = f46_expects,
        .answer = answer_page,
    },
    {
        .id = "F47",
        .group = "dns",
        .does = "answers for every name below f47, with one address, and links from each host to "
                "ten more",
        .wants = "a budget of hosts for one registrable domain and a limit for one address; ours "
                 "is 1,000 hosts until other domains link there (the zoo is one), judged at 2,200 "
                 "home pages",
        .hosts = f47_hosts,
        .cases = f47_cases,
        .expects = f47_expects,
        .answer = answer_farm,
    },
    {
        .id = "F48",
        .group = "dns",
        .does = "has sixteen hosts on one address and takes 200 ms for a page",
        .wants = "all are fetched, and the address has a limit of its own beside each host's; "
                 "ours is 4 requests at once and 100 ms apart, judged at 8 at once",
        .hosts = f48_hosts,
        .cases = f48_cases,
        .expects = f48_expects,
        .answer = answer_shared,
    },
    {
        .id = "F49",
        .group = "dns",
        .does = "rebinds: gives the right address to the first question, 127.0.0.1 with TTL 0 to "
                "every other; also behind a redirect; or both at once, where the first one refuses",
        .wants =
            "the address that is connected to is the one that was checked, every time; whether "
            "the pages are fetched from the first address is the crawler's choice",
        .hosts = f49_hosts,
        .cases = f49_cases,
        .expects = f49_expects,
        .answer = answer_rebind,
    },
    {
        .id = "F50",
        .group = "dns",
        .does = "gives private, link-local, loopback, unspecified, IPv4-mapped, NAT64 and unique "
                "local addresses; once a good one beside ::1",
        .wants = "never connected to unless the operator allowed that very network (a test allows "
                 "the simulated web's, without 127.0.0.1); ours: where one of several addresses is "
                 "good, the good one is used",
        .hosts = f50_hosts,
        .cases = f50_cases,
        .expects = f50_expects,
        .answer = answer_page,
    },
    {
        .id = "F51",
        .group = "dns",
        .does = "gives a chain of CNAMEs, a circle of them, a thousand addresses, TTL 0 and TTL "
                "2^31, and two addresses of which the first refuses",
        .wants = "bounded work; TTLs are clamped (ours: one minute to one day); a short chain is "
                 "followed, a circle is a failure; how many addresses are tried is the crawler's "
                 "choice",
        .hosts = f51_hosts,
        .cases = f51_cases,
        .expects = f51_expects,
        .answer = answer_page,
    },
    {0},
};
