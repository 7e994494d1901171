/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/operate/fetch_net.h"

#include "base/clock.h"
#include "net/head.h"

#include <time.h>

enum { DECODED_RATIO = 1000, TEXT_BYTES = 100 << 20 };

/* Opening -------------------------------------------------------------------------------------- */

static enum rc open_dns(struct fetch_net *n, const struct fetch_net_settings *s, struct buf *why)
{
    struct dns_settings d = {0};
    enum rc rc = options_default(dns_options, &d, n->arena);
    d.resolver = s->resolver;
    return rc ? rc : dns_open(&n->loop, &d, &n->dns, why);
}

static enum rc open_http(struct fetch_net *n, const struct fetch_net_settings *s, struct buf *why)
{
    struct http_settings h = {0};
    enum rc rc = options_default(http_options, &h, n->arena);
    h.insecure = s->insecure;
    h.ca_file = s->ca_file;
    h.http = s->http;
    return rc ? rc : http_open(&n->loop, &h, &n->http, why);
}

enum rc fetch_net_open(struct fetch_net *n, const struct fetch_net_settings *s, struct arena *arena,
                       struct buf *why)
{
    *n = (struct fetch_net){.arena = arena, .body_bytes = s->body_bytes};
    enum rc rc = loop_init(&n->loop, clock_real());
    n->has_loop = true;
    rc = rc ? rc : identity_make(s->user_agent, s->contact, arena, &n->identity, why);
    rc = rc ? rc : guard_open(&s->allow_private, &n->guard, why);
    rc = rc ? rc : open_dns(n, s, why);
    rc = rc ? rc : open_http(n, s, why);
    return rc ? rc : decoder_open(&n->decoder);
}

void fetch_net_close(struct fetch_net *n)
{
    if (n->http)
        http_close(n->http);
    if (n->dns)
        dns_close(n->dns);
    guard_close(n->guard);
    decoder_close(n->decoder);
    if (n->has_loop)
        loop_done(&n->loop);
}

/* Waiting -------------------------------------------------------------------------------------- */

static void run_until(struct fetch_net *n, const bool *is_done)
{
    while (!*is_done) {
        if (loop_run(&n->loop))
            continue;
        loop_doze(&n->loop);
        loop_wait(&n->loop);
    }
}

void fetch_net_pause(uint64_t ms)
{
    struct timespec t = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    while (nanosleep(&t, &t) != 0)
        continue;
}

/* Names ---------------------------------------------------------------------------------------- */

struct naming {
    struct dns_query query;
    struct dns_result result;
    bool is_done;
};

static void on_name(struct dns_query *q, const struct dns_result *r)
{
    struct naming *w = EVENT_OF(q, struct naming, query);
    w->result = *r;
    w->is_done = true;
}

static void resolve(struct fetch_net *n, const struct url *u, struct fetched *f)
{
    struct naming w = {.query = {.done = on_name}};
    f->dns = DNS_FAILED;
    if (dns_ask(n->dns, url_host(u), &w.query))
        return;
    run_until(n, &w.is_done);
    f->dns = w.result.outcome;
    f->found = w.result.count;
    for (uint32_t i = 0; i < w.result.count; i++)
        if (guard_allows(n->guard, &w.result.addresses[i]))
            f->addresses[f->address_count++] = w.result.addresses[i];
}

/* Pages ---------------------------------------------------------------------------------------- */

struct getting {
    struct http_ask ask;
    struct arena *arena;
    struct http_answer answer;
    enum rc rc;
    bool is_done;
};

static struct str keep(struct getting *g, struct str text)
{
    struct str copy = text.n ? arena_dup(g->arena, text) : STR("");
    if (!copy.p)
        g->rc = RC_NOMEM;
    return copy;
}

static void on_answer(struct http_ask *ask, const struct http_answer *a)
{
    struct getting *g = EVENT_OF(ask, struct getting, ask);
    g->answer = *a;
    g->answer.head = keep(g, a->head);
    g->answer.body = keep(g, a->body);
    g->is_done = true;
}

static enum rc ask(struct fetch_net *n, const struct url *u, struct fetched *f)
{
    struct getting g = {
        .ask = {.is_https = u->kind == URL_HTTPS,
                .host = url_host(u),
                .port = url_port(u),
                .addresses = f->addresses,
                .address_count = f->address_count,
                .guard = n->guard,
                .offers_h2 = n->offers_h2,
                .request = f->request,
                .body_bytes = n->body_bytes,
                .done = on_answer},
        .arena = n->arena,
    };
    enum rc rc = http_start(n->http, &g.ask);
    if (rc)
        return rc;
    run_until(n, &g.is_done);
    f->was_asked = true;
    f->answer = g.answer;
    return g.rc;
}

static enum rc decode(struct fetch_net *n, struct fetched *f)
{
    struct buf scratch = {.max = 64 << 10}, out = {.max = TEXT_BYTES};
    struct decode_input in = {
        .body = f->answer.body,
        .is_chunked = f->answer.is_chunked && !f->answer.is_not_chunked,
        .content_encoding = head_get(f->answer.head, STR("Content-Encoding"), &scratch),
        .max_bytes = TEXT_BYTES,
        .max_ratio = DECODED_RATIO,
    };
    struct str text;
    enum rc rc = decoder_run(n->decoder, &in, &out, &text, &f->decoded);
    if (rc == RC_OK)
        f->text = text.n ? arena_dup(n->arena, text) : STR("");
    buf_done(&scratch);
    buf_done(&out);
    return rc ? rc : f->text.p ? RC_OK : RC_NOMEM;
}

enum rc fetch_net_get(struct fetch_net *n, const struct url *u, struct fetched *ret)
{
    struct buf request = {.max = URL_MAX_BYTES + (64 << 10)};
    *ret = (struct fetched){0};
    resolve(n, u, ret);
    if (!ret->address_count)
        return RC_OK;
    request_write(&request, u, &n->identity, &(struct request_condition){0});
    ret->request = buf_rc(&request) ? STR_NONE : arena_dup(n->arena, buf_str(&request));
    buf_done(&request);
    enum rc rc = ret->request.p ? ask(n, u, ret) : RC_NOMEM;
    return rc == RC_OK && ret->answer.head.n ? decode(n, ret) : rc;
}
