/* SPDX-License-Identifier: Apache-2.0 */
/* sights: every request to a fault, a list for each fault, in the order they started. */
#ifndef WITNESS_SIGHTS_H
#define WITNESS_SIGHTS_H

#include "witness/sight.h"
#include "witness/texts.h"

enum sights_limits {
    SIGHTS_MAX_FAULTS = 256,
    SIGHTS_MAX_PATH = 4096, /* a longer path is cut there */
};

struct sights_list {
    const struct fault *fault;
    struct sight *list;
    uint32_t count;
    uint32_t cap;
    uint64_t dropped; /* over the maximum or without memory */
};

struct sights {
    struct sights_list lists[SIGHTS_MAX_FAULTS];
    uint32_t list_count;
    uint32_t count; /* of all lists */
    uint32_t max;
    struct texts texts;
};

/* Which sight, to find it again though its list moves. */
struct sights_place {
    uint32_t list; /* + 1; 0 = none was kept */
    uint32_t at;
};

void sights_init(struct sights *s, uint32_t max_sights);
void sights_done(struct sights *s);

/* Keeps a copy, texts included; {0, 0} if it could not (then it is counted as dropped). */
struct sights_place sights_add(struct sights *s, const struct sight *sight);

/* Borrowed until the next sights_add; NULL for {0, 0}. */
struct sight *sights_at(struct sights *s, struct sights_place place);

/* NULL if nothing was asked of the fault. */
const struct sights_list *sights_of(const struct sights *s, const struct fault *f);

#endif
