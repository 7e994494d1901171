/* SPDX-License-Identifier: Apache-2.0 */
/* requeue: brings the URLs that a recrawl begins with: all of the history, a few hundred to a list
 * (visit/url_list.h). A page that has not changed (304) has no body, so its links come from here.
 * disposition leaves out URLs that the frontier knows, so after an interruption requeue brings all
 * of them again. In a cluster each agent brings the URLs that it has asked for; a URL of another
 * agent's host is sent there, as a link is.
 *
 * A crawl that is resumed also gets the URLs to which an earlier run found a shorter path too late
 * (ledger/depth_recall.h). */
#include "ledger/depth_recall.h"
#include "roles/cluster.h"
#include "roles/ledger.h"
#include "visit/url_list.h"

#include "base/log.h"
#include "base/mem.h"

enum { NEED_LEDGER, NEED_CLUSTER };

enum { URLS_A_LIST = 200, BYTES_A_LIST = 256 << 10 }; /* whichever comes first */

struct requeue {
    struct ledger_service *ledger;
    struct cluster_service *cluster;
    struct history_cursor *cursor; /* NULL: there is nothing to bring, or no more */
    struct str again;              /* URLs that are found again; "": no more */
};

static void requeue_close(struct instance *self)
{
    struct requeue *r = self->state;
    history_cursor_close(r->cursor);
    mem_free(r);
}

static enum rc requeue_open(struct instance *self, struct buf *why)
{
    (void)why;
    struct requeue *r = mem_zero(1, sizeof *r);
    if (!r)
        return RC_NOMEM;
    self->state = r;
    r->ledger = part_provider(self, NEED_LEDGER);
    r->cluster = part_provider(self, NEED_CLUSTER);
    r->again = buf_str(&r->ledger->found_again);
    struct history *h = ledger_history(r->ledger->ledger);
    if (!r->ledger->opened.needs_requeue || !h)
        return RC_OK;
    r->cursor = history_cursor_open(h);
    if (r->cursor) { /* the crawl must not look done until all are on their way */
        r->cluster->ops->begin(r->cluster);
        return RC_OK;
    }
    requeue_close(self);
    return RC_NOMEM;
}

static enum rc add(struct url_list *l, struct str url, struct str seed_path, uint64_t via,
                   uint16_t forward)
{
    struct url_list_item item = {
        .url = url, .seed_path = seed_path, .via = via, .forward = forward};
    return url_list_add(l, &item) ? RC_OK : RC_NOMEM;
}

/* RC_NOT_FOUND: there are no more. Its texts outlive the list. */
static enum rc bring_again(struct requeue *r, struct url_list *l)
{
    struct found_again f;
    return found_again_next(&r->again, &f) ? add(l, f.url, f.seed_path, f.via, 0) : RC_NOT_FOUND;
}

/* RC_NOT_FOUND: there are no more. */
static enum rc bring_one(struct instance *self, struct requeue *r, struct url_list *l)
{
    struct history_entry history;
    uint64_t fingerprint = 0;
    enum rc rc = history_cursor_next(r->cursor, l->arena, &fingerprint, &history);
    if (rc == RC_CORRUPT || rc == RC_VERSION) {
        log_warn(part_log(self), "requeue.unreadable", LOG_RC(rc));
        part_count_error(self);
        return RC_OK;
    }
    if (rc)
        return rc;
    return add(l, history.url, history.seed_path, history.via, history.forward);
}

static enum rc bring(struct instance *self, struct requeue *r, struct url_list *l)
{
    enum rc rc = RC_OK;
    for (int i = 0; i < URLS_A_LIST && arena_used(l->arena) < BYTES_A_LIST && rc == RC_OK; i++)
        rc = r->again.n ? bring_again(r, l) : r->cursor ? bring_one(self, r, l) : RC_NOT_FOUND;
    return rc;
}

static enum produced requeue_produce(struct instance *self)
{
    struct requeue *r = self->state;
    if (!r->cursor && !r->again.n)
        return PRODUCED_IDLE;
    struct url_list *l = url_list_open(LIST_REQUEUED);
    enum rc rc = l ? bring(self, r, l) : RC_NOMEM;
    if (l && l->count) {
        r->cluster->ops->begin(r->cluster);
        l->work = (struct url_list_waiter){cluster_work_ended, r->cluster};
        part_emit(self, 0, &l->head);
    } else if (l)
        message_end(&l->head);
    if (rc == RC_OK)
        return PRODUCED_MORE;
    bool had_cursor = r->cursor != NULL;
    history_cursor_close(r->cursor);
    r->cursor = NULL;
    r->again = STR("");
    if (had_cursor)
        r->cluster->ops->end(r->cluster);
    if (had_cursor && rc == RC_NOT_FOUND)
        r->cluster->ops->requeued(r->cluster);
    else if (rc != RC_NOT_FOUND)
        part_fail(self, rc, "cannot read the history: %s", rc_text(rc));
    return PRODUCED_IDLE;
}

const struct part part_requeue = {
    .abi = PART_ABI,
    .kind = PART_COMPONENT,
    .name = "requeue",
    .former_name = "known",
    .help = "brings the URLs of earlier runs, in a recrawl",
    .where = PART_ON_ONE_SHARD,
    .outlets =
        (const struct part_port[]){{"out", URL_LIST_TYPE, "URLs of earlier runs", false}, {0}},
    .needs =
        (const struct part_need[]){
            [NEED_LEDGER] = {"ledger", LEDGER_INTERFACE, "has the history"},
            [NEED_CLUSTER] = {"cluster", CLUSTER_INTERFACE, "waits until all are queued"},
            {0}},
    .credits_each = 4,
    .credits_default = 64,
    .open = requeue_open,
    .close = requeue_close,
    .produce = requeue_produce,
};
