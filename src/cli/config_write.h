/* SPDX-License-Identifier: Apache-2.0 */
/* config_write: settings as the YAML that config_file.h reads back. */
#ifndef CLI_CONFIG_WRITE_H
#define CLI_CONFIG_WRITE_H

#include "cli/crawl_files.h"
#include "cli/settings.h"

void config_write_value(struct buf *out, const struct option *o, const void *settings);

/* A text that is absent, or an empty list. */
bool config_is_unset(const struct option *o, const void *settings);

/* Whether the crawl's own file has a line for that setting: it is not of one run alone, and not the
 * default. */
bool config_is_saved(const struct option *o, const struct settings *settings,
                     const enum settings_source *sources);

/* Every saved setting, for the crawl's own directory. The text is UTF-8 if the values are. */
void config_write(struct buf *out, const struct settings *settings,
                  const enum settings_source *sources);

#endif
