/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_dirs: the directories of one crawl or of several that are to be looked at as one: the
 * words of a command. The folder of `cluster up` stands for the directories of its agents. The
 * directory of one agent of a cluster that runs, and the operator's folder, stand for the whole
 * crawl: what other machines have of it is brought (cli/crawl_whole.h). */
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
    const char *folder; /* the one word that was given, where results of all may go; NULL: several
                           were */
    struct crawl_whole whole;
};

struct crawl_dirs_want {
    unsigned files; /* bits of enum piece_file: what is looked at */
    bool here;      /* of one directory that alone, though others take part */
    bool archives;  /* those are looked at too: what is on other machines is not enough */
};

static inline struct crawl_set crawl_dirs_set(const struct crawl_dirs *d)
{
    return (struct crawl_set){d->disks, d->count};
}
/* Whether it is the directory of one crawl and nothing more. */
bool crawl_dirs_are_one(const struct crawl_dirs *d);

/* EXIT_DONE, or says which is none of a crawl. */
int crawl_dirs_open(const struct invocation *in, const struct crawl_dirs_want *want,
                    struct crawl_dirs *ret);
/* `code`; or, where that is EXIT_DONE and some agent's part is missing, says so and is
 * EXIT_CLUSTER. */
int crawl_dirs_end(const struct crawl_dirs *d, int code);
void crawl_dirs_close(struct crawl_dirs *d);

#endif
