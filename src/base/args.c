/* SPDX-License-Identifier: Apache-2.0 */
#include "base/args.h"

struct reader {
    const struct option *table;
    struct invocation *in;
    struct buf *why;
    char **argv;
    int argc;
    int at;
};

static const struct option *by_letter(const struct option *table, char letter)
{
    for (const struct option *o = table; o && o->key; o++)
        if (o->letter == letter)
            return o;
    return NULL;
}

/* A text that the help shows as several values: "NAME,...", "A,B,C". */
static bool is_comma_list(const struct option *o)
{
    return o->type == OPTION_TEXT && o->arg && strchr(o->arg, ',');
}

/* A list that a flag names replaces its default the first time and grows after that; so does a text
 * of several values, behind a comma. RC_NOMEM leaves `text` as it was. */
static enum rc join_earlier(struct reader *r, const struct option *o, struct str *text)
{
    bool *named = r->in->named + (o - r->table);
    const struct str *earlier = (const void *)((const char *)r->in->settings + o->offset);
    bool joins = *named && is_comma_list(o) && earlier->n && text->n;
    if (!*named)
        option_list_clear(o, r->in->settings);
    *named = true;
    if (!joins)
        return RC_OK;
    struct str both =
        arena_printf(r->in->arena, STR_FMT "," STR_FMT, STR_ARG(*earlier), STR_ARG(*text));
    if (!both.p)
        return RC_NOMEM;
    *text = both;
    return RC_OK;
}

static bool set_option(struct reader *r, const struct option *o, struct str text, const char *shown)
{
    struct buf reason = {.max = 1024};
    if (o->type == OPTION_LIST && !text.n) { /* nothing at all empties a list */
        option_list_clear(o, r->in->settings);
        r->in->named[o - r->table] = true;
        return true;
    }
    enum rc rc = join_earlier(r, o, &text);
    if (rc == RC_OK)
        rc = option_set(o, r->in->settings, r->in->arena, text, &reason);
    if (rc == RC_INVALID)
        buf_printf(r->why, "%s \"" STR_FMT "\": " STR_FMT, shown, STR_ARG(text),
                   STR_ARG(buf_str(&reason)));
    else if (rc)
        buf_printf(r->why, "%s: %s", shown, rc_text(rc));
    buf_done(&reason);
    return rc == RC_OK;
}

/* A choice that was a bool is still a flag without a value under the key that it had then. */
static bool is_former_flag(const struct option *o, struct str name)
{
    return o->yes && o->former && str_eq(name, str_c(o->former));
}

/* The value that belongs to a flag: what stood behind its = or letter, or the next word. */
static bool value_for(struct reader *r, const struct option *o, struct str attached,
                      const char *shown, struct str *ret)
{
    if (attached.p) {
        *ret = attached;
    } else if (o->bare || o->type == OPTION_BOOL) {
        *ret = o->bare ? str_c(o->bare) : STR("yes");
    } else if (r->at + 1 < r->argc) {
        *ret = str_c(r->argv[++r->at]);
    } else {
        buf_printf(r->why, "%s needs a value (%s)", shown, option_arg(o));
        return false;
    }
    return true;
}

static bool read_long(struct reader *r)
{
    const char *word = r->argv[r->at];
    struct str rest = str_c(word + 2);
    struct str name = str_take_until(&rest, '=');
    const struct option *o = option_find(r->table, name);
    if (!o && str_starts(name, STR("no-")) && !rest.p) {
        o = option_find(r->table, str_from(name, 3));
        bool is_flag = o && (o->type == OPTION_BOOL || is_former_flag(o, str_from(name, 3)));
        rest = is_flag ? STR("no") : STR_NONE;
        o = is_flag ? o : NULL;
    }
    if (o && !rest.p && is_former_flag(o, name))
        rest = STR("yes");
    if (!o) {
        const char *near = option_suggest(r->table, name);
        r->in->unknown = name;
        buf_printf(r->why, "unknown option --" STR_FMT, STR_ARG(name));
        if (near)
            buf_printf(r->why, "; did you mean --%s?", near);
        return false;
    }
    struct str value;
    if (!value_for(r, o, rest, word, &value))
        return false;
    char shown[80];
    struct buf label = buf_on(shown, sizeof shown);
    buf_printf(&label, "--%s", o->key);
    return set_option(r, o, value, buf_c(&label) ? shown : word);
}

static bool read_letters(struct reader *r)
{
    char *word = r->argv[r->at];
    for (char *c = word + 1; *c; c++) {
        const struct option *o = by_letter(r->table, *c);
        char shown[] = {'-', *c, '\0'};
        if (!o) {
            buf_printf(r->why, "unknown option %s", shown);
            r->in->unknown = str_make(c, 1);
            return false;
        }
        struct str value;
        bool takes_rest = o->type != OPTION_BOOL && c[1];
        if (!value_for(r, o, takes_rest ? str_c(c + 1) : STR_NONE, shown, &value))
            return false;
        if (!set_option(r, o, value, shown))
            return false;
        if (o->type != OPTION_BOOL)
            break;
    }
    return true;
}

static bool is_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

enum args_result args_read(const struct option *table, int argc, char **argv, struct invocation *in,
                           struct buf *why)
{
    struct reader r = {table, in, why, argv, argc, 0};
    size_t rows = 0;
    while (table && table[rows].key)
        rows++;
    in->named = arena_zero(in->arena, rows * sizeof *in->named);
    in->words = arena_zero(in->arena, (size_t)(argc + 1) * sizeof *in->words);
    if (!in->named || !in->words) {
        buf_add(why, str_c(rc_text(RC_NOMEM)));
        return ARGS_WRONG;
    }
    bool flags_over = false;
    for (; r.at < argc; r.at++) {
        char *word = argv[r.at];
        if (flags_over || word[0] != '-' || word[1] == '\0')
            in->words[in->word_count++] = word;
        else if (strcmp(word, "--") == 0)
            flags_over = true;
        else if (is_help(word))
            return ARGS_HELP;
        else if (word[1] == '-' ? !read_long(&r) : !read_letters(&r))
            return ARGS_WRONG;
    }
    return ARGS_OK;
}
