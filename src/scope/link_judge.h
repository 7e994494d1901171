/* SPDX-License-Identifier: Apache-2.0 */
/* link_judge: does this link belong to the crawl?
 *
 * A reference becomes a URL (scope/link_urls.h). Then it is judged: by the scope, with the letters from the seed to it; by what a sitemap
 * may name; and by what its host may bring. A URL that joins the seeds (discovery/seed_path.h)
 * draws the scope as they do.
 *
 *     link_judge_begin(j, &source, count, &links);
 *     for (each reference)
 *         link_judge_reference(j, &reference);
 *     struct link_tally t = link_judge_end(j);
 *
 * One thread uses it. It keeps nothing of a page behind link_judge_end. */
#ifndef SCOPE_LINK_JUDGE_H
#define SCOPE_LINK_JUDGE_H

#include "base/arena.h"
#include "scope/bringing.h"
#include "scope/scope.h"
#include "url/idn.h"

struct log;

struct link_judge_settings {
    struct scope *scope;       /* borrowed, like the next two */
    const struct url_idn *idn; /* or NULL */
    struct log *log;           /* says which seeds are refused */
    size_t host_bytes;         /* a URL with a longer host is left out */
    size_t path_bytes;         /* likewise, with its query */
    size_t link_bytes;         /* texts of the links of one page, in all */
};

/* The kind of a source of references. */
enum link_origin {
    LINK_OF_PAGE,     /* a page, or a robots.txt */
    LINK_IS_SEED,     /* given to the crawl: it draws the scope */
    LINK_IS_REQUEUED, /* asked for before: each comes with its own seed path */
    LINK_IS_REJUDGED, /* of a page to which a shorter path was found */
};

/* Where references come from. All of it is borrowed until link_judge_end. */
struct link_source {
    enum link_origin origin;
    struct arena *arena;       /* what links point to */
    const struct url *page;    /* NULL: a list without a page */
    struct str base;           /* what LINK_OF_PAGE is relative to, as written; absent: `page` */
    const char *charset;       /* of LINK_OF_PAGE; NULL: UTF-8 */
    bool has_urls;             /* references are URLs already (scope/link_urls.h) */
    struct str seed_path;      /* of the page */
    uint64_t fingerprint;      /* of the page */
    struct bringing *bringing; /* of the page's host; NULL: any URL may be named */
};

/* What became of a page's references, beside its links. */
struct link_tally {
    uint32_t off_topic;                 /* links that focus does not want */
    uint32_t rejected[SCOPE_VERDICTS_]; /* links that are not in scope, by verdict */
    bool is_cut;                        /* there were more texts than `link_bytes` */
};

struct link_judge;

/* NULL without memory. */
struct link_judge *link_judge_open(const struct link_judge_settings *s);
void link_judge_close(struct link_judge *j);

/* Begins a page with up to `count` references. Its links go to `to`, whose list is made here.
 * RC_NOMEM: there is nothing to end. */
MUST_CHECK enum rc link_judge_begin(struct link_judge *j, const struct link_source *s, size_t count,
                                    struct found_links *to);

/* A reference of the page or list; of a list it is an absolute URL. */
void link_judge_reference(struct link_judge *j, const struct link_reference *r);

/* One of LINK_IS_REQUEUED: a URL with the path by which it was found before, and the page it was
 * found on. `forward`: the links that it had, and 1; 0 = not known. */
void link_judge_requeued(struct link_judge *j, struct str url, struct str seed_path, uint64_t via,
                         uint16_t forward);

struct link_tally link_judge_end(struct link_judge *j);

#endif
