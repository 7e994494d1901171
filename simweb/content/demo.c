/* SPDX-License-Identifier: Apache-2.0 */
#include "content/demo.h"

#include "content/looks.h"

void demo_settings(struct world_settings *s)
{
    s->demo = true;
    s->suffix = STR("localhost");
    s->hosts = 12;
    s->pages = 24;
    s->host_sizes = WORLD_SIZES_EQUAL;
    s->hosts_per_domain = 1;
    s->hosts_per_address = 12;
    s->page_bytes = 6144;
    s->page_spread = 0.5;
    s->links = 14;
    s->cross = 0.25;
    s->zipf = 0.8;
    s->depth = 2;
    s->images = 4;
    s->duplicates = 0.04;
    s->near_duplicates = 0.04;
    s->redirects = 0.06;
    s->forbidden = 0.04;
    s->nofollow = 0.02;
    s->https = 0;
    s->changing = 1.0 / 3;
    s->change_ms = UINT64_C(6) * 3600 * 1000;
    s->faults = (struct option_list){0};
    s->sprinkle = (struct option_list){0};
}

/* The index page ------------------------------------------------------------------------------*/

enum { MOST_CARDS = 24 };

struct index {
    const struct world *w;
    const struct demo_links *links;
    bool done[WORLD_MAX_LINKS];
};

static const struct link *link_at(const struct index *x, uint32_t nth)
{
    return &x->links->links->list[nth];
}

static bool link_is_of_body(enum link_kind kind)
{
    return kind == LINK_A || kind == LINK_A_NOFOLLOW || kind == LINK_AREA || kind == LINK_IFRAME ||
           kind == LINK_IMAGE;
}

static void link_put(struct index *x, uint32_t nth, struct str inner, struct buf *out)
{
    x->done[nth] = true;
    x->links->write(x->links->ctx, nth, inner, out);
}

/* The first link not yet placed of a kind; to the home page of `host` when that is not negative.
 * The count of all links if there is none. */
static uint32_t link_find(const struct index *x, enum link_kind kind, int64_t host)
{
    uint32_t count = x->links->links->count;
    for (uint32_t i = 0; i < count; i++) {
        const struct link *l = link_at(x, i);
        if (x->done[i] || l->kind != kind)
            continue;
        if (host < 0 || (l->to.kind == PLACE_PAGE && l->to.page == 0 && l->to.host == host))
            return i;
    }
    return count;
}

/* An image and, where the next one is its candidate in a srcset, that too. */
static bool image_put(struct index *x, struct buf *out)
{
    uint32_t nth = link_find(x, LINK_IMAGE, -1), count = x->links->links->count;
    if (nth == count)
        return false;
    char room[128];
    struct buf words = buf_on(room, sizeof(room));
    image_words(x->w, link_at(x, nth)->to, &words);
    link_put(x, nth, buf_str(&words), out);
    return true;
}

static void card_write(struct index *x, uint32_t host, struct buf *out)
{
    char room[256];
    struct buf name = buf_on(room, sizeof(room));
    demo_site_name(x->w, host, &name);
    buf_add(out, STR("<section class=\"card\">"));
    if (!image_put(x, out))
        emblem_write(x->w, host, out);
    buf_add(out, STR("<h3>"));
    uint32_t nth = link_find(x, LINK_A, host);
    if (nth < x->links->links->count)
        link_put(x, nth, buf_str(&name), out);
    else
        buf_add(out, buf_str(&name));
    buf_add(out, STR("</h3>\n<p>"));
    demo_site_line(x->w, host, out);
    buf_add(out, STR("</p>\n<span class=\"tag\">"));
    host_name(x->w, host, out);
    buf_printf(out, "</span> <span class=\"tag\">%u pages</span></section>\n",
               (unsigned)host_pages(x->w, host));
}

static void cards_write(struct index *x, struct buf *out)
{
    uint64_t hosts = world_settings(x->w)->hosts;
    buf_add(out, STR("<h2>The sites</h2>\n<div class=\"cards\">\n"));
    for (uint32_t host = 1; host < hosts && host < MOST_CARDS; host++)
        card_write(x, host, out);
    card_write(x, 0, out);
    buf_add(out, STR("</div>\n"));
}

