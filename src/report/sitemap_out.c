/* SPDX-License-Identifier: Apache-2.0 */
/* Two passes over the sorted pages: the first counts URLs and parts, the second writes. */
#include "report/sitemap_out.h"

#include "archive/line_source.h"
#include "outputs/crawl_dir.h"
#include "outputs/page_line.h"

enum { STEP_BYTES = 256 << 10, LINE_MAX_BYTES = 1 << 20, FLUSH_BYTES = 64 << 10 };

static const char xml_head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
static const char ns[] = "http://www.sitemaps.org/schemas/sitemap/0.9";

/* Choosing and sorting ------------------------------------------------------------------------ */

static bool is_html(struct str mime)
{
    mime = str_trim(str_take_until(&mime, ';'));
    return str_eq_nocase(mime, STR("text/html")) ||
           str_eq_nocase(mime, STR("application/xhtml+xml"));
}

struct choosing {
    struct line_sink sink;
    struct buf line;
};

/* A line "url ts": URLs have no blanks in them. */
static enum rc choose_page(void *ctx, const struct page_line *p)
{
    struct choosing *c = ctx;
    if (p->status != 200 || !is_html(p->mime) || str_find(p->url, ' ') < p->url.n ||
        str_find(p->url, '\n') < p->url.n || str_find(p->ts, '\n') < p->ts.n)
        return RC_OK;
    buf_clear(&c->line);
    buf_add(&c->line, p->url);
    buf_byte(&c->line, ' ');
    buf_add(&c->line, p->ts);
    buf_byte(&c->line, '\n');
    enum rc rc = buf_rc(&c->line);
    return rc ? rc : line_sink_add(&c->sink, buf_str(&c->line));
}

static enum rc choose_pages(struct crawl_set crawls, struct disk *scratch, uint64_t *damaged)
{
    struct choosing c = {.line = {.max = LINE_MAX_BYTES}};
    enum rc rc = line_sink_open(&c.sink, scratch, "scratch/pages.part", STEP_BYTES);
    for (size_t i = 0; i < crawls.count && rc == RC_OK; i++) {
        uint64_t more = 0;
        rc = page_lines(crawls.list[i], choose_page, &c, &more);
        *damaged += more;
    }
    rc = rc ? rc : line_sink_end(&c.sink, false);
    line_sink_done(&c.sink);
    buf_done(&c.line);
    return rc ? rc : crawl_scratch_sort(scratch, "scratch/pages.part", "scratch/pages");
}

/* Writing ------------------------------------------------------------------------------------- */

struct writing {
    const struct sitemap_out *o;
    bool is_counting;
    uint64_t part, in_part, bytes; /* of the part being written */
    uint64_t urls, parts;          /* parts of one file: 1 */
    uint64_t goes_on;              /* parts in all, known when writing */
    struct buf out, last;          /* last: the line to be written unless its URL comes again */
};

static void add_escaped(struct buf *out, struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        switch (c) {
        case '&':
            buf_add(out, STR("&amp;"));
            break;
        case '<':
            buf_add(out, STR("&lt;"));
            break;
        case '>':
            buf_add(out, STR("&gt;"));
            break;
        case '\'':
            buf_add(out, STR("&apos;"));
            break;
        case '"':
            buf_add(out, STR("&quot;"));
            break;
        default:
            if ((unsigned char)c >= ' ')
                buf_byte(out, c);
        }
    }
}

static enum rc flush(struct writing *w, size_t least)
{
    enum rc rc = buf_rc(&w->out);
    if (rc || w->out.n < least)
        return rc;
    rc = w->is_counting ? RC_OK
                        : w->o->write(w->o->ctx, w->goes_on > 1 ? w->part : 0, buf_str(&w->out));
    buf_clear(&w->out);
    return rc;
}

static enum rc begin_part(struct writing *w)
{
    w->part = ++w->parts;
    w->in_part = w->bytes = 0;
    buf_printf(&w->out, "%s<urlset xmlns=\"%s\">\n", xml_head, ns);
    return flush(w, 0);
}

