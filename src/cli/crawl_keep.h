/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_keep: the settings that a crawl's directory keeps, so that the directory alone is enough to
 * go on, from any working directory. */
#ifndef CLI_CRAWL_KEEP_H
#define CLI_CRAWL_KEEP_H

#include "cli/settings.h"

#include "base/log.h"

#include <pthread.h>

/* Makes the names of files and folders absolute, wherever they are from. A seed file that the
 * directory keeps and that cannot be read any more is left out, with a warning on standard error:
 * its seeds were read by an earlier run, or are missing. */
MUST_CHECK enum rc crawl_keep_prepare(struct settings *s, const enum settings_source *sources,
                                      struct arena *arena);

/* RC_INVALID with `why`: a value is not UTF-8, so a file of YAML cannot keep it. */
MUST_CHECK enum rc crawl_keep_check(const struct settings *s, const enum settings_source *sources,
                                    struct buf *why);

/* Writes orbweaver.yaml, durably and whole. */
MUST_CHECK enum rc crawl_keep_save(const struct settings *s, const enum settings_source *sources);

/* What `orbweaver set` changes while the crawl runs is kept as a flag would be. */
struct crawl_keep {
    pthread_mutex_t lock; /* guards what the next three point to, while the control server runs */
    struct settings *settings;
    enum settings_source *sources;
    struct arena *arena;
    struct log *log;
};

/* From any thread. The value was found good. A failure is logged: then the setting holds for this
 * run alone. */
void crawl_keep_change(struct crawl_keep *k, struct str key, struct str value);

#endif
