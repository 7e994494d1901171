/* SPDX-License-Identifier: Apache-2.0 */
#include "flow/tree_option.h"

static enum rc set_one(const struct tree *value, const struct option *o, void *settings,
                       struct arena *arena, const char *where, struct problems *problems)
{
    if (value->kind != TREE_TEXT || value->is_null) {
        problems_add(problems, value->line, value->column, "%s: expected a value, found %s", where,
                     tree_kind_text(value));
        return RC_OK;
    }
    struct buf why = {.max = 1000};
    enum rc rc = option_set(o, settings, arena, value->text, &why);
    if (rc == RC_INVALID) {
        problems_add(problems, value->line, value->column, "%s: \"" STR_FMT "\": " STR_FMT, where,
                     STR_ARG(value->text), STR_ARG(buf_str(&why)));
        rc = RC_OK;
    }
    buf_done(&why);
    return rc;
}

enum rc tree_option(const struct tree *value, const struct option *o, void *settings,
                    struct arena *arena, const char *where, struct problems *problems)
{
    option_list_clear(o, settings);
    if (o->type != OPTION_LIST || value->kind != TREE_LIST)
        return set_one(value, o, settings, arena, where, problems);
    enum rc rc = RC_OK;
    for (size_t i = 0; i < value->count && rc == RC_OK; i++)
        rc = set_one(value->items[i], o, settings, arena, where, problems);
    return rc;
}
