/* SPDX-License-Identifier: Apache-2.0 */
#include "components/view.h"

#include "components/visit.h"

enum { WHY_MAX_BYTES = 200 };

struct visit *visit_view(struct message *m)
{
    return visit_of(m);
}

bool visit_is_page(const struct visit *v)
{
    return v->kind == VISIT_PAGE && v->answer;
}

struct str visit_url(const struct visit *v)
{
    return visit_is_list(v) ? STR_NONE : url_href(&v->url);
}

unsigned visit_status(const struct visit *v)
{
    return v->answer ? v->end.status : 0;
}

struct str visit_mime(const struct visit *v)
{
    return v->mime;
}

struct str visit_title(const struct visit *v)
{
    return v->title;
}

struct str visit_text(const struct visit *v)
{
    return v->text;
}

/* The text comes from outside: a line of crawl.log must stay one. */
static const char *words_of(struct visit *v, struct str why)
{
    struct str copy = arena_dup(v->arena, str_first(why, WHY_MAX_BYTES));
    char *text = copy.p ? arena_alloc(v->arena, copy.n + 1) : NULL;
    if (!text || !copy.n)
        return "dropped";
    for (size_t i = 0; i < copy.n; i++) {
        unsigned char c = (unsigned char)copy.p[i];
        text[i] = (char)(c < ' ' || c == 0x7f ? '?' : c);
    }
    text[copy.n] = '\0';
    return text;
}

void visit_drop(struct visit *v, struct str why)
{
    if (!visit_is_page(v) || v->is_dropped)
        return;
    v->is_dropped = true;
    v->why = words_of(v, why);
    v->reference_count = 0;
    v->unwanted_count = 0;
}
