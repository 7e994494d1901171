/* SPDX-License-Identifier: Apache-2.0 */
/* visit: one URL on its way through the crawl.
 *
 *   schedule ─ resolve ─ gate ─ fetch ─ read ─ focus ─ compare ─ judge-links ─ write-warc ─┐
 *                                                                             disposition ─┘
 *
 * Where another place fetches, make-urls and pack-answer stand behind compare at that place.
 *
 * The comment of each section names the steps that write it; to the others it is constant. What a
 * section points to is in the visit's arena, or belongs to the answer. The answer is there from
 * fetch to disposition, because these run within one call. Every ending, good or bad, passes
 * disposition.
 *
 * URLs that no page has just brought travel as url_list.h. */
#ifndef VISIT_VISIT_H
#define VISIT_VISIT_H

#include "archive/capture.h"
#include "base/list.h"
#include "discovery/seed_path.h"
#include "fetch/media.h"
#include "flow/part.h"
#include "frontier/frontier.h"
#include "host/host_end.h"
#include "host/host_permit.h"
#include "net/http.h"
#include "scope/link.h"
#include "scope/scope.h"
#include "store/history.h"
#include "url/url.h"
#include "visit/view.h"

enum visit_kind {
    VISIT_PAGE,
    VISIT_ROBOTS, /* the robots.txt that the host needs first; the URL stays checked out */
    /* A robots.txt that redirects: it is archived and logged, and that is all. It has no host_claim,
     * ends within the call, and borrows everything from its VISIT_ROBOTS. */
    VISIT_ROBOTS_REDIRECT,
};

/* How far it came. A visit that is refused or has failed has a code and goes to disposition at
 * once. */
enum visit_state {
    VISIT_ON_ITS_WAY,
    VISIT_LATER, /* the URL goes back to its queue and is not logged: its address is busy, a limit is
                    used up, or the cluster took the host away */
    VISIT_REFUSED, /* nothing was asked, and nothing will be: `code` */
    VISIT_ENDED,   /* asked, or its name has no address; `end` says how it went */
    VISIT_LOST,    /* the member of the pool that had it will not answer; it may have asked */
};

enum { VISIT_MAX_ADDRESSES = 4 };

/* The first field of each name in an answer's head, without blanks around it; absent if there is
 * none. Borrowed from the answer. */
struct visit_heads {
    struct str type, encoding, location, refresh, retry_after, etag, last_modified;
    struct str x_robots; /* there may be more of it: fetch/x_robots.h */
};

/* The turn of a host: which URL was checked out of the frontier, and what is known of it.
 * schedule's; disposition sets the URL back from that of a robots.txt. */
struct visit_turn {
    struct checkout checkout;
    struct host_record *record; /* NULL: a copy at another place */
    uint64_t host_claim;        /* the cluster's */
    struct url url;             /* of VISIT_ROBOTS the robots.txt, or where it redirects to */
    uint64_t fingerprint;
    unsigned robots_redirects; /* of robots.txt so far */
    struct str origin_path;    /* robots': the shortest seed path to the origin; absent = the
                                  checkout's */
    bool has_history;
    bool is_compared;              /* the crawl asks what changed */
    struct history_entry history;  /* what is known of the URL from earlier */
    struct host_standing standing; /* of a copy, which has no record */
};

/* How to reach the server: resolve's and gate's. fetch and robots set due_ms when they put a visit
 * off, and the permit is returned by disposition, and by robots before it follows a redirect. */
struct guest;
struct visit_route {
    struct address addresses[VISIT_MAX_ADDRESSES];
    uint32_t address_count;
    struct host_permit permit; /* to ask its address and host: disposition returns it */
    bool is_charged;     /* a page of the budget is reserved: disposition says what came of it */
    struct guest *guest; /* the turn of another host (asking/guest.h); robots and disposition give
                            it back */
    uint64_t due_ms;     /* of VISIT_LATER */
    uint64_t
        later_ms;   /* the same from its return on: put off at another place, with another clock */
    bool is_blamed; /* of VISIT_LOST: the member may have been lost because of it */
};

struct asker;

/* What the server answered: fetch's. schedule sets begun_ms, resolve sets `end` when the name has no
 * address, robots and disposition set the verdict where fetch did not. */
