/* SPDX-License-Identifier: Apache-2.0 */
/* status_sum: the state of a crawl of several agents: what each says, added up. */
#ifndef CLI_STATUS_SUM_H
#define CLI_STATUS_SUM_H

#include "cli/operator.h"

#include <jansson.h>

/* An agent's answer with "cluster" in it (control_status_of_all). */
void status_sum_show(json_t *answer, const char *dir, bool as_json);

/* Asks every agent of the plan with the operator's login; an exit code. */
int cluster_status_sum(const struct operator_place *p, const char *dir, bool as_json);

/* cmd_cluster_status.c: one question to every agent of the plan; *ret is an array of
 * {"agent":…,"answer":…} or {"agent":…,"error":…}, the caller's. `copies`, if not NULL: how many
 * copies of a stream there are. An exit code. */
int cluster_ask_all(const struct operator_place *p, const char *question, json_t **ret,
                    unsigned *copies);
/* The same from the directory of a running agent, of what each agent says of itself ("agent"); it
 * is the first. */
int cluster_ask_from(const char *dir, json_t **ret);

#endif
