/* SPDX-License-Identifier: Apache-2.0 */
/* run_clock: the time of a crawl: of this run, and of the runs before it. */
#ifndef ROLES_RUN_CLOCK_H
#define ROLES_RUN_CLOCK_H

#include "base/clock.h"

struct run_clock {
    struct clock *clock;
    uint64_t begun_ms;   /* the clock's, when this run began */
    uint64_t earlier_ms; /* of crawling, by earlier runs */
    uint64_t
        not_before_ms; /* the clock's: a crawl that begins anew gives its hosts a pause first */
};

/* Milliseconds of crawling, earlier runs included. Any thread. */
uint64_t run_clock_elapsed_ms(const struct run_clock *r);

#endif
