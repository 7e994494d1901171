/* SPDX-License-Identifier: Apache-2.0 */
/* `set` of a running crawl: an option of one part, or a setting in every part that has it. */
#include "control/control_server.h"

#include "base/jsonw.h"
#include "base/log.h"

/* Compiles a regular expression first: a part that gets a bad one stays with the old. */
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
    struct buf changed, later; /* "pace.delay, ..."; `later`: only at the next start */
    size_t count;
};

static void note(struct buf *to, struct str part, struct str key)
{
    buf_add(to, to->n ? STR(", ") : STR(""));
    buf_add(to, part);
    buf_byte(to, '.');
    buf_add(to, key);
}

/* In every part that has the key and lets it change while the crawl runs. */
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
            note(&c->later, parts[i].name, r->key);
        }
    }
    return rc;
}

static enum rc unknown_key(const struct control_setup *s, struct str key, struct buf *why)
{
    const char *like = option_suggest(s->settings, key);
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
    const struct option *o = option_find(s->settings, r->key);
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

static void say_changes(const struct changes *c, struct str value, struct buf *out)
{
    struct jsonw j = jsonw_to(out);
    jsonw_object(&j);
    jsonw_bool_field(&j, "ok", true);
    jsonw_text_field(&j, "changed", buf_str(&c->changed));
    jsonw_text_field(&j, "value", value);
    if (c->later.n)
        jsonw_text_field(&j, "kept", buf_str(&c->later));
    jsonw_end(&j);
}

enum rc control_set(const struct control_setup *s, const struct control_request *r, struct buf *out,
                    struct buf *why)
{
    struct changes c = {.changed = {.max = 4096}, .later = {.max = 4096}};
    struct buf told = {.max = 4096};
    enum rc rc = change(s, r, &c, &told);
    if (rc == RC_OK) {
        log_info(s->log, "crawl.set", LOG_STR("what", buf_str(&c.changed)),
                 LOG_STR("value", r->value));
        s->save.setting(s->save.ctx, r->key, r->value);
        say_changes(&c, r->value, out);
    } else if (rc == RC_INVALID) {
        buf_printf(why, STR_FMT "=" STR_FMT ": ", STR_ARG(r->key),
                   STR_ARG(str_first(r->value, 200)));
    }
    buf_add(why, buf_str(&told));
    if (rc == RC_UNSUPPORTED)
        buf_add(why, STR("; stop the crawl and start it again with another value"));
    buf_done(&c.changed);
    buf_done(&c.later);
    buf_done(&told);
    return rc;
}
