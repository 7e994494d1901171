/* SPDX-License-Identifier: Apache-2.0 */
/* config_file: orbweaver.yaml, a mapping from the keys of the table of settings to values. */
#ifndef CLI_CONFIG_FILE_H
#define CLI_CONFIG_FILE_H

#include "cli/settings.h"
#include "flow/tree.h"

enum { CONFIG_FILE_MAX_BYTES = 1 << 20 };

/* Sets what the file names and marks it FROM_FILE. Every wrong key and value joins `problems`, with
 * line and column: RC_INVALID. A file that cannot be read is a problem too. `sources` may be NULL.
 */
MUST_CHECK enum rc config_file_read(const char *path, struct settings *settings,
                                    enum settings_source *sources, struct arena *arena,
                                    struct problems *problems);

/* The same for text that has been read already. */
MUST_CHECK enum rc config_tree_read(const struct tree *root, struct settings *settings,
                                    enum settings_source *sources, struct arena *arena,
                                    struct problems *problems);

#endif
