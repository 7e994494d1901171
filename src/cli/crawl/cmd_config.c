/* SPDX-License-Identifier: Apache-2.0 */
/* config: the settings of a crawl and where each comes from, or a file with all defaults. */
#include "cli/commands.h"
#include "cli/config_write.h"
#include "cli/crawl/crawl_seeds.h"
#include "cli/settings.h"

enum { OUTPUT_MAX = 1 << 20 };

static int run_show(struct invocation *in)
{
    struct settings *settings;
    enum settings_source *sources;
    if (in->word_count)
        return cli_fail(EXIT_USAGE, "config show takes no arguments, only options");
    enum rc rc = settings_gather(in, &settings, &sources);
    if (rc == RC_OK)
        rc = crawl_seeds_mask(settings, in->arena);
    if (rc)
        return rc == RC_INVALID ? EXIT_USAGE : cli_fail(EXIT_OTHER, "%s", rc_text(rc));
    struct buf out = {.max = OUTPUT_MAX};
    for (const struct option *o = settings_table; o->key; o++) {
        size_t start = out.n;
        if (config_is_unset(o, settings))
            buf_printf(&out, "# %s:", o->key);
        else
            buf_printf(&out, "%s: ", o->key), config_write_value(&out, o, settings);
        size_t width = out.n - start;
        buf_fill(&out, ' ', width < 40 ? 40 - width : 1);
        buf_printf(&out, "# %s\n", settings_source_names[sources[o - settings_table]]);
    }
    cli_print(&out);
    buf_done(&out);
    return EXIT_DONE;
}

static int run_defaults(struct invocation *in)
{
    if (in->word_count)
        return cli_fail(EXIT_USAGE, "config defaults takes no arguments");
    struct settings *settings = arena_zero(in->arena, sizeof *settings);
    if (!settings || options_default(settings_table, settings, in->arena))
        return cli_fail(EXIT_OTHER, "%s", rc_text(RC_NOMEM));
    struct buf out = {.max = OUTPUT_MAX};
    buf_add(&out, STR("# orbweaver.yaml: every key with its default. A flag beats the environment\n"
                      "# (ORBWEAVER_KEY), which beats this file. \"live\" keys may change while a "
                      "crawl runs.\n"));
    for (const struct option *o = settings_table; o->key; o++) {
        if (strcmp(o->key, "config") == 0) /* a file cannot name itself */
            continue;
        buf_printf(&out, "\n# %s", o->help);
        if (o->choices)
            buf_printf(&out, ": %s", o->choices);
        buf_add(&out, o->live ? STR(" (live)\n") : STR("\n"));
        buf_add(&out, config_is_unset(o, settings) ? STR("# ") : STR(""));
        buf_printf(&out, "%s: ", o->key);
        if (!config_is_unset(o, settings))
            config_write_value(&out, o, settings);
        buf_byte(&out, '\n');
    }
    cli_print(&out);
    buf_done(&out);
    return EXIT_DONE;
}

const struct command cmd_config_show = {
    .name = "config show",
    .summary = "the settings in force and where each comes from",
    .details = "Takes the options of crawl. A flag beats the environment (ORBWEAVER_DELAY=2s),\n"
               "which beats the file (-c), which beats the default.",
    .options = settings_table,
    .settings_bytes = sizeof(struct settings),
    .run = run_show,
};

const struct command cmd_config_defaults = {
    .name = "config defaults",
    .summary = "a configuration file with every key at its default",
    .run = run_defaults,
};
