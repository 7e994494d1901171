/* SPDX-License-Identifier: Apache-2.0 */
/* The lost captures by name, as a file in the style of the other reports. */
#include "archive/line_source.h"
#include "outputs/lost.h"
#include "report/report.h"

enum { STEP_BYTES = 256 << 10, LINE_MAX_BYTES = 1 << 20 };

struct writing {
    struct line_sink sink;
    struct buf line;
};

static enum rc write_row(void *ctx, const struct lost_capture *c)
{
    struct writing *w = ctx;
    buf_clear(&w->line);
    buf_printf(&w->line, STR_FMT " %llu " STR_FMT "\n", STR_ARG(c->agent),
               (unsigned long long)c->inc, STR_ARG(c->url));
    enum rc rc = buf_rc(&w->line);
    return rc ? rc : line_sink_add(&w->sink, buf_str(&w->line));
}

static enum rc find_lost(struct crawl_set crawls, const struct lost_agents *agents, lost_each *each,
                         void *ctx, struct report *r)
{
    struct crawl_scratch scratch = {0};
    struct lost_counts counts = {0};
    enum rc rc = crawl_scratch_open(crawls.list[0], &scratch);
    rc = rc ? rc : lost_find_by(crawls, agents, scratch.disk, "scratch/lost", each, ctx, &counts);
    crawl_scratch_close(&scratch);
    r->lost = counts.lost;
    r->away = counts.away;
    r->damaged += counts.damaged;
    return rc;
}

enum rc report_lost(struct crawl_set crawls, const struct lost_agents *agents, struct disk *to,
                    struct report *r)
{
    static const char path[] = "reports/lost-captures-report.txt";
    static const char part[] = "reports/lost-captures-report.txt.new";
    struct writing w = {.line = {.max = LINE_MAX_BYTES}};
    if (!to)
        return find_lost(crawls, agents, NULL, NULL, r);
    enum rc rc = crawl_dir_folder(to, "reports");
    rc = rc ? rc : line_sink_open(&w.sink, to, part, STEP_BYTES);
    rc = rc ? rc : line_sink_add(&w.sink, STR("[agent] [incarnation] [url]\n"));
    rc = rc ? rc : find_lost(crawls, agents, write_row, &w, r);
    rc = rc ? rc : line_sink_end(&w.sink, true);
    line_sink_done(&w.sink);
    buf_done(&w.line);
    rc = rc ? rc : disk_rename(to, part, path);
    return rc ? rc : disk_dirsync(to, "reports");
}
