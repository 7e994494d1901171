/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config_write.h"

#include "base/utf8.h"

enum { VALUE_MAX = 1 << 20 };

/* What YAML does not take as it is, or takes for the end of a line. */
static bool needs_escape(uint32_t code)
{
    return code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
           code == 0xfeff || code == 0xfffe || code == 0xffff;
}

/* Would YAML, also inside a list, read the plain text as something else? */
static bool needs_quotes(struct str s)
{
    static const char risky_first[] = ":&*!|>'%@`?- ", risky[] = "#\"\\,[]{}";
    if (s.n == 0 || str_eq(s, STR("~")) || str_eq(s, STR("null")))
        return true;
    uint32_t code;
    size_t bytes;
    for (size_t i = 0; i < s.n; i += bytes) {
        (void)utf8_decode(str_from(s, i), &code, &bytes);
        if (needs_escape(code) || memchr(risky, s.p[i], sizeof risky - 1) ||
            (s.p[i] == ':' && (i + 1 == s.n || s.p[i + 1] == ' ')))
            return true;
    }
    return memchr(risky_first, s.p[0], sizeof risky_first - 1) || s.p[s.n - 1] == ' ';
}

/* A plain scalar where YAML reads it back as text, quoted where it would not. */
static void yaml_text(struct buf *out, struct str s)
{
    if (!needs_quotes(s)) {
        buf_add(out, s);
        return;
    }
    uint32_t code;
    size_t bytes;
    buf_byte(out, '"');
    for (size_t i = 0; i < s.n; i += bytes) {
        (void)utf8_decode(str_from(s, i), &code, &bytes);
        if (s.p[i] == '"' || s.p[i] == '\\')
            buf_byte(out, '\\');
        if (needs_escape(code))
            buf_printf(out, "\\u%04x", (unsigned)code);
        else
            buf_add(out, str_first(str_from(s, i), bytes));
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

/* What belongs to one run, not to the crawl. */
static bool is_of_the_run(const char *key)
{
    static const char *const keys[] = {"config", "output", "recrawl", "refetch-lost",
                                       "ui",     "json",   "quiet",   "verbose"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

bool config_is_saved(const struct option *o, const struct settings *settings,
                     const enum settings_source *sources)
{
    return !is_of_the_run(o->key) && !config_is_unset(o, settings) &&
           sources[o - settings_table] != FROM_DEFAULT;
}

/* Standard input is of one run. */
static void write_inputs(struct buf *out, const struct option_list *input)
{
    size_t count = 0;
    for (size_t i = 0; i < input->count; i++) {
        if (str_eq(input->items[i], STR("-")))
            continue;
        buf_add(out, count++ ? STR(", ") : STR("input: ["));
        yaml_text(out, input->items[i]);
    }
    buf_add(out, count ? STR("]\n") : STR(""));
}

void config_write(struct buf *out, const struct settings *settings,
                  const enum settings_source *sources)
{
    buf_add(out, STR("# The settings of this crawl, for its next start in this directory. A flag\n"
                     "# beats them. All keys: orbweaver config defaults\n"));
    for (const struct option *o = settings_table; o->key; o++) {
        if (!config_is_saved(o, settings, sources))
            continue;
        if (strcmp(o->key, "input") == 0) {
            write_inputs(out, &settings->input);
            continue;
        }
        buf_printf(out, "%s: ", o->key);
        config_write_value(out, o, settings);
        buf_byte(out, '\n');
    }
}
