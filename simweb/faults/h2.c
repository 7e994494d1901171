/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/2 that misbehaves; over HTTP/1.1 the same hosts are good, so that falling back helps. The
 * moods are the server's (serve/h2.h). */
#include "faults/catalog.h"
#include "faults/tell.h"

enum { TRIES = 50 }; /* a library may try a refused stream some times for each of the crawler's */

static const struct tell_fixed h2_pages[] = {
    {"/page", NULL, NULL,
     STR("<title>HTTP/2 or not</title><p>Here we are.<p><a href=told/on>on</a>")},
    {0},
};

static bool h2_page(const struct fault_query *q, struct reply *r)
{
    return tell_fixed_by_path(h2_pages, q, r);
}

#define H2_HOST(name, how)                                                         \
    {                                                                              \
        .label = (name), .mood = {.h2 = (how)}, .https = true, .no_sprinkle = true \
    }
static const struct fault_host h2_hosts[] = {
    H2_HOST("good", H2_GOOD),
    H2_HOST("goaway", H2_GOAWAY),
    H2_HOST("early", H2_GOAWAY_EARLY),
    H2_HOST("rst", H2_RST_STREAM),
    H2_HOST("settings", H2_SETTINGS_FLOOD),
    H2_HOST("continuation", H2_CONTINUATION_FLOOD),
    H2_HOST("hpack", H2_HPACK_BOMB),
    {0},
};
static const struct fault_case h2_cases[] = {
    {"good", "/page", "HTTP/2 as it should be"},
    {"goaway", "/page", "GOAWAY, and the answer behind it"},
    {"early", "/page", "GOAWAY instead of an answer"},
    {"rst", "/page", "RST_STREAM instead of an answer"},
    {"settings", "/page", "a flood of SETTINGS"},
    {"continuation", "/page", "a flood of CONTINUATION"},
    {"hpack", "/page", "headers that expand a thousand times"},
    {0},
};
static const struct expect h2_expects[] = {
    {EXPECT_FETCHED, "good", "/told/on", 0, "the good host was not read"},
    {EXPECT_FETCHED, "goaway", "/told/on", 0, "an answer behind GOAWAY was not read"},
    {EXPECT_FETCHED, "early", "/told/on", 0, "HTTP/1.1 was not tried"},
    {EXPECT_FETCHED, "rst", "/told/on", 0, "HTTP/1.1 was not tried"},
    {EXPECT_FETCHED, "settings", "/told/on", 0, "HTTP/1.1 was not tried"},
    {EXPECT_FETCHED, "continuation", "/told/on", 0, "HTTP/1.1 was not tried"},
    {EXPECT_FETCHED, "hpack", "/told/on", 0, "HTTP/1.1 was not tried"},
    {EXPECT_AT_MOST, "goaway", "/page", TRIES, "it asked again and again"},
    {EXPECT_AT_MOST, "early", "/page", TRIES, "it asked again and again"},
    {EXPECT_AT_MOST, "rst", "/page", TRIES, "it asked again and again"},
    {EXPECT_AT_MOST, "settings", "/page", TRIES, "it asked again and again"},
    {EXPECT_AT_MOST, "continuation", "/page", TRIES, "it asked again and again"},
    {EXPECT_AT_MOST, "hpack", "/page", TRIES, "it asked again and again"},
    {0},
};

const struct fault faults_h2[] = {
    {.id = "F89",
     .group = "h2",
     .does = "GOAWAY before an answer and instead of one, RST_STREAM, floods of SETTINGS and "
             "CONTINUATION, an HPACK bomb",
     .wants = "limits on frames and headers, then HTTP/1.1, where these hosts are good; a crawler "
              "that offers only HTTP/1.1 sees nothing of it",
     .hosts = h2_hosts,
     .cases = h2_cases,
     .expects = h2_expects,
     .answer = h2_page},
    {0},
};
