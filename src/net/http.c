/* SPDX-License-Identifier: Apache-2.0 */
#include "net/http.h"

#include "base/mem.h"
#include "net/exchange.h"

#include <assert.h>

const char *http_outcome_name(enum http_outcome outcome)
{
    static const char *const names[HTTP_OUTCOMES_] = {
        [HTTP_WHOLE] = "whole",           [HTTP_UNWANTED] = "unwanted",
        [HTTP_TRUNCATED] = "truncated",   [HTTP_REFUSED_ADDRESS] = "refused-address",
        [HTTP_NO_CONNECT] = "no-connect", [HTTP_NO_TLS] = "no-tls",
        [HTTP_TIMEOUT] = "timeout",       [HTTP_CLOSED] = "closed",
        [HTTP_NOT_HTTP] = "not-http",     [HTTP_FAILED] = "failed",
    };
    return names[outcome];
}

/* The table knows which of them may not be 0. */
static const struct option *missing_limit(const struct http_settings *s)
{
    for (const struct option *o = http_options; o->key; o++) {
        uint64_t value;
        if (!o->min)
            continue;
        memcpy(&value, (const char *)s + o->offset, sizeof value);
        if (value < o->min)
            return o;
    }
    return NULL;
}

enum rc http_open(struct loop *loop, const struct http_settings *s, struct http **ret,
                  struct buf *why)
{
    const struct option *missing = missing_limit(s);
    if (missing) {
        buf_printf(why, "%s: expected more than 0", missing->key);
        return RC_INVALID;
    }
    struct http *h = mem_alloc(sizeof *h);
    if (!h)
        return RC_NOMEM;
    h->loop = loop;
    h->settings = *s;
    h->settings.ca_file = STR_NONE; /* read once, below */
    h->counts = (struct http_counts){0};
    h->held_bytes = 0;
    memset(h->h1_only, 0, sizeof h->h1_only);
    h->tls = NULL;
    const struct pool_settings kept = {s->idle_most, s->idle_at_address, s->keep_ms, s->unused_ms};
    enum rc rc = pool_init(&h->pool, loop, &kept);
    if (rc == RC_OK)
        rc = tls_open(s->ca_file, s->insecure, &h->tls, why);
    if (rc == RC_OK)
        *ret = h;
    else
        http_close(h);
    return rc;
}

void http_close(struct http *h)
{
    if (!h)
        return;
    assert(h->counts.running == 0);
    pool_done(&h->pool);
    tls_close(h->tls);
    mem_free(h);
}

enum rc http_start(struct http *h, struct http_ask *ask)
{
    assert(ask->guard && ask->done);
    struct exchange *x = exchange_open(h, ask);
    if (!x)
        return RC_NOMEM;
    if (!exchange_begin(x)) {
        exchange_drop(x);
        return RC_NOMEM;
    }
    h->counts.started++;
    return RC_OK;
}

void http_cancel(struct http *h, struct http_ask *ask)
{
    struct exchange *x = ask->running;
    if (!x)
        return;
    assert(x->h == h);
    exchange_drop(x);
}

struct http_counts http_counts(const struct http *h)
{
    struct http_counts c = h->counts;
    c.idle = h->pool.count;
    return c;
}
