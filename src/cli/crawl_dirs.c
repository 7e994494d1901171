/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/crawl_dirs.h"

#include "control/answer_json.h"
#include "provision/nats_folder.h"

#include "base/mem.h"
#include "ledger/ledger.h"
#include "outputs/crawl_dir.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_taken(const struct crawl_dirs *d, const char *label)
{
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->labels[i], label) == 0)
            return true;
    return false;
}

/* The last part of its path; with a number if another has it. */
static const char *label_of(const struct invocation *in, const struct crawl_dirs *d,
                            const char *path)
{
    struct str p = str_c(path);
    while (p.n > 1 && p.p[p.n - 1] == '/')
        p.n--;
    size_t from = p.n;
    while (from && p.p[from - 1] != '/')
        from--;
    p = str_from(p, from);
    const char *label = arena_printf(in->arena, STR_FMT, STR_ARG(p)).p;
    if (label && is_taken(d, label))
        label = arena_printf(in->arena, STR_FMT ".%zu", STR_ARG(p), d->count + 1).p;
    return label;
}

/* Refuses a damaged directory: a result from it would lack more than it shows. */
static int inspect(struct disk *d, const char *path)
{
    struct buf why = {.max = 8192};
    enum rc rc = ledger_inspect(d, &why);
    int code = cli_code_of(rc);
    if (rc)
        cli_fail((enum exit_code)code, "%s: " STR_FMT, path, STR_ARG(buf_str(&why)));
    buf_done(&why);
    return code;
}

static int add(const struct invocation *in, struct crawl_dirs *d, const char *path)
{
    struct buf why = {.max = 8192};
    if (d->count == CRAWL_DIRS_MAX)
        return cli_fail(EXIT_USAGE, "more than %d directories", CRAWL_DIRS_MAX);
    const char *label = path ? label_of(in, d, path) : NULL;
    enum rc rc = path ? crawl_dir_open(path, &d->disks[d->count], &why) : RC_NOMEM;
    int code =
        rc ? cli_fail(EXIT_USAGE, STR_FMT, STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))))
           : inspect(d->disks[d->count], path);
    if (rc == RC_OK)
        d->paths[d->count++] = path;
    if (code == EXIT_DONE && !(d->labels[d->count - 1] = label))
        code = cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    buf_done(&why);
    return code;
}

/* Adds the directories of the agents that have begun. */
static int add_agents(const struct invocation *in, struct crawl_dirs *d, const char *folder,
                      const char *nats_dir)
{
    struct nats_folder f = {.fd = -1};
    struct nats_plan *plan = mem_zero(1, sizeof *plan);
    struct buf why = {.max = 8192};
    size_t before = d->count;
    enum rc rc = plan ? nats_folder_open(&f, nats_dir, false, &why) : RC_NOMEM;
    rc = rc ? rc : nats_folder_plan(&f, plan);
    int code = cli_say(rc, &why);
    for (uint32_t i = 0; code == EXIT_DONE && i < plan->agent_count; i++) {
        struct str path = arena_printf(in->arena, "%s/%s", folder, plan->agents[i].name);
        struct stat st;
        if (path.p && stat(path.p, &st) == 0)
            code = add(in, d, path.p);
    }
    nats_folder_close(&f);
    mem_free(plan);
    buf_done(&why);
    if (code == EXIT_DONE && d->count == before)
        code = cli_fail(EXIT_USAGE, "%s: no agent has begun a crawl there", folder);
    return code;
}

/* Files of another agent, copied here. */
struct copying {
    const struct invocation *in;
    struct crawl_dirs *dirs;
};

static int add_copied(void *ctx, const char *agent, const char *path)
{
    struct copying *b = ctx;
    struct crawl_dirs *d = b->dirs;
    if (d->count == CRAWL_DIRS_MAX)
        return cli_fail(EXIT_USAGE, "more than %d directories", CRAWL_DIRS_MAX);
    const char *copy = arena_printf(b->in->arena, "%s", path).p;
    const char *label = arena_printf(b->in->arena, "%s", agent).p;
    enum rc rc = copy && label ? disk_real_open(copy, &d->disks[d->count]) : RC_NOMEM;
    if (rc)
        return cli_fail(EXIT_OTHER, "%s: %s", path, rc_text(rc));
    d->paths[d->count] = copy;
    d->labels[d->count++] = label;
    return EXIT_DONE;
}

