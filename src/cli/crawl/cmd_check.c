/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config_file.h"

#include "catalog/catalog.h"
#include "flow/wiring.h"
#include "order/order.h"

#include <stdio.h>

struct check_settings {
    bool dot, parts;
};

static const struct option check_options[] = {
    OPTION_BOOL_ROW(struct check_settings, dot, "dot", "no", "print the graph for graphviz"),
    OPTION_BOOL_ROW(struct check_settings, parts, "parts", "no",
                    "list the parts that a wiring can name, and their options"),
    {0},
};

enum { OUT_MAX_BYTES = 16 << 20 };

static void print_ports(const struct part_port *ports, const char *what, struct buf *out)
{
    for (; ports && ports->name; ports++)
        buf_printf(out, "    %-7s %-10s %s%s%s%s\n", what, ports->name, ports->type,
                   ports->optional ? " (optional)" : "", ports->help ? ": " : "",
                   ports->help ? ports->help : "");
}

static void print_part(const struct part *p, struct buf *out)
{
    buf_printf(out, "%s%s%s: %s\n", p->kind == PART_PROVIDER ? p->provides : "",
               p->kind == PART_PROVIDER ? "/" : "", p->name, p->help);
    print_ports(p->inlets, "inlet", out);
    print_ports(p->outlets, "outlet", out);
    for (const struct part_need *n = p->needs; n && n->role; n++)
        buf_printf(out, "    needs   %-10s %s%s%s\n", n->role, n->interface, n->help ? ": " : "",
                   n->help ? n->help : "");
    for (const struct option *o = p->options; o && o->key; o++)
        buf_printf(out, "    option  %-10s %s (%s%s)\n", o->key, o->help, o->def ? o->def : "unset",
                   o->live ? ", live" : "");
}

static int list_parts(void)
{
    struct buf out = {.max = OUT_MAX_BYTES};
    for (const struct part *const *p = catalog_built_in.parts; *p; p++)
        print_part(*p, &out);
    cli_print(&out);
    buf_done(&out);
    return EXIT_DONE;
}

static int say_problems(enum rc rc, const char *file, const struct problems *problems)
{
    if (rc != RC_INVALID)
        return cli_fail(EXIT_OTHER, "%s: %s", file, rc_text(rc));
    struct buf lines = {.max = OUT_MAX_BYTES};
    problems_print(problems, &lines);
    (void)fprintf(stderr, STR_FMT, STR_ARG(buf_str(&lines)));
    buf_done(&lines);
    return EXIT_USAGE;
}

static int check_wiring(struct str text, const char *file, bool as_dot, struct problems *problems)
{
    struct wiring *w = NULL;
    enum rc rc = wiring_read(text, file, &catalog_built_in, &w, problems);
    if (rc)
        return say_problems(rc, file, problems);
    struct buf out = {.max = OUT_MAX_BYTES};
    if (as_dot)
        wiring_print_dot(w, &out);
    else
        wiring_print(w, &out);
    cli_print(&out);
    buf_done(&out);
    wiring_close(w);
    return EXIT_DONE;
}

static int check_config(const struct tree *root, const char *file, struct arena *arena,
                        struct problems *problems)
{
    struct settings *settings = arena_zero(arena, sizeof *settings);
    enum rc rc = settings ? options_default(settings_table, settings, arena) : RC_NOMEM;
    if (rc == RC_OK)
        rc = config_tree_read(root, settings, NULL, arena, problems);
    if (rc)
        return say_problems(rc, file, problems);
    struct buf out = {.max = OUT_MAX_BYTES};
    buf_printf(&out, "%s: a configuration without errors, %zu keys\n", file,
               root ? root->count : 0);
    if (settings->order == ORDER_TOPIC && !settings->keywords.count)
        buf_printf(&out, "%s: order: topic needs keywords, here or as --keywords\n", file);
    cli_print(&out);
    buf_done(&out);
    return EXIT_DONE;
}

/* A wiring joins components; anything else is meant as a configuration. */
static bool is_wiring(const struct tree *root)
{
    return root && root->kind == TREE_MAP &&
           (tree_get(root, STR("components")) || tree_get(root, STR("connections")));
}

static int check_file(const char *file, bool as_dot, struct arena *arena)
{
    struct problems problems;
    const struct tree *root = NULL;
    struct buf text;
    if (cli_read_file(file, CONFIG_FILE_MAX_BYTES, &text)) {
        buf_done(&text);
        return EXIT_USAGE;
    }
    problems_init(&problems, file);
    enum rc rc = tree_read(buf_str(&text), arena, &problems, &root);
    int code;
    if (rc)
        code = say_problems(rc, file, &problems);
    else if (is_wiring(root))
        code = check_wiring(buf_str(&text), file, as_dot, &problems);
    else
        code = check_config(root, file, arena, &problems);
    problems_done(&problems);
    buf_done(&text);
    return code;
}

static int check_run(struct invocation *in)
{
    const struct check_settings *s = in->settings;
    if (s->parts && in->word_count == 0)
        return list_parts();
    if (in->word_count != 1)
        return cli_fail(EXIT_USAGE, "check: expected one file");
    return check_file(in->words[0], s->dot, in->arena);
}

const struct command cmd_check = {
    .name = "check",
    .args = "FILE",
    .summary = "find what is wrong with a configuration or a wiring, or show its graph",
    .details =
        "Reads a configuration (config defaults prints one) or a wiring, which has components\n"
        "(docs/flow.md), without running it. Everything that is wrong is told\n"
        "with line and column, and the program ends with 2; otherwise the graph is printed:\n"
        "--[call]--> is a call on the same shard, ==[queue N]==> a bounded queue.",
    .options = check_options,
    .settings_bytes = sizeof(struct check_settings),
    .run = check_run,
};
