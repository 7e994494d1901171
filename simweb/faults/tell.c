/* SPDX-License-Identifier: Apache-2.0 */
#include "faults/tell.h"

enum { MAX_NUMBER_DIGITS = 15, MAX_ROBOTS_BYTES = 4096 };

/* What was asked for ------------------------------------------------------------------------- */

bool query_label_is(const struct fault_query *q, const char *label)
{
    return str_eq(q->label, str_c(label));
}

bool query_path_is(const struct fault_query *q, const char *path)
{
    return str_eq(q->path, str_c(path));
}

bool query_is_head(const struct fault_query *q)
{
    return str_eq(q->request->method, STR("HEAD"));
}

uint64_t number_behind(struct str text, const char *prefix, uint64_t otherwise)
{
    struct str p = str_c(prefix);
    size_t at = text.p ? str_find_str(text, p) : 0;
    if (!text.p || at == text.n)
        return otherwise;
    struct str rest = str_from(text, at + p.n);
    size_t digits = 0;
    while (digits < rest.n && digits < MAX_NUMBER_DIGITS && ascii_is_digit(rest.p[digits]))
        digits++;
    uint64_t value;
    return digits && str_to_u64(str_first(rest, digits), &value) == RC_OK ? value : otherwise;
}

bool tell_by_path(const struct tell_row *rows, const struct fault_query *q, struct reply *r)
{
    for (; rows->path; rows++)
        if (query_path_is(q, rows->path)) {
            r->status = rows->status;
            rows->answer(q, r);
            return true;
        }
    return false;
}

bool tell_fixed_by_path(const struct tell_fixed *rows, const struct fault_query *q, struct reply *r)
{
    for (; rows->path; rows++)
        if (query_path_is(q, rows->path)) {
            const char *type = rows->type ? rows->type : TELL_HTML;
            tell_answer(q, r, 200, type[0] ? type : NULL, str_c(rows->more), rows->body);
            return true;
        }
    return false;
}

/* Pages -------------------------------------------------------------------------------------- */

void tell_begin(const struct fault_query *q, const char *title, const char *paths, struct buf *out)
{
    buf_printf(out,
               "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
               "<title>%s</title></head><body>\n<h1>%s</h1>\n",
               title, title);
    if (q->fault)
        buf_printf(out, "<p>This page belongs to fault %s of the simulated web.</p>\n",
                   q->fault->id);
    struct str rest = str_c(paths);
    while (rest.p) {
        struct str path = str_take_until(&rest, ' ');
        if (path.n)
            buf_printf(out,
                       "<p><a href=\"" STR_FMT STR_FMT "\">what a reader of it finds</a></p>\n",
                       STR_ARG(q->mount), STR_ARG(path));
    }
}

void tell_link(const char *href, const char *text, struct buf *out)
{
    buf_add(out, STR("<p><a href=\""));
    buf_add(out, str_c(href));
    buf_add(out, STR("\">"));
    buf_add(out, str_c(text));
    buf_add(out, STR("</a></p>\n"));
}

void tell_end(struct buf *out)
{
    buf_add(out, STR("</body></html>\n"));
}

struct str tell_text(const struct fault_query *q, struct tell_room *in, const char *title,
                     const char *paths)
{
    struct buf b = buf_on(in->bytes, sizeof in->bytes);
    tell_begin(q, title, paths, &b);
    tell_end(&b);
    return buf_str(&b);
}

/* Healthy answers ---------------------------------------------------------------------------- */

void tell_date(const struct fault_query *q, struct buf *out)
{
    buf_add(out, STR("Date: "));
    buf_http_date(out, q->wall_ms);
    buf_add(out, STR("\r\n"));
}

void tell_answer(const struct fault_query *q, struct reply *r, uint16_t status, const char *type,
                 struct str more, struct str body)
{
    size_t begun = reply_begin(r);
    r->status = status;
    buf_printf(&r->bytes, "HTTP/1.1 %u %s\r\n", (unsigned)status, status_text(status));
    if (type)
        buf_printf(&r->bytes, "Content-Type: %s\r\n", type);
    buf_printf(&r->bytes, "Content-Length: %zu\r\n", body.n);
    if (q->wall_ms)
        tell_date(q, &r->bytes);
    if (!r->keep_alive)
        buf_add(&r->bytes, STR("Connection: close\r\n"));
    buf_add(&r->bytes, more);
    buf_add(&r->bytes, STR("\r\n"));
    if (!query_is_head(q))
        buf_add(&r->bytes, body);
    reply_end(r, begun);
}

