/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_ask: one question to every agent of a cluster, and what each answers.
 *
 * An answer is an array with a row for each agent: {"agent":…,"answer":…}, or
 * {"agent":…,"error":…} for an agent that does not answer. It is the caller's. */
#ifndef CLI_CLUSTER_ASK_H
#define CLI_CLUSTER_ASK_H

#include "cli/operator.h"

#include <jansson.h>

/* Asks every agent of the plan with the operator's login. *copies, unless NULL: how many copies of
 * a stream there are. EXIT_DONE, or prints why not. */
int cluster_ask_all(const struct operator_dir *o, const char *question, json_t **ret,
                    unsigned *copies);

/* Asks the agent that runs in `dir` for its view, which asks the others; the first row is its own.
 * EXIT_DONE, or prints why not. */
int cluster_ask_from(const char *dir, json_t **ret);

/* The row of that agent in the "members" of a view; NULL: it is no member. Borrowed. */
const json_t *cluster_member(const json_t *view, const char *agent);

#endif
