/* SPDX-License-Identifier: Apache-2.0 */
/* repair: finds and mends damage in a crawl's directory. */
#include "cli/commands.h"
#include "cli/crawl_arg.h"

#include "base/clock.h"
#include "repair/repair.h"

#include <stdio.h>
#include <sys/stat.h>

struct settings {
    bool check;
};

static void say(const struct repair_result *r, const char *path, bool only_check)
{
    const struct repair_counts *n = &r->counts;
    (void)printf(STR_FMT, STR_ARG(buf_str(&r->text)));
    (void)printf("%s: %llu archive files, %llu records", path, (unsigned long long)n->archives,
                 (unsigned long long)n->records);
    if (n->damaged_ranges)
        (void)printf(", %llu damaged places", (unsigned long long)n->damaged_ranges);
    if (n->lost_files)
        (void)printf(", %llu files missing or changed", (unsigned long long)n->lost_files);
    (void)printf("; %s\n", !r->is_damaged   ? "nothing is damaged"
                           : r->is_repaired ? "the crawl can go on"
                           : only_check     ? "damaged; nothing was changed"
                                            : "not repaired");
}

static int code_of(const struct repair_result *r, bool only_check)
{
    bool stays = only_check || !r->is_repaired || r->counts.damaged_ranges;
    return r->is_damaged && stays ? EXIT_DISK : EXIT_DONE;
}

/* At least one of these folders is left after any damage. */
static bool is_crawl(const char *path)
{
    static const char *const folders[] = {"state", "archive", "logs"};
    char room[4096];
    struct stat st;
    bool is = false;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        (void)snprintf(room, sizeof room, "%s/%s", path, folders[i]);
        is = is || stat(room, &st) == 0;
    }
    return is;
}

static int run(struct invocation *in)
{
    const struct settings *s = in->settings;
    struct stat st;
    struct disk *d = NULL;
    struct repair_result result = {0};
    if (in->word_count != 1)
        return cli_fail(EXIT_USAGE, "repair: expected the directory of a crawl");
    const char *path = in->words[0];
    if (stat(path, &st) || !S_ISDIR(st.st_mode))
        return cli_fail(EXIT_USAGE, "%s: no such directory", path);
    if (!is_crawl(path))
        return cli_fail(EXIT_USAGE,
                        "%s: not a crawl's directory (no state/, archive/ or logs/); of a cluster "
                        "name the directory of one agent",
                        path);
    struct log *log = log_open(LOG_LEVEL_WARN, false, clock_real(), log_to_stderr());
    struct repair_settings settings = {.path = path, .only_check = s->check, .log = log};
    enum rc rc = log ? disk_real_open(path, &d) : RC_NOMEM;
    rc = rc ? rc : repair_run(d, &settings, &result);
    int code = EXIT_DONE;
    if (rc)
        code = crawl_arg_fail(in, rc, &result.text);
    else
        say(&result, path, s->check);
    if (code == EXIT_DONE)
        code = code_of(&result, s->check);
    repair_result_done(&result);
    disk_close(d);
    log_close(log);
    return code;
}

static const struct option options[] = {
    OPTION_BOOL_ROW(struct settings, check, "check", "no",
                    "only say what is damaged; nothing is changed"),
    {0},
};

const struct command cmd_repair = {
    .name = "repair",
    .args = "DIR",
    .summary = "find damage in a crawl's directory, and mend it",
    .details =
        "Reads the state as a crawl would at its start, and every archive file to its end. If\n"
        "state/ is damaged it is put aside as state.damaged-N and made again from the archives,\n"
        "crawl.log and links/; the index is made again from the archives. Every archived record\n"
        "is kept. Archive files that are missing are noted as lost, so that the crawl can go on;\n"
        "crawl --refetch-lost asks for their captures again. Exit code 3: something is damaged\n"
        "(--check), was not repaired, or a record inside an archive stays damaged.",
    .options = options,
    .settings_bytes = sizeof(struct settings),
    .run = run,
};
