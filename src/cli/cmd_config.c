/* SPDX-License-Identifier: Apache-2.0 */
/* config: what a crawl would be told, and by whom; or a file to start from. */
#include "cli/commands.h"
#include "cli/settings.h"

enum { OUTPUT_MAX = 1 << 20 };

/* Would YAML, also inside a list, read the plain text as something else? */
static bool needs_quotes(struct str s)
{
    static const char risky_first[] = ":&*!|>'%@`?- ", risky[] = "#\"\\,[]{}\x7f";
    if (s.n == 0 || str_eq(s, STR("~")) || str_eq(s, STR("null")))
        return true;
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ' || memchr(risky, s.p[i], sizeof risky - 1) ||
            (s.p[i] == ':' && (i + 1 == s.n || s.p[i + 1] == ' ')))
            return true;
    return memchr(risky_first, s.p[0], sizeof risky_first - 1) || s.p[s.n - 1] == ' ';
}

/* A plain scalar where YAML reads it back as text, quoted where it would not. */
static void yaml_text(struct buf *out, struct str s)
{
    if (!needs_quotes(s)) {
        buf_add(out, s);
        return;
    }
    buf_byte(out, '"');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"' || s.p[i] == '\\')
            buf_byte(out, '\\');
        if ((unsigned char)s.p[i] < ' ' || s.p[i] == 127)
            buf_printf(out, "\\x%02x", (unsigned char)s.p[i]);
        else
            buf_byte(out, s.p[i]);
    }
    buf_byte(out, '"');
}

static void yaml_value(struct buf *out, const struct option *o, const void *settings)
{
    if (o->type == OPTION_LIST) {
        const struct option_list *list = (const void *)((const char *)settings + o->offset);
        buf_byte(out, '[');
        for (size_t i = 0; i < list->count; i++) {
            buf_add(out, i ? STR(", ") : STR(""));
            yaml_text(out, list->items[i]);
        }
        buf_byte(out, ']');
        return;
    }
    struct buf text = {.max = OUTPUT_MAX};
    option_print(o, settings, &text);
    if (o->type == OPTION_TEXT)
        yaml_text(out, buf_str(&text));
    else
        buf_add(out, buf_str(&text));
    buf_done(&text);
}

static bool is_unset(const struct option *o, const void *settings)
{
    const void *value = (const char *)settings + o->offset;
    if (o->type == OPTION_TEXT)
        return ((const struct str *)value)->p == NULL;
    return o->type == OPTION_LIST && ((const struct option_list *)value)->count == 0;
}

static int run_show(struct invocation *in)
{
    struct settings *settings;
    enum settings_source *sources;
    if (in->word_count)
        return cli_fail(EXIT_USAGE, "config show takes no arguments, only options");
    enum rc rc = settings_gather(in, &settings, &sources);
    if (rc)
        return rc == RC_INVALID ? EXIT_USAGE : cli_fail(EXIT_OTHER, "%s", rc_text(rc));
    struct buf out = {.max = OUTPUT_MAX};
    for (const struct option *o = settings_table; o->key; o++) {
        size_t start = out.n;
        if (is_unset(o, settings))
            buf_printf(&out, "# %s:", o->key);
        else
            buf_printf(&out, "%s: ", o->key), yaml_value(&out, o, settings);
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
        buf_add(&out, is_unset(o, settings) ? STR("# ") : STR(""));
        buf_printf(&out, "%s: ", o->key);
        if (!is_unset(o, settings))
            yaml_value(&out, o, settings);
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
