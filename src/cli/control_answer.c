/* SPDX-License-Identifier: Apache-2.0 */
/* What a request of the control socket does, and what is answered. */
#include "cli/control_request.h"
#include "cli/control_server.h"
#include "cli/settings.h"

#include "base/clock.h"
#include "base/jsonw.h"
#include "base/log.h"
#include "components/seeds.h"
#include "flow/wiring.h"
#include "url/normalise.h"

#include <signal.h>
#include <unistd.h>

enum { SEEDS_WAIT_MS = 10 * 1000, ARENA_BYTES = 64 << 10, ARENA_MAX_BYTES = 16 << 20 };

/* One request as it is answered. */
struct answering {
    const struct control_setup *setup;
    struct control_rate recent;
    const struct control_request *request;
    struct arena *arena;
    struct buf *out;
};

static void say_error(struct buf *out, const char *code, struct str message, struct str hint)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_key(&j, "error");
    jsonw_object(&j);
    jsonw_text_field(&j, "code", str_c(code));
    jsonw_text_field(&j, "message", message);
    if (hint.p)
        jsonw_text_field(&j, "hint", hint);
    jsonw_end(&j);
    jsonw_end(&j);
}

static const char *code_of(enum rc rc)
{
    switch (rc) {
    case RC_INVALID:
        return "invalid";
    case RC_NOT_FOUND:
        return "not-found";
    case RC_UNSUPPORTED:
        return "not-while-running";
    case RC_CLOSED:
        return "ending";
    case RC_AGAIN:
        return "busy";
    default:
        return "failed";
    }
}

static void say_ok(struct buf *out, const char *what)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_bool_field(&j, "ok", true);
    jsonw_text_field(&j, "text", str_c(what));
    jsonw_end(&j);
}

/* Settings ------------------------------------------------------------------------------------- */

/* Regular expressions are tried here: parts that get a wrong one can only keep the old. */
static enum rc try_regex(struct str key, struct str value, struct buf *why)
{
    bool is_regex = str_eq(key, STR("include")) || str_eq(key, STR("exclude"));
    struct scope_settings s = {.path_segments = 25, .url_bytes = 4096};
    struct option_list list = {&value, 1};
    struct scope *scope = NULL;
    if (!is_regex || !value.n)
        return RC_OK;
    if (str_eq(key, STR("include")))
        s.include = list;
    else
        s.exclude = list;
    enum rc rc = scope_open(&s, &scope, why);
    scope_close(scope);
    return rc;
}

struct changes {
    struct buf changed, kept; /* "pace.delay, ..." */
    size_t count;
};

static void note(struct buf *to, struct str part, struct str key)
{
    buf_add(to, to->n ? STR(", ") : STR(""));
    buf_add(to, part);
    buf_byte(to, '.');
    buf_add(to, key);
}

/* In every part that has it and lets it change while running. */
static enum rc change_parts(const struct control_setup *s, const struct wiring_part *parts,
                            unsigned count, const struct control_request *r, struct changes *c,
                            struct buf *why)
{
    enum rc rc = RC_OK;
    for (unsigned i = 0; i < count && rc == RC_OK; i++) {
        const struct option *o = option_find(parts[i].part->options, r->key);
        if (o && o->live) {
            rc = flow_change(s->flow, parts[i].name, r->key, r->value, why);
            note(&c->changed, parts[i].name, r->key);
            c->count++;
        } else if (o) {
            note(&c->kept, parts[i].name, r->key);
        }
    }
    return rc;
}

static enum rc unknown_key(const struct control_setup *s, struct str key, struct buf *why)
{
    const char *like = option_suggest(settings_table, key);
    buf_printf(why, "no setting is named \"" STR_FMT "\"", STR_ARG(key));
    for (unsigned i = 0; i < s->wiring->provider_count + s->wiring->component_count; i++) {
        bool is_provider = i < s->wiring->provider_count;
        const struct wiring_part *p = is_provider
                                          ? &s->wiring->providers[i]
                                          : &s->wiring->components[i - s->wiring->provider_count];
        if (option_find(p->part->options, key)) {
            buf_printf(why, "; did you mean \"" STR_FMT "." STR_FMT "\"?", STR_ARG(p->name),
                       STR_ARG(key));
            return RC_NOT_FOUND;
        }
    }
    if (like)
        buf_printf(why, "; did you mean \"%s\"?", like);
    return RC_NOT_FOUND;
}

static enum rc change_setting(const struct control_setup *s, const struct control_request *r,
                              struct changes *c, struct buf *why)
{
    const struct option *o = option_find(settings_table, r->key);
    if (!o)
        return unknown_key(s, r->key, why);
    if (!o->live) {
        buf_printf(why, "\"%s\" cannot be changed while the crawl runs", o->key);
        return RC_UNSUPPORTED;
    }
    enum rc rc = change_parts(s, s->wiring->providers, s->wiring->provider_count, r, c, why);
    rc = rc ? rc : change_parts(s, s->wiring->components, s->wiring->component_count, r, c, why);
    if (rc == RC_OK && !c->count) {
        buf_printf(why, "no part of this wiring has \"%s\"", o->key);
        rc = RC_NOT_FOUND;
    }
    return rc;
}

