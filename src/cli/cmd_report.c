/* SPDX-License-Identifier: Apache-2.0 */
/* report: what a crawl did. */
#include "cli/commands.h"
#include "cli/crawl_arg.h"

#include "report/report.h"

enum { OUT_MAX_BYTES = 64 << 20 };

struct settings {
    bool json;
};

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct disk *crawl = NULL;
    struct report *r = NULL;
    struct buf out = {.max = OUT_MAX_BYTES};
    int code = crawl_arg_open(in, &crawl);
    if (code != EXIT_DONE)
        return code;
    enum rc rc = report_open(crawl, true, &r);
    rc = rc ? rc : report_write_files(crawl, r);
    if (rc)
        code = crawl_arg_fail(in, rc, NULL);
    else if (s->json)
        report_print_json(r, &out);
    else
        report_print(r, &out);
    cli_print(&out);
    buf_done(&out);
    report_close(r);
    disk_close(crawl);
    return code;
}

static const struct option options[] = {
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "the summary as one JSON object",
                    .letter = 'j'),
    {0},
};

const struct command cmd_report = {
    .name = "report",
    .args = "DIR",
    .summary = "statistics of a crawl: pages, media, hosts, links",
    .details =
        "Counts what stands in the crawl's log and in its files of links, writes seeds-, hosts-,\n"
        "mimetype- and responsecode-report.txt into DIR/reports, and prints a summary. Works\n"
        "while the crawl runs, too.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
