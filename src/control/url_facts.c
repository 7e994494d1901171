/* SPDX-License-Identifier: Apache-2.0 */
#include "control/url_facts.h"
#include "host/host_tries.h"
#include "ledger/host_records.h"

#include "base/digest.h"
#include "base/hash.h"
#include "base/log.h"
#include "ledger/seed.h"
#include "url/normalise.h"

enum rc url_facts_name(struct url_facts *f, const struct url_idn *idn, struct str text,
                       uint32_t rules, unsigned shards, struct buf *why)
{
    const char *reason = "";
    char *room = arena_alloc(f->arena, URL_ROOM_BYTES);
    if (!room)
        return RC_NOMEM;
    enum rc rc = seed_parse(text, idn, (struct url_room){room, URL_ROOM_BYTES}, &f->url, &reason);
    if (rc == RC_INVALID) {
        buf_add(why, STR("\""));
        seed_print(text, why);
        buf_printf(why, "\" is no URL of the web: %s", reason);
    }
    if (rc)
        return rc;
    url_normalise(&f->url, URL_RULE_USERINFO); /* a password is shown nowhere */
    f->asked = arena_dup(f->arena, url_href(&f->url));
    if (!f->asked.p)
        return RC_NOMEM;
    url_normalise(&f->url, rules);
    f->fingerprint = url_fingerprint(&f->url);
    f->host_hash = hash64(url_host(&f->url));
    f->shard = frontier_bucket(f->host_hash) % (shards ? shards : 1);
    return RC_OK;
}

/* The frontier --------------------------------------------------------------------------------- */

static bool is_it(const struct url_facts *f, const struct host *h, const struct url_entry *e)
{
    struct origin o = host_origin_at(h, e->origin);
    return o.port == f->url.port && o.is_https == (f->url.kind == URL_HTTPS) &&
           str_eq(e->path, url_path_query(&f->url));
}

/* The first of the queue is out when its host is. */
static void find_in_class(struct url_facts *f, const struct host *h, const struct host_class *c,
                          unsigned class, uint64_t *before)
{
    struct url_walk walk = url_queue_walk(&c->queue);
    struct url_entry e;
    for (uint64_t i = 0; url_walk_next(&walk, &e); i++, ++*before) {
        if (*before >= URL_FACTS_WALK) {
            f->is_far = true;
            return;
        }
        if (!is_it(f, h, &e))
            continue;
        f->is_out = i == 0 && h->state == HOST_OUT && h->checkout_class == class;
        f->is_queued = !f->is_out;
        f->before = *before;
        f->via = e.via;
        f->seed_path = arena_dup(f->arena, e.seed_path);
        return;
    }
}

static void find_in_queue(struct url_facts *f, struct host *h)
{
    uint64_t before = 0;
    for (unsigned i = 0; i < FRONTIER_CLASSES && !f->is_queued && !f->is_out && !f->is_far; i++) {
        const struct host_class *c = host_class_of(h, i);
        if (f->order != ORDER_BREADTH)
            before = 0; /* each list has turns of its own */
        f->list = i;
        if (c)
            find_in_class(f, h, c, i, &before);
    }
}

static void look_at_robots(struct url_facts *f, const struct host_record *record, int64_t wall_ms)
{
    const struct host_robots *r = host_robots_of(record, f->url.kind == URL_HTTPS, f->url.port);
    if (!r)
        return;
    f->robots = (struct robots_facts){
        .is_there = true, .is_failing = r->is_failing, .has_rules = r->rules != NULL};
    f->robots.age_ms = wall_ms > r->asked_wall_ms ? (uint64_t)(wall_ms - r->asked_wall_ms) : 0;
    if (!r->rules)
        return;
    struct robots_verdict v = robots_check(r->rules, url_path_query(&f->url));
    f->robots.is_empty = !robots_has_rules(r->rules);
    f->robots.allowed = v.allowed;
    f->robots.line = v.line;
    f->robots.rule = v.rule.p ? arena_dup(f->arena, v.rule) : STR_NONE;
    f->robots.has_delay = robots_delay_ms(r->rules, &f->robots.delay_ms);
}

static const struct host_origin *find_origin(const struct host_record *record, struct origin at)
{
    for (uint8_t i = 0; i < record->origin_count; i++)
        if (record->origins[i].is_https == at.is_https && record->origins[i].port == at.port)
            return &record->origins[i];
    return NULL;
}

static struct origin_facts origin_facts(struct origin at, const struct host_record *record,
                                        uint64_t now_ms)
{
    struct origin_facts f = {.port = at.port, .is_https = at.is_https};
    const struct host_origin *o = find_origin(record, at);
    const struct host_robots *r = host_robots_of(record, at.is_https, at.port);
    if (o) {
        f.failures = o->failures;
        f.tries = host_tries_of_trial(record, o);
        f.dead_code = o->dead_code;
        f.wait_ms = o->next_ms > now_ms ? o->next_ms - now_ms : 0;
    }
    if (r) {
        f.robots_asked = true;
        f.robots_failing = r->is_failing;
        f.robots_has_rules = r->rules != NULL;
        f.robots_is_empty = r->rules && !robots_has_rules(r->rules);
    }
    return f;
}

