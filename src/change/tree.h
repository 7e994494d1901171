/* SPDX-License-Identifier: Apache-2.0 */
/* tree: the page's elements as a tree, built with a stack of open elements.
 *
 *     node 0 (level 0)   the page itself, which has no name
 *       html (level 1)
 *         head  body (level 2)
 *
 * A start tag opens an element in the innermost open one, a void tag adds a leaf, an end tag
 * closes the nearest open element of its name with everything inside (or does nothing, if there is
 * none). Because pages leave out ends that HTML lets them leave out, a start tag first closes what
 * it implies closed, as long as that is innermost: <li> closes li and p, <td> closes td and th, a
 * block closes p, a heading closes a heading, and so on; any heading's end closes a heading. This
 * is not the tree a browser builds; it is one that is the same for the same tags, and near enough
 * to say where something is.
 *
 * `hash` stands for a whole subtree, names and shape; `inside` for the children alone. They are
 * made with base/hash.h, are the same on every machine, and do not resist an author who wants two
 * trees to look alike.
 *
 * Elements nested deeper than CHANGE_MAX_DEPTH stay at that level, as leaves. */
#ifndef CHANGE_TREE_H
#define CHANGE_TREE_H

#include "change/input.h"

enum {
    CHANGE_MAX_DEPTH = 512,
    CHANGE_LEVELS = 64, /* levels counted one by one */
};

enum { CHANGE_NO_NODE = 0xffffffff };

struct change_node {
    struct str name;    /* borrowed from the tags */
    uint64_t name_hash; /* of the name alone */
    uint64_t inside, hash;
    uint32_t parent, first_child, next; /* node numbers, CHANGE_NO_NODE for none */
    uint32_t level;
    uint32_t nodes; /* of the subtree, itself counted */
};

/* Nodes stand in the order of their start tags, so a parent comes before its children. */
struct change_tree {
    const struct change_node *nodes;
    uint32_t count; /* node 0 counted: a page of 8 elements has 9 */
};

/* The tree is in the arena and borrows the names from the tags. RC_NOMEM, or RC_LIMIT past
 * CHANGE_MAX_TAGS; *ret is untouched then. */
MUST_CHECK enum rc change_tree(const struct change_tag *tags, size_t count, struct arena *arena,
                               struct change_tree *ret);

/* Elements on each level (P11, the paper's "Structure II"): at[0] belongs to level 1. Level
 * CHANGE_LEVELS also counts everything deeper. */
struct change_levels {
    uint32_t at[CHANGE_LEVELS];
    uint32_t count; /* levels in use; the rest of `at` is zero */
};

void change_tree_levels(const struct change_tree *tree, struct change_levels *ret);

/* The levels whose number of elements differs: bit 0 is level 1. */
uint64_t change_levels_differ(const struct change_levels *a, const struct change_levels *b);

/* A 64-bit fingerprint of which element stands in which (own name, parent's, grandparent's): the
 * fewer bits differ between two pages, the more alike they are built. See simhash.h. */
uint64_t change_tree_simhash(const struct change_tree *tree);

#endif
