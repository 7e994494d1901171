/* SPDX-License-Identifier: Apache-2.0 */
/* facts: bytes that many simulated journals hold, kept once. Every agent journals every entry of
 * the roster, and a thousand copies of it would take most of a simulation's memory. */
#ifndef SIMULATE_FACTS_H
#define SIMULATE_FACTS_H

#include "base/rc.h"
#include "base/str.h"

struct fact {
    struct fact *next;
    uint64_t hash;
    uint32_t refs, bytes;
    char text[];
};

struct facts;
struct facts *facts_open(uint32_t buckets); /* a power of two; NULL: no memory */
/* after all facts that were taken have been given back */
void facts_close(struct facts *f);

struct fact *facts_take(struct facts *f, struct str bytes); /* NULL: no memory */
void facts_give(struct facts *f, struct fact *one);

static inline struct str fact_str(const struct fact *one)
{
    return str_make(one->text, one->bytes);
}

#endif
