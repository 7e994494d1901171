/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a running crawl, with what it waits for if it does nothing. */
#include "cli/control_server.h"
#include "cli/crawl_watch.h"

#include "base/clock.h"
#include "base/mem.h"
#include "frontier/host.h"

#include <unistd.h>

enum { LOOK_WAIT_MS = 2000 };

/* The host of a shard that may be asked next. */
struct look {
    struct call call;
    struct ledger *ledger;
    bool is_there;
    uint64_t due_ms;
    uint32_t failures;
    uint32_t queued;
    size_t name_bytes;
    char name[FRONTIER_MAX_HOST_BYTES];
};

static void look_release(struct call *c)
{
    mem_free(EVENT_OF(c, struct look, call));
}

static void look_run(struct call *c, struct instance *at)
{
    struct look *l = EVENT_OF(c, struct look, call);
    struct frontier *f = ledger_frontier(l->ledger, at->shard);
    const struct host *h = frontier_first_waiting(f, &l->due_ms);
    if (h) {
        const struct card *card = card_if(h);
        struct str name = host_name(h);
        l->is_there = true;
        l->failures = card ? card->failures : 0;
        l->queued = host_queued(h);
        l->name_bytes = name.n < sizeof l->name ? name.n : sizeof l->name;
        memcpy(l->name, name.p, l->name_bytes);
    }
    call_end(c, RC_OK);
}

/* The shard whose next host is due first, by its own last word; false: none waits. */
static bool first_shard(const struct control_setup *s, unsigned *ret)
{
    uint64_t least = UINT64_MAX;
    for (unsigned i = 0; i < s->wiring->shards && i < CRAWL_MAX_SHARDS; i++) {
        const struct crawl_shard_counts *c = &s->ledger->counts.shards[i];
        uint64_t due_ms = atomic_load_explicit(&c->due_ms, memory_order_relaxed);
        if (!atomic_load_explicit(&c->hosts, memory_order_relaxed) || due_ms >= least)
            continue;
        least = due_ms;
        *ret = i;
    }
    return least != UINT64_MAX;
}

static void wait_object(struct jsonw *j, const char *what, struct str text)
{
    jsonw_key(j, "waits");
    jsonw_object(j);
    jsonw_text_field(j, "for", str_c(what));
    jsonw_text_field(j, "text", text);
    jsonw_end(j);
}

static void say_host(struct jsonw *j, const struct look *l, uint64_t now_ms)
{
    struct buf text = {.max = 1000};
    uint64_t wait_ms = l->due_ms > now_ms ? l->due_ms - now_ms : 0;
    buf_printf(&text, "%.*s may be asked again in %llu.%llu s", (int)l->name_bytes, l->name,
               (unsigned long long)(wait_ms / 1000), (unsigned long long)(wait_ms % 1000 / 100));
    if (l->failures)
        buf_printf(&text, " after %u failure%s in a row", l->failures, l->failures == 1 ? "" : "s");
    buf_printf(&text, "; %u URL%s wait%s there, and no other host may be asked sooner", l->queued,
               l->queued == 1 ? "" : "s", l->queued == 1 ? "s" : "");
    wait_object(j, "host", buf_str(&text));
    buf_done(&text);
}

static void ask_host(const struct control_setup *s, struct jsonw *j)
{
    unsigned shard = 0;
    struct look *l = first_shard(s, &shard) ? mem_zero(1, sizeof *l) : NULL;
    if (!l)
        return;
    l->call.run = look_run;
    l->call.release = look_release;
    l->ledger = s->ledger->ledger;
    enum rc rc = calls_ask(&s->ledger->calls, shard, &l->call, LOOK_WAIT_MS);
    if (rc == RC_OK && l->is_there)
        say_host(j, l, clock_now_ms(s->ledger->clock));
    else if (rc == RC_AGAIN)
        wait_object(j, "shard", STR("a shard does not answer: it is very busy, or its disk is"));
    call_leave(&l->call);
}

static void say_wait(const struct control_setup *s, struct jsonw *j)
{
    const struct crawl_counts *c = &s->ledger->counts;
    uint64_t open = atomic_load_explicit(&c->open, memory_order_relaxed);
    if (flow_is_ending(s->flow))
        wait_object(j, "end", STR("it was told to stop: what is under way comes to its end"));
    else if (flow_is_paused(s->flow))
        wait_object(j, "unpause", STR("it is paused: orbweaver unpause DIR lets it go on"));
    else if (ledger_is_short(s->ledger->ledger))
        wait_object(j, "disk", STR("the disk is nearly full: it goes on when there is room"));
    else if (open)
        jsonw_key(j, "waits"), jsonw_null(j);
    else
        ask_host(s, j);
}

static const char *state_of(const struct control_setup *s, bool has_ended)
{
    if (has_ended)
        return "ended";
    if (flow_is_ending(s->flow))
        return "stopping";
    return flow_is_paused(s->flow) ? "paused" : "running";
}

void control_status(const struct control_setup *s, struct control_rate recent, bool has_ended,
                    struct buf *out)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_bool_field(&j, "ok", true);
    jsonw_text_field(&j, "state", str_c(state_of(s, has_ended)));
    jsonw_u64_field(&j, "pid", (uint64_t)getpid());
    jsonw_text_field(&j, "wiring", s->wiring->name);
    jsonw_u64_field(&j, "shards", s->wiring->shards);
    jsonw_key(&j, "rate");
    jsonw_real(&j, recent.over_ms ? (double)recent.fetched * 1000 / (double)recent.over_ms : 0);
    if (!has_ended)
        say_wait(s, &j);
    crawl_status_fields(s->ledger, &j);
    jsonw_end(&j);
}
