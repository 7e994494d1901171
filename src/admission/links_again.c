/* SPDX-License-Identifier: Apache-2.0 */
#include "admission/links_again.h"

#include "admission/sitemaps.h"
#include "discovery/seed_path.h"
#include "url/normalise.h"
#include "visit/links.h"

static bool add(void *ctx, struct str uri, char hop)
{
    struct url_list *l = ctx;
    struct str copy = arena_dup(l->arena, uri);
    return copy.p && url_list_add(l, &(struct url_list_item){.url = copy, .hop = hop});
}

/* The page, at the end of the shorter path. */
static enum rc name_page(struct url_list *l, const struct candidate *c, bool is_origin)
{
    struct url_list_page *page = &l->page;
    *page = (struct url_list_page){.host_name = arena_dup(l->arena, c->host),
                                   .seed_path = arena_dup(l->arena, c->seed_path),
                                   .is_origin = is_origin};
    if (!page->host_name.p || !page->seed_path.p)
        return RC_NOMEM;
    enum rc rc = candidate_url(c, l->arena, &page->url);
    if (rc == RC_OK)
        page->fingerprint = url_fingerprint(&page->url);
    return rc;
}

/* RC_NOT_FOUND: its host is swapped and may come back; or, with *ret_is_lost, there are none, or
 * another agent owns the host and was told. */
static enum rc list_sitemaps(const struct links_again *a, struct url_list *l,
                             const struct candidate *c, bool *ret_is_lost)
{
    const struct robots *rules = NULL;
    enum sitemaps are = sitemaps_of(a->frontier, c, &rules);
    struct str url;
    size_t i = 0;
    while (rules && robots_sitemap(rules, i, &url) && add(l, url, HOP_PREREQUISITE))
        i++;
    *ret_is_lost = !i && are != SITEMAPS_SWAPPED;
    return i ? RC_OK : RC_NOT_FOUND;
}

static enum rc list_links(const struct links_again *a, struct url_list *l,
                          const struct candidate *c, bool *ret_is_lost)
{
    if (l->page.is_origin)
        return list_sitemaps(a, l, c, ret_is_lost);
    enum rc rc =
        ledger_links_of(a->ledger, c->fingerprint, l->arena, add, l, &l->page.history, ret_is_lost);
    l->page.has_history = rc == RC_OK;
    return rc;
}

/* RC_OK: the agent that has the page was told. RC_NOT_FOUND: no other agent has it. */
static enum rc forward(const struct links_again *a, const struct url_list *l,
                       const struct candidate *c)
{
    struct str agent;
    if (!history_entry_is_elsewhere(&l->page.history, &agent))
        return RC_NOT_FOUND;
    return a->cluster->ops->forward(a->cluster, c, agent);
}

enum links_again_found links_again_find(const struct links_again *a, const struct candidate *page,
                                        bool is_origin, struct url_list **ret, enum rc *ret_why)
{
    struct url_list *l = url_list_open(LIST_REJUDGED);
    bool is_lost = false;
    enum rc rc = l ? name_page(l, page, is_origin) : RC_NOMEM;
    rc = rc ? rc : list_links(a, l, page, &is_lost);
    if (rc == RC_OK) {
        *ret = l;
        return LINKS_AGAIN_HERE;
    }
    if (l && rc == RC_NOT_FOUND)
        rc = forward(a, l, page);
    if (l)
        message_end(&l->head);
    if (rc == RC_OK)
        return LINKS_AGAIN_FORWARDED;
    if (rc == RC_NOT_FOUND && !is_lost)
        return LINKS_AGAIN_LATER;
    *ret_why = rc;
    return LINKS_AGAIN_LOST;
}
