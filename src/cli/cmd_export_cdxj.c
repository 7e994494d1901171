/* SPDX-License-Identifier: Apache-2.0 */
/* export cdxj: the sorted index of a crawl. */
#include "cli/commands.h"
#include "cli/crawl_arg.h"

#include "report/crawl_dir.h"
#include "report/index_sort.h"

struct settings {
    struct str output;
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

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct disk *crawl = NULL;
    uint64_t lines = 0;
    int code = crawl_arg_open(in, &crawl);
    if (code != EXIT_DONE)
        return code;
    enum rc rc = index_sort(crawl, &lines);
    if (rc)
        code = crawl_arg_fail(in, rc, NULL);
    else if (s->output.n)
        code = copy(in, crawl, s->output);
    if (code == EXIT_DONE)
        (void)fprintf(stderr, "%llu captures in %s/%s\n", (unsigned long long)lines, in->words[0],
                      index_sorted_path);
    disk_close(crawl);
    return code;
}

static const struct option options[] = {
    OPTION_TEXT_ROW(struct settings, output, "output", NULL,
                    "a copy goes there (- is standard output)", .letter = 'o', .arg = "FILE"),
    {0},
};

const struct command cmd_export_cdxj = {
    .name = "export cdxj",
    .args = "DIR",
    .summary = "the sorted index of a crawl's captures",
    .details = "Sorts the lines that the crawl has written so far into DIR/indexes/index.cdxj\n"
               "(CDXJ, in the order of bytes, each line once), which replay tools search. Works\n"
               "while the crawl runs, too.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
