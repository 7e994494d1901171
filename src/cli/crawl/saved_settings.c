/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/crawl/saved_settings.h"

#include "base/utf8.h"
#include "cli/config_file.h"
#include "cli/config_write.h"
#include "cli/wirings.h"
#include "disk/disk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static bool names_file(const struct option *o)
{
    static const char *const args[] = {"FILE", "DIR", "NAME|FILE"};
    for (size_t i = 0; i < sizeof args / sizeof *args; i++)
        if (o->arg && strcmp(o->arg, args[i]) == 0)
            return true;
    return false;
}

/* The name of a file that does not exist stays: the part that opens it reports it. */
static enum rc make_absolute(struct str *name, struct arena *arena)
{
    if (!name->n || name->p[0] == '/' || str_eq(*name, STR("-")) || wiring_built_in(*name).p)
        return RC_OK;
    char *whole = realpath(name->p, NULL);
    struct str copy = whole ? arena_printf(arena, "%s", whole) : *name;
    free(whole);
    if (!copy.p)
        return RC_NOMEM;
    *name = copy;
    return RC_OK;
}

static enum rc make_all_absolute(const struct option *o, struct settings *s, struct arena *arena)
{
    void *value = (char *)s + o->offset;
    if (o->type == OPTION_TEXT)
        return make_absolute(value, arena);
    struct option_list *list = value;
    struct str *items = arena_alloc(arena, list->count * sizeof *items);
    if (!items)
        return RC_NOMEM;
    enum rc rc = RC_OK;
    for (size_t i = 0; i < list->count && rc == RC_OK; i++) {
        items[i] = list->items[i];
        rc = make_absolute(&items[i], arena);
    }
    list->items = items;
    return rc;
}

/* Why a seed file cannot be read; NULL: it can. This does not open it, because a pipe can be
 * read once. */
static const char *trouble_with_input(struct str name)
{
    struct stat st;
    if (str_eq(name, STR("-")))
        return NULL;
    if (stat(name.p, &st) != 0)
        return errno == ENOENT ? "no such file" : rc_text(rc_of_errno(errno));
    if (S_ISDIR(st.st_mode))
        return "it is a directory; expected a file with a seed a line";
    return access(name.p, R_OK) ? rc_text(rc_of_errno(errno)) : NULL;
}

static void leave_out_lost_inputs(struct settings *s, struct str *items)
{
    size_t left = 0;
    for (size_t i = 0; i < s->input.count; i++) {
        const char *why = trouble_with_input(items[i]);
        if (!why)
            items[left++] = items[i];
        else
            (void)fprintf(stderr,
                          "orbweaver: the seed file %s of an earlier start cannot be read (%s): "
                          "continuing without it; give -i for another\n",
                          items[i].p, why);
    }
    s->input.count = left;
}

enum rc saved_settings_prepare(struct settings *s, const enum settings_source *sources,
                               struct arena *arena)
{
    enum rc rc = RC_OK;
    for (const struct option *o = settings_table; o->key && rc == RC_OK; o++)
        if (names_file(o) && sources[o - settings_table] != FROM_DEFAULT)
            rc = make_all_absolute(o, s, arena);
    const struct option *input = option_find(settings_table, STR("input"));
    if (rc == RC_OK && sources[input - settings_table] == FROM_CRAWL)
        leave_out_lost_inputs(s, (struct str *)s->input.items);
    return rc;
}

static bool check_one(const struct option *o, struct str text, struct buf *why)
{
    if (utf8_valid(text) == text.n)
        return true;
    buf_printf(why, "--%s: the value is not UTF-8, so " CONFIG_OF_CRAWL " cannot hold it", o->key);
    return false;
}

/* Before anything is written: a start that fails leaves the directory as it was, or absent. */
static enum rc check_inputs(const struct settings *s, const enum settings_source *sources,
                            struct buf *why)
{
    const struct option *row = option_find(settings_table, STR("input"));
    bool is_flag = sources[row - settings_table] == FROM_FLAG;
    for (size_t i = 0; i < s->input.count; i++) {
        const char *trouble = trouble_with_input(s->input.items[i]);
        if (!trouble)
            continue;
        buf_printf(why, "%s " STR_FMT ": %s", is_flag ? "-i" : "the setting input",
                   STR_ARG(s->input.items[i]), trouble);
        return RC_INVALID;
    }
    return RC_OK;
}

enum rc saved_settings_check(const struct settings *s, const enum settings_source *sources,
                             struct buf *why)
{
    enum rc rc = check_inputs(s, sources, why);
    if (rc)
        return rc;
    for (const struct option *o = settings_table; o->key; o++) {
        const void *value = (const char *)s + o->offset;
        if (!config_is_saved(o, s, sources))
            continue;
        if (o->type == OPTION_TEXT && !check_one(o, *(const struct str *)value, why))
            return RC_INVALID;
        const struct option_list *list = value;
        for (size_t i = 0; o->type == OPTION_LIST && i < list->count; i++)
            if (!check_one(o, list->items[i], why))
                return RC_INVALID;
    }
    return RC_OK;
}

enum rc saved_settings_write(const struct settings *s, const enum settings_source *sources)
{
    struct buf text = {.max = CONFIG_FILE_MAX_BYTES};
    struct disk *d = NULL;
    config_write(&text, s, sources);
    enum rc rc = buf_rc(&text);
    if (rc == RC_OK)
        rc = disk_real_open(s->output.p, &d);
    if (rc == RC_OK)
        rc = disk_replace(d, CONFIG_OF_CRAWL, buf_str(&text));
    disk_close(d);
    buf_done(&text);
    return rc;
}

static enum rc change(struct saved_settings *s, const struct option *o, struct str value,
                      struct buf *why)
{
    option_list_clear(o, s->settings);
    enum rc rc = RC_OK;
    if (o->type != OPTION_LIST || value.n) /* an empty value empties a list */
        rc = option_set(o, s->settings, s->arena, value, why);
    s->sources[o - settings_table] = FROM_FLAG;
    return rc ? rc : saved_settings_write(s->settings, s->sources);
}

void saved_settings_change(void *ctx, struct str key, struct str value)
{
    struct saved_settings *s = ctx;
    const struct option *o = option_find(settings_table, key);
    struct buf why = {.max = 1000};
    enum rc rc = utf8_valid(value) == value.n ? RC_OK : RC_INVALID;
    if (!o)
        return;
    pthread_mutex_lock(&s->lock);
    rc = rc ? rc : change(s, o, value, &why);
    pthread_mutex_unlock(&s->lock);
    if (rc)
        log_warn(s->log, "setting.not_saved", LOG_STR("key", key), LOG_RC(rc),
                 LOG_C("note", "it holds until this run ends; give it again at the next start"));
    buf_done(&why);
}
