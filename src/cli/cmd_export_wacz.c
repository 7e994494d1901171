/* SPDX-License-Identifier: Apache-2.0 */
/* export wacz: a crawl as one file for replay tools. */
#include "cli/commands.h"
#include "cli/crawl_arg.h"

#include "base/clock.h"
#include "report/wacz.h"

struct settings {
    struct str output, title;
};

/* DIR.wacz beside DIR. */
static const char *usual_result(struct invocation *in)
{
    struct str dir = str_c(in->words[0]);
    while (dir.n > 1 && dir.p[dir.n - 1] == '/')
        dir.n--;
    return arena_printf(in->arena, STR_FMT ".wacz", STR_ARG(dir)).p;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct disk *crawl = NULL;
    struct wacz_counts counts;
    struct buf why = {.max = 8192};
    int code = crawl_arg_open(in, &crawl);
    if (code != EXIT_DONE)
        return code;
    struct wacz_options o = {
        .root = in->words[0],
        .result = s->output.n ? s->output.p : usual_result(in),
        .title = s->title,
        .software = STR("orbweaver " VERSION),
        .now_ms = (int64_t)clock_wall_ms(clock_real()),
    };
    enum rc rc = o.result ? wacz_export(crawl, &o, &counts, &why) : RC_NOMEM;
    if (rc)
        code = crawl_arg_fail(in, rc, &why);
    else
        (void)fprintf(stderr, "%llu captures of %llu archives in %s\n",
                      (unsigned long long)counts.captures, (unsigned long long)counts.archives,
                      o.result);
    buf_done(&why);
    disk_close(crawl);
    return code;
}

static const struct option options[] = {
    OPTION_TEXT_ROW(struct settings, output, "output", NULL, "where the file goes; else DIR.wacz",
                    .letter = 'o', .arg = "FILE"),
    OPTION_TEXT_ROW(struct settings, title, "title", NULL, "of the collection", .arg = "TEXT"),
    {0},
};

const struct command cmd_export_wacz = {
    .name = "export wacz",
    .args = "DIR",
    .summary = "a crawl as one WACZ file, for replay",
    .details = "Puts archives, index, lists of pages and the log into a WACZ 1.1.1 file, as\n"
               "replay tools read it. Of a crawl that runs it has what the index knows.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