static enum rc change(const struct control_setup *s, const struct control_request *r,
                      struct changes *c, struct buf *why)
{
    size_t dot = str_find(r->key, '.');
    struct str part = str_first(r->key, dot), key = str_from(r->key, dot + 1);
    bool has_part = dot < r->key.n;
    enum rc rc = try_regex(has_part ? key : r->key, r->value, why);
    if (rc)
        return rc;
    if (!has_part)
        return change_setting(s, r, c, why);
    note(&c->changed, part, key);
    return flow_change(s->flow, part, key, r->value, why);
}

static enum rc do_set(struct answering *a, struct buf *why)
{
    struct changes c = {.changed = {.max = 4096}, .kept = {.max = 4096}};
    enum rc rc = change(a->setup, a->request, &c, why);
    if (rc == RC_OK) {
        log_info(a->setup->log, "crawl.set", LOG_STR("what", buf_str(&c.changed)),
                 LOG_STR("value", a->request->value));
        struct jsonw j = jsonw_to(a->out);
        jsonw_object(&j);
        jsonw_bool_field(&j, "ok", true);
        jsonw_text_field(&j, "changed", buf_str(&c.changed));
        jsonw_text_field(&j, "value", a->request->value);
        if (c.kept.n)
            jsonw_text_field(&j, "kept", buf_str(&c.kept));
        jsonw_end(&j);
    } else if (rc == RC_INVALID) {
        struct str told = arena_dup(a->arena, buf_str(why));
        buf_clear(why);
        buf_printf(why, STR_FMT "=" STR_FMT ": " STR_FMT, STR_ARG(a->request->key),
                   STR_ARG(str_first(a->request->value, 200)), STR_ARG(told));
    } else if (rc == RC_UNSUPPORTED) {
        buf_add(why, STR("; stop the crawl and start it again with another value"));
    }
    buf_done(&c.changed);
    buf_done(&c.kept);
    return rc;
}

/* Seeds ---------------------------------------------------------------------------------------- */

struct refused {
    struct str url;
    const char *why;
};

/* NULL: it is good. `whole` is what the component gets. */
static const char *judge_seed(const struct control_setup *s, struct str text, char *room,
                              struct url *ret)
{
    struct url_parser parser = {.idn = s->scope->idn};
    enum rc rc = url_parse(&parser, text, NULL, (struct url_room){room, URL_ROOM_BYTES}, ret);
    if (rc == RC_INVALID || rc == RC_LIMIT)
        return url_reason_text(parser.reason);
    if (rc)
        return rc_text(rc);
    if (!url_is_http(ret))
        return "neither http nor https";
    return port_is_bad(url_port(ret)) ? "that port may not be asked" : NULL;
}

static struct str with_scheme(struct arena *arena, struct str text)
{
    size_t at = str_find_str(text, STR("://"));
    bool has = at > 0 && at < text.n && at < 12;
    return has ? arena_dup(arena, text) : arena_printf(arena, "http://" STR_FMT, STR_ARG(text));
}

/* Good ones to the errand, the others to the answer. */
static enum rc sort_seeds(struct answering *a, struct seeds_errand *e, struct refused *bad,
                          size_t *bad_count)
{
    const struct control_request *r = a->request;
    char *room = arena_alloc(a->arena, URL_ROOM_BYTES);
    struct str *good = arena_alloc(e->arena, r->url_count * sizeof *good);
    struct url u;
    for (size_t i = 0; room && good && i < r->url_count; i++) {
        struct str whole = with_scheme(e->arena, str_trim(r->urls[i]));
        const char *why = whole.p ? judge_seed(a->setup, whole, room, &u) : rc_text(RC_NOMEM);
        if (why)
            bad[(*bad_count)++] = (struct refused){r->urls[i], why};
        else
            good[e->count++] = whole;
    }
    e->urls = good;
    return room && good ? RC_OK : RC_NOMEM;
}

static void say_seeds(struct buf *out, size_t added, size_t known, const struct refused *bad,
                      size_t bad_count)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_bool_field(&j, "ok", true);
    jsonw_u64_field(&j, "added", added);
    jsonw_u64_field(&j, "known", known);
    jsonw_key(&j, "refused");
    jsonw_array(&j);
    for (size_t i = 0; i < bad_count; i++) {
        jsonw_object(&j);
        jsonw_text_field(&j, "url", bad[i].url);
        jsonw_text_field(&j, "why", str_c(bad[i].why));
        jsonw_end(&j);
    }
    jsonw_end(&j);
    jsonw_end(&j);
}