/* Without memory none is listed. */
static void look_at_origins(struct url_facts *f, const struct host *h,
                            const struct host_record *record, uint64_t now_ms)
{
    unsigned count = host_origins(h) < URL_FACTS_ORIGINS ? host_origins(h) : URL_FACTS_ORIGINS;
    f->origins = count ? arena_alloc(f->arena, count * sizeof *f->origins) : NULL;
    f->origin_count = f->origins ? count : 0;
    for (unsigned i = 0; i < f->origin_count; i++)
        f->origins[i] = origin_facts(host_origin_at(h, (uint8_t)i), record, now_ms);
}

void url_facts_frontier(struct url_facts *f, const struct frontier *frontier, uint64_t now_ms,
                        int64_t wall_ms)
{
    struct host *h = frontier_host(frontier, f->host_hash, url_host(&f->url));
    f->is_known = frontier_knows(frontier, f->host_hash, f->fingerprint);
    if (!h)
        return;
    const struct host_record *record = host_record_if(h);
    f->has_host = true;
    f->order = frontier_order(frontier);
    f->has_worth =
        frontier_worth(frontier, f->host_hash, f->fingerprint, url_path_query(&f->url), &f->worth);
    f->host_state = (enum host_state)h->state;
    f->queued = host_queued(h);
    f->wait_ms = h->state == HOST_WAITING && h->due_ms > now_ms ? h->due_ms - now_ms : 0;
    if (f->is_known)
        find_in_queue(f, h);
    if (!record)
        return;
    f->record =
        (struct record_facts){record->pages,     record->bytes, record->failures,  record->tries,
                              record->dead_code, record->wait,  record->wait_code, record->http};
    look_at_robots(f, record, wall_ms);
    look_at_origins(f, h, record, now_ms);
}

/* The others ----------------------------------------------------------------------------------- */

void url_facts_history(struct url_facts *f, struct history *h)
{
    struct history_entry before;
    if (!h)
        return;
    f->has_history =
        history_get(h, f->fingerprint, f->arena, &f->history) == RC_OK && f->history.fetches;
    uint64_t via = f->has_history ? f->history.via : f->via;
    if (via && history_get(h, via, f->arena, &before) == RC_OK)
        f->via_url = before.url;
}

void url_facts_scope(struct url_facts *f, const struct scope *s)
{
    struct str seed_path = f->seed_path.p   ? f->seed_path
                           : f->has_history ? f->history.seed_path
                                            : STR("L");
    f->has_scope = true;
    f->verdict = scope_check(s, &f->url, seed_path);
}

/* JSON ----------------------------------------------------------------------------------------- */

struct writing {
    const struct url_facts *f;
    struct jsonw j;
    struct buf text;
};

static void text_member(struct writing *w, const char *key)
{
    jsonw_text_field(&w->j, key, buf_str(&w->text));
    buf_clear(&w->text);
}

static void json_robots(struct writing *w)
{
    const struct robots_facts *r = &w->f->robots;
    jsonw_key(&w->j, "robots");
    jsonw_object(&w->j);
    jsonw_bool_field(&w->j, "known", r->has_rules);
    if (r->has_rules) {
        jsonw_bool_field(&w->j, "allowed", r->allowed);
        jsonw_u64_field(&w->j, "line", r->line);
        jsonw_text_field(&w->j, "rule", r->rule);
        jsonw_u64_field(&w->j, "age_ms", r->age_ms);
        jsonw_u64_field(&w->j, "crawl_delay_ms", r->has_delay ? r->delay_ms : 0);
    }
    jsonw_bool_field(&w->j, "failing", r->is_failing);
    url_words_robots(w->f, &w->text);
    text_member(w, "text");
    jsonw_end(&w->j);
}

static void json_origin(struct writing *w, const struct origin_facts *o)
{
    jsonw_object(&w->j);
    jsonw_text_field(&w->j, "scheme", o->is_https ? STR("https") : STR("http"));
    jsonw_u64_field(&w->j, "port", o->port ? o->port : o->is_https ? 443 : 80);
    jsonw_u64_field(&w->j, "tries", o->tries);
    jsonw_u64_field(&w->j, "failures", o->failures);
    jsonw_bool_field(&w->j, "dead", o->dead_code != 0);
    jsonw_u64_field(&w->j, "wait_ms", o->wait_ms);
    jsonw_text_field(&w->j, "robots", str_c(url_words_robots_state(o)));
    url_words_origin(o, &w->text);
    text_member(w, "text");
    jsonw_end(&w->j);
}

static void json_origins(struct writing *w)
{
    jsonw_key(&w->j, "origins");
    jsonw_array(&w->j);
    for (unsigned i = 0; i < w->f->origin_count; i++)
        json_origin(w, &w->f->origins[i]);
    jsonw_end(&w->j);
}

