/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/command.h"

static void print_list(struct buf *out)
{
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    for (uint32_t i = 0; i < count; i++)
        buf_printf(out, "%s  %-8s %s\n", all[i]->id, all[i]->group, all[i]->does);
}

/* As docs/faults.md is written; a test compares the two. */
static void print_markdown(struct buf *out)
{
    uint32_t count;
    const struct fault *const *all = faults_all(&count);
    buf_add(out, STR("| fault | group | what the server does | what we want of a crawler |\n"
                     "|---|---|---|---|\n"));
    for (uint32_t i = 0; i < count; i++)
        buf_printf(out, "| %s | %s | %s | %s |\n", all[i]->id, all[i]->group, all[i]->does,
                   all[i]->wants);
}

static void print_expect(struct buf *out, const struct expect *e)
{
    static const char *const kinds[] = {"fetched", "never",   "at most",  "at least",
                                        "bytes",   "leaves",  "no reuse", "gap",
                                        "not at",  "no fact", "at once",  "not after"};
    buf_printf(out, "  %-9s %s%s%s", kinds[e->kind], e->label && *e->label ? e->label : "",
               e->label && *e->label ? ":" : "", e->path ? e->path : "*");
    if (e->n)
        buf_printf(out, " (%llu)", (unsigned long long)e->n);
    buf_printf(out, "  %s\n", e->why ? e->why : "");
}

static int print_one(const char *id, struct buf *out)
{
    const struct fault *f = fault_find(str_c(id));
    if (!f)
        return simweb_fail(EXIT_USAGE, "no fault \"%s\"; F01 to F93, see simweb faults", id);
    buf_printf(out, "%s (%s)\ndoes:  %s\nwants: %s\n\ncases:\n", f->id, f->group, f->does,
               f->wants);
    for (const struct fault_case *c = f->cases; c && c->path; c++)
        buf_printf(out, "  %s%s%s  %s\n", c->label ? c->label : "",
                   c->label && *c->label ? ":" : "", c->path, c->says);
    buf_add(out, STR("\njudged by:\n"));
    for (const struct expect *e = f->expects; e && e->why; e++)
        print_expect(out, e);
    return EXIT_DONE;
}

static int faults(struct settings *s, struct invocation *in)
{
    struct buf out = {.max = 1 << 20};
    int code = EXIT_DONE;
    for (int i = 0; i < in->word_count && code == EXIT_DONE; i++)
        code = print_one(in->words[i], &out);
    if (!in->word_count && s->markdown)
        print_markdown(&out);
    else if (!in->word_count)
        print_list(&out);
    if (code == EXIT_DONE)
        code = simweb_print(&out);
    buf_done(&out);
    return code;
}

static const struct option faults_options[] = {
    OPTION_BOOL_ROW(struct settings, markdown, "markdown", "no", "the table of docs/faults.md"),
    {0},
};

const struct command command_faults = {
    .name = "faults",
    .args = "[F35...]",
    .summary = "list every fault a host can have, or show one with how it is judged",
    .more = faults_options,
    .run = faults,
};
