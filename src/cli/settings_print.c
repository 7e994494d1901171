/* SPDX-License-Identifier: Apache-2.0 */
/* Settings as YAML that reads back the same. */
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

void settings_print_value(struct buf *out, const struct option *o, const void *settings)
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

bool settings_is_unset(const struct option *o, const void *settings)
{
    const void *value = (const char *)settings + o->offset;
    if (o->type == OPTION_TEXT)
        return ((const struct str *)value)->p == NULL;
    return o->type == OPTION_LIST && ((const struct option_list *)value)->count == 0;
}

void settings_print(struct buf *out, const struct settings *settings)
{
    static const char *const left_out[] = {"seeds", "input", "config"};
    for (const struct option *o = settings_table; o->key; o++) {
        bool is_left_out = settings_is_unset(o, settings);
        for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
            is_left_out |= strcmp(left_out[i], o->key) == 0;
        if (is_left_out)
            continue;
        buf_printf(out, "%s: ", o->key);
        settings_print_value(out, o, settings);
        buf_byte(out, '\n');
    }
}
