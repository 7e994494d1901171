/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/crawl_watch.h"

#include "base/log.h"

enum { LIMIT_LOOK_MS = 1000 };

static void on_wake(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    part_ready(EVENT_OF(t, struct crawl_watch, wake)->self);
}

static void on_limit(struct timer *t, uint64_t now_ms)
{
    (void)now_ms;
    struct crawl_watch *w = EVENT_OF(t, struct crawl_watch, limit);
    enum produced unused;
    w->limit_set = false;
    (void)crawl_watch_goes_on(w, false, &unused);
    crawl_watch_set_limit(w);
}

void crawl_watch_init(struct crawl_watch *w, struct instance *self, struct ledger_service *ledger,
                      struct cluster_service *cluster, uint64_t pause_ms)
{
    *w = (struct crawl_watch){.self = self,
                              .ledger = ledger,
                              .cluster = cluster,
                              .pause_ms = pause_ms,
                              .wake = {.due = on_wake},
                              .limit = {.due = on_limit}};
}

void crawl_watch_stop(struct crawl_watch *w)
{
    part_timer_stop(w->self, &w->wake);
    part_timer_stop(w->self, &w->limit);
}

void crawl_watch_set_limit(struct crawl_watch *w)
{
    uint64_t left_ms = w->limit_set ? UINT64_MAX : w->cluster->ops->phase_lasts_ms(w->cluster);
    if (left_ms == UINT64_MAX)
        return;
    uint64_t wait_ms = left_ms && left_ms < LIMIT_LOOK_MS ? left_ms : LIMIT_LOOK_MS;
    w->limit_set = part_timer(w->self, &w->limit, part_now_ms(w->self) + wait_ms) == RC_OK;
}

void crawl_conclude(struct instance *self, struct ledger_service *ledger, enum budget_verdict limit)
{
    if (ledger_conclude(ledger->ledger))
        log_info(part_log(self), "crawl.limit", LOG_C("reached", budget_verdict_text(limit)));
    part_drain(self);
}

bool crawl_watch_goes_on(struct crawl_watch *w, bool is_idle, enum produced *ret)
{
    enum budget_verdict limit;
    switch (w->cluster->ops->phase(w->cluster, is_idle, &limit)) {
    case CLUSTER_CRAWLS:
        return true;
    case CLUSTER_PAUSES:
        *ret = crawl_watch_wait(w, part_now_ms(w->self) + w->pause_ms);
        return false;
    case CLUSTER_LIMITED:
        crawl_conclude(w->self, w->ledger, limit);
        break;
    case CLUSTER_ENDS:
        break;
    }
    *ret = PRODUCED_IDLE;
    return false;
}

enum produced crawl_watch_wait(struct crawl_watch *w, uint64_t due_ms)
{
    if (part_timer(w->self, &w->wake, due_ms))
        part_fail(w->self, RC_NOMEM, "no memory for a timer");
    return PRODUCED_WAIT;
}
