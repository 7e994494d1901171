/* SPDX-License-Identifier: Apache-2.0 */
/* intake: references become URLs: resolved, normalised, each once, and judged: does it belong to
 * the crawl, is there room for it. Seeds come this way too, and so does where a seed redirects to,
 * which draws the scope as the seed does. */
#include "components/bringing.h"
#include "components/services.h"
#include "components/visit.h"

#include "base/hash.h"
#include "base/int_set.h"
#include "base/log.h"
#include "base/mem.h"
#include "url/encoding.h"
#include "url/normalise.h"

struct intake {
    struct ledger_service *ledger;
    struct scope_service *scope;
    struct budget *budget;
    struct frontier *frontier;
    uint32_t rules;
    struct int_set seen; /* fingerprints of one page's links */
    char room[URL_ROOM_BYTES];
    char base_room[URL_ROOM_BYTES];
};

static void intake_close(struct instance *self)
{
    struct intake *in = self->state;
    int_set_done(&in->seen);
    mem_free(in);
}

static enum rc intake_open(struct instance *self, struct buf *why)
{
    struct intake *in = mem_zero(1, sizeof *in);
    (void)why;
    if (!in)
        return RC_NOMEM;
    self->state = in;
    in->ledger = part_provider(self, 0);
    in->scope = part_provider(self, 1);
    in->budget = part_provider(self, 2);
    in->frontier = ledger_frontier(in->ledger->ledger, self->shard);
    in->rules = scope_rules(in->scope->scope);
    return RC_OK;
}

/* Judging -------------------------------------------------------------------------------------- */

/* A link as it goes to frontier and archive. */
static bool describe(struct visit *v, const struct url *u, uint64_t fingerprint,
                     const struct visit_reference *ref, struct str hops, struct visit_link *ret)
{
    struct str href = arena_dup(v->arena, url_href(u));
    if (!href.p)
        return false;
    *ret = (struct visit_link){
        .href = href,
        .host = str_make(href.p + u->host_at, (size_t)(u->host_end - u->host_at)),
        .path = str_make(href.p + u->path_at, (size_t)(u->fragment_at - u->path_at)),
        .hops = hops,
        .context = ref->context,
        .fingerprint = fingerprint,
        .via = v->kind == VISIT_SEEDS ? 0 : v->fingerprint, /* VISIT_KNOWN: see judge */
        .position = hash64(url_host(u)),
        .port = u->port,
        .is_https = u->kind == URL_HTTPS,
        .hop = ref->hop,
    };
    return true;
}

/* Sitemaps name pages and sitemaps of their own host alone (F81). */
static bool sitemap_may(const struct visit *v, const struct url *u, char hop, struct str hops)
{
    bool is_listed = hop == HOP_LISTED || (hop == HOP_PREREQUISITE && bring_level(hops) > 1);
    return v->kind == VISIT_KNOWN || !is_listed || str_eq(url_host(u), url_host(&v->url));
}

static bool add_seed(struct instance *self, struct intake *in, const struct url *u)
{
    enum rc rc = scope_add_seed(in->scope->scope, u);
    if (rc)
        log_warn(part_log(self), "seed.refused", LOG_STR("url", url_href(u)), LOG_RC(rc));
    return rc == RC_OK;
}

struct judging {
    struct instance *self;
    struct intake *in;
    struct visit *v;
    struct url_parser parser;
    struct bringing bringing;
    struct url base;
    const struct url *relative_to;
    size_t bytes;                    /* of the links so far */
    const struct visit_known *known; /* of the reference, in VISIT_KNOWN; else NULL */
    char last_hop;                   /* hops of the last link, for the next of the same kind */
    struct str last_hops;
    uint32_t off_topic, rejected[SCOPE_VERDICTS_]; /* counted here, told at the end */
};

static struct str hops_of(struct judging *j, char hop)
{
    if (j->v->kind == VISIT_SEEDS)
        return STR("");
    if (j->known)
        return j->known->hops;
    if (j->last_hop != hop) {
        const struct str pieces[] = {j->v->way.p ? j->v->way : j->v->lent.hops, {&hop, 1}};
        j->last_hop = hop;
        j->last_hops = arena_join(j->v->arena, pieces, 2);
    }
    return j->last_hops;
}

/* Whether it is within what a frontier can hold. */
static bool frontier_takes(const struct url *u, struct str hops)
{
    return hops.n <= FRONTIER_MAX_HOPS && url_host(u).n <= FRONTIER_MAX_HOST_BYTES &&
           url_path_query(u).n <= FRONTIER_MAX_PATH_BYTES;
}

/* Whether there is room for one more link of the page. */
static bool has_room(struct judging *j, const struct url *u, const struct visit_reference *ref)
{
    size_t bytes = url_href(u).n + ref->context.n;
    if (bytes > VISIT_MAX_LINK_BYTES - j->bytes) {
        j->v->is_cut = true;
        return false;
    }
    j->bytes += bytes;
    return true;
}

