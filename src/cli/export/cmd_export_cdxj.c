/* SPDX-License-Identifier: Apache-2.0 */
/* export cdxj: the sorted index of a crawl. */
#include "cli/commands.h"
#include "cli/crawl_arg.h"
#include "cli/crawl_dirs.h"

#include "outputs/crawl_dir.h"
#include "report/index_merge.h"
#include "report/index_sort.h"

struct settings {
    struct str output;
    bool here;
};

static enum rc copy_line(void *ctx, struct str line)
{
    enum rc rc = crawl_output_write(ctx, line);
    return rc ? rc : crawl_output_write(ctx, STR("\n"));
}

static int copy(const struct invocation *in, struct disk *crawl, struct str path)
{
    struct crawl_output out;
    int code = crawl_output_open(&out, path);
    if (code != EXIT_DONE)
        return code;
    enum rc rc = crawl_dir_each(crawl, index_sorted_path, copy_line, &out);
    return crawl_output_close(&out, rc ? crawl_arg_fail(in, rc, NULL) : EXIT_DONE);
}

/* The index of a directory that cannot be written goes to `output` alone. */
static int sort_elsewhere(const struct invocation *in, struct disk *crawl, struct str output)
{
    struct index_merge_part part = {crawl, ""};
    struct crawl_output out;
    uint64_t lines = 0;
    if (!output.n)
        return cli_fail(EXIT_OTHER, "%s cannot be written: -o FILE says where the index goes",
                        in->words[0]);
    int code = crawl_output_open(&out, output);
    if (code != EXIT_DONE)
        return code;
    enum rc rc = index_merge(&part, 1, copy_line, &out, &lines);
    code = crawl_output_close(&out, rc ? crawl_arg_fail(in, rc, NULL) : EXIT_DONE);
    if (code == EXIT_DONE)
        (void)fprintf(stderr, "%llu captures; %s cannot be written, and has no sorted index\n",
                      (unsigned long long)lines, in->words[0]);
    return code;
}

/* Its own index, in its own directory. */
static int sort_one(const struct invocation *in, struct disk *crawl, struct str output)
{
    uint64_t lines = 0;
    int code = EXIT_DONE;
    enum rc rc = index_sort(crawl, &lines);
    if (rc == RC_UNSUPPORTED)
        return sort_elsewhere(in, crawl, output);
    if (rc)
        code = crawl_arg_fail(in, rc, NULL);
    else if (output.n)
        code = copy(in, crawl, output);
    if (code == EXIT_DONE)
        (void)fprintf(stderr, "%llu captures in %s/%s\n", (unsigned long long)lines, in->words[0],
                      index_sorted_path);
    return code;
}

/* Where an archive is: a path here, or agent b's "b:archive/…" on its own machine. */
static const char *prefix_of(const struct invocation *in, const struct crawl_dirs *dirs, size_t i)
{
    const struct crawl_whole *w = &dirs->whole;
    bool is_brought = w->folder[0] && str_starts(str_c(dirs->paths[i]), str_c(w->folder));
    return is_brought ? arena_printf(in->arena, "%s:archive/", dirs->labels[i]).p
                      : arena_printf(in->arena, "%s/archive/", dirs->paths[i]).p;
}

/* One index of all. */
static int merge(const struct invocation *in, const struct crawl_dirs *dirs, struct str output)
{
    struct index_merge_part *parts = arena_zero(in->arena, dirs->count * sizeof *parts);
    struct crawl_output out;
    uint64_t lines = 0;
    for (size_t i = 0; parts && i < dirs->count; i++)
        parts[i] = (struct index_merge_part){dirs->disks[i], prefix_of(in, dirs, i)};
    if (!parts || !parts[dirs->count - 1].prefix)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    int code = crawl_output_open(&out, output);
    if (code != EXIT_DONE)
        return code;
    enum rc rc = index_merge(parts, dirs->count, copy_line, &out, &lines);
    code = crawl_output_close(&out, rc ? crawl_arg_fail(in, rc, NULL) : EXIT_DONE);
    if (code == EXIT_DONE)
        (void)fprintf(stderr, "%llu captures in %zu directories\n", (unsigned long long)lines,
                      dirs->count);
    return code;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct crawl_dirs_want want = {.files = 1u << PIECE_INDEX, .here = s->here};
    struct crawl_dirs dirs = {0};
    int code = crawl_dirs_open(in, &want, &dirs);
    if (code != EXIT_DONE)
        return code;
    code = crawl_dirs_are_one(&dirs) ? sort_one(in, dirs.disks[0], s->output)
                                     : merge(in, &dirs, s->output);
    code = crawl_dirs_end(&dirs, code);
    crawl_dirs_close(&dirs);
    return code;
}

static const struct option options[] = {
    OPTION_TEXT_ROW(struct settings, output, "output", NULL,
                    "a copy goes there (- is standard output)", .letter = 'o', .arg = "FILE"),
    OPTION_BOOL_ROW(struct settings, here, "here", "no",
                    "of an agent of a cluster: its own directory alone"),
    {0},
};

const struct command cmd_export_cdxj = {
    .name = "export cdxj",
    .args = "DIR...",
    .summary = "the sorted index of a crawl's captures",
    .details =
        "Sorts the lines that the crawl has written so far into DIR/indexes/index.cdxj, or, where\n"
        "DIR cannot be written, into FILE alone\n"
        "(CDXJ, in the order of bytes, each line once), which replay tools search. Works\n"
        "while the crawl runs, too. Several directories, or the folder of `cluster up`, become "
        "one\n"
        "index on standard output or in FILE; it names each archive with its directory, and\n"
        "the archives stay where they are. So does the directory of an agent of a cluster that\n"
        "runs, and the operator's folder: other agents are asked.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
