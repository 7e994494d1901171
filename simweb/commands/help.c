/* SPDX-License-Identifier: Apache-2.0 */
#include "commands/help.h"

void help_all(struct buf *out)
{
    buf_add(out,
            STR("simweb: a web of any size on this machine, computed from a seed, with a witness\n"
                "\n"
                "usage: simweb [COMMAND] [OPTION...]     without a command: serve\n\n"));
    for (const struct command *const *c = simweb_commands; *c; c++)
        buf_printf(out, "  %-8s %s\n", (*c)->name, (*c)->summary);
    buf_add(
        out,
        STR("\nStart with one of these:\n"
            "  simweb --demo                        a small web to look at in a browser\n"
            "  simweb --hosts 1000 --pages 200      200,000 pages, politely served\n"
            "  simweb --fault all                   every bad server there is, linked by zoo.test\n"
            "  simweb --sprinkle f35=0.1            every tenth host answers 429 now and then\n"
            "  simweb oracle --seed-url URL         what a correct crawl of it must fetch\n"
            "  simweb report                        what the crawler did, as the server saw it\n"
            "\nMost changed:\n"));
    static const char *const most[] = {"seed",   "hosts", "pages",    "links",
                                       "images", "https", "changing", "suffix"};
    for (size_t i = 0; i < sizeof most / sizeof *most; i++) {
        const struct option *o = option_find(world_options, str_c(most[i]));
        if (o)
            buf_printf(out, "  --%-14s %s (%s)\n", o->key, o->help, o->def ? o->def : "");
    }
    buf_add(out, STR("\nAll of it: simweb COMMAND --help; docs/simweb.md\n"));
}

static void options_print(struct buf *out, const struct option *table)
{
    for (const struct option *o = table; o && o->key; o++) {
        char room[128];
        struct buf flag = buf_on(room, sizeof room);
        buf_printf(&flag, "--%s", o->key);
        if (option_arg(o))
            buf_printf(&flag, "=%s", option_arg(o));
        buf_printf(out, "  %-28.*s %s", STR_ARG(buf_str(&flag)), o->help);
        if (o->def && *o->def && o->type != OPTION_BOOL)
            buf_printf(out, " (%s)", o->def);
        buf_byte(out, '\n');
    }
}

void help_command(struct buf *out, const struct command *c)
{
    buf_printf(out, "usage: simweb %s [OPTION...]%s%s\n%s\n", c->name, *c->args ? " " : "", c->args,
               c->summary);
    if (c->details)
        buf_printf(out, "\n%s\n", c->details);
    buf_byte(out, '\n');
    options_print(out, c->more);
    if (c->takes_server) {
        buf_add(out, STR("\nThe servers:\n"));
        options_print(out, server_options);
    }
    if (c->takes_web) {
        buf_add(out, STR("\nThe web:\n"));
        options_print(out, world_options);
    }
}
