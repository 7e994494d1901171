/* SPDX-License-Identifier: Apache-2.0 */
/* damage_tree: a directory with everything below it, in memory, so that a test can write it anew
 * for each case, with one file damaged, and compare it with what an opening left. */
#ifndef LEDGER_DAMAGE_TREE_H
#define LEDGER_DAMAGE_TREE_H

#include "base/buf.h"

enum { TREE_MAX_ENTRIES = 400, TREE_MAX_PATH = 200, TREE_MAX_FILE_BYTES = 64 << 20 };

struct tree_entry {
    char path[TREE_MAX_PATH]; /* relative to the root */
    bool is_folder;
    struct buf bytes;
};

/* Entries in byte order of their paths, folders before what is in them. */
struct tree {
    struct tree_entry *entries;
    size_t count;
};

/* False: something below the root cannot be read, or is more than a tree holds. */
MUST_CHECK bool tree_read(const char *root, struct tree *ret);
/* Makes the root and all entries below it. */
MUST_CHECK bool tree_write(const struct tree *t, const char *root);
/* Entries are copied, bytes too. */
MUST_CHECK bool tree_copy(const struct tree *from, struct tree *ret);
void tree_done(struct tree *t);
/* Removes the directory and everything in it. */
void tree_remove(const char *root);

struct tree_entry *tree_find(const struct tree *t, const char *path);
/* Removes the entry; of a folder everything below it, too. */
void tree_drop(struct tree *t, const char *path);
/* Adds a copy of an entry that the tree does not have. */
MUST_CHECK bool tree_add(struct tree *t, const struct tree_entry *e);

/* Path of the first entry in which the two differ; NULL: none. Entries for which `is_exempt` says
 * so are passed over. */
const char *tree_difference(const struct tree *a, const struct tree *b,
                            bool (*is_exempt)(const char *path));

#endif
