/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_log: a line of crawl.log, taken apart.
 *
 *     time status size URL path via mime #shard started+duration digest source annotations
 *
 * Fields are parted by one blank or more; "-" is an empty one. What a server chose (the media type)
 * is in there: nothing is believed but the number of fields. */
#ifndef REPORT_CRAWL_LOG_H
#define REPORT_CRAWL_LOG_H

#include "base/str.h"

struct crawl_log_line { /* absent: "-"; borrowed from the line */
    struct str time;
    int32_t status;
    uint64_t bytes;
    struct str url; /* never absent */
    struct str path, via, mime, shard, started, digest, source;
    struct str annotations; /* comma-separated; also what stands behind the twelfth field */
};

/* RC_INVALID: it is no such line. */
MUST_CHECK enum rc crawl_log_parse(struct str line, struct crawl_log_line *ret);

/* The host of a URL, without port and user; absent if it has none. */
struct str crawl_log_host(struct str url);

/* What the line says of its URL. */
/* Asked for because something else was wanted: robots.txt, a sitemap that it names. */
bool crawl_log_is_prerequisite(const struct crawl_log_line *l);
/* Of those robots.txt, which is no URL of the crawl: it was never admitted. */
bool crawl_log_is_robots(const struct crawl_log_line *l);
/* Whether that is among its annotations: "changed:text". */
bool crawl_log_has(const struct crawl_log_line *l, struct str annotation);
/* Of a line below zero: what went wrong, in words with underscores for blanks; absent: the code is
 * all that the line says. */
struct str crawl_log_reason(const struct crawl_log_line *l);
bool crawl_log_is_duplicate(const struct crawl_log_line *l); /* had before, by its digest */
bool crawl_log_is_not_modified(const struct crawl_log_line *l);

#endif
