/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_log: a line of crawl.log, written and taken apart.
 *
 *     time status size URL path via mime #shard started+duration digest source annotations
 *
 * Fields are parted by one blank or more; "-" is an empty one. Some fields come from servers (the
 * media type), so the reader trusts only the number of fields. */
#ifndef OUTPUTS_CRAWL_LOG_H
#define OUTPUTS_CRAWL_LOG_H

#include "base/buf.h"
#include "base/digest.h"

/* Writing -------------------------------------------------------------------------------------- */

/* Words of the last field. Those that end in a colon have a value. */
enum crawl_log_mark {
    MARK_TRIES,
    MARK_NOT_MODIFIED,
    MARK_REVISIT, /* as older tools say it; read only */
    MARK_DUPLICATE,
    MARK_CHANGED,
    MARK_UNCHANGED,
    MARK_CHANGED_STRUCTURE,
    MARK_CHANGED_TEXT,
    MARK_CHANGED_MARKUP,
    MARK_CUT_LENGTH,
    MARK_CUT_TIME,
    MARK_CUT_DISCONNECT,
    MARK_UNVERIFIED,
    MARK_H2,
    MARK_LINKS_CUT,
    MARK_OVER_LIMIT,
    MARK_TYPE,
    MARK_PEEKED,
    MARK_NOINDEX,
    MARK_NOFOLLOW,
    MARK_SCORE,
    MARKS_
};
/* Adds a word to the annotations, behind a comma if there are some. */
void crawl_log_mark(struct buf *notes, enum crawl_log_mark mark);
/* A word that has a value: it is written behind this. */
void crawl_log_mark_value(struct buf *notes, enum crawl_log_mark mark, const char *format, ...)
    PRINTF_LIKE(3, 4);
/* Adds a sentence, with underscores for blanks. It stands last. */
void crawl_log_reason_add(struct buf *notes, const char *sentence);

struct crawl_log_entry {
    uint64_t wall_ms; /* now */
    int status;
    uint64_t bytes;
    struct str url, path, via, mime; /* empty or absent: "-" */
    bool is_prerequisite;            /* the path gets a P at its end */
    unsigned shard;
    int64_t begun_ms; /* by the wall; 0: it was not asked for */
    uint64_t took_ms;
    const struct digest *sha1; /* NULL: nothing was archived */
    struct str annotations;    /* "": "-" */
};
/* With its LF. */
void crawl_log_print(struct buf *out, const struct crawl_log_entry *e);

/* Reading -------------------------------------------------------------------------------------- */

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
/* Fetched for the sake of other URLs: robots.txt, a sitemap that it names. */
bool crawl_log_is_prerequisite(const struct crawl_log_line *l);
/* robots.txt among these: it is no URL of the crawl, since it was never admitted. */
bool crawl_log_is_robots(const struct crawl_log_line *l);
/* Whether that is among its annotations: "changed:text". */
bool crawl_log_has(const struct crawl_log_line *l, struct str annotation);
/* The reason of a line with a status below zero, with underscores for blanks; absent: the line has
 * only the code. */
struct str crawl_log_reason(const struct crawl_log_line *l);
/* The same payload was archived before. */
bool crawl_log_is_duplicate(const struct crawl_log_line *l);
bool crawl_log_is_not_modified(const struct crawl_log_line *l);

#endif
