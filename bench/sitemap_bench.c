/* SPDX-License-Identifier: Apache-2.0 */
#include "bench.h"

#include "base/buf.h"
#include "sitemap/sitemap.h"

enum { URLS = 50 * 1000, PIECE_BYTES = 16 << 10, FILE_MAX_BYTES = 64 << 20 };

static enum rc take(void *ctx, const struct sitemap_entry *entry)
{
    *(uint64_t *)ctx += entry->loc.n + (uint64_t)entry->lastmod_ms;
    return RC_OK;
}

static void put_indented(struct buf *b, unsigned i)
{
    buf_printf(b,
               "  <url>\n    <loc>https://www.example.com/catalogue/%u/item-%u.html?a=1&amp;b=%u"
               "</loc>\n    <lastmod>2024-%02u-%02uT10:11:12+00:00</lastmod>\n"
               "    <changefreq>weekly</changefreq>\n    <priority>0.%u</priority>\n  </url>\n",
               i % 97, i, i % 7, i % 12 + 1, i % 28 + 1, i % 10);
}

static void put_dense(struct buf *b, unsigned i)
{
    buf_printf(b, "<url><loc>https://www.example.com/%u/item-%u.html</loc></url>", i % 97, i);
}

static void put_alternates(struct buf *b, unsigned i)
{
    buf_printf(b, "<url><loc>https://www.example.com/en/%u</loc>", i);
    for (unsigned k = 0; k < 3; k++)
        buf_printf(b,
                   "<xhtml:link rel=\"alternate\" hreflang=\"l%u\" "
                   "href=\"https://www.example.com/l%u/%u\"/>",
                   k, k, i);
    buf_add(b, STR("</url>\n"));
}

static void put_line(struct buf *b, unsigned i)
{
    buf_printf(b, "https://www.example.com/catalogue/%u/item-%u.html\n", i % 97, i);
}

static uint64_t read_all(struct str file)
{
    uint64_t sum = 0;
    struct sitemap_options o = {.emit = take, .ctx = &sum};
    struct sitemap_reader *r;
    if (sitemap_open(&o, &r) != RC_OK)
        return 0;
    while (file.n) {
        if (sitemap_add(r, str_first(file, PIECE_BYTES)) != RC_OK)
            break;
        file = str_from(file, PIECE_BYTES);
    }
    if (sitemap_finish(r, true) == RC_OK)
        sum += sitemap_summary(r)->entries;
    sitemap_close(r);
    return sum;
}

static void run(const char *name, const char *head, void (*put)(struct buf *b, unsigned i))
{
    struct buf file;
    double ns;
    char label[96];
    buf_init(&file, FILE_MAX_BYTES);
    buf_add(&file, str_c(head));
    for (unsigned i = 0; i < URLS; i++)
        put(&file, i);
    BENCH_BEST(ns, file.n, {
        uint64_t sum = read_all(buf_str(&file));
        BENCH_USE(sum);
    });
    snprintf(label, sizeof label, "sitemap, 50,000 URLs, %s", name);
    bench_row(label, 1000 / ns, "MB/s", "several hundred");
    bench_row("", ns * (double)file.n / URLS, "ns/URL", "-");
    buf_done(&file);
}

int main(void)
{
    static const char urlset[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset>\n";
    run("indented, all fields", urlset, put_indented);
    run("dense, only loc", urlset, put_dense);
    run("three alternates each", urlset, put_alternates);
    run("a list", "", put_line);
    return 0;
}
