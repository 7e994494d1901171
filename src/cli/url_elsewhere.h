/* SPDX-License-Identifier: Apache-2.0 */
/* url_elsewhere: with which other agents of a cluster a URL is archived, and whether that archive
 * still is (cluster/elsewhere.h). */
#ifndef CLI_URL_ELSEWHERE_H
#define CLI_URL_ELSEWHERE_H

#include "base/str.h"

#include <jansson.h>

/* With which incarnation the directory of an agent began; 0: that is not known. */
typedef uint64_t url_elsewhere_first(void *ctx, struct str agent);

/* Adds "elsewhere" to an answer with a "url": an array of {"agent":…,"inc":…,"lost":true, false or
 * null}, from what the crawl in `dir` was told; nothing if that is nothing. */
void url_elsewhere_add(const char *dir, url_elsewhere_first *first, void *ctx, json_t *answer);

/* The same of a crawl that does not run: its own directory is all that is known. */
void url_elsewhere_add_stopped(const char *dir, json_t *answer);

#endif