static enum rc end_part(struct writing *w)
{
    buf_add(&w->out, STR("</urlset>\n"));
    return flush(w, 0);
}

static enum rc write_last(struct writing *w)
{
    struct str ts = buf_str(&w->last), url = str_take_until(&ts, ' ');
    size_t before = w->out.n;
    enum rc rc = RC_OK;
    if (w->in_part == w->o->max_urls || w->bytes > SITEMAP_OUT_MAX_BYTES - LINE_MAX_BYTES) {
        rc = end_part(w);
        rc = rc ? rc : begin_part(w);
        before = w->out.n;
    }
    buf_add(&w->out, STR("<url><loc>"));
    add_escaped(&w->out, url);
    buf_add(&w->out, STR("</loc>"));
    if (ts.n) {
        buf_add(&w->out, STR("<lastmod>"));
        add_escaped(&w->out, ts);
        buf_add(&w->out, STR("</lastmod>"));
    }
    buf_add(&w->out, STR("</url>\n"));
    w->bytes += w->out.n - before;
    w->in_part++;
    w->urls++;
    return rc ? rc : flush(w, FLUSH_BYTES);
}

static struct str url_of(struct str line)
{
    return str_take_until(&line, ' ');
}

static enum rc take_page(void *ctx, struct str line)
{
    struct writing *w = ctx;
    enum rc rc = RC_OK;
    if (w->last.n && !str_eq(url_of(buf_str(&w->last)), url_of(line)))
        rc = write_last(w);
    buf_clear(&w->last);
    buf_add(&w->last, line);
    return rc ? rc : buf_rc(&w->last);
}

static enum rc write_pages(struct disk *scratch, struct writing *w)
{
    enum rc rc = begin_part(w);
    rc = rc ? rc : crawl_dir_each(scratch, "scratch/pages", take_page, w);
    if (rc == RC_OK && w->last.n)
        rc = write_last(w);
    buf_clear(&w->last);
    return rc ? rc : end_part(w);
}

static enum rc write_index(struct writing *w)
{
    struct buf name = {.max = 4096};
    enum rc rc = RC_OK;
    w->part = 0;
    buf_printf(&w->out, "%s<sitemapindex xmlns=\"%s\">\n", xml_head, ns);
    for (uint64_t part = 1; part <= w->parts && rc == RC_OK; part++) {
        buf_clear(&name);
        w->o->name(w->o->ctx, part, &name);
        buf_add(&w->out, STR("<sitemap><loc>"));
        add_escaped(&w->out, w->o->base);
        add_escaped(&w->out, buf_str(&name));
        buf_add(&w->out, STR("</loc></sitemap>\n"));
        rc = flush(w, FLUSH_BYTES);
    }
    buf_add(&w->out, STR("</sitemapindex>\n"));
    buf_done(&name);
    return rc ? rc : flush(w, 0);
}

enum rc sitemap_out(struct crawl_set crawls, const struct sitemap_out *o,
                    struct sitemap_out_counts *ret)
{
    struct crawl_scratch scratch;
    struct buf out = {.max = 16 << 20}, last = {.max = LINE_MAX_BYTES};
    struct writing counting = {.o = o, .is_counting = true, .out = out, .last = last};
    *ret = (struct sitemap_out_counts){0};
    enum rc rc = crawl_scratch_open(crawls.list[0], &scratch);
    rc = rc ? rc : choose_pages(crawls, scratch.disk, &ret->damaged);
    rc = rc ? rc : write_pages(scratch.disk, &counting);
    struct writing w = {.o = o, .goes_on = counting.parts, .out = out, .last = last};
    rc = rc ? rc : write_pages(scratch.disk, &w);
    if (rc == RC_OK && w.parts > 1)
        rc = write_index(&w);
    ret->urls = w.urls;
    ret->parts = w.parts > 1 ? w.parts : 0;
    crawl_scratch_close(&scratch);
    buf_done(&counting.out);
    buf_done(&counting.last);
    buf_done(&w.out);
    buf_done(&w.last);
    return rc;
}
