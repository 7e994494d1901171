/* SPDX-License-Identifier: Apache-2.0 */
/* domain_table: what is counted of each registrable domain, in stripes with a lock each.
 *
 * domain_lock() finds or makes a domain's row and returns with its stripe locked; the row is the
 * caller's until domain_unlock(). A thread holds one row at a time. Rows are never removed. */
#ifndef SCOPE_DOMAIN_TABLE_H
#define SCOPE_DOMAIN_TABLE_H

#include "base/str.h"

enum {
    DOMAIN_LINKERS = 8,         /* other domains that link here; more are not told apart */
    DOMAIN_MOST_ROWS = 1 << 24, /* in all, about */
};

struct domain {
    struct domain *next;
    uint64_t pages, bytes;
    uint32_t hosts;
    uint32_t hash;                    /* of the name: stripe and bucket are in it */
    uint32_t linkers[DOMAIN_LINKERS]; /* hashes of their names */
    uint8_t linker_count;
    bool was_refused; /* a host of it was refused: it has enough */
    uint16_t name_bytes;
    char name[];
};

struct domain_table;

/* NULL without memory. `seed` is secret: without it the author of names could choose their rows. */
struct domain_table *domain_table_open(uint64_t seed);
void domain_table_close(struct domain_table *t);

/* NULL without memory, or when there are too many: then nothing is locked. */
struct domain *domain_lock(struct domain_table *t, struct str name);
void domain_unlock(struct domain_table *t, const struct domain *d);

/* Notes that `name`, another domain, links to this one. */
void domain_add_linker(struct domain *d, struct str name);

/* What a host counts as: its registrable domain, or itself. */
struct str domain_of_host(struct str host);

#endif
