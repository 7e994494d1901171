/* SPDX-License-Identifier: Apache-2.0 */
#include "visit/view.h"

#include "visit/visit.h"

enum { WHY_MAX_BYTES = 200 };

struct visit *visit_view(struct message *m)
{
    return visit_of(m);
}

bool visit_is_page(const struct visit *v)
{
    return v->kind == VISIT_PAGE && v->answer.http;
}

struct str visit_url(const struct visit *v)
{
    return url_href(&v->turn.url);
}

unsigned visit_status(const struct visit *v)
{
    return v->answer.http ? v->answer.end.status : 0;
}

struct str visit_mime(const struct visit *v)
{
    return v->answer.mime;
}

struct str visit_title(const struct visit *v)
{
    return v->parsed.title;
}

struct str visit_text(const struct visit *v)
{
    return v->parsed.text;
}

/* The text comes from outside: a line of crawl.log must stay one line. */
static const char *words_of(struct visit *v, struct str why)
{
    struct str words = str_first(why, WHY_MAX_BYTES);
    char *text = words.n ? arena_zero(v->arena, words.n + 1) : NULL;
    for (size_t i = 0; text && i < words.n; i++) {
        unsigned char c = (unsigned char)words.p[i];
        text[i] = (char)(c < ' ' || c == 0x7f ? '?' : c);
    }
    return text ? text : "dropped";
}

void visit_drop(struct visit *v, struct str why)
{
    if (!visit_is_page(v) || v->is_dropped)
        return;
    v->is_dropped = true;
    v->why = words_of(v, why);
    v->parsed.reference_count = 0;
    v->judged.unwanted_count = 0;
}
