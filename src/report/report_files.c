/* SPDX-License-Identifier: Apache-2.0 */
/* The four files that tools for Heritrix's reports read: a line of column names in brackets, then a
 * line a row, fields parted by blanks. */
#include "report/report.h"

#include "archive/line_source.h"
#include "outputs/crawl_dir.h"

enum { STEP_BYTES = 256 << 10, LINE_MAX_BYTES = 1 << 20 };

static int most_first(uint64_t a, uint64_t b, struct str a_name, struct str b_name)
{
    return a > b ? -1 : a < b ? 1 : str_cmp(a_name, b_name);
}

int report_by_host_urls(const void *a, const void *b)
{
    const struct report_host *x = *(struct report_host *const *)a;
    const struct report_host *y = *(struct report_host *const *)b;
    return most_first(x->urls, y->urls, x->name, y->name);
}

int report_by_mime_urls(const void *a, const void *b)
{
    const struct report_mime *x = *(struct report_mime *const *)a;
    const struct report_mime *y = *(struct report_mime *const *)b;
    return most_first(x->urls, y->urls, x->name, y->name);
}

int report_by_code_urls(const void *a, const void *b)
{
    const struct report_code *x = *(struct report_code *const *)a;
    const struct report_code *y = *(struct report_code *const *)b;
    return most_first(x->urls, y->urls, x->name, y->name);
}

static void print_host(const void *row, struct buf *out)
{
    const struct report_host *h = row;
    const uint64_t before[] = {h->urls, h->bytes};
    const uint64_t behind[] = {
        h->robots,         h->remaining,       h->novel_urls,        h->novel_bytes,
        h->duplicate_urls, h->duplicate_bytes, h->not_modified_urls, h->not_modified_bytes};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        buf_u64(out, before[i]);
        buf_byte(out, ' ');
    }
    buf_add(out, h->name);
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        buf_byte(out, ' ');
        buf_u64(out, behind[i]);
    }
}

static void print_mime(const void *row, struct buf *out)
{
    const struct report_mime *m = row;
    buf_u64(out, m->urls);
    buf_byte(out, ' ');
    buf_u64(out, m->bytes);
    buf_byte(out, ' ');
    buf_add(out, m->name);
}

static void print_code(const void *row, struct buf *out)
{
    const struct report_code *c = row;
    buf_u64(out, c->urls);
    buf_byte(out, ' ');
    buf_add(out, c->name);
}

/* As Heritrix's: a seed is crawled when it was answered. One that was not asked for yet has code 0,
 * unattempted, where Heritrix has -1, which here is a name without an address. */
static void print_seed(const void *row, struct buf *out)
{
    const struct report_seed *s = row;
    if (s->is_redirect)
        return;
    buf_printf(out, "%d %s " STR_FMT, s->is_done ? s->code : 0,
               s->is_done && s->code > 0 ? "CRAWLED" : "NOTCRAWLED", STR_ARG(s->url));
    if (s->redirect.p) {
        buf_byte(out, ' ');
        buf_add(out, s->redirect);
    }
}

struct file {
    const char *path;
    const char *columns;
    int (*before)(const void *a, const void *b); /* NULL: as they came */
    void (*print)(const void *row, struct buf *out);
};

static enum rc write_rows(struct line_sink *sink, struct tally *t, const struct file *f)
{
    struct buf line = {.max = LINE_MAX_BYTES};
    void **rows = f->before ? tally_sorted(t, f->before) : NULL;
    enum rc rc = f->before && !rows ? RC_NOMEM : line_sink_add(sink, str_c(f->columns));
    for (uint32_t i = 0; i < tally_count(t) && rc == RC_OK; i++) {
        buf_clear(&line);
        f->print(rows ? rows[i] : tally_at(t, i), &line);
        if (line.n)
            buf_byte(&line, '\n');
        rc = buf_rc(&line);
        rc = rc ? rc : line_sink_add(sink, buf_str(&line));
    }
    buf_done(&line);
    return rc;
}

static enum rc write_file(struct disk *crawl, struct tally *t, const struct file *f)
{
    char part[DISK_MAX_PATH_BYTES];
    struct buf name = buf_on(part, sizeof part);
    struct line_sink sink = {0};
    buf_printf(&name, "%s.new", f->path);
    if (!buf_c(&name))
        return RC_LIMIT;
    enum rc rc = line_sink_open(&sink, crawl, part, STEP_BYTES);
    rc = rc ? rc : write_rows(&sink, t, f);
    rc = rc ? rc : line_sink_end(&sink, true);
    line_sink_done(&sink);
    return rc ? rc : disk_rename(crawl, part, f->path);
}

enum rc report_write_files(struct disk *crawl, struct report *r)
{
    static const struct file seeds = {"reports/seeds-report.txt",
                                      "[code] [status] [seed] [redirect]\n", NULL, print_seed};
    static const struct file hosts = {
        "reports/hosts-report.txt",
        "[#urls] [#bytes] [host] [#robots] [#remaining] [#novel-urls] [#novel-bytes] "
        "[#dup-by-hash-urls] [#dup-by-hash-bytes] [#not-modified-urls] [#not-modified-bytes]\n",
        report_by_host_urls, print_host};
    static const struct file mimes = {"reports/mimetype-report.txt",
                                      "[#urls] [#bytes] [mime-types]\n", report_by_mime_urls,
                                      print_mime};
    static const struct file codes = {"reports/responsecode-report.txt", "[#urls] [rescode]\n",
                                      report_by_code_urls, print_code};
    enum rc rc = crawl_dir_folder(crawl, "reports");
    rc = rc ? rc : write_file(crawl, &r->seeds, &seeds);
    rc = rc ? rc : write_file(crawl, &r->hosts, &hosts);
    rc = rc ? rc : write_file(crawl, &r->mimes, &mimes);
    rc = rc ? rc : write_file(crawl, &r->codes, &codes);
    return rc ? rc : disk_dirsync(crawl, "reports");
}
