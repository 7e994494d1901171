/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_dirs: the directories of one crawl or of several that are to be looked at as one: the
 * words of a command, where the folder of `cluster up` stands for the directories of its agents. */
#ifndef CLI_CRAWL_DIRS_H
#define CLI_CRAWL_DIRS_H

#include "cli/command.h"
#include "disk/disk.h"

enum { CRAWL_DIRS_MAX = 1024 };

struct crawl_dirs {
    size_t count;
    const char **paths; /* in the arena */
    struct disk **disks;
};

/* EXIT_DONE, or says which is none of a crawl. */
int crawl_dirs_open(const struct invocation *in, struct crawl_dirs *ret);
void crawl_dirs_close(struct crawl_dirs *d);

#endif
