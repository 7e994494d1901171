/* SPDX-License-Identifier: Apache-2.0 */
/* deepen: a page that is done turns out to be nearer to a seed than it was found (depths.h): what
 * was found on it is read back from the archive and judged once more, at its true depth. Nothing is
 * asked for twice. History and archive are written a moment behind the crawl, so it waits for them.
 * Likewise an origin (fingerprint 0): its links are the sitemaps that its robots.txt names.
 *
 * Where several agents are one crawl, whoever sends a page here has said cluster begin for it, and
 * settle says end when its links are in the journal: meanwhile the crawl is not finished. A page of
 * a host that has moved stands in the archive of who had the host then: it is told the shorter way
 * (RECORD_NEARER), through the journal like all that others have to hear, and judges the links. */
#include "components/cluster.h"
#include "components/links.h"
#include "components/services.h"
#include "components/visit.h"

#include "base/log.h"
#include "base/mem.h"
#include "cluster/records.h"
#include "frontier/rest.h"

enum { TRIES = 100 };

struct deepen_settings {
    uint64_t again_ms;
};

static const struct option deepen_options[] = {
    OPTION_DURATION_ROW(struct deepen_settings, again_ms, "again", "300ms",
                        "between two looks for what is not written yet", .min = 1),
    {0},
};

/* A message that waits; it is the list's. */
struct waiting {
    struct waiting *next;
    struct links *links;
    unsigned tries;
};

struct deepen {
    struct timer timer;
    struct instance *self;
    struct ledger_service *ledger;
    struct cluster_service *cluster;
    struct waiting *first;
};

static bool refer(void *ctx, struct str uri, char hop)
{
    struct visit *v = ctx;
    struct str copy = arena_dup(v->arena, uri);
    return copy.p && visit_refer(v, copy, hop, STR_NONE);
}

/* The page as it was, at the end of the shorter way. */
static enum rc name(struct visit *v, const struct candidate *c)
{
    v->lent = (struct lent){
        .host_name = arena_dup(v->arena, c->host),
        .path = arena_dup(v->arena, c->path),
        .hops = arena_dup(v->arena, c->hops),
        .port = c->port,
        .is_https = c->is_https,
    };
    if (!v->lent.host_name.p || !v->lent.path.p || !v->lent.hops.p)
        return RC_NOMEM;
    return visit_name(v, VISIT_DEEPER);
}

/* The sitemaps that the origin's robots.txt names. RC_NOT_FOUND: its host rests on disk and may
 * come back, or (*ret_is_lost) there are none, or it is another agent's by now, who has been told.
 */
static enum rc sitemaps_of(struct deepen *d, struct visit *v, const struct candidate *c,
                           bool *ret_is_lost)
{
    struct frontier *f = ledger_frontier(d->ledger->ledger, d->self->shard);
    const struct host *h = frontier_host(f, c->position, c->host);
    const struct card *card = h ? card_if(h) : NULL;
    const struct card_robots *r = card ? card_robots_of(card, c->is_https, c->port) : NULL;
    struct str url;
    bool is_listed = r && r->rules && card->is_listed; /* else the crawl reads no sitemaps */
    size_t i = 0;
    while (is_listed && robots_sitemap(r->rules, i, &url) && refer(v, url, HOP_PREREQUISITE))
        i++;
    *ret_is_lost = !i && !frontier_rests(f, c->position);
    return i ? RC_OK : RC_NOT_FOUND;
}

static enum rc links_again(struct deepen *d, struct visit *v, const struct candidate *c,
                           bool *ret_is_lost)
{
    if (!c->fingerprint)
        return sitemaps_of(d, v, c, ret_is_lost);
    enum rc rc = ledger_links_of(d->ledger->ledger, c->fingerprint, v->arena, refer, v, &v->past,
                                 ret_is_lost);
    v->has_past = rc == RC_OK;
    return rc;
}

/* Nothing more will come of it here. */
static void give_up(struct deepen *d)
{
    d->cluster->ops->end(d->cluster);
}

/* RC_OK: on its way to settle, or to another agent. RC_AGAIN: not written yet. RC_NOT_FOUND: it
 * cannot be read; that is said and passed over: the crawl goes on as if the shorter way had not
 * been found. */
