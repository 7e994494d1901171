/* SPDX-License-Identifier: Apache-2.0 */
/* visit: one URL on its way through the crawl.
 *
 *   schedule ─ resolve ─ gate ─ fetch ─ read ─ focus ─ compare ─ intake ─ keep ─ settle
 *
 * Its sections are written by one component each and constant afterwards. What a section points to
 * is in the visit's arena, or belongs to the answer, which is there from fetch to settle because
 * these run within one call. Every ending, good or bad, passes settle.
 *
 * A list of seeds is a visit too: one that fetched nothing and found links; and so is a list of
 * what was asked for before, each with its own way from a seed; and what was found earlier on a
 * page to which a shorter way was found (deepen). */
#ifndef COMPONENTS_VISIT_H
#define COMPONENTS_VISIT_H

#include "archive/capture.h"
#include "base/list.h"
#include "components/calls.h"
#include "components/view.h"
#include "crawl/card.h"
#include "fetch/media.h"
#include "fetch/pace.h"
#include "flow/part.h"
#include "net/http.h"
#include "scope/scope.h"
#include "store/history.h"
#include "url/url.h"

enum visit_kind {
    VISIT_PAGE,
    VISIT_ROBOTS, /* of the robots.txt that the loan's host needs first; the loan stays */
    VISIT_HOP,    /* of a robots.txt that leads elsewhere: to be kept and told, and nothing else. No
                     loan; it ends within the call, and borrows all from the visit it is of */
    VISIT_SEEDS,  /* no loan */
    VISIT_KNOWN,  /* no loan */
    VISIT_DEEPER, /* no loan: `lent` says only which page it was, and the way there */
};

/* How far it came. What is refused or failed has a code and goes to settle at once. */
enum visit_state {
    VISIT_ON_ITS_WAY,
    VISIT_LATER,   /* nothing was asked: its address is busy; back to the queue, without a word */
    VISIT_REFUSED, /* nothing was asked, and nothing will be: `code` */
    VISIT_ENDED,   /* asked; `end` says how it went */
};

enum { VISIT_MAX_ADDRESSES = 4 };

/* A reference as read found it. */
struct visit_reference {
    struct str raw;
    struct str context; /* "a/@href", for the archive; may be absent */
    struct str anchor;  /* its text, where focus asks for it */
    char hop;           /* enum hop_kind */
    bool is_unwanted;   /* focus's: said in the archive, but never asked for */
};

/* Of VISIT_KNOWN, beside each reference. */
struct visit_known {
    struct str hops;
    uint64_t via;
};

/* The same as a URL, as intake understood it. */
struct visit_link {
    struct str href; /* normalised */
    struct str host, path;
    struct str hops;
    struct str context;
    uint64_t fingerprint, position;
    uint64_t via; /* fingerprint of the page it is from; 0 = none */
    uint16_t port;
    bool is_https;
    bool is_wanted; /* in scope and within budgets: it goes to the frontier */
    bool is_seed;   /* or where one redirects to */
    char hop;
};

/* The first field of each name in an answer's head, without blanks around it; absent if there is
 * none. Borrowed from the answer. */
struct visit_heads {
    struct str type, encoding, location, refresh, retry_after, etag, last_modified;
    struct str x_robots; /* there may be more of it: fetch/x_robots.h */
};

/* What the pace asks of a host's card; for a copy at another place (docs/remote.md), where there is
 * none. Nobody else changes the card while the host is lent. */
struct visit_standing {
    bool is_stranger;         /* see struct pace_end */
    bool has_several_origins; /* a fault is then the origin's: */
    uint32_t origin_tries, origin_failures;
    uint32_t tries, failures;
    uint64_t crawl_delay_ms;
};

struct visit {
    struct message head;
    struct arena *arena; /* what is asked for memory now */
    struct arena *cool;  /* the one it began with, once it is warm; as lasting as the other */
    struct visit_pool *pool;
    enum visit_kind kind;
    enum visit_state state;
    int code;            /* refused: why, as crawl.log says it */
    const char *why;     /* for people; may be NULL */
    struct call *errand; /* of VISIT_SEEDS: ends with the visit; NULL = nobody waits */
    bool is_safe;        /* settle's: what it brought is in the journal */
    bool is_settled;     /* settle's: it may end */
    bool is_dropped;     /* visit_drop() was called: neither kept nor followed; `why` */

    /* schedule's */
    struct lent lent;
    struct card *card;
    uint64_t loan; /* the cluster's */
    struct url
        url; /* what is asked for; of VISIT_ROBOTS the robots.txt, or where it redirects to */
    uint64_t fingerprint;
    unsigned robots_hops; /* redirects of robots.txt so far */
    struct str way;       /* robots': the shortest to its origin; absent = that of the loan */
    bool has_past;
    struct past past;               /* what is known of it from earlier */
    bool is_compared;               /* the crawl asks what changed */
    struct visit_standing standing; /* of a copy, which has no card */

    /* resolve's */
    struct address addresses[VISIT_MAX_ADDRESSES];
    uint32_t address_count;
    uint64_t address_group;
    uint64_t host_position; /* of the host in `url` */

    /* gate's */
    bool has_slot;   /* of its address and host: visit_leave gives them back */
    bool is_charged; /* a page of the budget is reserved: settle says what came of it */
    uint64_t due_ms; /* of VISIT_LATER */

