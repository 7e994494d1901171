/* SPDX-License-Identifier: Apache-2.0 */
/* differences: where two trees differ, level by level from the top.
 *
 * Subtrees with the same hash are the same and are not looked into. Where two children's lists
 * differ, equal beginnings and ends are set aside, then the rest is aligned, first by equal
 * subtrees, then by equal names, looking at most CHANGE_LOOK_AHEAD siblings ahead, so the time
 * grows with the number of elements and not with its square. An element without a partner was added
 * or removed with everything in it; one with another name and the same inside was renamed.
 *
 * The list is in level order. It turns one tree into the other, but is not always the shortest list
 * that does. */
#ifndef CHANGE_DIFFERENCES_H
#define CHANGE_DIFFERENCES_H

#include "change/tree.h"

enum {
    CHANGE_LOOK_AHEAD = 32,
    CHANGE_MAX_DIFFERENCES = 16, /* told one by one; the rest is counted */
    CHANGE_PATH_BYTES = 160,
};

enum change_difference_kind { CHANGE_ADDED, CHANGE_REMOVED, CHANGE_RENAMED };

/* "added", "removed", "renamed". */
const char *change_difference_kind_name(enum change_difference_kind kind);

/* `path` is "html>body>div[2]>p[5]", NUL behind it: names from the outside in, with a number among
 * siblings of the same name if there are several. A removed element's path is of the old page, all
 * others' of the new one. It is valid UTF-8 without control characters; names are cut after 24
 * bytes, and of a long path the middle is left out ("html>body>...>td[3]>b"). */
struct change_difference {
    enum change_difference_kind kind;
    uint32_t level;               /* of the element, html's is 1 */
    uint32_t elements;            /* with everything inside; 1 for a renamed one */
    char path[CHANGE_PATH_BYTES]; /* where it is now, or was */
};

struct change_differences {
    struct change_difference list[CHANGE_MAX_DIFFERENCES];
    uint32_t count;          /* of `list` */
    uint32_t all;            /* differences found, told or not */
    uint32_t added, removed; /* elements */
    uint32_t renamed;        /* elements */
    double similarity;       /* elements the two have in common over their mean number, 0..1 */
};

/* RC_NOMEM leaves *ret undefined. Scratch memory is taken from the arena. */
MUST_CHECK enum rc change_differences(const struct change_tree *old, const struct change_tree *new,
                                      struct arena *arena, struct change_differences *ret);

#endif
