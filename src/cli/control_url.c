/* SPDX-License-Identifier: Apache-2.0 */
/* `url` of a running crawl: the shard that owns the host says what it knows. */
#include "cli/control_server.h"
#include "cli/url_facts.h"

#include "base/clock.h"
#include "base/mem.h"

#include <time.h>

enum { ASK_WAIT_MS = 5000, HISTORY_LOOKS = 20, HISTORY_REST_MS = 100 };

struct url_call {
    struct call call;
    struct ledger_service *ledger;
    struct url_facts facts;
};

static void url_call_release(struct call *c)
{
    struct url_call *u = EVENT_OF(c, struct url_call, call);
    arena_close(u->facts.arena);
    mem_free(u);
}

static void url_call_run(struct call *c, struct instance *at)
{
    struct url_call *u = EVENT_OF(c, struct url_call, call);
    url_facts_frontier(&u->facts, ledger_frontier(u->ledger->ledger, at->shard), part_now_ms(at),
                       (int64_t)clock_wall_ms(u->ledger->clock));
    call_end(c, RC_OK);
}

static struct url_call *url_call_open(const struct control_setup *s)
{
    struct url_call *u = mem_zero(1, sizeof *u);
    struct arena *arena = u ? arena_open(64 << 10, 16 << 20) : NULL;
    if (!arena) {
        mem_free(u);
        return NULL;
    }
    u->call = (struct call){
        .run = url_call_run, .release = url_call_release, .calls = &s->ledger->calls, .holders = 1};
    u->ledger = s->ledger;
    u->facts.arena = arena;
    return u;
}

/* What has just been settled is in the history within a second or so: that is waited for. */
static void look_back(struct url_facts *f, struct history *h)
{
    struct timespec rest = {.tv_nsec = HISTORY_REST_MS * 1000000L};
    url_facts_history(f, h);
    bool is_done = f->is_known && !f->is_queued && !f->is_out && !f->is_far;
    for (int i = 0; h && is_done && !f->has_past && i < HISTORY_LOOKS; i++) {
        (void)nanosleep(&rest, NULL);
        url_facts_history(f, h);
    }
}

enum rc control_url(const struct control_setup *s, struct str url, struct buf *out, struct buf *why)
{
    struct url_call *u = url_call_open(s);
    if (!u)
        return RC_NOMEM;
    struct url_facts *f = &u->facts;
    enum rc rc =
        url_facts_name(f, s->scope->idn, url, scope_rules(s->scope->scope), s->wiring->shards, why);
    if (rc == RC_OK) {
        rc = calls_ask(&s->ledger->calls, f->shard, &u->call, ASK_WAIT_MS);
        if (rc == RC_CLOSED)
            buf_add(why, STR("the crawl has just ended: ask again"));
        if (rc == RC_AGAIN)
            buf_add(why, STR("the shard of its host is too busy to answer: ask again"));
    }
    if (rc == RC_OK) {
        look_back(f, ledger_history(s->ledger->ledger));
        uint64_t via = f->has_past ? f->past.via : f->via;
        if (via && !f->via_url.p && s->ledger->recent)
            f->via_url = recent_pages_get(s->ledger->recent, via, f->arena);
        url_facts_scope(f, s->scope->scope);
        url_facts_json(f, true, out);
    }
    call_leave(&u->call);
    return rc;
}
