/* SPDX-License-Identifier: Apache-2.0 */
/* peek: whether a page speaks of the topic, by its first bytes, while the rest is still coming.
 *
 * Of a page in gzip, br or the like as much is read as can be unpacked. Only HTML is judged, and
 * only where the bytes have words that a reader sees: a start of scripts and style says nothing. */
#ifndef READING_PEEK_H
#define READING_PEEK_H

#include "base/arena.h"
#include "fetch/topic.h"
#include "reading/tools.h"

struct peek_start {
    struct str type, encoding; /* headers; absent = none */
    struct str body;           /* as it came */
    bool is_chunked;
};

/* The score of the start (topic_page_score), or -1: it is not to be judged, also without memory.
 * Memory is taken from `arena`. */
double peek_score(struct reading_tools *t, struct topic *topic, const struct peek_start *start,
                  struct arena *arena);

/* Whether that score ends the transfer, in a crawl that keeps pages from `keep_score` on. */
static inline bool peek_misses(double score, double keep_score)
{
    return score >= 0 && (score == 0 || score < keep_score);
}

#endif
