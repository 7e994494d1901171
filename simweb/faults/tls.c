/* SPDX-License-Identifier: Apache-2.0 */
/* TLS that cannot be trusted, or does not come about. The moods are the servers' (serve/tls.h). */
#include "faults/catalog.h"
#include "faults/fact.h"
#include "faults/tell.h"

static const struct tell_fixed tls_pages[] = {
    {"/page", NULL, NULL,
     STR("<title>Over TLS</title><p>This page came over TLS.<p><a href=told/over-tls>on</a>")},
    {0},
};

static bool tls_page(const struct fault_query *q, struct reply *r)
{
    return tell_fixed_by_path(tls_pages, q, r);
}

/* F87: every answer is the connection's last, and it ends without close_notify; once its end is the
 * end of the body too. */
static bool endings(const struct fault_query *q, struct reply *r)
{
    if (!query_path_is(q, "/unsized")) {
        r->keep_alive = false;
        return tls_page(q, r);
    }
    reply_send(r, STR("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n"
                      "<title>Unsized</title><p><a href=told/unsized>on</a>"));
    r->status = 200;
    r->keep_alive = false;
    reply_close(r);
    return true;
}

static const struct fault_host untrusted_hosts[] = {
    {.label = "good", .https = true},
    {.label = "expired", .mood = {.tls = TLS_EXPIRED}, .https = true, .no_sprinkle = true},
    {.label = "wrong", .mood = {.tls = TLS_WRONG_HOST}, .https = true, .no_sprinkle = true},
    {.label = "self", .mood = {.tls = TLS_SELF_SIGNED}, .https = true, .no_sprinkle = true},
    {.label = "unknown", .mood = {.tls = TLS_UNKNOWN_CA}, .https = true, .no_sprinkle = true},
    {0},
};
static const struct fault_case untrusted_cases[] = {
    {"good", "/page", "a certificate that is right"},
    {"expired", "/page", "one that has expired"},
    {"wrong", "/page", "one of another name"},
    {"self", "/page", "one that signed itself"},
    {"unknown", "/page", "one of an unknown authority"},
    {0},
};
static const struct expect untrusted_expects[] = {
    {EXPECT_FETCHED, "good", "/told/over-tls", 0, "a good certificate was refused"},
    {EXPECT_NEVER, "expired", "*", 0, "an expired certificate was accepted"},
    {EXPECT_NEVER, "wrong", "*", 0, "another name's certificate was accepted"},
    {EXPECT_NEVER, "self", "*", 0, "a self-signed certificate was accepted"},
    {EXPECT_NEVER, "unknown", "*", 0, "an unknown authority was believed"},
    {0},
};

static const struct fault_host handshake_hosts[] = {
    {.label = "stall", .mood = {.tls = TLS_STALL}, .https = true, .no_sprinkle = true},
    {.label = "alerts", .mood = {.tls = TLS_ALERTS}, .https = true, .no_sprinkle = true},
    {.label = "old", .mood = {.tls = TLS_OLD}, .https = true, .no_sprinkle = true},
    {.label = "abrupt", .mood = {.tls = TLS_NO_CLOSE_NOTIFY}, .https = true, .no_sprinkle = true},
    {0},
};
static const struct fault_case handshake_cases[] = {
    {"stall", "/page", "a handshake that is never answered"},
    {"alerts", "/page", "a storm of alerts"},
    {"old", "/page", "TLS 1.0 and nothing newer"},
    {"abrupt", "/page", "an end without close_notify, the length being known"},
    {"abrupt", "/unsized", "an end without close_notify, the length being unknown"},
    {0},
};
static const struct expect handshake_expects[] = {
    {EXPECT_NEVER, "stall", "*", 0, "a request on a handshake that never ended"},
    {EXPECT_NEVER, "alerts", "*", 0, "a request on a handshake that never ended"},
    {EXPECT_NEVER, "old", "*", 0, "TLS 1.0 was spoken"},
    {EXPECT_FETCHED, "abrupt", "/told/over-tls", 0,
     "a page of known length is whole without close_notify"},
    {EXPECT_AT_MOST, "abrupt", "/unsized", 10, "it asked again and again"},
    {EXPECT_AT_MOST, "abrupt", "/told/unsized", 10, "it asked again and again"},
    {0},
};

static const struct fault_host sni_hosts[] = {
    {.label = "one",
     .mood = {.address = ADDRESS_SHARED, .tls = TLS_NEEDS_SNI, .h2 = H2_GOOD},
     .https = true,
     .no_sprinkle = true},
    {.label = "two",
     .mood = {.address = ADDRESS_SHARED, .tls = TLS_NEEDS_SNI, .h2 = H2_GOOD},
     .https = true,
     .no_sprinkle = true},
    {0},
};
static const struct fault_case sni_cases[] = {
    {"one", "/page", "a host that needs SNI"},
    {"two", "/page", "another on the same address, with a certificate of its own"},
    {0},
};
static const struct expect sni_expects[] = {
    {EXPECT_FETCHED, "one", "/told/over-tls", 0, "no SNI was sent, or the wrong one"},
    {EXPECT_FETCHED, "two", "/told/over-tls", 0, "no SNI was sent, or the wrong one"},
    {EXPECT_NO_FACT, "*", "*", FACT_OTHER_SNI, "used a connection that belongs to another name"},
    {0},
};

const struct fault faults_tls[] = {
    {.id = "F86",
     .group = "tls",
     .does = "certificates that have expired, are another's, signed themselves, or have an "
             "unknown authority",
     .wants = "refused, or accepted, as the operator says, and recorded; never a hang. Ours, and "
              "judged: refused by default",
     .hosts = untrusted_hosts,
     .cases = untrusted_cases,
     .expects = untrusted_expects,
     .answer = tls_page},
    {.id = "F87",
     .group = "tls",
     .does = "a handshake that stalls, a storm of alerts, TLS 1.0 only, an end without "
             "close_notify",
     .wants = "a time limit for the handshake; TLS 1.2 or newer; a missing close_notify matters "
              "only where the length is unknown, and then means truncated",
     .hosts = handshake_hosts,
     .cases = handshake_cases,
     .expects = handshake_expects,
     .answer = endings},
    {.id = "F88",
     .group = "tls",
     .does = "hosts on one address with a certificate each, which need SNI and speak HTTP/2",
     .wants = "SNI is sent; no connection is used for a name its certificate does not have",
     .hosts = sni_hosts,
     .cases = sni_cases,
     .expects = sni_expects,
     .answer = tls_page},
    {0},
};
