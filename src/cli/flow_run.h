/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CLI_FLOW_RUN_H
#define CLI_FLOW_RUN_H

#include "flow/flow.h"

/* Runs the flow to its end. The first ^C or SIGTERM ends its sources, the second the program. One
 * at a time in a process. */
MUST_CHECK enum rc flow_run(struct flow *f, struct buf *why);

#endif
