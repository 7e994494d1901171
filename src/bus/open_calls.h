/* SPDX-License-Identifier: Apache-2.0 */
/* open_calls: calls of the bus that have not ended.
 *
 * Each call has a key that goes out with it and comes back with its answer. A call is in the table
 * from begin until the first of: its answer (end), its time limit (due), the loss of its connection
 * (older). Only the function that takes it out says how it ended, so each ticket ends exactly once;
 * a late or second answer finds no call. One thread owns the table. */
#ifndef BUS_OPEN_CALLS_H
#define BUS_OPEN_CALLS_H

#include "base/rc.h"

#include <stdbool.h>
#include <stdint.h>

enum open_call_kind { OPEN_APPEND, OPEN_GET, OPEN_ASK };

struct open_call {
    uint64_t ticket;
    uint64_t link; /* number of the connection that carried it; numbers grow */
    enum open_call_kind kind;
};

#define OPEN_CALLS_NEVER UINT64_MAX

struct open_calls;

/* Room for `max` calls, at most 65,536. NULL without memory. */
struct open_calls *open_calls_open(uint32_t max);
void open_calls_close(struct open_calls *c);

/* RC_AGAIN: the table is full. */
MUST_CHECK enum rc open_calls_begin(struct open_calls *c, const struct open_call *call,
                                    uint64_t due_ms, uint64_t *ret_key);

/* Each takes one call out; false: there is none. */
bool open_calls_end(struct open_calls *c, uint64_t key, struct open_call *ret);
bool open_calls_due(struct open_calls *c, uint64_t now_ms, struct open_call *ret);
bool open_calls_older(struct open_calls *c, uint64_t link, struct open_call *ret);

/* When the first call is due, or OPEN_CALLS_NEVER. */
uint64_t open_calls_next_ms(const struct open_calls *c);
uint32_t open_calls_count(const struct open_calls *c);

#endif