static void json_host(struct writing *w, bool is_running)
{
    static const char *const states[] = {"idle", "waiting", "ready", "out"};
    const struct url_facts *f = w->f;
    jsonw_key(&w->j, "host");
    jsonw_object(&w->j);
    jsonw_text_field(&w->j, "name", url_host(&f->url));
    jsonw_bool_field(&w->j, "known", f->has_host);
    jsonw_u64_field(&w->j, "bucket", frontier_bucket(f->host_hash));
    jsonw_u64_field(&w->j, "shard", f->shard);
    if (f->has_host) {
        jsonw_text_field(&w->j, "state",
                         str_c(f->record.dead_code ? "dead" : states[f->host_state]));
        jsonw_u64_field(&w->j, "wait_ms", f->wait_ms);
        if (f->wait_ms)
            jsonw_text_field(&w->j, "waits_for", str_c(host_wait_key(f->record.wait)));
        jsonw_u64_field(&w->j, "queued", f->queued);
        jsonw_u64_field(&w->j, "pages", f->record.pages);
        jsonw_u64_field(&w->j, "bytes", f->record.bytes);
        jsonw_u64_field(&w->j, "failures", f->record.failures);
        jsonw_u64_field(&w->j, "tries", f->record.tries);
        jsonw_bool_field(&w->j, "http2_only", f->record.http == HOST_HTTP_2);
        json_origins(w);
    }
    url_words_host(f, is_running, &w->text);
    text_member(w, "text");
    jsonw_end(&w->j);
}

/* The list in which it waits, and why in that one. */
static void json_order(struct writing *w)
{
    const struct url_facts *f = w->f;
    if (!f->is_queued || f->order == ORDER_BREADTH)
        return;
    jsonw_text_field(&w->j, "order", str_c(order_name(f->order)));
    if (f->list == ORDER_REVISITS)
        jsonw_text_field(&w->j, "list", STR("revisits"));
    else
        jsonw_u64_field(&w->j, "list", f->list + 1);
    if (!f->has_worth)
        return;
    jsonw_key(&w->j, "pvalue");
    jsonw_i64(&w->j, f->worth.value);
    jsonw_u64_field(&w->j, "forward_links", f->worth.forward);
    jsonw_u64_field(&w->j, "back_links", f->worth.back);
}

/* As the archive's WARC-Truncated says it. */
static const char *const cuts[HISTORY_CUTS_] = {[HISTORY_WHOLE] = "",
                                                [HISTORY_CUT_LENGTH] = "length",
                                                [HISTORY_CUT_TIME] = "time",
                                                [HISTORY_CUT_DISCONNECT] = "disconnect"};

static void json_history(struct writing *w)
{
    const struct history_entry *p = &w->f->history;
    jsonw_key(&w->j, "last");
    if (!w->f->has_history) {
        jsonw_null(&w->j);
        return;
    }
    jsonw_object(&w->j);
    jsonw_key(&w->j, "code");
    jsonw_i64(&w->j, p->code);
    buf_time_iso(&w->text, (uint64_t)p->date_ms);
    text_member(w, "date");
    jsonw_u64_field(&w->j, "bytes", p->bytes);
    jsonw_text_field(&w->j, "truncated", str_c(cuts[p->cut]));
    jsonw_text_field(&w->j, "mime", p->mime);
    if (p->has_digest) {
        buf_add(&w->text, STR("sha1:"));
        buf_base32(&w->text, p->digest.bytes, DIGEST_SHA1_BYTES);
        text_member(w, "digest");
    }
    jsonw_text_field(&w->j, "hops", p->seed_path);
    jsonw_text_field(&w->j, "via", w->f->via_url);
    jsonw_u64_field(&w->j, "fetches", p->fetches);
    jsonw_u64_field(&w->j, "changes", p->changes);
    if (p->what_changed)
        jsonw_text_field(&w->j, "what_changed", str_c(url_words_change(p->what_changed)));
    url_words_last(w->f, &w->text);
    text_member(w, "text");
    jsonw_end(&w->j);
}

void url_facts_json(const struct url_facts *f, bool is_running, struct buf *out)
{
    struct writing w = {f, jsonw_to(out), {.max = 256 << 10}};
    jsonw_object(&w.j);
    jsonw_bool_field(&w.j, "ok", true);
    jsonw_text_field(&w.j, "url", url_href(&f->url));
    jsonw_text_field(&w.j, "asked", f->asked);
    jsonw_bool_field(&w.j, "running", is_running);
    jsonw_text_field(&w.j, "state", str_c(url_words_state(f)));
    url_words_why(f, is_running, &w.text);
    text_member(&w, "why");
    if (f->is_queued)
        jsonw_u64_field(&w.j, "before_it", f->before);
    json_order(&w);
    if (f->seed_path.p)
        jsonw_text_field(&w.j, "hops", f->seed_path);
    jsonw_text_field(&w.j, "via", f->via_url);
    jsonw_key(&w.j, "scope");
    jsonw_object(&w.j);
    if (f->has_scope)
        jsonw_bool_field(&w.j, "in", f->verdict == SCOPE_IN);
    url_words_scope(f, &w.text);
    text_member(&w, "text");
    jsonw_end(&w.j);
    json_robots(&w);
    json_host(&w, is_running);
    json_history(&w);
    jsonw_end(&w.j);
    buf_done(&w.text);
}
