/* SPDX-License-Identifier: Apache-2.0 */
/* export links: the numbered graph of a crawl, or the pages that link to a URL. */
#include "cli/commands.h"
#include "cli/crawl_arg.h"
#include "cli/crawl_dirs.h"
#include "cli/stopped_crawl.h"

#include "base/jsonw.h"
#include "outputs/crawl_dir.h"
#include "report/graph.h"
#include "url/idn.h"
#include "url/normalise.h"

#include <unistd.h>

enum { OUT_MAX_BYTES = 4 << 20, FLUSH_BYTES = 64 << 10, WHY_MAX_BYTES = 8192 };

struct settings {
    struct str output, to;
    bool json, here;
};

/* Pages that link to a URL -------------------------------------------------------------------- */

struct query {
    struct url_idn *idn;
    struct url_parser parser;
    struct url url;
    struct buf out;
    struct jsonw json;
    bool is_json;
    uint64_t count;
    char room[URL_ROOM_BYTES];
};

static enum rc print_page(void *ctx, struct str url, struct str seed_path)
{
    struct query *q = ctx;
    q->count++;
    if (q->is_json) {
        jsonw_object(&q->json);
        jsonw_text_field(&q->json, "url", url);
        jsonw_text_field(&q->json, "hops", seed_path);
        jsonw_end(&q->json);
    } else {
        buf_printf(&q->out, STR_FMT "\t" STR_FMT "\n", STR_ARG(seed_path), STR_ARG(url));
    }
    if (q->out.n > FLUSH_BYTES)
        cli_print(&q->out);
    return RC_OK;
}

static enum rc print_pages(struct query *q, struct crawl_set crawls, struct buf *why)
{
    q->json = jsonw_to(&q->out);
    if (q->is_json) {
        jsonw_object(&q->json);
        jsonw_text_field(&q->json, "to", url_href(&q->url));
        jsonw_key(&q->json, "pages");
        jsonw_array(&q->json);
    }
    enum rc rc = graph_pages_to(crawls, url_fingerprint(&q->url), print_page, q, why);
    if (q->is_json) {
        jsonw_end(&q->json);
        jsonw_u64_field(&q->json, "count", q->count);
        jsonw_end(&q->json);
        buf_byte(&q->out, '\n');
    }
    return rc;
}

/* The URL in the form that the crawl compares. */
static int read_url(struct query *q, struct str text, uint32_t rules)
{
    struct url_room room = {q->room, sizeof q->room};
    enum rc rc = url_idn_open(&q->idn);
    q->parser.idn = q->idn;
    if (rc)
        return cli_fail(EXIT_OTHER, "%s", rc_text(rc));
    if (url_parse(&q->parser, text, NULL, room, &q->url) != RC_OK)
        return cli_fail(EXIT_USAGE, "--to: " STR_FMT ": %s", STR_ARG(text),
                        url_reason_text(q->parser.reason));
    url_normalise(&q->url, rules);
    return EXIT_DONE;
}

static int ask(struct invocation *in, const struct crawl_dirs *dirs)
{
    const struct settings *s = in->settings;
    struct query *q = arena_zero(in->arena, sizeof *q);
    if (!q)
        return crawl_arg_fail(in, RC_NOMEM, NULL);
    buf_init(&q->out, OUT_MAX_BYTES);
    q->is_json = s->json;
    int code = read_url(q, s->to, stopped_crawl_rules(dirs->paths[0], in->arena));
    if (code == EXIT_DONE) {
        struct buf why = {.max = WHY_MAX_BYTES};
        enum rc rc = print_pages(q, crawl_dirs_set(dirs), &why);
        cli_print(&q->out);
        code = rc ? crawl_arg_fail(in, rc, &why) : EXIT_DONE;
        buf_done(&why);
    }
    if (code == EXIT_DONE)
        (void)fprintf(stderr, "%llu pages link to " STR_FMT "\n", (unsigned long long)q->count,
                      STR_ARG(url_href(&q->url)));
    url_idn_close(q->idn);
    buf_done(&q->out);
    return code;
}

