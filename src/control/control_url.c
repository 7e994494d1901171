/* SPDX-License-Identifier: Apache-2.0 */
/* `url` of a running crawl: asks the shard that owns the host. */
#include "control/control_server.h"
#include "control/url_facts.h"

#include "base/clock.h"
#include "base/mem.h"
#include "frontier/swap.h"

#include <time.h>

enum {
    ASK_WAIT_MS = 5000,
    HISTORY_LOOKS = 20,
    HISTORY_PAUSE_MS = 100,
    DISK_LOOKS = 500, /* for a host that is on disk, until it is loaded */
    DISK_PAUSE_MS = 10,
};

struct url_call {
    struct call call;
    struct ledger_service *ledger;
    struct url_facts facts;
    bool is_swapped; /* its host is on disk, and will be loaded soon */
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
    struct frontier *f = ledger_frontier(u->ledger->ledger, at->shard);
    u->is_swapped = frontier_is_swapped(f, u->facts.host_hash);
    if (u->is_swapped)
        frontier_want(f, u->facts.host_hash);
    else
        url_facts_frontier(&u->facts, f, part_now_ms(at),
                           (int64_t)clock_wall_ms(u->ledger->run.clock));
    part_ready(at);
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

/* A URL that has just ended comes into the history within a second or so: this waits for it. */
static void look_back(struct url_facts *f, struct history *h)
{
    struct timespec pause = {.tv_nsec = HISTORY_PAUSE_MS * 1000000L};
    url_facts_history(f, h);
    bool is_done = f->is_known && !f->is_queued && !f->is_out && !f->is_far;
    for (int i = 0; h && is_done && !f->has_history && i < HISTORY_LOOKS; i++) {
        (void)nanosleep(&pause, NULL);
        url_facts_history(f, h);
    }
}

/* *ret is the caller's, also on failure; NULL: there was no memory. */
static enum rc ask_shard(const struct control_setup *s, struct str url, struct url_call **ret,
                         struct buf *why)
{
    struct url_call *u = *ret = url_call_open(s);
    if (!u)
        return RC_NOMEM;
    struct url_facts *f = &u->facts;
    enum rc rc =
        url_facts_name(f, s->scope->idn, url, scope_rules(s->scope->scope), s->wiring->shards, why);
    if (rc)
        return rc;
    rc = calls_ask(&s->ledger->calls, f->shard, &u->call, ASK_WAIT_MS);
    if (rc == RC_CLOSED)
        buf_add(why, STR("the crawl has just ended: try again"));
    if (rc == RC_AGAIN)
        buf_add(why, STR("the shard of its host is too busy to answer: try again"));
    return rc;
}

/* Asks again until the host is in memory. */
static enum rc ask_until_loaded(const struct control_setup *s, struct str url,
                                struct url_call **ret, struct buf *why)
{
    struct timespec pause = {.tv_nsec = DISK_PAUSE_MS * 1000000L};
    enum rc rc = ask_shard(s, url, ret, why);
    for (int i = 0; rc == RC_OK && (*ret)->is_swapped && i < DISK_LOOKS; i++) {
        call_leave(&(*ret)->call);
        (void)nanosleep(&pause, NULL);
        rc = ask_shard(s, url, ret, why);
    }
    if (rc == RC_OK && (*ret)->is_swapped) {
        buf_add(why, STR("its host is on disk and was not loaded in time: try again"));
        rc = RC_AGAIN;
    }
    return rc;
}

enum rc control_url(const struct control_setup *s, struct str url, struct buf *out, struct buf *why)
{
    struct url_call *u = NULL;
    enum rc rc = ask_until_loaded(s, url, &u, why);
    if (!u)
        return rc;
    struct url_facts *f = &u->facts;
    if (rc == RC_OK) {
        look_back(f, ledger_history(s->ledger->ledger));
        uint64_t via = f->has_history ? f->history.via : f->via;
        if (via && !f->via_url.p && s->ledger->names)
            f->via_url = page_names_get(s->ledger->names, via, f->arena);
        url_facts_scope(f, s->scope->scope);
        url_facts_json(f, true, out);
    }
    call_leave(&u->call);
    return rc;
}