struct visit_answer {
    struct http_ask ask;
    struct str request;             /* as sent */
    struct asker *asker;            /* that asks (asking/asker.h) */
    struct list_node running;       /* in the list of open transfers */
    uint64_t begun_ms;              /* the flow's clock */
    int64_t date_ms;                /* the wall clock */
    const struct http_answer *http; /* NULL: there is none */
    struct visit_heads heads;       /* of the answer */
    struct pace_end end;
    uint64_t uncounted_bytes; /* received at a place without counters: disposition counts them */
    bool has_verdict;         /* fetch sets it for a page, robots for a robots.txt, disposition for
                                 a visit that was never asked */
    struct pace_verdict verdict;
    struct str mime;     /* as the server says, without parameters; absent = none */
    bool has_other_type; /* than the crawl wants: neither read nor archived */
};

/* What the answer says: read's. focus marks references as unwanted, make-urls replaces them by URLs,
 * robots adds the sitemaps and sets robots_changed, and visit_drop() drops the references. */
struct visit_parsed {
    enum media media;
    struct str text;             /* the body without its codings; of HTML in UTF-8 */
    struct str visible;          /* what a reader sees of it, where focus or compare asks for it */
    const struct page_tag *tags; /* for compare; NULL: not asked, or there were too many */
    size_t tag_count;
    struct str title; /* UTF-8, one space for white space, at most 2,048 bytes; absent = none */
    struct str base;  /* what references are relative to, as written; absent = the URL */
    const char *charset;
    struct link_reference *references;
    size_t reference_count;
    size_t reference_room; /* how many the list can hold */
    bool has_urls;         /* the references are URLs, normalised */
    unsigned robots_bits;  /* enum page_robots */
    bool is_cut;           /* there were more references than are taken */
    bool is_page;          /* belongs into pages.jsonl */
    bool robots_changed;   /* the host's record has new rules */
    struct str identified;
    const char *note; /* for the log: how the body was broken */
};

/* What the crawl thinks of the page and its links: focus's, compare's and judge-links'. */
struct visit_judged {
    double score;          /* how well it fits the topic; -1 = not asked. Of a page whose start
                              missed it, fetch sets this and is_unkept */
    bool is_unkept;        /* it fits too badly for the archive */
    size_t unwanted_count; /* of the references */
    struct str codes;      /* of the page, encoded (change/codes.h); absent = none */
    unsigned what_changed; /* bits of enum history_change, if the payload changed; 0: not known */
    struct found_links links; /* disposition adds to left_out */
};

/* The answer as a place without its archive sends it: pack-answer's. Body and texts of the answer then
 * stay at that place. */
struct visit_packed {
    bool is_set;
    bool has_body;       /* `body` is there: the answer is to be archived */
    uint64_t body_bytes; /* as received */
    struct packed_body body;
};

/* Where the archive has it: write-warc's. */
struct visit_stored {
    struct str via; /* the URL of the page that led here; absent = unknown or none */
    struct capture capture;
    struct warc_location location;
    bool is_kept;
};

struct visit {
    struct message head;
    struct arena *arena; /* memory is taken from it now */
    struct arena *cool;  /* the one it began with, once it is warm; as lasting as the other */
    struct visit_pool *pool;
    enum visit_kind kind;
    enum visit_state state;
    int code;        /* refused: why, as crawl.log says it */
    const char *why; /* for people; may be NULL */
    bool may_end;    /* disposition's: every other step emits the visit */
    bool is_dropped; /* visit_drop() was called: neither archived nor followed; `why` */
    struct visit_turn turn;
    struct visit_route route;
    struct visit_answer answer;
    struct visit_parsed parsed;
    struct visit_judged judged;
    struct visit_packed packed;
    struct visit_stored stored;
};

/* Visits of pages and of robots.txt can go to another place and come back (visit_pack.c). A copy
 * lacks the record, the host and all else that belongs to the ledger. */
extern const struct message_type visit_type;
MUST_CHECK enum rc visit_pack(const struct message *m, struct buf *out);
MUST_CHECK enum rc visit_unpack(struct str bytes, struct message **m);
void visit_stay(struct message *m);
MUST_CHECK enum rc visit_check(struct message *m, uint64_t most_bytes);
void visit_lost(struct message *m, bool is_blamed);

