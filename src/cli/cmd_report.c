/* SPDX-License-Identifier: Apache-2.0 */
/* report: what a crawl did. */
#include "cli/commands.h"
#include "cli/crawl_arg.h"
#include "cli/crawl_dirs.h"

#include "report/report.h"

enum { OUT_MAX_BYTES = 64 << 20 };

struct settings {
    bool json;
};

static enum rc write_files(const char *folder, struct report *r)
{
    struct disk *d = NULL;
    enum rc rc = disk_real_open(folder, &d);
    rc = rc ? rc : report_write_files(d, r);
    disk_close(d);
    return rc;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct crawl_dirs dirs = {0};
    struct report *r = NULL;
    struct buf out = {.max = OUT_MAX_BYTES};
    int code = crawl_dirs_open(in, &dirs);
    if (code != EXIT_DONE)
        return code;
    enum rc rc = report_open_all(crawl_dirs_set(&dirs), true, &r);
    if (dirs.folder)
        rc = rc ? rc : write_files(dirs.folder, r);
    if (rc)
        code = crawl_arg_fail(in, rc, NULL);
    else if (s->json)
        report_print_json(r, &out);
    else
        report_print(r, &out);
    cli_print(&out);
    buf_done(&out);
    report_close(r);
    crawl_dirs_close(&dirs);
    return code;
}

static const struct option options[] = {
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "the summary as one JSON object",
                    .letter = 'j'),
    {0},
};

const struct command cmd_report = {
    .name = "report",
    .args = "DIR...",
    .summary = "statistics of a crawl: pages, media, hosts, links",
    .details =
        "Counts what stands in the crawl's log and in its files of links, writes seeds-, hosts-,\n"
        "mimetype- and responsecode-report.txt into DIR/reports, and prints a summary. Works\n"
        "while the crawl runs, too. Of several directories, or the folder of `cluster up`, it "
        "prints\n"
        "the sum, without the structure of links, and writes nothing.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
