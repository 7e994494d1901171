/* SPDX-License-Identifier: Apache-2.0 */
/* clock: what time it is, from the kernel or from a test.
 *
 * Domain code is handed now_ms and never asks; the loop that hands it out asks here. now_ms grows
 * monotonically from an arbitrary origin and goes on while the machine sleeps; wall_ms is
 * milliseconds since 1970 and may jump. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

struct clock {
    uint64_t (*now_ms)(struct clock *c);
    uint64_t (*wall_ms)(struct clock *c);
    /* Returns when now_ms has reached the moment: the real one sleeps, the simulated one jumps. */
    void (*wait_until)(struct clock *c, uint64_t moment_ms);
};

/* The kernel's clocks (CLOCK_BOOTTIME, CLOCK_REALTIME); one clock that all callers share; it is
 * never freed. */
struct clock *clock_real(void);

/* A clock that stands still until it is moved. Not for sharing between threads. */
struct clock_simulated {
    struct clock clock;
    uint64_t now;
    uint64_t wall;
};

void clock_simulated_init(struct clock_simulated *c, uint64_t now_ms, uint64_t wall_ms);
void clock_simulated_advance(struct clock_simulated *c, uint64_t by_ms);

/* Turns the wall clock alone, as an operator or NTP does; it may go back. */
void clock_simulated_jump(struct clock_simulated *c, int64_t by_ms);

static inline uint64_t clock_now_ms(struct clock *c)
{
    return c->now_ms(c);
}

static inline uint64_t clock_wall_ms(struct clock *c)
{
    return c->wall_ms(c);
}

#endif
