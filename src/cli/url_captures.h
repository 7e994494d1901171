/* SPDX-License-Identifier: Apache-2.0 */
/* url_captures: where a crawl's archive has a URL. */
#ifndef CLI_URL_CAPTURES_H
#define CLI_URL_CAPTURES_H

#include <jansson.h>

/* Adds "captures" to an answer with a "url", from the index of the crawl in `dir`. */
void url_captures_add(const char *dir, json_t *answer);

#endif
