/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/reply.h"

#include <assert.h>

void reply_init(struct reply *r)
{
    r->bytes = (struct buf){.max = REPLY_MAX_BYTES};
    reply_clear(r);
}

/* Steps are left as they are: nobody looks behind step_count. */
void reply_clear(struct reply *r)
{
    buf_clear(&r->bytes);
    r->step_count = 0;
    r->keep_alive = true;
    r->status = 0;
    r->backoff_ms = 0;
}

void reply_done(struct reply *r)
{
    buf_done(&r->bytes);
    r->step_count = 0;
}

static void add_step(struct reply *r, struct step step)
{
    if (buf_rc(&r->bytes) != RC_OK)
        return;
    if (r->step_count == REPLY_MAX_STEPS) {
        r->bytes.rc = RC_LIMIT;
        return;
    }
    r->steps[r->step_count++] = step;
}

static struct step *last_step(struct reply *r)
{
    return r->step_count ? &r->steps[r->step_count - 1] : NULL;
}

size_t reply_begin(struct reply *r)
{
    return r->bytes.n;
}

void reply_end(struct reply *r, size_t begun)
{
    assert(begun <= r->bytes.n);
    struct step *last = last_step(r);
    size_t bytes = r->bytes.n - begun;
    if (bytes == 0)
        return;
    if (last && last->kind == STEP_SEND)
        last->bytes += bytes;
    else
        add_step(r, (struct step){.kind = STEP_SEND, .bytes = bytes});
}

void reply_send(struct reply *r, struct str bytes)
{
    size_t begun = reply_begin(r);
    buf_add(&r->bytes, bytes);
    reply_end(r, begun);
}

void reply_sendf(struct reply *r, const char *format, ...)
{
    size_t begun = reply_begin(r);
    va_list args;
    va_start(args, format);
    buf_vprintf(&r->bytes, format, args);
    va_end(args);
    reply_end(r, begun);
}

void reply_drip(struct reply *r, struct str bytes, size_t chunk, uint64_t every_ms)
{
    struct step *last = last_step(r);
    size_t begun = r->bytes.n;
    buf_add(&r->bytes, bytes);
    size_t added = r->bytes.n - begun;
    if (added == 0)
        return;
    if (last && last->kind == STEP_DRIP && last->chunk == chunk && last->ms == every_ms)
        last->bytes += added;
    else
        add_step(
            r, (struct step){
                   .kind = STEP_DRIP, .bytes = added, .chunk = chunk ? chunk : 1, .ms = every_ms});
}

void reply_repeat(struct reply *r, struct str bytes, uint64_t times)
{
    size_t begun = r->bytes.n;
    buf_add(&r->bytes, bytes);
    if (r->bytes.n > begun)
        add_step(r,
                 (struct step){.kind = STEP_REPEAT, .bytes = r->bytes.n - begun, .times = times});
}

void reply_wait(struct reply *r, uint64_t ms)
{
    struct step *last = last_step(r);
    if (last && last->kind == STEP_WAIT)
        last->ms += ms;
    else if (ms)
        add_step(r, (struct step){.kind = STEP_WAIT, .ms = ms});
}

void reply_close(struct reply *r)
{
    add_step(r, (struct step){.kind = STEP_CLOSE});
}

void reply_reset(struct reply *r)
{
    add_step(r, (struct step){.kind = STEP_RESET});
}

void reply_hold(struct reply *r)
{
    add_step(r, (struct step){.kind = STEP_HOLD});
}

void reply_page(struct reply *r, uint16_t status, const char *type, struct str more,
                struct str body)
{
    size_t begun = reply_begin(r);
    r->status = status;
    buf_printf(&r->bytes, "HTTP/1.1 %u %s\r\n", status, status_text(status));
    if (type)
        buf_printf(&r->bytes, "Content-Type: %s\r\n", type);
    buf_printf(&r->bytes, "Content-Length: %zu\r\n", body.n);
    if (!r->keep_alive)
        buf_add(&r->bytes, STR("Connection: close\r\n"));
    buf_add(&r->bytes, more);
    buf_add(&r->bytes, STR("\r\n"));
    buf_add(&r->bytes, body);
    reply_end(r, begun);
}

void reply_drop_body(struct reply *r, size_t bytes)
{
    struct step *last = last_step(r);
    if (buf_rc(&r->bytes) != RC_OK)
        return;
    assert(last && last->kind == STEP_SEND && last->bytes > bytes);
    last->bytes -= bytes;
    r->bytes.n -= bytes;
}

const char *status_text(uint16_t status)
{
    static const struct {
        uint16_t status;
        const char *text;
    } rows[] = {
        {100, "Continue"},
        {101, "Switching Protocols"},
        {103, "Early Hints"},
        {200, "OK"},
        {204, "No Content"},
        {206, "Partial Content"},
        {301, "Moved Permanently"},
        {302, "Found"},
        {303, "See Other"},
        {304, "Not Modified"},
        {307, "Temporary Redirect"},
        {308, "Permanent Redirect"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {407, "Proxy Authentication Required"},
        {410, "Gone"},
        {413, "Content Too Large"},
        {421, "Misdirected Request"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {451, "Unavailable For Legal Reasons"},
        {500, "Internal Server Error"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {505, "HTTP Version Not Supported"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].status == status)
            return rows[i].text;
    return "Unknown";
}