/* Visits that have ended, and arenas, for the next visits: arenas keep their first block. One
 * thread uses a pool.
 *
 * Thousands of visits may wait for their answers, but few are being read. So a visit begins with a
 * small arena. When its answer is there it gets the arena that the last page left, memory that is
 * still in the processor's cache. */
enum { VISIT_POOL = 1024, VISIT_WARM = 8 };
struct visit_pool {
    struct visit *free[VISIT_POOL];
    unsigned count;
    struct arena *warm[VISIT_WARM];
    unsigned warm_count;
    struct packed_body_tools *checker; /* opened when it is needed */
};
void visit_pool_done(struct visit_pool *p);

/* A visit with an arena of its own; NULL without memory. Ended like any message, it goes back to
 * `pool`, which may be NULL. */
struct visit *visit_open(enum visit_kind kind, struct visit_pool *pool);

static inline struct visit *visit_of(struct message *m)
{
    return (struct visit *)(void *)m;
}

/* Gives it a large arena: called when it has an answer. Without memory it stays as it is. */
void visit_warm(struct visit *v);

/* Sets kind, url and fingerprint: the URL that is checked out, or its origin's robots.txt, in the
 * arena. */
MUST_CHECK enum rc visit_name(struct visit *v, enum visit_kind kind);

/* Fills v->answer.heads from v->answer.http. */
void visit_read_heads(struct visit *v);

enum { VISIT_MAX_REFERENCES = 50000 };
/* Of a page's links as text: they go into one batch of the journal (64 MB), twice, and into one
 * record of the archive (WARC_FIELDS_MAX). */
enum { VISIT_MAX_LINK_BYTES = 16 << 20 };

/* Makes the list of references longer. Only parsed_refer() calls it. */
bool parsed_grow_(struct visit_parsed *p, struct arena *arena);

/* Appends a reference to the list, which is in `arena`; the texts are borrowed. False: there is no
 * memory, or there would be more than VISIT_MAX_REFERENCES; then is_cut is set. A page has hundreds
 * of references, so only growing is a call. */
static inline bool parsed_refer(struct visit_parsed *p, struct arena *arena, struct str raw,
                                char hop, struct str context)
{
    if (p->reference_count == p->reference_room && !parsed_grow_(p, arena))
        return false;
    p->references[p->reference_count++] =
        (struct link_reference){.raw = raw, .context = context, .hop = hop};
    return true;
}

static inline bool visit_refer(struct visit *v, struct str raw, char hop, struct str context)
{
    return parsed_refer(&v->parsed, v->arena, raw, hop, context);
}

/* Whether read takes the answer for a sitemap, a sitemap index or a feed: by its bytes, or because
 * a listing names it. */
bool visit_is_sitemap(const struct visit *v);

/* The length of the answer's body as received; 0 without an answer. */
static inline uint64_t visit_body_bytes(const struct visit *v)
{
    return !v->answer.http ? 0 : v->packed.is_set ? v->packed.body_bytes : v->answer.http->body.n;
}

/* A page that came whole and is in the archive. */
static inline bool visit_is_whole(const struct visit *v)
{
    return v->stored.is_kept && v->answer.http && v->answer.http->outcome == HTTP_WHOLE &&
           v->answer.end.status == 200;
}

/* Whether the answer is there and will not be asked for again: read and write-warc take it. */
static inline bool visit_has_result(const struct visit *v)
{
    return v->answer.http && v->answer.end.http <= HTTP_TRUNCATED &&
           v->answer.verdict.next != PACE_AGAIN;
}

/* Whether its answer is not archived: because of its type or its score, or a part from outside
 * dropped it. */
static inline bool visit_is_unkept(const struct visit *v)
{
    return v->answer.has_other_type || v->judged.is_unkept || v->is_dropped;
}

/* How its payload compares with the one captured before. */
enum visit_change { CHANGE_UNKNOWN, CHANGE_NONE, CHANGE_SEEN };
enum visit_change visit_change(const struct visit *v);

/* What the history keeps of it. `code`: its result. `with_links`: also where the archive has what
 * was found in it. Texts are borrowed from the visit. */
void visit_history(const struct visit *v, int code, int64_t wall_ms, bool with_links,
                   struct history_entry *ret);

/* Sets code and state. */
void visit_refuse(struct visit *v, int code, const char *why);

#endif
