/* SPDX-License-Identifier: Apache-2.0 */
/* url_captures: where a crawl's archive has a URL, or why it has no capture of it. */
#ifndef CONTROL_URL_CAPTURES_H
#define CONTROL_URL_CAPTURES_H

#include <jansson.h>

/* Adds "captures" to an answer with a "url", from the index of the crawl in `dir`. */
void url_captures_add(const char *dir, json_t *answer);

/* If the code in "last" of the answer is below zero, adds the "reason" that crawl.log has to
 * "last", and to "why". The history has only the code. */
void url_reason_add(const char *dir, json_t *answer);

#endif
