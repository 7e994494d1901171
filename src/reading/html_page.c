/* SPDX-License-Identifier: Apache-2.0 */
#include "reading/html_page.h"

#include "fetch/request.h"
#include "reading/html_links.h"
#include "reading/html_text.h"

/* What is asked for is paid for: texts for focus, texts and tags for compare. */
static struct page_options options_of(const struct reading_settings *s, const struct visit *v)
{
    unsigned texts = s->keywords.count ? PAGE_TEXT | PAGE_ANCHORS : 0;
    texts |= v->turn.is_compared ? PAGE_TEXT | PAGE_TAGS : 0;
    return (struct page_options){.parts = PAGE_LINKS | PAGE_HEAD | texts,
                                 .xml = v->parsed.media == MEDIA_XHTML,
                                 .agent = request_robots_token(s->user_agent)};
}

/* Tags are compared as a whole: of a page that was cut there are none. */
static void keep(const struct page *page, struct visit_parsed *parsed)
{
    parsed->visible = page->text;
    parsed->tags = page->tags_cut || page->text_cut ? NULL : page->tags;
    parsed->tag_count = page->tag_count;
    parsed->title = page->title;
    parsed->base = page->base;
    parsed->robots_bits |= page->robots;
    parsed->is_cut |= page->links_cut;
}

enum rc html_page_read(struct reading_tools *t, const struct reading_settings *s, struct visit *v)
{
    struct html_text html;
    enum rc rc = html_text_of(v->parsed.text, v->answer.heads.type, &t->utf8, &html);
    if (rc)
        return rc;
    struct page_options o = options_of(s, v);
    struct page page;
    v->parsed.charset = html.charset;
    rc = page_read(t->reader, &o, html.text, v->arena, &page);
    if (rc)
        return rc;
    v->parsed.text = html.text;
    v->parsed.is_page = v->answer.end.status == 200;
    keep(&page, &v->parsed);
    html_links_refer(&page, s, v->arena, &v->parsed);
    return RC_OK;
}
