/* SPDX-License-Identifier: Apache-2.0 */
#include "asking/asker.h"

#include "net/head.h"

enum {
    HEAD_ROOM_BYTES = 64 << 10,  /* of a request, beside its URL */
    HEADER_MAX_BYTES = 64 << 10, /* of a header over several lines */
};

void asker_done(struct asker *a)
{
    arena_close(a->arena);
    buf_done(&a->request);
    type_set_close(a->types);
}

enum rc asker_open(struct asker *a, struct buf *why)
{
    const struct asker_settings *s = a->settings;
    buf_init(&a->request, URL_MAX_BYTES + HEAD_ROOM_BYTES);
    a->arena = arena_open(1024, 64 << 10);
    enum rc rc =
        a->arena ? identity_make(s->user_agent, s->contact, a->arena, &a->identity, why) : RC_NOMEM;
    a->identity.encodings = s->encodings;
    if (rc == RC_OK && s->types.count)
        rc = type_set_open(s->types.items, s->types.count, &a->types, why);
    if (rc)
        asker_done(a);
    return rc;
}

/* The answer ----------------------------------------------------------------------------------- */

static bool on_head(struct http_ask *ask, uint16_t status, struct str head)
{
    struct visit *v = EVENT_OF(ask, struct visit, answer.ask);
    const struct asker *a = v->answer.asker;
    return ask_wants(v, a->types, status, head);
}

static bool on_start(struct http_ask *ask, uint16_t status, struct str head, struct str start,
                     bool is_chunked)
{
    struct visit *v = EVENT_OF(ask, struct visit, answer.ask);
    const struct asker *a = v->answer.asker;
    struct buf type = {.max = HEADER_MAX_BYTES}, encoding = {.max = HEADER_MAX_BYTES};
    const struct answer_start s = {.type = head_get(head, STR("Content-Type"), &type),
                                   .encoding = head_get(head, STR("Content-Encoding"), &encoding),
                                   .body = start,
                                   .is_chunked = is_chunked};
    bool goes_on = status != 200 || a->on_start(a->self, v, &s);
    buf_done(&type);
    buf_done(&encoding);
    return goes_on;
}

/* The clock is read only where it matters. */
static void on_done(struct http_ask *ask, const struct http_answer *answer)
{
    struct visit *v = EVENT_OF(ask, struct visit, answer.ask);
    struct asker *a = v->answer.asker;
    running_remove(&a->running, v);
    ask_answered(v, answer);
    bool needs_clock = v->answer.heads.retry_after.p;
    v->answer.end = ask_end(v, answer, needs_clock ? (int64_t)clock_wall_ms(a->clock) : 0);
    a->on_answer(a->self, v);
}

/* The request ---------------------------------------------------------------------------------- */

/* Absent without memory. */
static struct str request_of(struct asker *a, struct visit *v)
{
    struct request_condition condition = ask_condition(v);
    buf_clear(&a->request);
    request_write(&a->request, &v->turn.url, &a->identity, &condition);
    return buf_rc(&a->request) == RC_OK ? arena_dup(v->arena, buf_str(&a->request)) : STR_NONE;
}

static void prepare(struct asker *a, struct visit *v)
{
    v->answer.asker = a;
    v->answer.begun_ms = part_now_ms(a->self);
    v->answer.date_ms = (int64_t)clock_wall_ms(a->clock);
    v->answer.request = request_of(a, v);
    v->answer.ask = (struct http_ask){
        .is_https = v->turn.url.kind == URL_HTTPS,
        .host = url_host(&v->turn.url),
        .port = url_port(&v->turn.url),
        .addresses = v->route.addresses, /* the first: it has the permit */
        .address_count = v->route.address_count > 0,
        .guard = a->guard,
        .offers_h2 = ask_offers_h2(v),
        .request = v->answer.request,
        .body_bytes = ask_body_bytes(v, a->settings->body_bytes),
        .wants = a->types && v->kind == VISIT_PAGE ? on_head : NULL,
        .peek = a->on_start && ask_peeks(v) ? on_start : NULL,
        .peek_bytes = a->settings->peek_bytes,
        .done = on_done,
    };
}

bool asker_send(struct asker *a, struct visit *v)
{
    prepare(a, v);
    running_add(&a->running, v);
    if (v->answer.request.p && http_start(a->http, &v->answer.ask) == RC_OK)
        return true;
    running_remove(&a->running, v);
    ask_failed(v);
    return false;
}

struct visit *asker_cancel(struct asker *a)
{
    return running_cancel(&a->running, a->http, NULL);
}

struct visit *asker_cancel_stopped(struct asker *a)
{
    return running_cancel(&a->running, a->http, a->self);
}
