/* SPDX-License-Identifier: Apache-2.0 */
/* status_show: prints the status of a crawl of several agents: the sum, then each agent. */
#ifndef CLI_OPERATE_STATUS_SHOW_H
#define CLI_OPERATE_STATUS_SHOW_H

#include "cli/operator.h"

#include <jansson.h>

/* An agent's answer with "cluster" in it (control_status_of_all). */
void status_show_all(json_t *answer, const char *dir, bool as_json);

/* Asks every agent of the plan with the operator's login; an exit code. */
int status_show_cluster(const struct operator_dir *o, const char *dir, bool as_json);

#endif
