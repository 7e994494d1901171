/* SPDX-License-Identifier: Apache-2.0 */
/* fault_rows: what a fault's table says a crawl must, must not and may fetch.
 *
 *   its index page            must
 *   EXPECT_FETCHED            must
 *   EXPECT_NEVER              known, with the fault's id as reason (also for cases it matches)
 *   every other case, path    may
 *   robots.txt of a host      must, if something of that host is or it is the site's own; else may
 *
 * A path that the table gives as a prefix is printed with its star (F62's /cal*), since there is no
 * end to what it stands for. The index has the depth given, its cases one more, all else two more.
 * Inside this folder only. */
#ifndef ORACLE_FAULT_ROWS_H
#define ORACLE_FAULT_ROWS_H

#include "oracle/oracle.h"

struct fault_rows {
    const struct world *world;
    const struct oracle_wish *wish;
    const struct fault *fault;
    int64_t host;          /* the ordinary host it is mounted on, -1 for its own */
    struct str seed_label; /* scope host: the only host in scope; absent: all are out of scope */
    uint64_t depth;        /* of the index page */
    int (*row)(void *ctx, const struct oracle_row *row);
    void *ctx;
};

/* RC_NOMEM, or RC_OK with *ret_stop the result of `row` that ended it, or 0. */
MUST_CHECK enum rc fault_rows(const struct fault_rows *f, int *ret_stop);

/* "f46", for a row's reason. */
struct fault_why {
    char text[4];
};
struct fault_why fault_why(const struct fault *f);

#endif
