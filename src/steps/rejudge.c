/* SPDX-License-Identifier: Apache-2.0 */
/* rejudge: brings the links of a page to judge-links again, when a shorter path to the page was found
 * (discovery/depth_index.h). It finds them again (admission/links_again.h) and sends them to
 * judge-links as a list, at their true depth. Pages that the archive does not have yet wait
 * (admission/archive_wait.h). An origin is a page too: its links are the sitemaps that its
 * robots.txt names.
 *
 * A page on its way here counts as work (cluster begin), and the list takes that over: so the crawl
 * is not finished before disposition has journalled the links. */
#include "admission/archive_wait.h"
#include "admission/links_again.h"
#include "flow/part.h"
#include "roles/cluster.h"
#include "roles/ledger.h"
#include "visit/links.h"
#include "visit/url_list.h"

#include "base/log.h"
#include "base/mem.h"

enum { NEED_LEDGER, NEED_CLUSTER };

struct rejudge_settings {
    uint64_t again_ms;
};

static const struct option rejudge_options[] = {
    OPTION_DURATION_ROW(struct rejudge_settings, again_ms, "again", "300ms",
                        "time between two looks for pages that are not archived yet", .min = 1),
    {0},
};

struct rejudge {
    struct timer timer;
    struct instance *self;
    struct cluster_service *cluster;
    struct links_again links;
    struct archive_wait waiting;
};

static void emit(struct rejudge *r, struct links *from, struct url_list *l)
{
    l->work = (struct url_list_waiter){cluster_work_ended, r->cluster};
    part_derive(r->self, &from->head, &l->head);
    part_emit(r->self, 0, &l->head);
}

/* The page counts as work no longer. */
static void give_up(void *ctx)
{
    struct rejudge *r = ctx;
    r->cluster->ops->end(r->cluster);
}

/* A page that cannot be read is logged, and the crawl goes on as if the shorter path had not been
 * found. */
static bool look(void *ctx, struct links *from, const struct candidate *page)
{
    struct rejudge *r = ctx;
    struct url_list *l = NULL;
    enum rc why = RC_OK;
    enum links_again_found found = links_again_find(&r->links, page, from->is_origins, &l, &why);
    if (found == LINKS_AGAIN_LATER)
        return false;
    if (found == LINKS_AGAIN_HERE) {
        emit(r, from, l);
        return true;
    }
    if (found == LINKS_AGAIN_LOST)
        log_debug(part_log(r->self), "rejudge.lost", LOG_STR("host", page->host),
                  LOG_STR("path", page->path), LOG_RC(why));
    give_up(r);
    return true;
}

static void ended(void *ctx, struct links *l)
{
    struct rejudge *r = ctx;
    part_end(r->self, &l->head);
}

static struct archive_wait_asks asks_of(struct rejudge *r)
{
    return (struct archive_wait_asks){look, give_up, ended, r};
}

static void set_timer(struct rejudge *r)
{
    const struct rejudge_settings *s = r->self->settings;
    if (!archive_wait_is_empty(&r->waiting) &&
        part_timer(r->self, &r->timer, part_now_ms(r->self) + s->again_ms))
        part_fail(r->self, RC_NOMEM, "no memory for a timer");
}

static void on_due(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct rejudge *r = EVENT_OF(t, struct rejudge, timer);
    struct archive_wait_asks asks = asks_of(r);
    archive_wait_try(&r->waiting, &asks);
    set_timer(r);
}

static void rejudge_handle(struct instance *self, unsigned inlet, struct message *m)
{
    (void)inlet;
    struct rejudge *r = self->state;
    bool was_empty = archive_wait_is_empty(&r->waiting);
    if (archive_wait_add(&r->waiting, links_of(m))) {
        part_fail(self, RC_NOMEM, "no memory for a page to look at again");
        part_end(self, m);
    } else if (was_empty)
        set_timer(r);
}

static enum rc rejudge_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct rejudge *r = mem_zero(1, sizeof *r);
    if (!r)
        return RC_NOMEM;
    struct ledger *ledger = ((struct ledger_service *)part_provider(self, NEED_LEDGER))->ledger;
    r->timer.due = on_due;
    r->self = self;
    r->cluster = part_provider(self, NEED_CLUSTER);
    r->links = (struct links_again){ledger, ledger_frontier(ledger, self->shard), r->cluster};
    self->state = r;
    return RC_OK;
}

static void rejudge_close(struct instance *self)
{
    mem_free(self->state);
}

static void rejudge_stop(struct instance *self)
{
    struct rejudge *r = self->state;
    struct archive_wait_asks asks = asks_of(r);
    part_timer_stop(self, &r->timer);
    archive_wait_clear(&r->waiting, &asks);
}

const struct part part_rejudge = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "rejudge",
    .former_name = "deepen",
    .help = "has the links of a page judged again when a shorter path to the page is found",
    .inlets = (const struct part_port[]){{"in", LINKS_TYPE, "pages that are done", false}, {0}},
    .outlets = (const struct part_port[]){{"out", URL_LIST_TYPE, "links of a page", false}, {0}},
    .needs =
        (const struct part_need[]){
            [NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "has the archive"},
            [NEED_CLUSTER] = {"cluster", CLUSTER_INTERFACE, "counts pages that wait as work"},
            {0}},
    .options = rejudge_options,
    .settings_bytes = sizeof(struct rejudge_settings),
    .open = rejudge_open,
    .close = rejudge_close,
    .handle = rejudge_handle,
    .stop = rejudge_stop,
};
