/* SPDX-License-Identifier: Apache-2.0 */
#include "content/xml.h"
#include "world/put.h"

#define XML_HEAD "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
#define SITEMAP_SPACE "http://www.sitemaps.org/schemas/sitemap/0.9"

/* One <sitemap> or <url>. Nothing the sitemap lists has changed since the sitemap itself did, so
 * asking for that moment gives each page's latest change. */
static void entry_write(const struct world *w, struct place p, struct version of_file,
                        struct str element, struct buf *out)
{
    struct version v = place_version(w, p, of_file.changed_ms);
    put_byte(out, '<');
    put(out, element);
    PUT(out, "><loc>");
    xml_url(w, p, out);
    PUT(out, "</loc><lastmod>");
    date_write_w3c(v.changed_ms, out);
    PUT(out, "</lastmod></");
    put(out, element);
    PUT(out, ">\n");
}

void sitemap_index_write(const struct world *w, const struct links *links, struct version version,
                         struct buf *out)
{
    PUT(out, XML_HEAD "<sitemapindex xmlns=\"" SITEMAP_SPACE "\">\n");
    for (uint32_t i = 0; i < links->count; i++)
        entry_write(w, links->list[i].to, version, STR("sitemap"), out);
    PUT(out, "</sitemapindex>\n");
}

void sitemap_write(const struct world *w, const struct links *links, struct version version,
                   struct buf *out)
{
    PUT(out, XML_HEAD "<urlset xmlns=\"" SITEMAP_SPACE "\">\n");
    for (uint32_t i = 0; i < links->count; i++)
        entry_write(w, links->list[i].to, version, STR("url"), out);
    PUT(out, "</urlset>\n");
}
