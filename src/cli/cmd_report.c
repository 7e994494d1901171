/* SPDX-License-Identifier: Apache-2.0 */
/* report: what a crawl did. */
#include "cli/commands.h"
#include "cli/crawl_arg.h"
#include "cli/crawl_dirs.h"

#include "report/lost.h"
#include "report/report.h"

enum { OUT_MAX_BYTES = 64 << 20 };

struct settings {
    bool json, here;
    struct str gone, output;
};

/* Agents whose directories are gone for good, by the word of the operator. */
static enum rc note_gone(struct lost_agents *a, struct str names)
{
    enum rc rc = RC_OK;
    while (names.p && rc == RC_OK) {
        struct str name = str_trim(str_take_until(&names, ','));
        rc = name.n ? lost_agents_add(a, name, UINT64_MAX) : RC_OK;
    }
    return rc;
}

/* Whether DIR/reports is there, or can be made, and takes a file. */
static bool can_write(struct disk *d)
{
    static const char probe[] = "reports/probe.new";
    struct disk_file *f = NULL;
    enum rc rc = crawl_dir_folder(d, "reports");
    rc = rc ? rc : disk_open(d, probe, DISK_APPEND, &f);
    disk_file_close(f);
    rc = rc ? rc : disk_unlink(d, probe);
    return rc != RC_IO;
}

/* In the folder that was asked for, or the one that was named; nowhere if several were. */
static enum rc write_files(const struct crawl_dirs *dirs, const struct settings *s,
                           struct report *r)
{
    const char *folder = s->output.n ? s->output.p : dirs->folder;
    struct disk *d = NULL;
    struct lost_agents agents = {0};
    bool is_named = s->output.n > 0;
    enum rc rc = folder ? disk_real_open(folder, &d) : RC_OK;
    if (rc == RC_OK && d && !is_named && !can_write(d)) {
        (void)fprintf(stderr,
                      "orbweaver: %s cannot be written, so no files of the report are "
                      "written; -o FOLDER says where they go\n",
                      folder);
        disk_close(d);
        d = NULL;
    }
    rc = rc ? rc : lost_agents_read(&agents, crawl_dirs_set(dirs));
    rc = rc ? rc : note_gone(&agents, s->gone);
    rc = rc ? rc : report_lost(crawl_dirs_set(dirs), &agents, agents.count ? d : NULL, r);
    rc = rc || !d ? rc : report_write_files(d, r);
    lost_agents_done(&agents);
    disk_close(d);
    return rc;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct crawl_dirs_want want = {.files = 1u << PIECE_AGENT | 1u << PIECE_SEEDS |
                                            1u << PIECE_ARCS | 1u << PIECE_NODES | 1u << PIECE_LOG |
                                            1u << PIECE_ELSEWHERE | 1u << PIECE_INDEX,
                                   .here = s->here};
    struct crawl_dirs dirs = {0};
    struct report *r = NULL;
    struct buf out = {.max = OUT_MAX_BYTES};
    int code = crawl_dirs_open(in, &want, &dirs);
    if (code != EXIT_DONE)
        return code;
    enum rc rc = report_open_all(crawl_dirs_set(&dirs), true, &r);
    rc = rc ? rc : write_files(&dirs, s, r);
    if (rc)
        code = crawl_arg_fail(in, rc, NULL);
    else if (s->json)
        report_print_json(r, &out);
    else
        report_print(r, &out);
    cli_print(&out);
    buf_done(&out);
    report_close(r);
    code = crawl_dirs_end(&dirs, code);
    crawl_dirs_close(&dirs);
    return code;
}

static const struct option options[] = {
    OPTION_BOOL_ROW(struct settings, json, "json", "no", "the summary as one JSON object",
                    .letter = 'j'),
    OPTION_TEXT_ROW(struct settings, output, "output", NULL,
                    "the folder in which reports/ is written; else DIR, if it is one",
                    .letter = 'o', .arg = "FOLDER"),
    OPTION_TEXT_ROW(struct settings, gone, "gone", NULL,
                    "agents whose directories will not come back: what they had is lost",
                    .arg = "NAME,..."),
    OPTION_BOOL_ROW(struct settings, here, "here", "no",
                    "of an agent of a cluster: its own directory alone"),
    {0},
};

const struct command cmd_report = {
    .name = "report",
    .args = "DIR...",
    .summary = "statistics of a crawl: pages, media, hosts, links",
    .details =
        "Counts what stands in the crawl's log and in its files of links, writes seeds-, hosts-,\n"
        "mimetype- and responsecode-report.txt into DIR/reports, unless DIR cannot be written, "
        "and\n"
        "prints a summary. Works\n"
        "while the crawl runs, too. Of several directories it is the sum, and files are written\n"
        "only with -o. The directory of an agent of a cluster that runs, the operator's folder "
        "and\n"
        "the folder of `cluster up` stand for the whole crawl: other agents are asked. Captures\n"
        "that were lost with an agent's disk are named in lost-captures-report.txt.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
