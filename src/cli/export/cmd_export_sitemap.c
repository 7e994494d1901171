/* SPDX-License-Identifier: Apache-2.0 */
/* export sitemap: the pages of a crawl as a sitemap. */
#include "cli/commands.h"
#include "cli/crawl_arg.h"
#include "cli/crawl_dirs.h"

#include "report/sitemap_out.h"

struct settings {
    struct str output, base;
    uint64_t most;
    bool here;
};

/* One file is open at a time; parts come one behind the other, the index last. */
struct files {
    struct str stem; /* of the output, without ".xml"; absent: standard output */
    struct arena *arena;
    struct crawl_output out;
    bool is_open;
    uint64_t part;
    int code;
};

static struct str last_name(struct str path)
{
    for (size_t i = path.n; i-- > 0;)
        if (path.p[i] == '/')
            return str_from(path, i + 1);
    return path;
}

static void name_part(void *ctx, uint64_t part, struct buf *out)
{
    const struct files *f = ctx;
    buf_printf(out, STR_FMT "-%llu.xml", STR_ARG(last_name(f->stem)), (unsigned long long)part);
}

static int open_part(struct files *f, uint64_t part)
{
    struct str path = STR_NONE;
    if (!f->stem.p && part)
        return cli_fail(EXIT_USAGE, "more pages than one sitemap may hold: expected -o FILE.xml");
    if (f->stem.p)
        path = part ? arena_printf(f->arena, STR_FMT "-%llu.xml", STR_ARG(f->stem),
                                   (unsigned long long)part)
                    : arena_printf(f->arena, STR_FMT ".xml", STR_ARG(f->stem));
    if (f->stem.p && !path.p)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    return crawl_output_open(&f->out, path);
}

static enum rc write_part(void *ctx, uint64_t part, struct str bytes)
{
    struct files *f = ctx;
    if (f->is_open && f->part != part) {
        f->is_open = false;
        f->code = crawl_output_close(&f->out, EXIT_DONE);
    }
    if (f->code == EXIT_DONE && !f->is_open) {
        f->code = open_part(f, part);
        f->is_open = f->code == EXIT_DONE;
        f->part = part;
    }
    return f->code == EXIT_DONE ? crawl_output_write(&f->out, bytes) : RC_CLOSED;
}

static int write_all(struct invocation *in, struct crawl_set crawls, struct files *f)
{
    const struct settings *s = in->settings;
    struct sitemap_out_counts counts = {0};
    struct str slash = s->base.n && !str_ends(s->base, STR("/")) ? STR("/") : STR("");
    struct sitemap_out o = {
        .base = arena_printf(in->arena, STR_FMT STR_FMT, STR_ARG(s->base), STR_ARG(slash)),
        .max_urls = s->most,
        .write = write_part,
        .name = name_part,
        .ctx = f,
    };
    enum rc rc = sitemap_out(crawls, &o, &counts);
    int code = f->code != EXIT_DONE ? f->code : rc ? crawl_arg_fail(in, rc, NULL) : EXIT_DONE;
    if (f->is_open)
        code = crawl_output_close(&f->out, code);
    if (code == EXIT_DONE)
        (void)fprintf(stderr, "%llu pages, %llu files\n", (unsigned long long)counts.urls,
                      (unsigned long long)counts.parts + 1);
    if (code == EXIT_DONE && counts.parts && !s->base.n)
        (void)fprintf(stderr, "the index names its parts without a folder; --base URL says where "
                              "they will stand\n");
    return code;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct crawl_dirs_want want = {.files = 1u << PIECE_PAGES | 1u << PIECE_EXTRA_PAGES,
                                   .here = s->here};
    struct crawl_dirs dirs = {0};
    struct files f = {.arena = in->arena, .code = EXIT_DONE};
    bool is_file = s->output.n && !str_eq(s->output, STR("-"));
    if (is_file && !str_ends(s->output, STR(".xml")))
        return cli_fail(EXIT_USAGE, "--output: expected a name that ends with .xml");
    if (is_file)
        f.stem = str_first(s->output, s->output.n - STR(".xml").n);
    int code = crawl_dirs_open(in, &want, &dirs);
    if (code == EXIT_DONE)
        code = write_all(in, crawl_dirs_set(&dirs), &f);
    code = crawl_dirs_end(&dirs, code);
    crawl_dirs_close(&dirs);
    return code;
}

static const struct option options[] = {
    OPTION_TEXT_ROW(struct settings, output, "output", NULL,
                    "where the sitemap goes; else standard output", .letter = 'o',
                    .arg = "FILE.xml"),
    OPTION_TEXT_ROW(struct settings, base, "base", NULL,
                    "where the files will stand, for the index of several", .arg = "URL"),
    OPTION_COUNT_ROW(struct settings, most, "most", "50000", "URLs a file holds", .min = 1,
                     .max = SITEMAP_OUT_MAX_URLS),
    OPTION_BOOL_ROW(struct settings, here, "here", "no",
                    "of an agent of a cluster: its own directory alone"),
    {0},
};

const struct command cmd_export_sitemap = {
    .name = "export sitemap",
    .args = "DIR...",
    .summary = "a sitemap of the pages of a crawl",
    .details =
        "Lists every page that was HTML and answered with 200, once, with the date of its last\n"
        "capture. When there are more than a sitemap may hold they stand in FILE-1.xml,\n"
        "FILE-2.xml and so on, and FILE.xml is an index of these. Several directories, or the\n"
        "folder of `cluster up`, are one crawl. So is the directory of an agent of a cluster that\n"
        "runs, and the operator's folder: other agents are asked.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
