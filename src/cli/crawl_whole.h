/* SPDX-License-Identifier: Apache-2.0 */
/* crawl_whole: copies files of the other agents of a running cluster, so that a command that reads
 * directories can read the whole crawl.
 *
 *   DIR of a running agent     that directory, and the others through that agent
 *   the operator's folder      every agent of the plan, with the operator's login
 *
 * Files of lines come piece by piece (control/control_piece.h), each checked by its hash, into a
 * folder DIR/whole.XXXXXX, which is removed when the command ends. Each file is as it was when its
 * first piece was asked for. Archives are not copied. */
#ifndef CLI_CRAWL_WHOLE_H
#define CLI_CRAWL_WHOLE_H

#include "cli/command.h"
#include "control/control_piece.h"

#include <jansson.h>

enum { WHOLE_PATH_BYTES = 4096 };

struct crawl_whole {
    const char *dir;               /* borrowed */
    bool is_operators;             /* DIR is the operator's folder */
    char me[80];                   /* the agent whose directory DIR is; "": no agent's */
    char folder[WHOLE_PATH_BYTES]; /* of the copies; "": there are none */
    json_t *rows;       /* the answer of each agent (cli/cluster_ask.h); NULL: no cluster */
    struct buf missing; /* names, with commas: agents that do not answer, or are away */
};

/* Asks for the agents, if a cluster runs there: then `rows` is not NULL. EXIT_DONE, or prints why
 * not. */
int crawl_whole_open(struct crawl_whole *w, const char *dir);
void crawl_whole_close(struct crawl_whole *w); /* removes the copies; accepts a zeroed one */

/* Calls `each` for every other agent that answers, when its files (bits of enum piece_file) are in
 * the folder `path`. An agent that fails meanwhile joins `missing`. EXIT_DONE, or what `each`
 * returned, or prints why not. */
int crawl_whole_copy(struct crawl_whole *w, unsigned files,
                     int (*each)(void *ctx, const char *agent, const char *path), void *ctx);

#endif
