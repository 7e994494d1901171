/* SPDX-License-Identifier: Apache-2.0 */
/* stopped_crawl: reads the directory of a crawl that does not run. */
#ifndef CLI_STOPPED_CRAWL_H
#define CLI_STOPPED_CRAWL_H

#include "roles/ledger.h"
#include "roles/scope.h"

struct settings;

struct stopped_crawl {
    struct disk *disk;
    struct ledger *ledger;   /* NULL: DIR cannot be written */
    struct history *history; /* of the ledger, or opened to read; NULL: there is none */
    struct scope *scope;     /* drawn by the crawl's seeds; NULL: its settings are not known */
    struct url_idn *idn;
    uint32_t rules; /* by which its URLs are compared */
};

/* Whether a crawl was ever there. */
bool stopped_crawl_is_one(const char *dir);

/* The settings of the last start (cli/crawl/saved_settings.h), in the arena; false: unknown. */
bool stopped_crawl_settings(const char *dir, struct arena *arena, struct settings **ret);

/* Takes the crawl's lock until the close, and recovers its files as the next start would
 * (ledger/ledger.h); nothing else is written. Of a directory that cannot be written only history,
 * scope and lines are read: queues, hosts and robots.txt stay unknown. RC_LOCKED: the crawl runs;
 * `why`. */
MUST_CHECK enum rc stopped_crawl_open(struct stopped_crawl *d, const char *dir, struct arena *arena,
                                      struct buf *why);
void stopped_crawl_close(struct stopped_crawl *d); /* accepts a zeroed or half-open one */

/* The rules (url/normalise.h) that the crawl was last started with; the defaults where these are
 * not known. Options of the part `scope` count as given by --set; those of a wiring of one's own do
 * not. */
uint32_t stopped_crawl_rules(const char *dir, struct arena *arena);

/* Each line of DIR/state/seeds: a seed, and for where one redirects to, `from`: that seed; else
 * absent. EXIT_DONE, or what `each` returned to stop, or EXIT_USAGE: there never was a crawl. */
int stopped_crawl_seeds(const char *dir, int (*each)(void *ctx, struct str url, struct str from),
                        void *ctx);

/* Whether DIR/links/links.nodes names the URL: a page brought it into the crawl. */
bool stopped_crawl_names(struct stopped_crawl *d, uint64_t fingerprint);

#endif
