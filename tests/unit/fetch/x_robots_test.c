/* SPDX-License-Identifier: Apache-2.0 */
#include "fetch/x_robots.h"

#include "html/page.h"
#include "lib/test.h"

#include <stdio.h>

enum { INDEX = PAGE_NOINDEX, FOLLOW = PAGE_NOFOLLOW, ARCHIVE = PAGE_NOARCHIVE };

static const struct {
    const char *name, *fields;
    unsigned bits;
} rows[] = {
    {"no field", "", 0},
    {"for all", "X-Robots-Tag: noindex, nofollow", INDEX | FOLLOW},
    {"names and words in any case", "x-robots-tag: NoIndex", INDEX},
    {"none is both", "X-Robots-Tag: none", INDEX | FOLLOW},
    {"all forbids nothing", "X-Robots-Tag: all", 0},
    {"two fields are joined", "X-Robots-Tag: noindex\r\nX-Robots-Tag: noarchive", INDEX | ARCHIVE},
    {"for another agent", "X-Robots-Tag: otherbot: noindex", 0},
    {"for ours", "X-Robots-Tag: orbweaver: noindex", INDEX},
    {"ours in any case", "X-Robots-Tag: OrbWeaver:noindex", INDEX},
    {"an agent holds to the end of the field", "X-Robots-Tag: otherbot: noindex, nofollow", 0},
    {"several agents in a row", "X-Robots-Tag: otherbot: none, orbweaver: nofollow, noarchive",
     FOLLOW | ARCHIVE},
    {"for all first, then for another", "X-Robots-Tag: noindex, otherbot: nofollow", INDEX},
    {"an agent ends with its field", "X-Robots-Tag: otherbot: noindex\r\nX-Robots-Tag: nofollow",
     FOLLOW},
    {"for all and for ours together", "X-Robots-Tag: noarchive\r\nX-Robots-Tag: orbweaver: noindex",
     ARCHIVE | INDEX},
    {"the star is for all", "X-Robots-Tag: *: noindex", INDEX},
    {"a date is no agent", "X-Robots-Tag: unavailable_after: 25 Jun 2030 15:00:00 PST, noindex",
     INDEX},
    {"a date with a comma",
     "X-Robots-Tag: unavailable_after: Tue, 25 Jun 2030 15:00:00 GMT, nofollow", FOLLOW},
    {"a snippet's length is no agent", "X-Robots-Tag: max-snippet: 20, noindex", INDEX},
    {"an agent that begins like ours", "X-Robots-Tag: orbweaver-news: noindex", 0},
    {"continued on the next line", "X-Robots-Tag: noindex,\r\n nofollow", INDEX | FOLLOW},
    {"nothing behind the colon", "X-Robots-Tag:", 0},
    {"a colon alone", "X-Robots-Tag: : noindex", 0},
    {"another field", "X-Robots: noindex", 0},
};

static void each_field_says_what_it_says(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char head[512];
        struct buf scratch = {.max = 4096};
        (void)snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\n%s\r\nServer: noindex\r\n\r\n",
                       rows[i].fields);
        unsigned bits = x_robots_read(str_c(head), STR("orbweaver"), &scratch);
        if (bits != rows[i].bits)
            fail_msg("%s: %u, expected %u", rows[i].name, bits, rows[i].bits);
        buf_done(&scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_field_says_what_it_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
