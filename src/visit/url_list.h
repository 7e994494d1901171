/* SPDX-License-Identifier: Apache-2.0 */
/* url_list: URLs on their way to the frontier that no page has just brought.
 *
 *   seeds ───┐
 *   requeue ─┼─ judge-links.lists ── disposition.lists ── admit
 *   rejudge ─┘
 *
 * seeds brings the URLs where the crawl begins, requeue those that an earlier run has asked for,
 * and rejudge the links of a page to which a shorter path was found. judge-links judges them
 * as it judges a page's links, and disposition journals them. Nothing is fetched for a list, so no
 * host is checked out, and the list never goes to another place: what it says belongs to the
 * ledger.
 *
 * The list has an arena of its own for its texts. Whatever waits for the list is told once, when
 * the list is released. */
#ifndef VISIT_URL_LIST_H
#define VISIT_URL_LIST_H

#include "base/arena.h"
#include "flow/message.h"
#include "scope/link.h"
#include "store/history.h"
#include "url/url.h"

#define URL_LIST_TYPE "url-list"

enum url_list_origin { LIST_SEEDS, LIST_REQUEUED, LIST_REJUDGED };

/* Texts are in the list's arena, or outlive the list. */
struct url_list_item {
    struct str url;
    struct str seed_path; /* of LIST_REQUEUED: by which it was found before */
    uint64_t via;         /* likewise: the page it was found on */
    uint16_t forward;     /* likewise: links that it had, and 1; 0 = not known */
    char hop;             /* of LIST_REJUDGED: enum hop_kind */
};

/* The page whose links a LIST_REJUDGED has. */
struct url_list_page {
    struct str host_name;
    struct str seed_path; /* the shorter path */
    struct url url;       /* of an origin its robots.txt */
    uint64_t fingerprint; /* of `url` */
    bool is_origin;       /* the links are the sitemaps that the origin's robots.txt names */
    bool has_history;
    struct history_entry history;
};

/* Something that waits for the end of a list. `is_safe`: what the list brought is in the journal.
 */
struct url_list_waiter {
    void (*ended)(void *ctx, bool is_safe); /* NULL: nothing waits */
    void *ctx;
};

enum { URL_LIST_MAX = 50000 };

struct url_list {
    struct message head;
    struct arena *arena;
    enum url_list_origin origin;
    struct url_list_item *items;
    size_t count;
    struct url_list_page page; /* of LIST_REJUDGED */
    struct found_links links;  /* judge-links' */
    /* The cluster counts the list as open work. A list that is released before disposition has seen
     * it stays open: the crawl must not look done. */
    struct url_list_waiter work;
    struct url_list_waiter request; /* of LIST_SEEDS: the request that brought them */
    bool is_safe;                   /* disposition's: what it brought is in the journal */
    bool may_end;                   /* disposition's: every other step emits the list */
};

extern const struct message_type url_list_type;

/* NULL without memory. */
struct url_list *url_list_open(enum url_list_origin origin);

static inline struct url_list *url_list_of(struct message *m)
{
    return (struct url_list *)(void *)m;
}

/* Appends an item. False: no memory, or URL_LIST_MAX are there. */
bool url_list_add(struct url_list *l, const struct url_list_item *item);

#endif
