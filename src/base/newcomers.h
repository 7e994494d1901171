/* SPDX-License-Identifier: Apache-2.0 */
/* newcomers: connections that have not logged in yet. A stranger that opens many and sends nothing
 * must not keep others out:
 *
 *     newcomers_init(&n, 16, 8);                  16 in all, 8 of one source
 *     while ((old = newcomers_to_drop(&n, source)))
 *         close its connection; newcomers_leave(&n, old);
 *     number = newcomers_enter(&n, source);
 *     ... newcomers_leave(&n, number) when it has logged in, or is gone
 *
 * A source is a number: an address, a process. Where a source has `most_each`, its oldest makes
 * room; where all rows are taken, the oldest of the source with the most does. So a source that
 * floods drops its own, and the last to come always has a turn. No I/O, no clock, no lock. */
#ifndef BASE_NEWCOMERS_H
#define BASE_NEWCOMERS_H

#include <stdbool.h>
#include <stdint.h>

enum { NEWCOMERS_MAX = 64 };

struct newcomer {
    uint64_t number; /* 0 = the row is free */
    uint64_t source;
    uint64_t turn; /* the larger, the younger */
    bool stays;
};

struct newcomers {
    unsigned most, most_each; /* `most` up to NEWCOMERS_MAX */
    uint64_t last;
    struct newcomer rows[NEWCOMERS_MAX];
};

void newcomers_init(struct newcomers *n, unsigned most, unsigned most_each);

/* Which one has to go before one more of `source` may come; 0: none, or none that may go. */
uint64_t newcomers_to_drop(const struct newcomers *n, uint64_t source);

/* The number of the one that came; 0: no row is free. */
uint64_t newcomers_enter(struct newcomers *n, uint64_t source);

/* False: it has left before. */
bool newcomers_leave(struct newcomers *n, uint64_t number);

/* The connection has sent something: it counts as the youngest. With `stays` it is not dropped any
 * more. */
void newcomers_renew(struct newcomers *n, uint64_t number, bool stays);

#endif