void tell_body(const struct fault_query *q, struct reply *r, const char *type, struct str more,
               struct buf *body)
{
    if (buf_rc(body) == RC_OK)
        tell_answer(q, r, 200, type, more, buf_str(body));
    else if (buf_rc(&r->bytes) == RC_OK)
        r->bytes.rc = buf_rc(body);
    buf_done(body);
}

void tell_send(const struct fault_query *q, struct reply *r, struct buf *body)
{
    tell_end(body);
    tell_body(q, r, TELL_HTML, STR(""), body);
}

void tell_page_as(const struct fault_query *q, struct reply *r, uint16_t status, struct str more,
                  const char *title, const char *paths)
{
    char room[TELL_MAX_BYTES];
    struct buf body = buf_on(room, sizeof room);
    tell_begin(q, title, paths, &body);
    tell_end(&body);
    tell_answer(q, r, status, TELL_HTML, more, buf_str(&body));
}

void tell_page(const struct fault_query *q, struct reply *r, const char *title, const char *paths)
{
    tell_page_as(q, r, 200, STR(""), title, paths);
}

static void redirect(const struct fault_query *q, struct reply *r, uint16_t status,
                     struct str mount, struct str location)
{
    char room[TELL_MAX_BYTES];
    struct buf more = buf_on(room, sizeof room);
    buf_add(&more, STR("Location: "));
    buf_add(&more, mount);
    buf_add(&more, location);
    buf_add(&more, STR("\r\n"));
    tell_answer(q, r, status, "text/plain", buf_str(&more), STR("It is elsewhere.\n"));
}

void tell_redirect(const struct fault_query *q, struct reply *r, uint16_t status,
                   struct str location)
{
    redirect(q, r, status, STR(""), location);
}

void tell_redirect_path(const struct fault_query *q, struct reply *r, uint16_t status,
                        struct str path)
{
    redirect(q, r, status, q->mount, path);
}

void tell_robots(const struct fault_query *q, struct reply *r, struct str text)
{
    tell_answer(q, r, 200, "text/plain; charset=utf-8", STR(""), text);
}

void tell_sitemaps(const struct fault_query *q, struct reply *r, const char *const *paths)
{
    char room[MAX_ROBOTS_BYTES];
    struct buf text = buf_on(room, sizeof room);
    buf_add(&text, STR("User-agent: *\nDisallow:\n"));
    for (; *paths; paths++) {
        buf_add(&text, STR("Sitemap: "));
        fault_url(q, "", str_c(*paths), &text);
        buf_byte(&text, '\n');
    }
    tell_robots(q, r, buf_str(&text));
}

/* Parts of odd answers ----------------------------------------------------------------------- */

void tell_head(struct reply *r, uint16_t status, const char *lines, ...)
{
    size_t begun = reply_begin(r);
    va_list args;
    r->status = status;
    buf_printf(&r->bytes, "HTTP/1.1 %u %s\r\nContent-Type: " TELL_HTML "\r\n", (unsigned)status,
               status_text(status));
    va_start(args, lines);
    buf_vprintf(&r->bytes, lines, args);
    va_end(args);
    buf_add(&r->bytes, STR("\r\n"));
    reply_end(r, begun);
}

void tell_chunk(struct reply *r, struct str data)
{
    reply_sendf(r, "%zx\r\n", data.n);
    reply_send(r, data);
    reply_send(r, STR("\r\n"));
}

void tell_filler(struct reply *r, size_t bytes)
{
    static const char line[] = "and so it goes on, line after line, without an end in sight; ";
    size_t begun = reply_begin(r);
    for (size_t left = bytes; left > 0 && buf_rc(&r->bytes) == RC_OK;) {
        struct str piece = str_first(str_c(line), left);
        buf_add(&r->bytes, piece);
        left -= piece.n;
    }
    reply_end(r, begun);
}
