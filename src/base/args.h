/* SPDX-License-Identifier: Apache-2.0 */
/* args: the words behind a command, read by its table of options.
 *
 * -x, -xVALUE, -x VALUE, --name, --name=VALUE, --name VALUE, --no-name for a bool, -- ends flags. A
 * bool takes a value only behind =. The flag of a list adds to it each time it comes, and empties
 * it with an empty value. A text of several values ("NAME,...") grows likewise, behind a comma. Of
 * any other flag that comes twice, the last one wins. */
#ifndef BASE_ARGS_H
#define BASE_ARGS_H

#include "base/options.h"

/* What a command gets: its settings filled (defaults, then flags), and the words left over. */
struct invocation {
    void *settings;
    bool *named;         /* by row of the table: a flag set it */
    struct arena *arena; /* ends with the command */
    char **words;        /* words[0..word_count), NULL behind the last */
    int word_count;
    struct str unknown; /* after ARGS_WRONG: the name or letter of a flag that the table lacks */
};

enum args_result { ARGS_OK, ARGS_HELP, ARGS_WRONG };

/* Fills in->settings (already at its defaults) and in->words from argv[0..argc). ARGS_WRONG comes
 * with `why` for the person: what is wrong and what was expected. */
enum args_result args_read(const struct option *table, int argc, char **argv, struct invocation *in,
                           struct buf *why);

#endif
