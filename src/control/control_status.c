/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a running crawl, and why it waits if it does nothing. */
#include "control/control_server.h"
#include "control/crawl_status.h"
#include "ledger/host_records.h"

#include "base/clock.h"
#include "base/mem.h"
#include "frontier/host.h"

#include <unistd.h>

enum { LOOK_WAIT_MS = 2000 };

/* A shard's answer: its host that may be asked next, and how many hosts are being asked. */
struct look {
    struct call call;
    struct ledger *ledger;
    uint64_t out; /* hosts that are being asked */
    bool is_there;
    uint64_t due_ms;
    uint32_t failures;
    enum host_wait wait;
    int32_t wait_code;
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
    l->out = frontier_counts(f).out;
    if (h) {
        const struct host_record *record = host_record_if(h);
        struct str name = host_name(h);
        l->is_there = true;
        l->failures = record ? record->failures : 0;
        l->wait = record ? record->wait : HOST_WAIT_UNKNOWN;
        l->wait_code = record ? record->wait_code : 0;
        l->queued = host_queued(h);
        l->name_bytes = name.n < sizeof l->name ? name.n : sizeof l->name;
        memcpy(l->name, name.p, l->name_bytes);
    }
    call_end(c, RC_OK);
}

/* Adds a shard to *best: the host that may be asked first, and the sum of `out`. */
static enum rc look_at(const struct control_setup *s, unsigned shard, struct look *best)
{
    struct look *l = mem_zero(1, sizeof *l);
    if (!l)
        return RC_NOMEM;
    l->call.run = look_run;
    l->call.release = look_release;
    l->ledger = s->ledger->ledger;
    enum rc rc = calls_ask(&s->ledger->calls, shard, &l->call, LOOK_WAIT_MS);
    uint64_t out = best->out + (rc == RC_OK ? l->out : 0);
    if (rc == RC_OK && l->is_there && (!best->is_there || l->due_ms < best->due_ms))
        *best = *l;
    best->out = out;
    call_leave(&l->call);
    return rc;
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
    if (l->wait != HOST_WAIT_UNKNOWN) {
        buf_add(&text, STR(" ("));
        host_wait_print(l->wait, l->wait_code, &text);
        buf_byte(&text, ')');
    }
    if (l->failures)
        buf_printf(&text, ", %u failure%s in a row", l->failures, l->failures == 1 ? "" : "s");
    buf_printf(&text, "; %u URL%s wait%s there, and no other host may be asked sooner", l->queued,
               l->queued == 1 ? "" : "s", l->queued == 1 ? "s" : "");
    wait_object(j, "host", buf_str(&text));
    buf_done(&text);
}

static void ask_shards(const struct control_setup *s, struct jsonw *j)
{
    struct look best = {0};
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < s->wiring->shards && rc == RC_OK; i++)
        rc = look_at(s, i, &best);
    if (rc == RC_AGAIN)
        wait_object(j, "shard", STR("a shard does not answer: the shard or its disk is very busy"));
    else if (rc == RC_OK && best.out && s->members) /* they are with members */
        jsonw_key(j, "waits"), jsonw_null(j);
    else if (rc == RC_OK && best.out)
        wait_object(j, "names",
                    STR("hosts wait for name servers, or for the delay before a redirect of their "
                        "robots.txt is followed"));
    else if (rc == RC_OK && best.is_there)
        say_host(j, &best, clock_now_ms(s->ledger->run.clock));
    else
        jsonw_key(j, "waits"), jsonw_null(j);
}

static void say_wait(const struct control_setup *s, struct jsonw *j)
{
    const struct crawl_counts *c = &s->ledger->counts;
    uint64_t open = atomic_load_explicit(&c->open, memory_order_relaxed);
    if (flow_is_ending(s->flow))
        wait_object(j, "end", STR("the crawl is stopping: open requests finish"));
    else if (flow_is_paused(s->flow))
        wait_object(j, "unpause", STR("the crawl is paused: orbweaver unpause DIR continues it"));
    else if (ledger_is_short(s->ledger->ledger))
        wait_object(j, "disk",
                    STR("the disk is nearly full: the crawl continues when there is room"));
    else if (s->members && !s->members->ops->has_any(s->members))
        wait_object(
            j, "members",
            STR("no member of the pool is connected: orbweaver member add DIR NAME makes a key, "
                "and orbweaver crawl -c NAME.yaml starts the member"));
    else if (open)
        jsonw_key(j, "waits"), jsonw_null(j);
    else
        ask_shards(s, j);
}

static const char *state_of(const struct control_setup *s, bool has_ended)
{
    if (has_ended)
        return "ended";
    if (flow_is_ending(s->flow))
        return "stopping";
    return flow_is_paused(s->flow) ? "paused" : "running";
}

static void say_status(const struct control_setup *s, struct control_rate recent, bool has_ended,
                       struct jsonw *ret)
{
    struct jsonw j = *ret;
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
    if (s->members) {
        jsonw_key(&j, "members");
        s->members->ops->view(s->members, &j);
    }
    *ret = j;
}

void control_status(const struct control_setup *s, struct control_rate recent, bool has_ended,
                    struct buf *out)
{
    struct jsonw j = jsonw_to(out);
    say_status(s, recent, has_ended, &j);
    jsonw_end(&j);
}

void control_status_of_all(const struct control_setup *s, struct control_rate recent,
                           struct buf *out)
{
    struct jsonw j = jsonw_to(out);
    say_status(s, recent, false, &j);
    jsonw_key(&j, "cluster");
    jsonw_object(&j);
    jsonw_text_field(&j, "agent", s->cluster->name);
    jsonw_text_field(&j, "login", s->cluster->login);
    jsonw_key(&j, "others");
    control_ask_others(s, STR("{\"do\":\"status\"}"), &j);
    jsonw_end(&j);
    jsonw_end(&j);
}
