/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_whole: what the other agents of a running cluster have of a crawl, brought here, so that a
 * command that looks into directories can look at the whole crawl.
 *
 *   DIR of a running agent     that directory, and what it asks of the others
 *   the operator's folder      what every agent of the plan says, by the operator's login
 *
 * Files of lines come piece by piece (cli/control_piece.h), each looked at by its checksum, into a
 * folder DIR/whole.XXXXXX that goes when the command ends. Each agent's files are as of the moment
 * when the first piece of each was asked for. Archives stay where they are. */
#ifndef CLI_CRAWL_WHOLE_H
#define CLI_CRAWL_WHOLE_H

#include "cli/command.h"
#include "cli/control_piece.h"

#include <jansson.h>

enum { WHOLE_PATH_BYTES = 4096 };

struct crawl_whole {
    const char *dir;               /* borrowed */
    bool is_operators;             /* DIR is the operator's folder */
    char me[80];                   /* the agent whose directory DIR is; "": nobody's */
    char folder[WHOLE_PATH_BYTES]; /* where it is brought; "": nothing was */
    json_t *rows;                  /* what each agent says of itself; NULL: no cluster runs there */
    struct buf missing;            /* names, with commas: who did not answer, or is away */
};

/* Asks who takes part, if a cluster is there to be asked; `rows` says whether it is. EXIT_DONE, or
 * says why not. */
int crawl_whole_open(struct crawl_whole *w, const char *dir);
void crawl_whole_close(struct crawl_whole *w); /* removes what was brought; accepts a zeroed one */

/* Calls `each` for every other agent that answers, once its files (bits of enum piece_file) are in
 * the folder `path`. Who fails meanwhile is among the missing. EXIT_DONE, or what `each` returned,
 * or says why not. */
int crawl_whole_bring(struct crawl_whole *w, unsigned files,
                      int (*each)(void *ctx, const char *agent, const char *path), void *ctx);

#endif