static enum rc look_again(struct deepen *d, struct links *from, const struct candidate *c)
{
    struct visit *v = visit_open(VISIT_DEEPER, NULL);
    bool is_lost = false;
    struct str who;
    enum rc rc = v ? name(v, c) : RC_NOMEM;
    if (rc == RC_OK)
        rc = links_again(d, v, c, &is_lost);
    if (rc == RC_OK) {
        part_derive(d->self, &from->head, &v->head);
        part_emit(d->self, 0, &v->head);
        return RC_OK;
    }
    bool is_elsewhere = v && rc == RC_NOT_FOUND && past_is_elsewhere(&v->past, &who);
    if (is_elsewhere)
        rc = d->cluster->ops->forward(d->cluster, c, who);
    if (is_elsewhere && rc == RC_OK)
        give_up(d);
    if (v)
        message_end(&v->head);
    if (rc == RC_OK)
        return RC_OK;
    if (rc == RC_NOT_FOUND && !is_lost)
        return RC_AGAIN;
    log_debug(part_log(d->self), "deepen.lost", LOG_STR("host", c->host), LOG_STR("path", c->path),
              LOG_RC(rc));
    return RC_NOT_FOUND;
}

/* Those that are written go; how many are not. */
static size_t try_all(struct deepen *d, struct waiting *w)
{
    size_t left = 0;
    w->tries++;
    for (size_t i = 0; i < w->links->count; i++) {
        struct candidate c = w->links->list[i];
        enum rc rc = look_again(d, w->links, &c);
        if (rc == RC_AGAIN && w->tries < TRIES)
            w->links->list[left++] = c;
        else if (rc)
            give_up(d);
    }
    w->links->count = left;
    return left;
}

static void wait_on(struct deepen *d)
{
    const struct deepen_settings *s = d->self->settings;
    if (d->first && part_timer(d->self, &d->timer, part_now_ms(d->self) + s->again_ms))
        part_fail(d->self, RC_NOMEM, "no memory for a timer");
}

static void on_due(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct deepen *d = EVENT_OF(t, struct deepen, timer);
    struct waiting *w = d->first, *next;
    for (d->first = NULL; w; w = next) {
        next = w->next;
        if (try_all(d, w)) {
            w->next = d->first;
            d->first = w;
        } else {
            part_end(d->self, &w->links->head);
            mem_free(w);
        }
    }
    wait_on(d);
}

static void deepen_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct deepen *d = self->state;
    struct waiting *w = mem_alloc(sizeof *w);
    if (!w) {
        part_fail(self, RC_NOMEM, "no memory for a page to look at again");
        part_end(self, m);
        return;
    }
    bool was_empty = !d->first;
    *w = (struct waiting){.next = d->first, .links = links_of(m)};
    d->first = w;
    if (was_empty)
        wait_on(d);
}

static enum rc deepen_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct deepen *d = mem_zero(1, sizeof *d);
    if (!d)
        return RC_NOMEM;
    *d = (struct deepen){.timer = {.due = on_due},
                         .self = self,
                         .ledger = part_provider(self, 0),
                         .cluster = part_provider(self, 1)};
    self->state = d;
    return RC_OK;
}

static void deepen_close(struct instance *self)
{
    mem_free(self->state);
}

static void deepen_stop(struct instance *self)
{
    struct deepen *d = self->state;
    part_timer_stop(self, &d->timer);
    for (struct waiting *w = d->first, *next; w; w = next) {
        next = w->next;
        part_end(self, &w->links->head);
        mem_free(w);
    }
    d->first = NULL;
}

const struct part part_deepen = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "deepen",
    .help = "judges the links of a page again that a shorter way leads to",
    .inlets = (const struct part_port[]){{"in", LINKS_TYPE, "pages that are done", false}, {0}},
    .outlets = (const struct part_port[]){{"out", VISIT_TYPE, "with references", false}, {0}},
    .needs = (const struct part_need[]){{"ledger", LEDGER_INTERFACE, "has the archive"},
                                        {"cluster", CLUSTER_INTERFACE, "is told what waits"},
                                        {0}},
    .options = deepen_options,
    .settings_bytes = sizeof(struct deepen_settings),
    .open = deepen_open,
    .close = deepen_close,
    .handle = deepen_handle,
    .stop = deepen_stop,
};
