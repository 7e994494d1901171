/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config_write.h"

enum { VALUE_MAX = 1 << 20 };

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

void config_write_value(struct buf *out, const struct option *o, const void *settings)
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
    struct buf text = {.max = VALUE_MAX};
    option_print(o, settings, &text);
    if (o->type == OPTION_TEXT)
        yaml_text(out, buf_str(&text));
    else
        buf_add(out, buf_str(&text));
    buf_done(&text);
}

bool config_is_unset(const struct option *o, const void *settings)
{
    const void *value = (const char *)settings + o->offset;
    if (o->type == OPTION_TEXT)
        return ((const struct str *)value)->p == NULL;
    return o->type == OPTION_LIST && ((const struct option_list *)value)->count == 0;
}

/* What belongs to one run, not to the crawl: who goes on behind a limit does not want it again. */
static bool is_of_the_run(const char *key)
{
    static const char *const keys[] = {"config",       "output", "input", "recrawl",
                                       "refetch-lost", "pages",  "time",  "size",
                                       "ui",           "json",   "quiet", "verbose"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

void config_write(struct buf *out, const struct settings *settings,
                  const enum settings_source *sources)
{
    buf_add(out,
            STR("# What this crawl was told; the same directory again goes on with it. A flag\n"
                "# beats it. All keys: orbweaver config defaults\n"));
    for (const struct option *o = settings_table; o->key; o++) {
        if (is_of_the_run(o->key) || config_is_unset(o, settings) ||
            sources[o - settings_table] == FROM_DEFAULT)
            continue;
        buf_printf(out, "%s: ", o->key);
        config_write_value(out, o, settings);
        buf_byte(out, '\n');
    }
}
