/* SPDX-License-Identifier: Apache-2.0 */
/* problems: what is wrong with a file that a person wrote, one line each:
 *
 *     crawl.yaml:7:14: components.match: unknown option "contians"; did you mean "contains"? */
#ifndef FLOW_PROBLEMS_H
#define FLOW_PROBLEMS_H

#include "base/buf.h"

enum { PROBLEMS_SHOWN = 20 }; /* the rest are counted */

struct problems {
    const char *file; /* borrowed; what lines begin with */
    size_t count;
    struct buf lines;
};

void problems_init(struct problems *p, const char *file);
void problems_done(struct problems *p);

/* Line and column count from 1. */
void problems_add(struct problems *p, unsigned line, unsigned column, const char *format, ...)
    PRINTF_LIKE(4, 5);

/* RC_INVALID if there are any, RC_NOMEM if one could not be written down, else RC_OK. */
MUST_CHECK enum rc problems_rc(const struct problems *p);

/* All lines, and "... and 3 more" if there were too many. */
void problems_print(const struct problems *p, struct buf *out);

/* Collects the name nearest to `wanted`, for "did you mean". Start from {.wanted = ...}. */
struct nearest {
    struct str wanted;
    struct str name; /* the best so far, absent if none is near */
    size_t distance;
};
void nearest_try(struct nearest *n, struct str name);

/* Appends `; did you mean "x"?`, or nothing. */
void nearest_print(const struct nearest *n, struct buf *out);

#endif