static int say_archives(const struct crawl_whole *w)
{
    struct buf names = {.max = 64 << 10};
    const json_t *row;
    size_t i;
    json_array_foreach(w->rows, i, row) if (strcmp(json_text(row, "agent"), w->me) != 0)
        buf_printf(&names, "%s%s", names.n ? ", " : "", json_text(row, "agent"));
    int code = cli_fail(EXIT_CLUSTER,
                        "archives of agents " STR_FMT " are on their own machines: name all "
                        "directories where they are, have agents send them to one machine "
                        "(--sink), or --here for what is in DIR",
                        STR_ARG(buf_str(&names)));
    buf_done(&names);
    return code;
}

/* An agent's directory, or the operator's folder: with the files of the other agents. */
static int add_whole(const struct invocation *in, const struct crawl_dirs_want *want,
                     struct crawl_dirs *d, const char *word)
{
    struct copying b = {in, d};
    struct crawl_whole *w = &d->whole;
    if (want->archives && json_array_size(w->rows) > (w->is_operators ? 0 : 1))
        return say_archives(w);
    int code = w->is_operators ? EXIT_DONE : add(in, d, word);
    if (code == EXIT_DONE)
        code = crawl_whole_copy(w, want->files, add_copied, &b);
    if (code == EXIT_DONE && !d->count)
        code = cli_fail(EXIT_CLUSTER, "%s: no agent answers", word);
    return code;
}

/* Warns that an agent's directory is only a part of the crawl: no agent runs there to ask the
 * others. */
static void say_alone(const struct crawl_dirs *d)
{
    uint64_t bytes = 0;
    if (crawl_dir_bytes(d->disks[0], piece_paths[PIECE_AGENT], &bytes) == RC_OK && bytes)
        (void)fprintf(
            stderr,
            "orbweaver: %s belongs to one agent of a cluster, which does not run: the result "
            "is of that directory alone\n",
            d->paths[0]);
}

static int add_one(const struct invocation *in, const struct crawl_dirs_want *want,
                   struct crawl_dirs *d, const char *word)
{
    if (want->here)
        return add(in, d, word);
    int code = crawl_whole_open(&d->whole, word);
    if (code == EXIT_DONE && d->whole.rows)
        return add_whole(in, want, d, word);
    if (code == EXIT_DONE)
        code = add(in, d, word);
    if (code == EXIT_DONE)
        say_alone(d);
    return code;
}

static int add_word(const struct invocation *in, const struct crawl_dirs_want *want,
                    struct crawl_dirs *d, const char *word)
{
    struct str nats_dir = arena_printf(in->arena, "%s/post", word);
    struct str plan = arena_printf(in->arena, "%s/post/plan.json", word);
    if (nats_dir.p && plan.p && access(plan.p, R_OK) == 0)
        return add_agents(in, d, word, nats_dir.p);
    return in->word_count == 1 ? add_one(in, want, d, word) : add(in, d, word);
}

int crawl_dirs_open(const struct invocation *in, const struct crawl_dirs_want *want,
                    struct crawl_dirs *ret)
{
    struct crawl_dirs d = {0};
    int code = EXIT_DONE;
    d.paths = arena_zero(in->arena, CRAWL_DIRS_MAX * sizeof *d.paths);
    d.disks = arena_zero(in->arena, CRAWL_DIRS_MAX * sizeof(struct disk *));
    d.labels = arena_zero(in->arena, CRAWL_DIRS_MAX * sizeof *d.labels);
    d.folder = in->word_count == 1 ? in->words[0] : NULL;
    if (!d.paths || !d.disks || !d.labels)
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    if (!in->word_count)
        return cli_fail(EXIT_USAGE, "expected the directory of a crawl, or several");
    for (int i = 0; i < in->word_count && code == EXIT_DONE; i++)
        code = add_word(in, want, &d, in->words[i]);
    if (code == EXIT_DONE)
        *ret = d;
    else
        crawl_dirs_close(&d);
    return code;
}

int crawl_dirs_end(const struct crawl_dirs *d, int code)
{
    if (code != EXIT_DONE || !d->whole.missing.n)
        return code;
    return cli_fail(EXIT_CLUSTER,
                    "this is only a part of the crawl: agents " STR_FMT
                    " did not answer, or have left it; the result lacks their files",
                    STR_ARG(buf_str(&d->whole.missing)));
}

bool crawl_dirs_are_one(const struct crawl_dirs *d)
{
    return d->count == 1 && d->folder && d->paths[0] == d->folder && !d->whole.rows;
}

void crawl_dirs_close(struct crawl_dirs *d)
{
    for (size_t i = 0; i < d->count; i++)
        disk_close(d->disks[i]);
    d->count = 0;
    crawl_whole_close(&d->whole);
}
