/* SPDX-License-Identifier: Apache-2.0 */
/* url_captures: where a crawl's archive has a URL, and why it has not. */
#ifndef CLI_URL_CAPTURES_H
#define CLI_URL_CAPTURES_H

#include <jansson.h>

/* Adds "captures" to an answer with a "url", from the index of the crawl in `dir`. */
void url_captures_add(const char *dir, json_t *answer);

/* Adds to an answer whose "last" has a code below zero the "reason" that crawl.log has, and to
 * "why" as well: the history has only the code. */
void url_reason_add(const char *dir, json_t *answer);

#endif