/* The graph ----------------------------------------------------------------------------------- */

/* FOLDER/links: a crawl's own directory has it, the folder of a cluster may not. */
static enum rc make_links(const char *folder)
{
    struct disk *d = NULL;
    enum rc rc = disk_real_open(folder, &d);
    rc = rc ? rc : crawl_dir_folder(d, "links");
    disk_close(d);
    return rc;
}

static int write_graph(struct invocation *in, const struct crawl_dirs *dirs)
{
    const struct settings *s = in->settings;
    struct crawl_scratch scratch = {0};
    struct graph_counts counts = {0};
    struct disk *to = NULL;
    if (!s->output.n && !dirs->folder)
        return cli_fail(EXIT_USAGE, "several directories: expected -o FOLDER");
    const char *folder =
        s->output.n ? s->output.p : arena_printf(in->arena, "%s/links/graph", dirs->folder).p;
    enum rc rc = crawl_scratch_open(dirs->disks[0], &scratch); /* one at a time */
    rc = rc ? rc : s->output.n ? RC_OK : make_links(dirs->folder);
    rc = rc ? rc : folder ? disk_real_open(folder, &to) : RC_NOMEM;
    rc = rc ? rc : graph_export(crawl_dirs_set(dirs), to, &counts);
    disk_close(to);
    crawl_scratch_close(&scratch);
    if (rc && !s->output.n && access(dirs->folder, W_OK) != 0)
        return cli_fail(EXIT_OTHER, "%s cannot be written: -o FOLDER says where the graph goes",
                        dirs->folder);
    if (rc)
        return crawl_arg_fail(in, rc, NULL);
    (void)fprintf(stderr,
                  "%llu nodes, %llu arcs in %s; %llu arcs lead outside, %llu damaged lines\n",
                  (unsigned long long)counts.nodes, (unsigned long long)counts.arcs, folder,
                  (unsigned long long)counts.outside, (unsigned long long)counts.damaged);
    return EXIT_DONE;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct crawl_dirs_want want = {.files = 1u << PIECE_ARCS | 1u << PIECE_NODES, .here = s->here};
    struct crawl_dirs dirs = {0};
    int code = crawl_dirs_open(in, &want, &dirs);
    if (code != EXIT_DONE)
        return code;
    code = s->to.n ? ask(in, &dirs) : write_graph(in, &dirs);
    code = crawl_dirs_end(&dirs, code);
    crawl_dirs_close(&dirs);
    return code;
}

static const struct option options[] = {
    OPTION_TEXT_ROW(struct settings, output, "output", NULL,
                    "the folder of the graph's files; else DIR/links/graph", .letter = 'o',
                    .arg = "FOLDER"),
    OPTION_TEXT_ROW(struct settings, to, "to", NULL, "only print the pages that link to this URL",
                    .arg = "URL"),
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "with --to: one JSON object",
                    .letter = 'j'),
    OPTION_BOOL_ROW(struct settings, here, "here", "no",
                    "of an agent of a cluster: its own directory alone"),
    {0},
};

const struct command cmd_export_links = {
    .name = "export links",
    .args = "DIR...",
    .summary = "the links of a crawl as a graph, or the pages that link to a URL",
    .details =
        "Writes two files: links.nodes, a line \"number url\" for each URL that was admitted,\n"
        "numbered from 0 in the order they were found, and links.arcs, a line \"from to\" for\n"
        "each pair of which one links to the other, sorted by both numbers. Arcs to URLs that\n"
        "were not admitted are left out and counted.\n"
        "With --to it prints the pages that have a link to that URL instead, a line each: the\n"
        "kinds of the links (E embed, L link, R redirect, X listed), a tab, the page. A crawl\n"
        "with --link-index answers from its index; of others all links are read.\n"
        "Several directories, or the folder of `cluster up`, are one crawl. So is the directory "
        "of\n"
        "an agent of a cluster that runs, and the operator's folder: other agents are asked.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
