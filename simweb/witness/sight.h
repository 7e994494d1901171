/* SPDX-License-Identifier: Apache-2.0 */
/* sight: one request as the server saw it, from its head to its end. */
#ifndef WITNESS_SIGHT_H
#define WITNESS_SIGHT_H

#include "faults/fact.h"
#include "faults/fault.h"

enum sight_end {
    SIGHT_OPEN,        /* still being answered */
    SIGHT_WHOLE,       /* everything was handed to the kernel */
    SIGHT_CLIENT_LEFT, /* the client closed or reset before that */
    SIGHT_WE_ENDED,    /* the steps ended it: close, reset, a limit, patience */
};

struct sight {
    const struct fault *fault;
    struct str host; /* owned by the witness, as are the next */
    struct str label;
    struct str path;  /* with query, below the mount */
    uint32_t address; /* of ours that was connected to */
    uint64_t connection;
    uint32_t nth_on_conn;
    uint64_t start_us; /* monotonic; after the read that completed the head */
    uint64_t end_us;   /* before the last write; 0 while open */
    uint64_t bytes;    /* handed to the kernel */
    uint16_t status;
    enum sight_end end;
    unsigned facts;      /* enum sight_fact */
    uint64_t backoff_ms; /* the answer asked its host to be left alone that long; 0 = it did not */
};

/* A date in Retry-After names a moment by whole seconds of a clock that is not quite the client's,
 * wherever in the answer the client reads it. So a back-off counts from the start of the request,
 * and who comes less than this before its end has kept it. */
enum { BACKOFF_SLACK_MS = 20 };

/* Until when the host of a request that started then is to be left alone; 0 for no back-off. */
uint64_t backoff_until_us(uint64_t start_us, uint64_t backoff_ms);

/* "open", "whole", "client-left", "we-ended" */
const char *sight_end_name(enum sight_end end);

/* " Cookie Referer": each of the facts with a space before it. */
void sight_facts_print(unsigned facts, struct buf *out);

#endif
