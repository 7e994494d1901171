/* SPDX-License-Identifier: Apache-2.0 */
/* url_links: how many pages link to a URL, and some of them, from the link index. */
#ifndef CLI_OPERATE_URL_LINKS_H
#define CLI_OPERATE_URL_LINKS_H

#include "cli/command.h"
#include "outputs/crawl_dir.h"

#include <jansson.h>

/* Adds "links" to an answer with a "url": null where a directory has no index, else {"count":N,
 * "pages":[{"url":…,"hops":…}]}. EXIT_DONE, or prints what failed. */
int url_links_add(const struct invocation *in, struct crawl_set crawls, json_t *answer);

/* For people. */
void url_links_print(const json_t *answer, struct buf *out);

#endif
