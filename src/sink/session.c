/* SPDX-License-Identifier: Apache-2.0 */
#include "sink/session.h"

#include "base/mem.h"

#include <stdio.h>

struct sink_session {
    struct sink_session_setup setup;
    struct sink_put *put; /* NULL: no file is arriving */
    bool is_known;
    char name[SINK_MAX_TEXT_BYTES + 1];
};

struct sink_session *sink_session_open(const struct sink_session_setup *setup)
{
    struct sink_session *s = mem_zero(1, sizeof *s);
    if (s)
        s->setup = *setup;
    return s;
}

void sink_session_close(struct sink_session *s)
{
    if (!s)
        return;
    sink_put_close(s->put);
    mem_free(s);
}

size_t sink_session_max_bytes(const struct sink_session *s)
{
    return s->is_known ? SINK_MAX_FRAME_BYTES : SINK_MAX_SMALL_BYTES;
}

bool sink_session_is_known(const struct sink_session *s)
{
    return s->is_known;
}

const char *sink_session_name(const struct sink_session *s)
{
    return s->name;
}

static bool end_with(struct sink_frame *ret, enum sink_code code)
{
    *ret = (struct sink_frame){
        .kind = SINK_REFUSED, .code = code, .text = str_c(sink_code_text(code))};
    return false;
}

static bool greet(struct sink_session *s, const struct sink_frame *f, struct sink_frame *ret)
{
    if (f->kind != SINK_HELLO || f->version != SINK_VERSION)
        return end_with(ret, SINK_BAD);
    if (!s->setup.may(s->setup.may_ctx, f->name, f->secret))
        return end_with(ret, SINK_LOGIN);
    s->is_known = true;
    (void)snprintf(s->name, sizeof s->name, STR_FMT, STR_ARG(f->name));
    *ret = (struct sink_frame){.kind = SINK_WELCOME, .version = SINK_VERSION};
    return true;
}

/* After any end of an offer the agent may make another, unless the two sides do not understand each
 * other, or the disk has failed. */
static bool answer(struct sink_session *s, struct sink_verdict v, struct sink_frame *ret)
{
    if (v.kind != SINK_MORE) {
        sink_put_close(s->put);
        s->put = NULL;
    }
    if (v.kind == SINK_REFUSED) {
        (void)end_with(ret, v.code);
        return v.code != SINK_BAD && v.code != SINK_TROUBLE;
    }
    *ret = (struct sink_frame){.kind = v.kind, .offset = v.offset};
    return true;
}

bool sink_session_take(struct sink_session *s, const struct sink_frame *f, struct sink_frame *ret)
{
    if (!f)
        return end_with(ret, SINK_BAD);
    if (!s->is_known)
        return greet(s, f, ret);
    if (f->kind == SINK_PUT && !s->put)
        return answer(s, sink_put_open(s->setup.store, f, s->setup.progress, &s->put), ret);
    if (f->kind == SINK_DATA && s->put)
        return answer(s, sink_put_add(s->put, f->data), ret);
    return end_with(ret, SINK_BAD);
}
