/* SPDX-License-Identifier: Apache-2.0 */
#include "faults/index.h"

#include "faults/tell.h"

enum { INDEX_MAX_BYTES = 256 * 1024 };

static const char index_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n"
    "<style>body{font:1em/1.5 sans-serif;max-width:46em;margin:2em auto;padding:0 1em;"
    "color:#222}h1{font-weight:400}dt{font-weight:bold}li{margin:.3em 0}"
    "small{color:#666}</style>\n</head>\n<body>\n";

static void add_escaped(struct str text, struct buf *out)
{
    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];
        struct str escape = c == '&'    ? STR("&amp;")
                            : c == '<'  ? STR("&lt;")
                            : c == '>'  ? STR("&gt;")
                            : c == '"'  ? STR("&quot;")
                            : c == '\'' ? STR("&#39;")
                                        : str_make(text.p + i, 1);
        buf_add(out, escape);
    }
}

static void index_begin(struct buf *b, const char *title)
{
    struct str rest = str_c(index_head);
    size_t at = str_find_str(rest, STR("%s"));
    buf_add(b, str_first(rest, at));
    add_escaped(str_c(title), b);
    buf_add(b, str_from(rest, at + 2));
}

static void term(struct buf *b, const char *name, const char *text)
{
    buf_printf(b, "<dt>%s</dt><dd>", name);
    add_escaped(str_c(text), b);
    buf_add(b, STR("</dd>\n"));
}

static void link_to(struct buf *b, struct str url, const char *text, const char *more)
{
    buf_add(b, STR("<li><a href=\""));
    add_escaped(url, b);
    buf_add(b, STR("\">"));
    add_escaped(str_c(text), b);
    buf_add(b, STR("</a>"));
    if (more[0]) {
        buf_add(b, STR(" <small>"));
        add_escaped(str_c(more), b);
        buf_add(b, STR("</small>"));
    }
    buf_add(b, STR("</li>\n"));
}

static void index_send(const struct fault_query *q, struct reply *r, struct buf *b)
{
    buf_add(b, STR("</ul>\n"));
    tell_send(q, r, b);
}

static void list_cases(const struct fault_query *q, struct buf *b, struct buf *url)
{
    for (const struct fault_case *c = q->fault->cases; c && c->path; c++) {
        const char *label = c->label ? c->label : "";
        buf_clear(url);
        fault_url(q, label, str_c(c->path), url);
        if (buf_rc(url) != RC_OK)
            b->rc = buf_rc(url);
        link_to(b, buf_str(url), c->says ? c->says : c->path, q->mount.n ? "" : label);
    }
}

void index_answer(const struct fault_query *q, struct reply *r)
{
    struct buf b, url;
    char title[64];
    struct buf t = buf_on(title, sizeof title - 1);
    buf_init(&b, INDEX_MAX_BYTES);
    buf_init(&url, INDEX_MAX_BYTES);
    buf_printf(&t, "%s, a fault of %s", q->fault->id, q->fault->group);
    title[t.n] = 0;
    index_begin(&b, title);
    buf_printf(&b, "<h1>%s</h1>\n<dl>\n", title);
    term(&b, "What the server does", q->fault->does);
    term(&b, "What a good crawler does", q->fault->wants);
    buf_add(&b, STR("</dl>\n<h2>Cases</h2>\n<ul>\n"));
    list_cases(q, &b, &url);
    index_send(q, r, &b);
    buf_done(&url);
}

void zoo_answer(const struct world *w, const struct request *request, struct reply *r)
{
    struct fault_query q = {.world = w, .request = request};
    if (!str_eq(request->target, STR("/"))) {
        tell_page_as(&q, r, 404, STR(""), "Nothing is here", "");
        return;
    }
    struct buf b;
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    buf_init(&b, INDEX_MAX_BYTES);
    index_begin(&b, "The zoo of faults");
    buf_add(&b, STR("<h1>The zoo of faults</h1>\n"
                    "<p>Every site below is bad in its own way.</p>\n<ul>\n"));
    for (uint32_t i = 0; i < count; i++) {
        char room[512];
        struct buf url = buf_on(room, sizeof room);
        if (!fault_enabled(w, all[i]))
            continue;
        fault_place_url(w, all[i], STR(""), STR("/"), &url);
        link_to(&b, buf_str(&url), all[i]->id, all[i]->does);
    }
    index_send(&q, r, &b);
}
