/* SPDX-License-Identifier: Apache-2.0 */
#include "reading/html_links.h"

/* A feed is as deep as its page, like a sitemap: the URLs that it lists are one deeper. */
char html_link_hop(const struct page_link *link)
{
    if (link->is_feed)
        return HOP_PREREQUISITE;
    switch (link->kind) {
    case PAGE_NAV:
    case PAGE_FRAME:
    case PAGE_REFRESH:
    case PAGE_CANONICAL:
    case PAGE_ALTERNATE:
    case PAGE_LINK:
        return HOP_LINK;
    case PAGE_EMBED:
    case PAGE_STYLE:
    case PAGE_CSS:
    case PAGE_MANIFEST:
        return HOP_EMBED;
    default:
        return 0;
    }
}

/* "a/@href". Links of the same kind follow each other, so the last text is used again. */
struct context {
    enum element element;
    enum attribute attribute;
    struct str text;
};

static struct str context_of(struct arena *arena, const struct page_link *link,
                             struct context *last)
{
    if (last->text.p && last->element == link->element && last->attribute == link->attribute &&
        link->element != ELEMENT_OTHER)
        return last->text;
    bool is_style = link->attribute == ATTR_OTHER;
    const struct str pieces[] = {link->element_name, STR("/@"),
                                 is_style ? STR("css") : attribute_name(link->attribute)};
    *last = (struct context){link->element, link->attribute, arena_join(arena, pieces, 3)};
    return last->text;
}

void html_links_refer(const struct page *page, const struct reading_settings *s,
                      struct arena *arena, struct visit_parsed *parsed)
{
    struct context context = {0};
    bool none = reading_obeys_nofollow(s, parsed->robots_bits);
    for (size_t i = 0; i < page->link_count; i++) {
        const struct page_link *link = &page->links[i];
        char hop = html_link_hop(link);
        bool is_embed = hop == HOP_EMBED;
        bool skips = !hop || (!is_embed && (none || (link->nofollow && !s->follow_nofollow)));
        if (parsed->reference_count >= s->links) {
            parsed->is_cut = true;
            return;
        }
        if (skips)
            continue;
        if (!parsed_refer(parsed, arena, link->url, hop, context_of(arena, link, &context)))
            return;
        parsed->references[parsed->reference_count - 1].anchor = link->text;
    }
}
