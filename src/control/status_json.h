/* SPDX-License-Identifier: Apache-2.0 */
/* status_json: reads the status of a crawl (control_status.c) as JSON, and adds up those of the
 * agents of a cluster. The table of counters (roles/counters.h) says which members are numbers, so
 * that a new counter needs nothing here. */
#ifndef CONTROL_STATUS_JSON_H
#define CONTROL_STATUS_JSON_H

#include "roles/counters.h"

#include <jansson.h>

/* A counter of a status; not of COUNTED_BY_REASONS. 0 if it is absent. */
uint64_t status_counter(const json_t *status, enum counter_id id);
/* Of COUNTED_BY_REASONS: the object of its reasons, borrowed; NULL if it is absent. */
json_t *status_reasons(const json_t *status, enum counter_id id);

/* The sum of several agents' statuses, the caller's. `rows` is an array of
 * {"agent":…,"answer":STATUS} or {"agent":…,"error":…}; the latter adds nothing. Each counter is
 * added up, so are "rate" and the numbers of "sink"; "elapsed_ms" is the longest; "state" is that
 * of all agents, or "not all alike". */
json_t *status_sum(const json_t *rows);

#endif
