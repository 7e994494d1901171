/* SPDX-License-Identifier: Apache-2.0 */
/* bench: how long a small thing takes, in CPU time of this thread, so that a noisy neighbour shows
 * less. A bench prints; it never decides. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdint.h>
#include <stdio.h>
#include <time.h>

static inline double bench_cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* The best of five runs of `body`, each doing `operations` operations: sets `ns` to one's cost. */
#define BENCH_BEST(ns, operations, body)                                                 \
    do {                                                                                 \
        (ns) = 1e300;                                                                    \
        for (int bench_round_ = 0; bench_round_ < 5; bench_round_++) {                   \
            double bench_start_ = bench_cpu_ns();                                        \
            body;                                                                        \
            double bench_each_ = (bench_cpu_ns() - bench_start_) / (double)(operations); \
            if (bench_each_ < (ns))                                                      \
                (ns) = bench_each_;                                                      \
        }                                                                                \
    } while (0)

/* Keeps the compiler from dropping a result nobody reads. */
#define BENCH_USE(value) __asm__ volatile("" : : "g"(value) : "memory")

/* One line: name, what was seen, what is wanted. */
static inline void bench_row(const char *name, double seen, const char *unit, const char *goal)
{
    printf("%-44s %12.2f %-8s goal %s\n", name, seen, unit, goal);
}

#endif
