/* SPDX-License-Identifier: Apache-2.0 */
/* tree: a YAML document with the line and column of every value, and nothing of the YAML library.
 *
 * Limits: TREE_MAX_DEPTH levels, TREE_MAX_NODES values with every alias counted as often as it is
 * used (a small file cannot unfold into a large one), one document. A key may stand only once in a
 * mapping. Everything is in the caller's arena. */
#ifndef FLOW_TREE_H
#define FLOW_TREE_H

#include "base/arena.h"
#include "flow/problems.h"

enum { TREE_MAX_DEPTH = 12, TREE_MAX_NODES = 20000, TREE_MAX_KEYS = 1000 };

enum tree_kind { TREE_TEXT, TREE_LIST, TREE_MAP };

struct tree {
    enum tree_kind kind;
    unsigned line, column; /* from 1 */
    struct str text;       /* TREE_TEXT, NUL behind it */
    bool is_quoted;        /* TREE_TEXT: its first character stands one column further */
    bool is_null;          /* TREE_TEXT: nothing was written there, or ~ or null */
    struct tree **items;   /* TREE_LIST: values; TREE_MAP: key, value, key, value */
    size_t count;          /* of values in a list, of pairs in a map */
};

static inline const struct tree *tree_key(const struct tree *map, size_t i)
{
    return map->items[2 * i];
}

static inline const struct tree *tree_value(const struct tree *map, size_t i)
{
    return map->items[2 * i + 1];
}

/* The value of a key, or NULL. */
const struct tree *tree_get(const struct tree *map, struct str key);

/* "a list", for messages. */
const char *tree_kind_text(const struct tree *t);

/* RC_INVALID with problems; *ret is NULL for an empty document. */
MUST_CHECK enum rc tree_read(struct str yaml, struct arena *arena, struct problems *problems,
                             const struct tree **ret);

#endif
