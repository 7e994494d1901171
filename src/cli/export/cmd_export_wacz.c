/* SPDX-License-Identifier: Apache-2.0 */
/* export wacz: a crawl as one file for replay tools. */
#include "cli/commands.h"
#include "cli/crawl_arg.h"
#include "cli/crawl_dirs.h"

#include "base/clock.h"
#include "report/wacz.h"

#include <errno.h>
#include <unistd.h>

struct settings {
    struct str output, title;
    bool here;
};

/* DIR.wacz beside DIR. */
static const char *usual_result(struct invocation *in, const char *folder)
{
    struct str dir = str_c(folder);
    while (dir.n > 1 && dir.p[dir.n - 1] == '/')
        dir.n--;
    return arena_printf(in->arena, STR_FMT ".wacz", STR_ARG(dir)).p;
}

/* Of several, each archive gets its directory's name in front. */
static const struct wacz_part *parts_of(struct invocation *in, const struct crawl_dirs *dirs)
{
    struct wacz_part *parts = arena_zero(in->arena, dirs->count * sizeof *parts);
    for (size_t i = 0; parts && i < dirs->count; i++) {
        const char *label =
            dirs->count == 1 ? "" : arena_printf(in->arena, "%s-", dirs->labels[i]).p;
        parts[i] = (struct wacz_part){dirs->disks[i], dirs->paths[i], label};
        if (!label)
            return NULL;
    }
    return parts;
}

/* Checks that the file can be written before the long work, because it gets its name only at the
 * end. EXIT_DONE, or prints what cannot be written. */
static int check_place(struct invocation *in, const char *result)
{
    struct str path = str_c(result);
    size_t folder_bytes = 0;
    for (size_t i = 0; i < path.n; i++)
        folder_bytes = path.p[i] == '/' ? i + 1 : folder_bytes;
    const char *folder =
        folder_bytes ? arena_printf(in->arena, STR_FMT, STR_ARG(str_first(path, folder_bytes))).p
                     : ".";
    if (!folder)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    if (access(folder, W_OK | X_OK) == 0)
        return EXIT_DONE;
    return cli_fail(EXIT_OTHER, "%s cannot be written: %s: %s; -o FILE says where the file goes",
                    result, folder, rc_text(rc_of_errno(errno)));
}

static int write_file(struct invocation *in, const struct crawl_dirs *dirs)
{
    const struct settings *s = in->settings;
    struct wacz_counts counts;
    struct buf why = {.max = 8192};
    int code = EXIT_DONE;
    if (!s->output.n && !dirs->folder)
        return cli_fail(EXIT_USAGE, "several directories: expected -o FILE");
    struct wacz_options o = {
        .parts = parts_of(in, dirs),
        .part_count = dirs->count,
        .result = s->output.n ? s->output.p : usual_result(in, dirs->folder),
        .title = s->title,
        .software = STR("orbweaver " VERSION),
        .now_ms = (int64_t)clock_wall_ms(clock_real()),
    };
    if (o.result && (code = check_place(in, o.result)) != EXIT_DONE)
        return code;
    enum rc rc = o.result && o.parts ? wacz_export(&o, &counts, &why) : RC_NOMEM;
    if (rc)
        code = crawl_arg_fail(in, rc, &why);
    else
        (void)fprintf(stderr, "%llu captures of %llu archives in %s\n",
                      (unsigned long long)counts.captures, (unsigned long long)counts.archives,
                      o.result);
    buf_done(&why);
    return code;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct crawl_dirs_want want = {.files = 0, .archives = true, .here = s->here};
    struct crawl_dirs dirs = {0};
    int code = crawl_dirs_open(in, &want, &dirs);
    if (code != EXIT_DONE)
        return code;
    code = write_file(in, &dirs);
    code = crawl_dirs_end(&dirs, code);
    crawl_dirs_close(&dirs);
    return code;
}

static const struct option options[] = {
    OPTION_TEXT_ROW(struct settings, output, "output", NULL, "where the file goes; else DIR.wacz",
                    .letter = 'o', .arg = "FILE"),
    OPTION_TEXT_ROW(struct settings, title, "title", NULL, "of the collection", .arg = "TEXT"),
    OPTION_BOOL_ROW(struct settings, here, "here", "no",
                    "of an agent of a cluster: its own directory alone"),
    {0},
};

const struct command cmd_export_wacz = {
    .name = "export wacz",
    .args = "DIR...",
    .summary = "a crawl as one WACZ file, for replay",
    .details = "Puts archives, index, lists of pages and the log into a WACZ 1.1.1 file, as\n"
               "replay tools read it. Of a crawl that runs it has what the index knows. Several\n"
               "directories, or the folder of `cluster up`, are one crawl. Archives of agents on\n"
               "other machines stay there: --here leaves them out.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
