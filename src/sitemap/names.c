/* SPDX-License-Identifier: Apache-2.0 */
#include "sitemap/names.h"

#include "base/bytes.h"

enum { NAME_MAX_BYTES = 16 };

/* Padded with zeroes, so that a name is two numbers to compare. */
struct name {
    char text[NAME_MAX_BYTES];
    enum element element;
};

/* By length; within a length the frequent ones first. */
static const struct name names[] = {
    {"id", EL_ID},
    {"url", EL_URL},
    {"loc", EL_LOC},
    {"rss", EL_RSS},
    {"rdf", EL_RDF},
    {"link", EL_LINK},
    {"item", EL_ITEM},
    {"guid", EL_GUID},
    {"date", EL_DATE},
    {"news", EL_NEWS},
    {"feed", EL_FEED},
    {"html", EL_HTML},
    {"image", EL_IMAGE},
    {"entry", EL_ENTRY},
    {"video", EL_VIDEO},
    {"urlset", EL_URLSET},
    {"source", EL_SOURCE},
    {"issued", EL_ISSUED},
    {"lastmod", EL_LASTMOD},
    {"sitemap", EL_SITEMAP},
    {"pubdate", EL_PUBDATE},
    {"updated", EL_UPDATED},
    {"content", EL_CONTENT},
    {"created", EL_CREATED},
    {"pagemap", EL_PAGEMAP},
    {"priority", EL_PRIORITY},
    {"modified", EL_MODIFIED},
    {"published", EL_PUBLISHED},
    {"enclosure", EL_ENCLOSURE},
    {"thumbnail", EL_THUMBNAIL},
    {"changefreq", EL_CHANGEFREQ},
    {"player_loc", EL_PLAYER_LOC},
    {"content_loc", EL_CONTENT_LOC},
    {"sitemapindex", EL_SITEMAPINDEX},
    {"thumbnail_loc", EL_THUMBNAIL_LOC},
};

/* Where the names of each length begin, and behind the last where they end. */
static const uint8_t first_of_length[] = {0, 0, 0, 1, 5, 12, 15, 18, 25, 27, 30, 32, 33, 34, 35};
enum { LONGEST = 13 };

_Static_assert(sizeof names / sizeof *names == 35, "first_of_length counts them");

/* Bit 5 set makes letters lower-case. What else it makes alike (_ and DEL) stands in no two names.
 */
static uint64_t folded(const char *eight)
{
    return get_le64(eight) | UINT64_C(0x2020202020202020);
}

enum element element_of(struct str local)
{
    if (local.n > LONGEST || local.n == 0)
        return EL_NONE;
    char text[NAME_MAX_BYTES] = {0};
    memcpy(text, local.p, local.n);
    uint64_t low = folded(text), high = folded(text + 8);
    for (size_t i = first_of_length[local.n]; i < first_of_length[local.n + 1]; i++)
        if (folded(names[i].text) == low && folded(names[i].text + 8) == high)
            return names[i].element;
    return EL_NONE;
}
