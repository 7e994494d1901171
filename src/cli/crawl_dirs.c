/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/crawl_dirs.h"

#include "cli/post_folder.h"

#include "base/mem.h"
#include "report/crawl_dir.h"

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

static int add(const struct invocation *in, struct crawl_dirs *d, const char *path)
{
    struct buf why = {.max = 8192};
    if (d->count == CRAWL_DIRS_MAX)
        return cli_fail(EXIT_USAGE, "more than %d directories", CRAWL_DIRS_MAX);
    const char *label = path ? label_of(in, d, path) : NULL;
    enum rc rc = path ? crawl_dir_open(path, &d->disks[d->count], &why) : RC_NOMEM;
    if (rc)
        cli_fail(EXIT_USAGE, STR_FMT, STR_ARG(why.n ? buf_str(&why) : str_c(rc_text(rc))));
    else
        d->paths[d->count++] = path;
    if (!rc && !(d->labels[d->count - 1] = label)) {
        rc = RC_NOMEM;
        cli_fail(EXIT_OTHER, "%s", rc_text(rc));
    }
    buf_done(&why);
    return rc ? EXIT_USAGE : EXIT_DONE;
}

/* The agents that have begun. */
static int add_agents(const struct invocation *in, struct crawl_dirs *d, const char *folder,
                      const char *post)
{
    struct post_folder f = {.fd = -1};
    struct post_plan *plan = mem_zero(1, sizeof *plan);
    size_t before = d->count;
    int code = plan ? post_folder_open(&f, post, false) : EXIT_OTHER;
    if (code == EXIT_DONE)
        code = post_folder_plan(&f, plan);
    for (uint32_t i = 0; code == EXIT_DONE && i < plan->agent_count; i++) {
        struct str path = arena_printf(in->arena, "%s/%s", folder, plan->agents[i].name);
        struct stat st;
        if (path.p && stat(path.p, &st) == 0)
            code = add(in, d, path.p);
    }
    post_folder_close(&f);
    mem_free(plan);
    if (code == EXIT_DONE && d->count == before)
        code = cli_fail(EXIT_USAGE, "%s: no agent has begun there", folder);
    return code;
}

static int add_word(const struct invocation *in, struct crawl_dirs *d, const char *word)
{
    struct str post = arena_printf(in->arena, "%s/post", word);
    struct str plan = arena_printf(in->arena, "%s/post/plan.json", word);
    if (post.p && plan.p && access(plan.p, R_OK) == 0)
        return add_agents(in, d, word, post.p);
    return add(in, d, word);
}

int crawl_dirs_open(const struct invocation *in, struct crawl_dirs *ret)
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
        return cli_fail(EXIT_USAGE, "the directory of a crawl is wanted, or several");
    for (int i = 0; i < in->word_count && code == EXIT_DONE; i++)
        code = add_word(in, &d, in->words[i]);
    if (code == EXIT_DONE)
        *ret = d;
    else
        crawl_dirs_close(&d);
    return code;
}

bool crawl_dirs_are_one(const struct crawl_dirs *d)
{
    return d->count == 1 && d->folder && d->paths[0] == d->folder;
}

void crawl_dirs_close(struct crawl_dirs *d)
{
    for (size_t i = 0; i < d->count; i++)
        disk_close(d->disks[i]);
    d->count = 0;
}
