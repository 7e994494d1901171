/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_dirs: the directories of one crawl or of several that are to be looked at as one: the
 * words of a command, where the folder of `cluster up` stands for the directories of its agents. */
#ifndef CLI_CRAWL_DIRS_H
#define CLI_CRAWL_DIRS_H

#include "cli/command.h"
#include "report/crawl_dir.h"

enum { CRAWL_DIRS_MAX = 1024 };

struct crawl_dirs {
    size_t count;
    const char **paths;  /* in the arena */
    const char **labels; /* likewise: a name for each, no two alike */
    struct disk **disks;
    const char *folder; /* the one word that was given, where results of all may go; NULL: several
                           were */
};

static inline struct crawl_set crawl_dirs_set(const struct crawl_dirs *d)
{
    return (struct crawl_set){d->disks, d->count};
}
/* Whether it is the directory of one crawl and nothing more. */
bool crawl_dirs_are_one(const struct crawl_dirs *d);

/* EXIT_DONE, or says which is none of a crawl. */
int crawl_dirs_open(const struct invocation *in, struct crawl_dirs *ret);
void crawl_dirs_close(struct crawl_dirs *d);

#endif
