/* SPDX-License-Identifier: Apache-2.0 */
#include "content/purpose.h"
#include "content/sheet.h"
#include "content/xml.h"
#include "world/put.h"

/* Seconds, with as many decimals as it takes. */
static void seconds_write(uint32_t ms, struct buf *out)
{
    buf_u64(out, ms / 1000);
    if (ms % 1000 == 0)
        return;
    put_byte(out, '.');
    for (uint32_t rest = ms % 1000, unit = 100; rest; rest %= unit, unit /= 10)
        put_byte(out, (char)('0' + rest / unit));
}

static void rules_write(const struct host_robots *r, bool upper, struct buf *out)
{
    put(out, upper ? STR("USER-AGENT: *\n") : STR("User-agent: *\n"));
    if (r->forbids_private)
        put(out,
            upper ? STR("DISALLOW: /private/ # not for robots\n") : STR("Disallow: /private/\n"));
    if (r->crawl_delay_ms) {
        PUT(out, "Crawl-delay: ");
        seconds_write(r->crawl_delay_ms, out);
        put_byte(out, '\n');
    }
}

void robots_txt_write(const struct world *w, uint32_t host, struct buf *out)
{
    struct host_robots r = host_robots(w, host);
    uint64_t chance = world_chance(w, PURPOSE_ROBOTS, host, 0);
    if (!r.exists)
        return;
    PUT(out, "# robots.txt of ");
    host_name(w, host, out);
    put_byte(out, '\n');
    if (chance % 5 == 0)
        PUT(out, "User-agent: ExampleBot\nUser-agent: example-images\nDisallow: /\n\n");
    rules_write(&r, chance >> 8 & 1, out);
    if (r.sitemaps && r.names_sitemap) {
        PUT(out, "\nSitemap: ");
        place_url(w, (struct place){host, PLACE_SITEMAP_INDEX, 0, 0}, out);
        put_byte(out, '\n');
    }
}
