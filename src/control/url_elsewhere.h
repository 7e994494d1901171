/* SPDX-License-Identifier: Apache-2.0 */
/* url_elsewhere: which other agents of a cluster have archived a URL, and whether their archive
 * still exists (cluster/wire/elsewhere.h). */
#ifndef CONTROL_URL_ELSEWHERE_H
#define CONTROL_URL_ELSEWHERE_H

#include "base/str.h"

#include <jansson.h>

/* The incarnation with which the directory of an agent began; 0: unknown. */
typedef uint64_t url_elsewhere_first(void *ctx, struct str agent);

/* Adds "elsewhere" to an answer with a "url": an array of {"agent":…,"inc":…,"lost":true, false or
 * null}, read from the directory of the crawl in `dir`; nothing if no agent is in it. */
void url_elsewhere_add(const char *dir, url_elsewhere_first *first, void *ctx, json_t *answer);

/* The same of a crawl that does not run: from its own directory alone. */
void url_elsewhere_add_stopped(const char *dir, json_t *answer);

#endif