static void judge(struct judging *j, const struct visit_reference *ref)
{
    struct intake *in = j->in;
    struct visit *v = j->v;
    struct url u;
    if (url_parse(&j->parser, ref->raw, j->relative_to,
                  (struct url_room){in->room, sizeof in->room}, &u) ||
        !url_is_http(&u))
        return;
    url_normalise(&u, in->rules);
    struct str hops = hops_of(j, ref->hop);
    struct visit_link *l = &v->links[v->link_count];
    uint64_t fingerprint = url_fingerprint(&u);
    if (!hops.p || !frontier_takes(&u, hops) || !int_set_put(&in->seen, fingerprint) ||
        !has_room(j, &u, ref) || !describe(v, &u, fingerprint, ref, hops, l))
        return;
    v->link_count++;
    if (v->kind == VISIT_KNOWN)
        l->via = j->known->via;
    if (v->kind == VISIT_SEEDS)
        l->is_seed = add_seed(j->self, in, &u);
    enum scope_verdict verdict = scope_check(in->scope->scope, &u, hops);
    if (verdict == SCOPE_OUTSIDE && (!visit_is_list(v) || v->kind == VISIT_SEEDS) &&
        scope_joins(hops)) {
        l->is_seed = add_seed(j->self, in, &u);
        verdict = scope_check(in->scope->scope, &u, hops);
    }
    if (verdict == SCOPE_IN && !sitemap_may(v, &u, ref->hop, hops))
        verdict = SCOPE_OUTSIDE;
    if (verdict != SCOPE_IN)
        j->rejected[verdict]++;
    else if (!bringing_listed(&j->bringing, v, l))
        v->link_count--; /* nothing is made of it: it is counted, and that is all */
    else if (ref->is_unwanted)
        j->off_topic++;
    else
        l->is_wanted = true;
}

/* The page's own URL, or what its base element makes of it. */
static void set_base(struct judging *j)
{
    struct intake *in = j->in;
    const struct visit *v = j->v;
    if (visit_is_list(v))
        return;
    j->relative_to = &v->url;
    if (!v->base.p)
        return;
    struct url_parser plain = {.idn = in->scope->idn};
    if (url_parse(&plain, v->base, &v->url, (struct url_room){in->base_room, sizeof in->base_room},
                  &j->base) == RC_OK &&
        j->base.kind != URL_OTHER)
        j->relative_to = &j->base;
}

/* A URL that one reference wants and another does not is wanted. */
static void judge_all(struct judging *j, bool is_unwanted)
{
    struct visit *v = j->v;
    for (size_t i = 0; i < v->reference_count; i++) {
        j->known = v->known ? &v->known[i] : NULL;
        if (v->references[i].is_unwanted == is_unwanted)
            judge(j, &v->references[i]);
    }
}

static void count_all(const struct judging *j)
{
    struct crawl_counts *c = &j->in->ledger->counts;
    uint64_t left_out = 0;
    for (size_t i = 0; i < BRING_VERDICTS_; i++)
        left_out += j->v->left_out[i];
    count_add(&c->links, j->v->link_count + left_out);
    count_add(&c->off_topic, j->off_topic);
    for (size_t i = 0; i < SCOPE_VERDICTS_; i++)
        count_add(&c->rejected[i], j->rejected[i]);
}

static void intake_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct intake *in = self->state;
    struct visit *v = visit_of(m);
    struct judging j = {.self = self,
                        .in = in,
                        .v = v,
                        .parser = {.idn = in->scope->idn},
                        .bringing = bringing_of(v, in->frontier, in->budget)};
    v->links =
        v->reference_count ? arena_alloc(v->arena, v->reference_count * sizeof *v->links) : NULL;
    if (v->links && int_set_begin(&in->seen, v->reference_count) == RC_OK) {
        if (v->charset && url_encoding_open(str_c(v->charset), &j.parser.encoding))
            j.parser.encoding = NULL;
        set_base(&j);
        judge_all(&j, false);
        if (v->unwanted_count)
            judge_all(&j, true);
        url_encoding_close(j.parser.encoding);
        count_all(&j);
    } else if (v->reference_count) {
        v->note = "no memory for its links";
        v->is_cut = true;
    }
    part_emit(self, 0, m);
}

const struct part part_intake = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "intake",
    .help = "makes references URLs, and says which belong to the crawl",
    .inlets = (const struct part_port[]){{"in", VISIT_TYPE, "with references", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "with links", false}, {0}},
    .needs = (const struct part_need[]){{"ledger", LEDGER_INTERFACE, "counts"},
                                        {"scope", SCOPE_INTERFACE, "knows what belongs"},
                                        {"budget", BUDGET_INTERFACE, "says what a host may bring"},
                                        {0}},
    .open = intake_open,
    .close = intake_close,
    .handle = intake_handle,
};
