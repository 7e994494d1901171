/* SPDX-License-Identifier: Apache-2.0 */
/* saved_settings: DIR/orbweaver.yaml, the settings of a crawl. The directory alone is enough to
 * resume the crawl, from any working directory. */
#ifndef CLI_CRAWL_SAVED_SETTINGS_H
#define CLI_CRAWL_SAVED_SETTINGS_H

#include "cli/settings.h"

#include "base/log.h"

#include <pthread.h>

/* Makes the names of files and folders absolute, wherever they are from. A seed file that the
 * directory names and that cannot be read any more is left out, with a warning on standard error:
 * an earlier run has read its seeds, or they are missing. */
MUST_CHECK enum rc saved_settings_prepare(struct settings *s, const enum settings_source *sources,
                                          struct arena *arena);

/* RC_INVALID with `why`: a seed file cannot be read, or a value is not UTF-8, which YAML needs. */
MUST_CHECK enum rc saved_settings_check(const struct settings *s,
                                        const enum settings_source *sources, struct buf *why);

/* Writes the file, durably and whole. */
MUST_CHECK enum rc saved_settings_write(const struct settings *s,
                                        const enum settings_source *sources);

/* The settings of a running crawl, for `orbweaver set`. */
struct saved_settings {
    pthread_mutex_t lock; /* guards what the next three point to, while the control server runs */
    struct settings *settings;
    enum settings_source *sources;
    struct arena *arena;
    struct log *log;
};

/* A setting_save of control/control_server.h: saves the value as if a flag had given it. `ctx` is a
 * struct saved_settings. From any thread. The value was found good. A failure is logged: then the
 * setting holds for this run alone. */
void saved_settings_change(void *ctx, struct str key, struct str value);

#endif
