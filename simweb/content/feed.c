/* SPDX-License-Identifier: Apache-2.0 */
#include "content/feed.h"

#include "content/purpose.h"
#include "content/sheet.h"
#include "content/xml.h"
#include "world/put.h"

enum { TITLE_BYTES = 400 };

bool feed_is_atom(const struct world *w, uint32_t host)
{
    return world_chance(w, PURPOSE_FEED, host, 0) & 1;
}

static void title_write(const struct world *w, struct place p, bool of_site, struct buf *out)
{
    char room[TITLE_BYTES];
    struct buf title = buf_on(room, sizeof room);
    if (of_site)
        site_name_write(w, p.host, &title);
    else
        page_title_write(w, p.host, p.page, &title);
    PUT(out, "<title>");
    xml_text(buf_str(&title), out);
    PUT(out, "</title>");
}

/* As of the feed's own latest change, after which none of its pages changed. */
static uint64_t changed_ms(const struct world *w, struct place p, struct version of_feed)
{
    return place_version(w, p, of_feed.changed_ms).changed_ms;
}

static void rss_item(const struct world *w, struct place p, struct version v, struct buf *out)
{
    PUT(out, "<item>");
    title_write(w, p, false, out);
    PUT(out, "<link>");
    xml_url(w, p, out);
    PUT(out, "</link><pubDate>");
    date_write_822(changed_ms(w, p, v), out);
    PUT(out, "</pubDate></item>\n");
}

/* The channel's <link> must be there and should be the home page; it is the feed itself, so that it
 * leads nowhere that the feed does not list. */
static void rss_write(const struct world *w, struct place feed, struct version v,
                      const struct links *links, struct buf *out)
{
    PUT(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rss version=\"2.0\">\n<channel>");
    title_write(w, feed, true, out);
    PUT(out, "<link>");
    xml_url(w, feed, out);
    PUT(out, "</link><description>The newest pages</description>\n");
    for (uint32_t i = 0; i < links->count; i++)
        rss_item(w, links->list[i].to, v, out);
    PUT(out, "</channel>\n</rss>\n");
}

static void atom_entry(const struct world *w, struct place p, struct version v, struct buf *out)
{
    PUT(out, "<entry>");
    title_write(w, p, false, out);
    PUT(out, "<link href=\"");
    xml_url(w, p, out);
    PUT(out, "\"/><id>");
    xml_url(w, p, out);
    PUT(out, "</id><updated>");
    date_write_w3c(changed_ms(w, p, v), out);
    PUT(out, "</updated></entry>\n");
}

static void atom_write(const struct world *w, struct place feed, struct version v,
                       const struct links *links, struct buf *out)
{
    PUT(out, "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
             "<feed xmlns=\"http://www.w3.org/2005/Atom\">");
    title_write(w, feed, true, out);
    PUT(out, "<link rel=\"self\" href=\"");
    xml_url(w, feed, out);
    PUT(out, "\"/><id>");
    xml_url(w, feed, out);
    PUT(out, "</id><updated>");
    date_write_w3c(v.changed_ms, out);
    PUT(out, "</updated>\n");
    for (uint32_t i = 0; i < links->count; i++)
        atom_entry(w, links->list[i].to, v, out);
    PUT(out, "</feed>\n");
}

void feed_write(const struct world *w, uint32_t host, struct version version,
                const struct links *links, struct buf *out)
{
    struct place feed = {host, PLACE_FEED, 0, 0};
    if (feed_is_atom(w, host))
        atom_write(w, feed, version, links, out);
    else
        rss_write(w, feed, version, links, out);
}
