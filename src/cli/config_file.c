/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/config_file.h"

#include "flow/tree_option.h"

static void unknown_key(const struct tree *key, struct problems *problems)
{
    struct nearest near = {.wanted = key->text};
    struct buf like = {.max = 1000};
    for (const struct option *o = settings_table; o->key; o++)
        nearest_try(&near, str_c(o->key));
    nearest_print(&near, &like);
    problems_add(problems, key->line, key->column, "unknown key \"" STR_FMT "\"" STR_FMT,
                 STR_ARG(key->text), STR_ARG(buf_str(&like)));
    buf_done(&like);
}

enum rc config_tree_read(const struct tree *root, struct settings *settings,
                         enum settings_source *sources, struct arena *arena,
                         struct problems *problems)
{
    if (!root)
        return RC_OK;
    if (root->kind != TREE_MAP) {
        problems_add(problems, root->line, root->column, "expected a mapping of keys, found %s",
                     tree_kind_text(root));
        return RC_INVALID;
    }
    for (size_t i = 0; i < root->count; i++) {
        const struct tree *key = tree_key(root, i);
        const struct option *o = option_find(settings_table, key->text);
        if (!o || str_eq(key->text, STR("config"))) { /* a file cannot name itself */
            unknown_key(key, problems);
            continue;
        }
        enum rc rc = tree_option(tree_value(root, i), o, settings, arena, o->key, problems);
        if (rc)
            return rc;
        if (sources)
            sources[o - settings_table] = FROM_FILE;
    }
    return problems_rc(problems);
}

enum rc config_file_read(const char *path, struct settings *settings, enum settings_source *sources,
                         struct arena *arena, struct problems *problems)
{
    struct buf text;
    const struct tree *root = NULL;
    enum rc rc = cli_read_file(path, CONFIG_FILE_MAX_BYTES, &text);
    if (rc == RC_OK)
        rc = tree_read(buf_str(&text), arena, problems, &root);
    else
        rc = rc == RC_NOMEM ? rc : RC_INVALID;
    if (rc == RC_OK)
        rc = config_tree_read(root, settings, sources, arena, problems);
    buf_done(&text);
    return rc;
}
