/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/link_judge.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/mem.h"
#include "discovery/seed_path.h"
#include "scope/link_urls.h"

struct link_judge {
    struct link_judge_settings set;
    struct link_urls *urls;
    /* The page at hand: */
    struct link_source source;
    struct found_links *links;
    struct link_tally tally;
    char last_hop; /* of the last link: the next of that kind has the same seed path */
    struct str last_seed_path;
};

struct link_judge *link_judge_open(const struct link_judge_settings *s)
{
    struct link_judge *j = mem_zero(1, sizeof *j);
    if (!j)
        return NULL;
    j->set = *s;
    j->urls = link_urls_open(&(struct link_urls_settings){
        .idn = s->idn,
        .rules = scope_rules(s->scope),
        .host_bytes = s->host_bytes,
        .path_bytes = s->path_bytes,
        .link_bytes = s->link_bytes,
    });
    if (j->urls)
        return j;
    link_judge_close(j);
    return NULL;
}

void link_judge_close(struct link_judge *j)
{
    if (!j)
        return;
    link_urls_close(j->urls);
    mem_free(j);
}

/* A page --------------------------------------------------------------------------------------- */

/* References of a list are absolute. */
static struct link_urls_source references_of(const struct link_source *s)
{
    bool is_page = s->origin == LINK_OF_PAGE;
    return (struct link_urls_source){
        .page = is_page ? s->page : NULL,
        .base = is_page ? s->base : STR_NONE,
        .charset = s->charset,
        .are_urls = s->has_urls,
    };
}

enum rc link_judge_begin(struct link_judge *j, const struct link_source *s, size_t count,
                         struct found_links *to)
{
    struct link_urls_source references = references_of(s);
    *to = (struct found_links){.list = arena_alloc(s->arena, count * sizeof *to->list + 1),
                               .are_of_page = s->origin == LINK_OF_PAGE,
                               .are_revisits = s->origin == LINK_IS_REQUEUED};
    if (!to->list || link_urls_begin(j->urls, &references, count) != RC_OK)
        return RC_NOMEM;
    j->source = *s;
    j->links = to;
    j->tally = (struct link_tally){0};
    j->last_hop = 0;
    return RC_OK;
}

struct link_tally link_judge_end(struct link_judge *j)
{
    j->tally.is_cut = link_urls_end(j->urls);
    j->links = NULL;
    return j->tally;
}

/* A link --------------------------------------------------------------------------------------- */

/* The letters to a link of that kind, in the arena; absent without memory. */
static struct str seed_path_to(struct link_judge *j, char hop)
{
    char room[SEED_PATH_ROOM];
    if (j->source.origin == LINK_IS_SEED)
        return STR("");
    if (j->last_hop != hop) {
        j->last_hop = hop;
        j->last_seed_path =
            arena_dup(j->source.arena, seed_path_append(j->source.seed_path, hop, room));
    }
    return j->last_seed_path;
}

/* A link as it goes to frontier and archive. */
static bool describe(struct arena *arena, const struct url *u, const struct link_reference *r,
                     struct found_link *ret)
{
    struct str href = arena_dup(arena, url_href(u));
    if (!href.p)
        return false;
    ret->href = href;
    ret->host = str_make(href.p + u->host_at, (size_t)(u->host_end - u->host_at));
    ret->path = str_make(href.p + u->path_at, (size_t)(u->fragment_at - u->path_at));
    ret->context = r->context;
    ret->host_hash = hash64(url_host(u));
    ret->port = u->port;
    ret->is_https = u->kind == URL_HTTPS;
    ret->is_wanted = ret->is_seed = false;
    ret->hop = r->hop;
    return true;
}

/* Judging -------------------------------------------------------------------------------------- */

static bool add_seed(struct link_judge *j, const struct url *u)
{
    enum rc rc = scope_add_seed(j->set.scope, u);
    if (rc)
        log_warn(j->set.log, "seed.refused", LOG_STR("url", url_href(u)), LOG_RC(rc));
    return rc == RC_OK;
}

/* Sitemaps name pages and sitemaps of their own host alone (F81). */
static bool sitemap_may(const struct link_source *s, const struct url *u, char hop,
                        struct str seed_path)
{
    bool is_listed =
        hop == HOP_LISTED || (hop == HOP_PREREQUISITE && seed_path_listings(seed_path) > 1);
    return !is_listed || !s->page || str_eq(url_host(u), url_host(s->page));
}

/* A seed, and a URL that a page redirects a seed to, is added to the seeds before it is checked. */
static enum scope_verdict check(struct link_judge *j, const struct url *u, struct found_link *l)
{
    enum link_origin origin = j->source.origin;
    if (origin == LINK_IS_SEED)
        l->is_seed = add_seed(j, u);
    enum scope_verdict v = scope_check(j->set.scope, u, l->seed_path);
    if (v == SCOPE_OUTSIDE && origin == LINK_OF_PAGE && seed_path_joins_seeds(l->seed_path)) {
        l->is_seed = add_seed(j, u);
        v = scope_check(j->set.scope, u, l->seed_path);
    }
    return v == SCOPE_IN && !sitemap_may(&j->source, u, l->hop, l->seed_path) ? SCOPE_OUTSIDE : v;
}

/* A reference that the page's host may not bring is counted and becomes no link. */
static bool is_brought(struct link_judge *j, const struct found_link *l)
{
    enum bring_verdict v = j->source.bringing ? bringing_listed(j->source.bringing, l) : BRING_OK;
    j->links->left_out[v] += v != BRING_OK;
    return v == BRING_OK;
}

static void judge(struct link_judge *j, const struct url *u, struct found_link *l, bool is_unwanted)
{
    enum scope_verdict v = check(j, u, l);
    if (v != SCOPE_IN)
        j->tally.rejected[v]++;
    else if (!is_brought(j, l))
        j->links->count--;
    else if (is_unwanted)
        j->tally.off_topic++;
    else
        l->is_wanted = true;
}

/* Absent `seed_path`: it is as far away as its kind says. */
static void take(struct link_judge *j, const struct link_reference *r, struct str seed_path,
                 uint64_t via, uint16_t forward)
{
    struct url u;
    uint64_t fingerprint;
    if (!seed_path.p)
        seed_path = seed_path_to(j, r->hop);
    if (!seed_path.p || !seed_path_fits(seed_path) || !link_urls_next(j->urls, r, &u, &fingerprint))
        return;
    struct found_link *l = &j->links->list[j->links->count];
    l->fingerprint = fingerprint;
    l->seed_path = seed_path;
    l->via = via;
    l->worth = r->worth;
    l->forward = forward;
    if (!describe(j->source.arena, &u, r, l))
        return;
    j->links->count++;
    judge(j, &u, l, r->is_unwanted);
}

void link_judge_reference(struct link_judge *j, const struct link_reference *r)
{
    take(j, r, STR_NONE, j->source.origin == LINK_IS_SEED ? 0 : j->source.fingerprint, 0);
}

void link_judge_requeued(struct link_judge *j, struct str url, struct str seed_path, uint64_t via,
                         uint16_t forward)
{
    char hop = (char)(seed_path.n ? seed_path_last(seed_path) : HOP_LINK); /* of a seed: any */
    struct link_reference r = {.raw = url, .hop = hop};
    take(j, &r, seed_path.p ? seed_path : STR(""), via, forward);
}
