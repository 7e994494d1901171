/* SPDX-License-Identifier: Apache-2.0 */
/* help: what a person reads, from the tables of options and commands. */
#ifndef COMMANDS_HELP_H
#define COMMANDS_HELP_H

#include "commands/command.h"

extern const struct command *const simweb_commands[]; /* NULL ends them */

/* One screen: what it is, the commands, the settings people change most. */
void help_all(struct buf *out);

/* A command with all its options. */
void help_command(struct buf *out, const struct command *c);

#endif
