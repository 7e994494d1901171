/* SPDX-License-Identifier: Apache-2.0 */
/* help: what --help, the manual and shell completion say, all from the tables of commands. */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"

void help_all(struct buf *out);                              /* orbweaver --help */
void help_command(struct buf *out, const struct command *c); /* orbweaver C --help */
void help_manual(struct buf *out, const char *version);      /* orbweaver.1, troff */
void help_completion(struct buf *out);                       /* for bash */

#endif
