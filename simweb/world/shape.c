/* SPDX-License-Identifier: Apache-2.0 */
#include "world/shape.h"

#include <math.h>

/* 1 + 2^-s + … + n^-s: the first terms one by one, the rest as the integral. */
static double harmonic(uint64_t n, double s)
{
    enum { EXACT = 1000 };
    double sum = 0, rest = 0;
    for (uint64_t i = 1; i <= n && i <= EXACT; i++)
        sum += pow((double)i, -s);
    if (n > EXACT) {
        double from = EXACT + 0.5, to = (double)n + 0.5;
        rest = fabs(s - 1) < 1e-9 ? log(to / from) : (pow(to, 1 - s) - pow(from, 1 - s)) / (1 - s);
    }
    return sum + rest;
}

/* The pages of the largest host, such that all hosts together have `pages` on average. */
double shape_scale(const struct world_settings *s)
{
    double pages = (double)s->pages;
    if (s->host_sizes == WORLD_SIZES_EQUAL)
        return pages;
    return pages * (double)s->hosts / harmonic(s->hosts, s->zipf);
}

uint32_t shape_host_pages(const struct world_settings *s, double scale, uint64_t rank)
{
    if (s->host_sizes == WORLD_SIZES_EQUAL)
        return (uint32_t)s->pages;
    double pages = round(scale * pow((double)rank + 1, -s->zipf));
    if (pages >= WORLD_MAX_PAGES)
        return WORLD_MAX_PAGES;
    return pages < 1 ? 1 : (uint32_t)pages;
}

uint64_t shape_largest_host(const struct world_settings *s)
{
    return shape_host_pages(s, shape_scale(s), 0);
}

static bool tree_holds(uint64_t count, uint64_t branches, uint64_t depth)
{
    uint64_t level = 1, sum = 1;
    for (uint64_t d = 0; d < depth && sum < count; d++) {
        if (__builtin_mul_overflow(level, branches, &level))
            return true;
        sum += level;
    }
    return sum >= count;
}

uint64_t shape_branching(uint64_t count, uint64_t depth)
{
    double guess = floor(pow((double)count, 1.0 / (double)depth)) - 1;
    uint64_t branches = guess > 1 ? (uint64_t)guess : 1;
    while (branches > 1 && tree_holds(count, branches - 1, depth))
        branches--;
    while (!tree_holds(count, branches, depth))
        branches++;
    return branches;
}
