/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_dir: the directory of a crawl that does not run, opened to look into. */
#ifndef CLI_CRAWL_DIR_H
#define CLI_CRAWL_DIR_H

#include "components/services.h"

struct crawl_dir {
    struct disk *disk;
    struct ledger *ledger;
    struct scope *scope; /* drawn by the crawl's seeds; NULL: its settings are not known */
    struct url_idn *idn;
};

/* Whether a crawl was ever there. */
bool crawl_dir_is_one(const char *dir);

/* Takes the crawl's lock until the close, and brings its files to where the next start would find
 * them (crawl/ledger.h, recovery); nothing else is written. RC_LOCKED: it runs. `why`. */
MUST_CHECK enum rc crawl_dir_open(struct crawl_dir *d, const char *dir, struct arena *arena,
                                  struct buf *why);
void crawl_dir_close(struct crawl_dir *d); /* accepts a zeroed or half-open one */

/* Each line of DIR/state/seeds: a seed, and for where one redirects to, `from`: that seed; else
 * absent. EXIT_DONE, or what `each` returned to stop, or EXIT_USAGE: no crawl was ever there. */
int crawl_dir_seeds(const char *dir, int (*each)(void *ctx, struct str url, struct str from),
                    void *ctx);

/* Each capture of the URL with that index key, in DIR/indexes. */
struct cdxj_entry;
void crawl_dir_captures(const char *dir, struct str key, struct str url,
                        void (*each)(void *ctx, const struct cdxj_entry *e), void *ctx);

#endif