/* What is left of one kind, as a list; areas need their map around them. */
static void rest_write(struct index *x, enum link_kind kind, const char *before, const char *after,
                       struct buf *out)
{
    uint32_t count = x->links->links->count;
    for (uint32_t i = 0; i < count; i++)
        if (!x->done[i] && link_at(x, i)->kind == kind && link_is_of_body(kind)) {
            buf_add(out, str_c(before));
            link_put(x, i, STR_NONE, out);
            buf_add(out, str_c(after));
        }
}

static void rests_write(struct index *x, struct buf *out)
{
    uint32_t count = x->links->links->count;
    buf_add(out, STR("<h2>More to read</h2>\n<ul class=\"links\">\n"));
    rest_write(x, LINK_A, "<li>", "</li>\n", out);
    rest_write(x, LINK_A_NOFOLLOW, "<li>", "</li>\n", out);
    buf_add(out, STR("</ul>\n"));
    if (link_find(x, LINK_AREA, -1) < count) {
        buf_add(out, STR("<map name=\"more\">\n"));
        rest_write(x, LINK_AREA, "", "\n", out);
        buf_add(out, STR("</map>\n"));
    }
    rest_write(x, LINK_IFRAME, "<p>", "</p>\n", out);
    rest_write(x, LINK_IMAGE, "<figure class=\"figure\">", "</figure>\n", out);
}

static void explain_special(const struct world *w, struct buf *out)
{
    const struct world_settings *s = world_settings(w);
    buf_add(out, STR("<h2>What is special here</h2>\n<ul>\n"));
    buf_printf(out,
               "<li><b>Redirects.</b> About %.0f in 100 pages answer with 301, 302, 303, 307 or 308"
               " and a Location.</li>\n",
               s->redirects * 100);
    buf_add(out, STR("<li><b>robots.txt.</b> Most sites have one. What lies below /private/ is"
                     " linked, and forbidden: a good crawler knows of it and never asks.</li>\n"));
    buf_printf(out,
               "<li><b>Copies.</b> %.0f in 100 pages have the bytes of another, %.0f in 100 differ"
               " by a sentence.</li>\n",
               s->duplicates * 100, s->near_duplicates * 100);
    buf_printf(out,
               "<li><b>Change.</b> %.0f in 100 pages change, every %.0f hours on average, in their"
               " structure, their text or their pictures. ETag and Last-Modified say so, and the"
               " clock can be moved.</li>\n",
               s->changing * 100, (double)s->change_ms / 3600000);
    buf_add(out,
            STR("<li><b>Sitemaps and feeds.</b> See sitemap.xml and feed.xml of each site.</li>"
                "\n<li><b>The truth.</b> simweb knows every page there is and writes down every"
                " request: nothing is left to belief.</li>\n</ul>\n"));
}

static void explain_use(const struct world *w, struct buf *out)
{
    buf_add(out, STR("<h2>How to crawl it</h2>\n<p>Every name ends in <code>"));
    buf_add(out, world_settings(w)->suffix);
    buf_add(out, STR("</code>, which is this machine: nothing here touches anybody's site. Begin at"
                     " this page with any crawler, or at one of the sites. The web answers as a"
                     " proxy too, for crawlers that do not find the names:</p>\n"
                     "<pre>http_proxy=127.0.0.1:"));
    buf_u64(out, world_settings(w)->http_port);
    buf_add(out, STR(" wget -q -r -l 3 --wait 0.2 --delete-after "));
    host_origin(w, world_settings(w)->hosts > 1 ? 1 : 0, false, out);
    buf_add(out, STR("/\nsimweb report\nsimweb oracle --seed-url "));
    host_origin(w, world_settings(w)->hosts > 1 ? 1 : 0, false, out);
    buf_add(out, STR("/</pre>\n<p>The report says what was asked for and how politely, the oracle"
                     " what a correct crawl must have fetched.</p>\n"));
}

void demo_index_write(const struct world *w, const struct demo_links *links, struct buf *out)
{
    struct index x = {.w = w, .links = links};
    buf_add(out, STR("<h1>A small web, to be crawled</h1>\n<p class=\"lead\">This is simweb: "));
    buf_u64(out, world_settings(w)->hosts);
    buf_add(out,
            STR(" sites that exist only while the program runs. Every page, link and picture is"
                " computed from one number at the moment somebody asks for it.</p>\n"));
    cards_write(&x, out);
    buf_add(out, STR("<aside class=\"box\">"));
    explain_special(w, out);
    buf_add(out, STR("</aside>\n"));
    explain_use(w, out);
    rests_write(&x, out);
}
