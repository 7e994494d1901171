/* SPDX-License-Identifier: Apache-2.0 */
/* tally: counters by name: hosts, media types, answers.
 *
 * The owner's row begins with `struct str key`; the rest is its counters, zero at first. Servers
 * choose the names, so their number is not bounded: past the maximum all new ones share the row
 * "(others)". */
#ifndef REPORT_TALLY_H
#define REPORT_TALLY_H

#include "base/arena.h"
#include "base/map.h"

struct tally {
    struct map map;
    struct arena *arena;
    size_t row_bytes;
    uint32_t max;
    void *others;
};

/* NULL arena: no memory. */
MUST_CHECK enum rc tally_init(struct tally *t, size_t row_bytes, uint32_t max_rows);
void tally_done(struct tally *t);

/* The row of that name, made if absent; NULL without memory. */
void *tally_row(struct tally *t, struct str name);
/* NULL if absent. */
void *tally_find(const struct tally *t, struct str name);

uint32_t tally_count(const struct tally *t);
void *tally_at(const struct tally *t, uint32_t i); /* in the order they came */

/* All rows, sorted, in memory of the tally; NULL without memory. `before` compares two rows as
 * qsort does, through pointers to pointers. */
void **tally_sorted(struct tally *t, int (*before)(const void *a, const void *b));

#endif
