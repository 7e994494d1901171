/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

#include "components/catalog.h"
#include "flow/wiring.h"

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
    for (const struct part *const *p = components_catalog.parts; *p; p++)
        print_part(*p, &out);
    cli_print(&out);
    buf_done(&out);
    return EXIT_DONE;
}

static int check_file(const char *file, bool as_dot)
{
    struct problems problems;
    problems_init(&problems, file);
    struct wiring *w = NULL;
    struct buf out = {.max = OUT_MAX_BYTES};
    enum rc rc = wiring_load(file, &components_catalog, &w, &problems);
    if (rc == RC_OK) {
        as_dot ? wiring_print_dot(w, &out) : wiring_print(w, &out);
        cli_print(&out);
    } else if (rc == RC_INVALID) {
        problems_print(&problems, &out);
        fwrite(out.p, 1, out.n, stderr);
    } else {
        cli_fail(EXIT_OTHER, "%s: %s", file, rc_text(rc));
    }
    wiring_close(w);
    buf_done(&out);
    problems_done(&problems);
    return rc == RC_OK ? EXIT_DONE : rc == RC_INVALID ? EXIT_USAGE : EXIT_OTHER;
}

static int check_run(struct invocation *in)
{
    const struct check_settings *s = in->settings;
    if (s->parts && in->word_count == 0)
        return list_parts();
    if (in->word_count != 1)
        return cli_fail(EXIT_USAGE, "check: expected one wiring file");
    return check_file(in->words[0], s->dot);
}

const struct command cmd_check = {
    .name = "check",
    .args = "FILE",
    .summary = "check a wiring and show what is connected to what",
    .details =
        "Reads a wiring (docs/flow.md) without running it. Everything that is wrong is told\n"
        "with line and column, and the program ends with 2; otherwise the graph is printed:\n"
        "--[call]--> is a call on the same shard, ==[queue N]==> a bounded queue.",
    .options = check_options,
    .settings_bytes = sizeof(struct check_settings),
    .run = check_run,
};
