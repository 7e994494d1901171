/* SPDX-License-Identifier: Apache-2.0 */
/* tree_option: a setting from what a person wrote in YAML. */
#ifndef FLOW_TREE_OPTION_H
#define FLOW_TREE_OPTION_H

#include "base/options.h"
#include "flow/tree.h"

/* Sets one value (a list replaces what was there). What is wrong with it joins `problems` under the
 * name `where` and is not set; the only failure is RC_NOMEM. */
MUST_CHECK enum rc tree_option(const struct tree *value, const struct option *o, void *settings,
                               struct arena *arena, const char *where, struct problems *problems);

#endif