    /* fetch's */
    struct http_ask ask;
    struct str request;               /* as sent */
    void *fetch;                      /* which one asks */
    struct list_node running;         /* in fetch's list of open transfers */
    uint64_t begun_ms;                /* the flow's clock */
    int64_t date_ms;                  /* the wall's */
    const struct http_answer *answer; /* NULL: there is none */
    struct visit_heads heads;         /* of the answer */
    struct pace_end end;
    uint64_t uncounted_bytes; /* received where nobody counts: settle does */
    bool has_verdict;         /* of robots.txt robots', of what never was asked settle's */
    struct pace_verdict verdict;
    struct str mime;     /* as the server says, without parameters; absent = none */
    bool has_other_type; /* than the crawl wants: neither read nor kept */

    /* read's */
    enum media media;
    struct str text;             /* the body without its codings; of HTML in UTF-8 */
    struct str visible;          /* what a reader sees of it, where focus or compare asks for it */
    const struct page_tag *tags; /* for compare; NULL: not asked, or there were too many */
    size_t tag_count;
    struct str title;
    struct str base; /* what references are relative to, as written; absent = the URL */
    const char *charset;
    struct visit_reference *references;
    size_t reference_count;
    struct visit_known *known; /* of VISIT_KNOWN: one each */
    unsigned robots_bits;      /* enum page_robots */
    bool is_cut;               /* there were more references than are taken */
    bool is_page;              /* belongs into pages.jsonl */
    bool robots_changed;       /* the card has new rules */
    struct str identified;
    const char *note; /* for the log: how the body was broken */

    /* focus's */
    double score;          /* how well it fits; -1 = not asked */
    bool is_unkept;        /* too badly for the archive */
    size_t unwanted_count; /* of the references */

    /* compare's */
    struct str codes; /* of the page, encoded (change/codes.h); absent = none */
    unsigned
        what_changed; /* bits of enum past_change, if the payload changed; 0: nobody can tell */

    /* intake's */
    struct visit_link *links;
    size_t link_count;
    uint32_t left_out[BRING_VERDICTS_]; /* over what its host may bring; settle's too */

    /* keep's */
    struct str via; /* the URL of the page that led here; absent = unknown or none */
    struct capture capture;
    struct capture_place place;
    bool is_kept;
};

/* Visits of pages and of robots.txt can go to another place and come back (visit_pack.c): a copy
 * has all but the card, the host and what else belongs to the ledger. */
extern const struct message_type visit_type;
MUST_CHECK enum rc visit_pack(const struct message *m, struct buf *out);
MUST_CHECK enum rc visit_unpack(struct str bytes, struct message **m);
void visit_stay(struct message *m);

/* Visits that have ended, and arenas, for the next: arenas keep their first block. One thread's.
 *
 * Thousands of visits may wait for their answers, but few are being read. So a visit begins with a
 * small arena, and gets the one that the last page left when its answer is there: memory that is
 * still in the processor's cache. */
enum { VISIT_POOL = 1024, VISIT_WARM = 8 };
struct visit_pool {
    struct visit *free[VISIT_POOL];
    unsigned count;
    struct arena *warm[VISIT_WARM];
    unsigned warm_count;
};
void visit_pool_done(struct visit_pool *p);

/* A visit with an arena of its own; NULL without memory. Ended like any message, it goes back to
 * `pool`, which may be NULL. */
struct visit *visit_open(enum visit_kind kind, struct visit_pool *pool);

static inline struct visit *visit_of(struct message *m)
{
    return (struct visit *)(void *)m;
}

/* Much is going to be kept in its arena: called when it has an answer; a list is warm from the
 * beginning. Without memory it stays as it is. */
void visit_warm(struct visit *v);

/* Sets kind, url and fingerprint: the URL of the loan, or its origin's robots.txt, in the arena. */
MUST_CHECK enum rc visit_name(struct visit *v, enum visit_kind kind);

/* Fills v->heads from v->answer. */
void visit_read_heads(struct visit *v);

/* Appends a reference, the arena's. False: no memory or more than there may be (is_cut). */
enum { VISIT_MAX_REFERENCES = 50000 };
/* Of a page's links as text: they go into one batch of the journal (64 MB), twice, and into one
 * record of the archive (WARC_FIELDS_MAX). */
enum { VISIT_MAX_LINK_BYTES = 16 << 20 };
bool visit_refer(struct visit *v, struct str raw, char hop, struct str context);

/* Whether read takes the answer for a sitemap, an index of them or a feed: by its bytes, or because
 * it was named as one. */
bool visit_is_sitemap(const struct visit *v);

/* A list of URLs: nothing was lent for it, and nothing is fetched. */
static inline bool visit_is_list(const struct visit *v)
{
    return v->kind == VISIT_SEEDS || v->kind == VISIT_KNOWN || v->kind == VISIT_DEEPER;
}

/* A page that came whole and is in the archive. */
static inline bool visit_is_whole(const struct visit *v)
{
    return v->is_kept && v->answer && v->answer->outcome == HTTP_WHOLE && v->end.status == 200;
}

/* How its payload compares with the one captured before. */
enum visit_change { CHANGE_UNKNOWN, CHANGE_NONE, CHANGE_SEEN };
enum visit_change visit_change(const struct visit *v);

/* Sets code and state. */
void visit_refuse(struct visit *v, int code, const char *why);

/* The number of links from the seed: letters L and X. */
unsigned visit_depth(struct str hops);

#endif
