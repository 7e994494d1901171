/* SPDX-License-Identifier: Apache-2.0 */
/* running: the simulated web that serves from a folder, as its run.json describes it. */
#ifndef COMMANDS_RUNNING_H
#define COMMANDS_RUNNING_H

#include "commands/command.h"

/* Fills the web's settings from DIR/run.json. RC_NOT_FOUND: nothing runs there (nothing is changed
 * then); RC_INVALID: it is no run.json of ours. */
MUST_CHECK enum rc running_settings(struct str dir, struct world_settings *web,
                                    struct arena *arena);

/* Asks the control port of the web that runs from DIR. On RC_OK *ret holds the body of a 200. On
 * anything else `why` says what happened and what to do. */
MUST_CHECK enum rc running_ask(struct str dir, const char *method, const char *path,
                               struct buf *ret, struct buf *why);

#endif
