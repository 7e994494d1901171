/* SPDX-License-Identifier: Apache-2.0 */
/* file_list: archive files with a length and a word about each, in a file of lines that only grows:
 * NAME, blank, length in bytes, blank, word. The last line of a name wins.
 *
 *   state/sent     an archive machine has acknowledged the file (sent.h)
 *   state/sealed   the file is whole and stays so (sealed.h) */
#ifndef ARCHIVE_FILE_LIST_H
#define ARCHIVE_FILE_LIST_H

#include "disk/disk.h"

enum { FILE_LIST_MAX_FILES = 1 << 20, FILE_LIST_WORD_BYTES = 8 };

struct file_entry {
    struct str name;
    uint64_t bytes;
    char word[FILE_LIST_WORD_BYTES];
};

struct file_list;

/* `d` and `path` are borrowed. A line that cannot be read is passed over: a crash may leave one.
 * With `writes` such lines are removed, and file_list_add may be called; one process at a time. A
 * list that is not there is empty. RC_LIMIT past FILE_LIST_MAX_FILES. */
MUST_CHECK enum rc file_list_open(struct disk *d, const char *path, bool writes,
                                  struct file_list **ret);
void file_list_close(struct file_list *l); /* accepts NULL */

/* NULL: it is not in the list. Good until the next add. */
const struct file_entry *file_list_get(const struct file_list *l, struct str name);

/* By number, from 0, in the order of their first lines. */
uint32_t file_list_count(const struct file_list *l);
const struct file_entry *file_list_at(const struct file_list *l, uint32_t i);

/* Adds a line; it lasts after file_list_sync. RC_INVALID (a name with a blank, a word that is
 * empty or too long, a list that is only read), RC_LIMIT; and the disk's. */
MUST_CHECK enum rc file_list_add(struct file_list *l, struct str name, uint64_t bytes,
                                 const char *word);
MUST_CHECK enum rc file_list_sync(struct file_list *l);

#endif
