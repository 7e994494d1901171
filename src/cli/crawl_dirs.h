/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_dirs: the directories on which a command works, of one crawl or of several as one. The
 * words of the command name them. The folder of `cluster up` stands for the directories of its
 * agents. The directory of one agent of a running cluster, and the operator's folder, stand for the
 * whole crawl: files of other machines are copied (cli/crawl_whole.h). */
#ifndef CLI_CRAWL_DIRS_H
#define CLI_CRAWL_DIRS_H

#include "cli/crawl_whole.h"
#include "outputs/crawl_dir.h"

enum { CRAWL_DIRS_MAX = 1024 };

struct crawl_dirs {
    size_t count;
    const char **paths;  /* in the arena */
    const char **labels; /* likewise: a name for each, no two alike */
    struct disk **disks;
    const char *folder; /* the word, where results of all may go; NULL: there were several words */
    struct crawl_whole whole;
};

struct crawl_dirs_want {
    unsigned files; /* bits of enum piece_file: what the command reads */
    bool here;      /* that directory alone, without the other agents */
    bool archives;  /* it reads archives, too, which are not copied from other machines */
};

static inline struct crawl_set crawl_dirs_set(const struct crawl_dirs *d)
{
    return (struct crawl_set){d->disks, d->count};
}
/* Whether it is the directory of one crawl and nothing more. */
bool crawl_dirs_are_one(const struct crawl_dirs *d);

/* EXIT_DONE, or prints which is not the directory of a crawl. */
int crawl_dirs_open(const struct invocation *in, const struct crawl_dirs_want *want,
                    struct crawl_dirs *ret);
/* Returns `code`; if that is EXIT_DONE and an agent's files are missing, prints so and returns
 * EXIT_CLUSTER. */
int crawl_dirs_end(const struct crawl_dirs *d, int code);
void crawl_dirs_close(struct crawl_dirs *d);

#endif
