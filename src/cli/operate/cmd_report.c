/* SPDX-License-Identifier: Apache-2.0 */
/* report: statistics of a crawl, and whether its archives are whole. */
#include "cli/commands.h"
#include "cli/crawl_arg.h"
#include "cli/crawl_dirs.h"

#include "outputs/lost.h"
#include "outputs/lost_files.h"
#include "repair/archives.h"
#include "report/report.h"

enum { OUT_MAX_BYTES = 64 << 20 };

struct settings {
    bool json, here, quick;
    struct str gone, output;
};

/* Agents whose directories are gone for good: the operator names them with --gone. */
static enum rc note_gone(struct lost_agents *a, struct str names)
{
    enum rc rc = RC_OK;
    while (names.p && rc == RC_OK) {
        struct str name = str_trim(str_take_until(&names, ','));
        rc = name.n ? lost_agents_add(a, name, UINT64_MAX) : RC_OK;
    }
    return rc;
}

/* Whether DIR/reports exists, or can be made, and takes a file. */
static bool can_write(struct disk *d)
{
    static const char probe[] = "reports/probe.new";
    struct disk_file *f = NULL;
    enum rc rc = crawl_dir_folder(d, "reports");
    rc = rc ? rc : disk_open(d, probe, DISK_APPEND, &f);
    disk_file_close(f);
    rc = rc ? rc : disk_unlink(d, probe);
    return !rc_is_unwritable(rc);
}

static enum rc has_lost_files(struct crawl_set crawls, bool *ret)
{
    enum rc rc = RC_OK;
    for (size_t i = 0; i < crawls.count && rc == RC_OK && !*ret; i++)
        rc = lost_files_any(crawls.list[i], ret);
    return rc;
}

/* Copies of other agents' directories have no archives. */
static bool has_archives(struct crawl_set crawls)
{
    bool has = true;
    for (size_t i = 0; i < crawls.count; i++)
        has = has && disk_has_folder(crawls.list[i], "archive") == RC_OK;
    return has;
}

/* Reads every record of every archive, and prints a line for each damage on standard error. */
static enum rc read_archives(const struct crawl_dirs *dirs, struct report_archives *ret)
{
    struct crawl_set crawls = crawl_dirs_set(dirs);
    struct buf text = {.max = OUT_MAX_BYTES};
    enum rc rc = RC_OK;
    ret->is_read = has_archives(crawls);
    if (!ret->is_read)
        return RC_OK;
    for (size_t i = 0; i < crawls.count && rc == RC_OK; i++) {
        struct repair_counts n = {0};
        rc = archives_compare(crawls.list[i], &n, &text);
        rc = rc ? rc : archives_read(crawls.list[i], NULL, NULL, &n, &text);
        ret->files += n.archives;
        ret->records += n.records;
        ret->damaged += n.damaged_ranges;
        ret->lost_files += n.lost_files;
    }
    (void)cli_write(stderr, buf_str(&text));
    buf_done(&text);
    return rc;
}

/* In the folder of --output, or in DIR; nowhere if there are several directories. */
static enum rc write_files(const struct crawl_dirs *dirs, const struct settings *s,
                           struct report *r)
{
    const char *folder = s->output.n ? s->output.p : dirs->folder;
    struct disk *d = NULL;
    struct lost_agents agents = {0};
    bool is_named = s->output.n > 0, has_lost = false;
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
    rc = rc ? rc : has_lost_files(crawl_dirs_set(dirs), &has_lost);
    rc = rc ? rc
            : report_lost(crawl_dirs_set(dirs), &agents, agents.count || has_lost ? d : NULL, r);
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
    if (rc == RC_OK && !s->quick)
        rc = read_archives(&dirs, &r->archives);
    if (rc)
        code = crawl_arg_fail(in, rc, NULL);
    else if (s->json)
        report_print_json(r, &out);
    else
        report_print(r, &out);
    cli_print(&out);
    buf_done(&out);
    bool is_damaged = r && (r->archives.damaged || r->archives.lost_files);
    report_close(r);
    code = code == EXIT_DONE && is_damaged ? EXIT_DISK : code;
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
    OPTION_BOOL_ROW(struct settings, quick, "quick", "no",
                    "do not read the archives to see whether every record is whole"),
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
        "mimetype- and responsecode-report.txt into DIR/reports, unless DIR cannot be written,\n"
        "and prints a summary. Works while the crawl runs, too. Then it reads every archive file\n"
        "and says which records are not whole and which files are missing (exit code 3), if all\n"
        "directories are on this machine; --quick leaves that out. Of several directories it is\n"
        "the sum, and files are written only with -o. The directory of an agent of a cluster that\n"
        "runs, the operator's folder and the folder of `cluster up` stand for the whole crawl:\n"
        "other agents are asked. Captures that are lost are named in lost-captures-report.txt.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
