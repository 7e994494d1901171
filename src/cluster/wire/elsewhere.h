/* SPDX-License-Identifier: Apache-2.0 */
/* elsewhere: pages of this agent's hosts that other agents have archived, one line each.
 *
 *     state/elsewhere   done NAME INC TIME PATH CLASS URL   agent NAME archived it, in the
 *                                                           directory that began with its
 *                                                           incarnation INC
 *                       again - 0 0 PATH CLASS URL          that was lost: this agent fetches it
 *                                                           again
 *     state/agent       NAME INC                            the agent of this directory, and the
 *                                                           incarnation that it began with
 *
 * PATH is the seed path. An agent that comes back with an empty directory has a new incarnation,
 * and its directory begins with it: what it archived in directories that began earlier is lost. An
 * agent that comes back with its directory also has a new incarnation, but its directory is the old
 * one. So a capture is lost if and only if its INC is below that of NAME's present directory. */
#ifndef CLUSTER_WIRE_ELSEWHERE_H
#define CLUSTER_WIRE_ELSEWHERE_H

#include "cluster/wire/records.h"

#define ELSEWHERE_PATH "state/elsewhere"
#define ELSEWHERE_AGENT_PATH "state/agent"
enum { ELSEWHERE_MAX_LINE = RECORDS_MAX_PATH_BYTES + 2048 };

struct elsewhere {
    bool is_again;
    struct str name; /* borrowed, like all texts here */
    uint64_t inc, time_ms;
    struct str seed_path;
    uint8_t class;
    struct str url;
};

/* The line of a record, with its LF; nothing if the record names no archive. Failures stick. */
void elsewhere_print(const struct record *r, struct buf *out);
/* `line` has no LF. RC_INVALID: it is no such line. */
MUST_CHECK enum rc elsewhere_parse(struct str line, struct elsewhere *ret);

void elsewhere_print_agent(struct str name, uint64_t inc, struct buf *out);
MUST_CHECK enum rc elsewhere_parse_agent(struct str line, struct str *ret_name, uint64_t *ret_inc);

#endif
