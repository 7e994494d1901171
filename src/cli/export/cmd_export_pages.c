/* SPDX-License-Identifier: Apache-2.0 */
/* export pages: the pages of a crawl, a line each. */
#include "cli/commands.h"
#include "cli/crawl_arg.h"
#include "cli/crawl_dirs.h"

#include "base/utf8.h"
#include "outputs/page_line.h"

enum { LINE_MAX_BYTES = 8 << 20 };

struct settings {
    struct str output;
    bool json, here;
};

struct printing {
    struct crawl_output out;
    struct buf line;
    bool is_json;
    uint64_t count;
};

/* A title is the page's own: what would end a field becomes a blank, what would steer a terminal is
 * escaped. */
static void add_field(struct buf *out, struct str s)
{
    size_t from = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] != '\t' && s.p[i] != '\n' && s.p[i] != '\r')
            continue;
        buf_visible(out, str_make(s.p + from, i - from));
        buf_byte(out, ' ');
        from = i + 1;
    }
    buf_visible(out, str_from(s, from));
}

static void print_tsv(const struct page_line *p, struct buf *out)
{
    const struct str texts[] = {p->mime, p->title};
    add_field(out, p->url);
    buf_byte(out, '\t');
    add_field(out, p->ts);
    buf_byte(out, '\t');
    if (p->status)
        buf_u64(out, p->status);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        buf_byte(out, '\t');
        add_field(out, texts[i]);
    }
    buf_byte(out, '\t');
    buf_u64(out, p->depth);
    buf_add(out, p->seed ? STR("\tseed") : STR("\t"));
}

static enum rc print_page(void *ctx, const struct page_line *p)
{
    struct printing *w = ctx;
    buf_clear(&w->line);
    if (w->is_json)
        buf_add(&w->line, p->json);
    else
        print_tsv(p, &w->line);
    buf_byte(&w->line, '\n');
    w->count++;
    enum rc rc = buf_rc(&w->line);
    return rc ? rc : crawl_output_write(&w->out, buf_str(&w->line));
}

static int print_all(const struct invocation *in, const struct crawl_dirs *dirs, struct printing *w)
{
    uint64_t damaged = 0;
    enum rc rc = RC_OK;
    if (!w->is_json)
        rc = crawl_output_write(&w->out, STR("url\tts\tstatus\tmime\ttitle\tdepth\tseed\n"));
    for (size_t i = 0; i < dirs->count && rc == RC_OK; i++) {
        uint64_t more = 0;
        rc = page_lines(dirs->disks[i], print_page, w, &more);
        damaged += more;
    }
    if (rc)
        return crawl_arg_fail(in, rc, NULL);
    (void)fprintf(stderr, "%llu pages, %llu damaged lines\n", (unsigned long long)w->count,
                  (unsigned long long)damaged);
    return EXIT_DONE;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct crawl_dirs_want want = {.files = 1u << PIECE_PAGES | 1u << PIECE_EXTRA_PAGES,
                                   .here = s->here};
    struct crawl_dirs dirs = {0};
    int code = crawl_dirs_open(in, &want, &dirs);
    if (code != EXIT_DONE)
        return code;
    struct printing w = {.line = {.max = LINE_MAX_BYTES}, .is_json = s->json};
    code = crawl_output_open(&w.out, s->output);
    if (code == EXIT_DONE)
        code = crawl_output_close(&w.out, print_all(in, &dirs, &w));
    buf_done(&w.line);
    code = crawl_dirs_end(&dirs, code);
    crawl_dirs_close(&dirs);
    return code;
}

static const struct option options[] = {
    OPTION_TEXT_ROW(struct settings, output, "output", NULL,
                    "where the lines go; else standard output", .letter = 'o', .arg = "FILE"),
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "JSON lines, as the crawl wrote them",
                    .letter = 'j'),
    OPTION_BOOL_ROW(struct settings, here, "here", "no",
                    "of an agent of a cluster: its own directory alone"),
    {0},
};

const struct command cmd_export_pages = {
    .name = "export pages",
    .args = "DIR...",
    .summary = "the pages of a crawl, a line each",
    .details =
        "Seeds first, then the others, as they were fetched: tab-separated fields under a\n"
        "line of their names (url, ts, status, mime, title, depth, seed), or JSON lines. Of\n"
        "several directories, or the folder of `cluster up`, one after the other. The directory\n"
        "of an agent of a cluster that runs, and the operator's folder, stand for the whole crawl.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
