/* SPDX-License-Identifier: Apache-2.0 */
/* report: what a crawl did, counted from its files.
 *
 *     report_open(crawl, true, &r);        reads crawl.log, state/seeds and links/
 *     report_write_files(crawl, r);        DIR/reports/NAME-report.txt, for tools of Heritrix
 *     report_print(r, &out);               the same for a person, or
 *     report_print_json(r, &out);
 *
 * Memory grows with the number of hosts and seeds, and with nothing else. A line of crawl.log above
 * zero is an answer, and only answers have bytes; a URL that was asked twice counts twice, except
 * under "remaining", which is exact: admitted, and not in the log. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "outputs/crawl_dir.h"
#include "report/tally.h"

enum { REPORT_MAX_MIMES = 10000, REPORT_MAX_HOSTS = 1 << 28, REPORT_MAX_SEEDS = 1 << 26 };
enum { REPORT_DEGREES = 34, REPORT_TOP = 10 };

struct report_host {
    struct str name;
    uint64_t urls, bytes; /* answers */
    uint64_t robots;      /* forbidden by robots.txt */
    uint64_t remaining;
    uint64_t novel_urls, novel_bytes, duplicate_urls, duplicate_bytes;
    uint64_t not_modified_urls, not_modified_bytes;
    uint64_t known; /* URLs admitted */
};

struct report_mime {
    struct str name; /* in lower case, without parameters */
    uint64_t urls, bytes;
};

struct report_code {
    struct str name; /* "200", "-9998" */
    int32_t code;
    uint64_t urls;
};

struct report_seed {
    struct str url;
    struct str redirect; /* where it led; absent: nowhere else */
    bool is_redirect;    /* it is itself where a seed led */
    bool is_done;        /* it is in the log */
    int32_t code;
};

/* How many have degree 0, 1, 2 to 3, 4 to 7, ...: by the number of bits of the degree. */
struct report_degrees {
    uint64_t in[REPORT_DEGREES];
    uint64_t count, sum, most;
};

struct report_linked {
    struct str url;
    uint64_t fingerprint, pages;
};

enum report_media {
    MEDIA_HTML,
    MEDIA_TEXT,
    MEDIA_IMAGE,
    MEDIA_AUDIO,
    MEDIA_VIDEO,
    MEDIA_OTHER,
    MEDIA_COUNT
};
extern const char *const report_media_names[MEDIA_COUNT];

struct report {
    struct tally hosts, mimes, codes, seeds;
    struct report_mime media[MEDIA_COUNT];
    bool has_links;          /* the link structure was read */
    uint64_t lines, damaged; /* of crawl.log; of all files */
    uint64_t answers, bytes; /* robots.txt included */
    uint64_t prerequisites;  /* of the answers: robots.txt */
    uint64_t failures;       /* below zero */
    uint64_t duplicates, duplicate_bytes, not_modified;
    /* Of recrawls; of the changed, what, as far as it is known: one may be in both of the first
     * two. */
    uint64_t changed, unchanged, changed_structure, changed_text, changed_markup;
    struct str first, last; /* moments of the log, as written there */
    uint64_t known, remaining;
    uint64_t lost, away; /* captures: see outputs/lost.h */
    struct report_archives {
        bool is_read; /* every record was */
        uint64_t files, records;
        uint64_t damaged, lost_files; /* ranges without a whole record; files missing or changed */
    } archives;
    uint64_t pages_with_links;
    struct report_degrees out, in; /* links on a page; pages on which a URL is linked */
    struct report_linked top[REPORT_TOP];
    size_t top_count;
};

/* Uses the scratch folder. The link structure, which is not in the files, costs as much as all the
 * rest: only `with_links`. */
MUST_CHECK enum rc report_open(struct disk *crawl, bool with_links, struct report **ret);
/* Several directories as one; the scratch folder is the first's, if that can be written. */
MUST_CHECK enum rc report_open_all(struct crawl_set crawls, bool with_links, struct report **ret);
void report_close(struct report *r);

MUST_CHECK enum rc report_write_files(struct disk *crawl, struct report *r);

/* Counts captures that were lost with an agent's disk, and names them in
 * reports/lost-captures-report.txt of `to` (NULL: nowhere). */
struct lost_agents;
MUST_CHECK enum rc report_lost(struct crawl_set crawls, const struct lost_agents *agents,
                               struct disk *to, struct report *r);

/* Failures stick in the buf. */
void report_print(struct report *r, struct buf *out);
void report_print_json(struct report *r, struct buf *out);

/* The orders of the files: hosts and media types by URLs, most first. */
int report_by_host_urls(const void *a, const void *b);
int report_by_mime_urls(const void *a, const void *b);
int report_by_code_urls(const void *a, const void *b);

/* For report.c: what links/ says. */
MUST_CHECK enum rc report_read_links(struct crawl_set crawls, struct disk *scratch,
                                     struct report *r);

#endif
