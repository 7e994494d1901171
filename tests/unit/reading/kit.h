/* SPDX-License-Identifier: Apache-2.0 */
/* kit: one answer to read, without a flow, a frontier or a network.
 *
 *     struct kit k;
 *     kit_open(&k, 200, "Content-Type: text/html\r\n", STR("<a href=1>"));
 *     assert_rc(body_read(k.tools, &k.settings, k.v), RC_OK);
 *     kit_close(&k); */
#ifndef TESTS_READING_KIT_H
#define TESTS_READING_KIT_H

#include "lib/test.h"
#include "reading/settings.h"
#include "reading/tools.h"
#include "visit/visit.h"

struct kit {
    struct visit *v;
    struct http_answer answer;
    struct reading_settings settings;
    struct reading_tools *tools;
    char head[400];
};

/* `head`: lines that end with \r\n, without the status line. The body is borrowed. */
void kit_open(struct kit *k, uint16_t status, const char *head, struct str body);
/* Takes one that kit_open has not finished. */
void kit_close(struct kit *k);

/* The same for test_each_allocation_fails: RC_NOMEM where kit_open fails the test. */
MUST_CHECK enum rc kit_try(struct kit *k, uint16_t status, const char *head, struct str body);

/* Whether there is a reference with that text and letter. */
bool kit_refers(const struct visit_parsed *p, const char *raw, char hop);

#endif
