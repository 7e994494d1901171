/* SPDX-License-Identifier: Apache-2.0 */
/* Answers to requests that concern the other agents of a cluster. */
#include "control/control_server.h"
#include "control/url_captures.h"
#include "control/url_elsewhere.h"
#include "control/url_facts.h"

#include "base/jsonw.h"
#include "base/mem.h"
#include "bus/bus.h"

#include <jansson.h>
#include <stdlib.h>

enum {
    MOST_OTHERS = 1024,
    ASK_MS = 3000,
    SUSPECT_MS = 300, /* for an agent that is not heard */
    URL_ASK_MS = 8000,
};

bool control_is_clustered(const struct control_setup *s)
{
    return s->cluster && cluster_is_shared(s->cluster);
}

/* JSON that another agent wrote, if it is an object; NULL otherwise. The caller's. */
static json_t *object_of(const struct buf *text)
{
    json_t *j = json_loadb(text->p ? text->p : "", text->n, JSON_REJECT_DUPLICATES, NULL);
    if (json_is_object(j))
        return j;
    json_decref(j);
    return NULL;
}

static void put_object(struct jsonw *j, json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT);
    if (text)
        jsonw_raw(j, str_c(text));
    else
        jsonw_null(j);
    free(text);
}

static void say_answer(struct jsonw *j, const struct peer_ask *a)
{
    json_t *o = a->rc ? NULL : object_of(&a->answer);
    jsonw_object(j);
    jsonw_text_field(j, "agent", str_c(a->to));
    if (o) {
        jsonw_key(j, "answer");
        put_object(j, o);
    } else {
        jsonw_text_field(j, "error",
                         a->rc == RC_AGAIN ? STR("no answer")
                         : a->rc           ? str_c(rc_text(a->rc))
                                           : STR("the answer is not JSON"));
    }
    jsonw_end(j);
    json_decref(o);
}

void control_ask_others(const struct control_setup *s, struct str question, struct jsonw *j)
{
    struct cluster_service *c = s->cluster;
    char(*names)[PEER_NAME_BYTES + 1] = mem_zero(MOST_OTHERS, sizeof *names);
    struct peer_ask *asks = mem_zero(MOST_OTHERS, sizeof *asks);
    size_t count = names && asks ? c->ops->others(c, names, MOST_OTHERS) : 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(asks[i].to, names[i], sizeof asks[i].to);
        asks[i].most_ms = c->ops->is_suspect(c, str_c(names[i])) ? SUSPECT_MS : 0;
    }
    if (count)
        peer_requests_ask(c->peers, question, asks, count, ASK_MS);
    jsonw_array(j);
    for (size_t i = 0; i < count; i++) {
        say_answer(j, &asks[i]);
        buf_done(&asks[i].answer);
    }
    jsonw_end(j);
    mem_free(names);
    mem_free(asks);
}

static void begin(struct jsonw *j, const struct control_setup *s)
{
    jsonw_object(j);
    jsonw_bool_field(j, "ok", true);
    jsonw_text_field(j, "crawl_state",
                     flow_is_ending(s->flow)   ? STR("stopping")
                     : flow_is_paused(s->flow) ? STR("paused")
                                               : STR("running"));
}

void control_agent(const struct control_setup *s, bool is_owner, struct str former, struct buf *out)
{
    struct jsonw j = jsonw_to(out);
    begin(&j, s);
    s->cluster->ops->view(s->cluster, &j);
    if (is_owner)
        jsonw_text_field(&j, "login", s->cluster->login);
    if (former.p)
        s->cluster->ops->former(s->cluster, former, &j);
    jsonw_end(&j);
}

void control_cluster(const struct control_setup *s, struct buf *out)
{
    struct jsonw j = jsonw_to(out);
    begin(&j, s);
    s->cluster->ops->view(s->cluster, &j);
    jsonw_key(&j, "others");
    control_ask_others(s, STR("{\"do\":\"agent\"}"), &j);
    jsonw_end(&j);
}

/* Whether another agent owns the URL's host; then `owner` is its name. */
static bool is_elsewhere(const struct control_setup *s, struct str url, char *owner)
{
    struct buf why = {.max = 4096};
    struct arena *arena = arena_open(64 << 10, 1 << 20);
    struct url_facts *f = arena ? arena_zero(arena, sizeof *f) : NULL;
    bool is_other = false;
    if (f) {
        f->arena = arena;
        is_other = url_facts_name(f, s->scope->idn, url, scope_rules(s->scope->scope),
                                  s->wiring->shards, &why) == RC_OK &&
                   s->cluster->ops->owner(s->cluster, f->host_hash, owner);
    }
    arena_close(arena);
    buf_done(&why);
    return is_other;
}

static uint64_t first_of(void *ctx, struct str agent)
{
    struct cluster_service *c = ctx;
    return c->ops->first(c, agent);
}

enum rc control_url_in_cluster(const struct control_setup *s, struct str url, bool is_peers,
                               struct buf *out, struct buf *why)
{
    struct buf text = {.max = CONTROL_ANSWER_BYTES};
    enum rc rc = control_url(s, url, &text, why);
    json_t *o = rc ? NULL : object_of(&text);
    if (o) {
        struct jsonw j = jsonw_to(out);
        url_elsewhere_add(s->dir, first_of, s->cluster, o);
        if (is_peers) {
            url_captures_add(s->dir, o);
            url_reason_add(s->dir, o);
            (void)json_object_set_new(o, "agent",
                                      json_stringn(s->cluster->name.p, s->cluster->name.n));
        }
        put_object(&j, o);
    } else if (!rc) {
        rc = RC_NOMEM;
    }
    json_decref(o);
    buf_done(&text);
    return rc;
}

bool control_url_elsewhere(const struct control_setup *s, struct str url, struct buf *out,
                           struct buf *why, enum rc *ret)
{
    struct peer_ask ask = {.rc = RC_AGAIN};
    struct buf question = {.max = PEER_QUESTION_BYTES};
    struct jsonw j = jsonw_to(&question);
    if (!control_is_clustered(s) || !is_elsewhere(s, url, ask.to))
        return false;
    jsonw_object(&j);
    jsonw_text_field(&j, "do", STR("url"));
    jsonw_text_field(&j, "url", url);
    jsonw_end(&j);
    if (buf_rc(&question) == RC_OK)
        peer_requests_ask(s->cluster->peers, buf_str(&question), &ask, 1, URL_ASK_MS);
    *ret = ask.rc;
    if (ask.rc)
        buf_printf(why, "agent %s owns its host and does not answer: try again, or ask that agent",
                   ask.to);
    else
        buf_add(out, str_trim(buf_str(&ask.answer)));
    buf_done(&ask.answer);
    buf_done(&question);
    return true;
}