static enum rc do_seeds(struct answering *a, struct buf *why)
{
    struct refused bad[CONTROL_URLS];
    size_t bad_count = 0;
    if (flow_is_ending(a->setup->flow)) {
        buf_add(why, STR("the crawl is coming to its end and takes no more seeds"));
        return RC_CLOSED;
    }
    struct seeds_errand *e = seeds_errand_open();
    if (!e)
        return RC_NOMEM;
    e->call.calls = &a->setup->ledger->calls;
    e->call.holders = 1;
    enum rc rc = sort_seeds(a, e, bad, &bad_count);
    if (rc == RC_OK && e->count)
        rc = calls_ask(&a->setup->ledger->calls, CALLS_SEEDS, &e->call, SEEDS_WAIT_MS);
    if (rc == RC_OK)
        say_seeds(a->out, e->count - e->known, e->known, bad, bad_count);
    else if (rc == RC_CLOSED)
        buf_add(why, STR("the crawl has come to its end and takes no more seeds"));
    else if (rc == RC_AGAIN)
        buf_add(why, STR("the crawl is too busy to say that the seeds are safe: ask again"));
    call_leave(&e->call);
    return rc;
}

/* What became of each URL, as far as the history knows. */
static enum rc do_known(struct answering *a, struct buf *why)
{
    const struct control_request *r = a->request;
    struct history *h = ledger_history(a->setup->ledger->ledger);
    char *room = arena_alloc(a->arena, URL_ROOM_BYTES);
    struct jsonw j = jsonw_to(a->out);
    struct past past;
    struct url u;
    (void)why;
    if (!room)
        return RC_NOMEM;
    jsonw_object(&j);
    jsonw_bool_field(&j, "ok", true);
    jsonw_key(&j, "codes");
    jsonw_array(&j);
    for (size_t i = 0; i < r->url_count; i++) {
        bool is_good = !judge_seed(a->setup, r->urls[i], room, &u);
        if (is_good)
            url_normalise(&u, URL_RULES_DEFAULT);
        if (is_good && h && history_get(h, url_fingerprint(&u), a->arena, &past) == RC_OK)
            jsonw_i64(&j, past.code);
        else
            jsonw_null(&j);
    }
    jsonw_end(&j);
    jsonw_end(&j);
    return RC_OK;
}

/* The rest ------------------------------------------------------------------------------------- */

/* As a signal would, so that there is one way of stopping. */
static void stop(const struct control_setup *s, bool now)
{
    log_info(s->log, "crawl.stop", LOG_C("by", "the control socket"));
    if (now)
        flow_stop(s->flow);
    if (!flow_is_ending(s->flow) || now)
        (void)kill(getpid(), SIGTERM);
}

static void set_paused(const struct control_setup *s, bool is_paused, struct buf *out)
{
    if (flow_is_paused(s->flow) == is_paused) {
        say_ok(out, is_paused ? "was paused already" : "was not paused");
        return;
    }
    log_info(s->log, is_paused ? "crawl.paused" : "crawl.unpaused",
             LOG_C("by", "the control socket"));
    if (is_paused)
        flow_pause(s->flow);
    else
        flow_unpause(s->flow);
    say_ok(out, is_paused ? "paused: what is under way comes to its end, nothing more is asked"
                          : "goes on");
}

static enum rc perform(struct answering *a, struct buf *why)
{
    const struct control_setup *s = a->setup;
    switch (a->request->what) {
    case CONTROL_STATUS:
        control_status(s, a->recent, false, a->out);
        return RC_OK;
    case CONTROL_PAUSE:
    case CONTROL_UNPAUSE:
        set_paused(s, a->request->what == CONTROL_PAUSE, a->out);
        return RC_OK;
    case CONTROL_CHECKPOINT:
        ledger_checkpoint(s->ledger->ledger);
        say_ok(a->out, "a checkpoint is being made");
        return RC_OK;
    case CONTROL_STOP:
        stop(s, a->request->now);
        say_ok(a->out, "stopping");
        return RC_OK;
    case CONTROL_SET:
        return do_set(a, why);
    case CONTROL_SEEDS:
        return do_seeds(a, why);
    case CONTROL_KNOWN:
        return do_known(a, why);
    case CONTROL_URL:
        return control_url(s, a->request->url, a->out, why);
    case CONTROL_DOES_:
        break;
    }
    return RC_INVALID;
}

bool control_answer(const struct control_setup *s, struct control_rate recent, struct str line,
                    struct buf *out)
{
    struct control_request request = {0};
    struct buf why = {.max = 8192};
    struct arena *arena = arena_open(ARENA_BYTES, ARENA_MAX_BYTES);
    struct answering a = {s, recent, &request, arena, out};
    enum rc rc = arena ? control_request_read(line, arena, &request, &why) : RC_NOMEM;
    bool waits = rc == RC_OK && request.what == CONTROL_STOP;
    if (rc == RC_OK)
        rc = perform(&a, &why);
    if (rc) {
        buf_clear(out);
        say_error(out, code_of(rc), why.n ? buf_str(&why) : str_c(rc_text(rc)), STR_NONE);
    }
    buf_byte(out, '\n');
    arena_close(arena);
    buf_done(&why);
    return waits;
}
