/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/query_table.h"

#include "base/hash.h"
#include "base/mem.h"

#include <pthread.h>

enum { WAYS = 8, LOCKS = 64 };

struct row {
    uint64_t path;  /* hash of host and path */
    uint64_t count; /* 0 = free */
};

struct query_table {
    uint64_t seed;
    uint64_t mask;
    struct row *rows;             /* WAYS for each set */
    pthread_mutex_t locks[LOCKS]; /* the i-th guards the sets whose number ends in i */
};

struct query_table *query_table_open(unsigned set_bits, uint64_t seed)
{
    struct query_table *t = mem_zero(1, sizeof *t);
    struct row *rows = t ? mem_zero((size_t)WAYS << set_bits, sizeof *rows) : NULL;
    if (!rows) {
        mem_free(t);
        return NULL;
    }
    t->seed = seed;
    t->mask = (UINT64_C(1) << set_bits) - 1;
    t->rows = rows;
    for (unsigned i = 0; i < LOCKS; i++)
        pthread_mutex_init(&t->locks[i], NULL);
    return t;
}

void query_table_close(struct query_table *t)
{
    if (!t)
        return;
    for (unsigned i = 0; i < LOCKS; i++)
        pthread_mutex_destroy(&t->locks[i]);
    mem_free(t->rows);
    mem_free(t);
}

/* The row of the path, or the row that it replaces. The search begins at a row that the path's hash
 * names: so different paths replace different rows, where several have equally few queries. */
static struct row *row_of(struct row *set, uint64_t path)
{
    unsigned first = (unsigned)(path >> 61);
    struct row *least = &set[first];
    for (unsigned i = 0; i < WAYS; i++) {
        struct row *p = &set[(first + i) % WAYS];
        if (p->path == path && p->count)
            return p;
        if (p->count < least->count)
            least = p;
    }
    *least = (struct row){.path = path};
    return least;
}

bool query_table_count(struct query_table *t, uint64_t host_hash, struct str path, uint64_t most)
{
    uint64_t hash = hash64_seeded(path, t->seed ^ hash64_mix(host_hash));
    uint64_t set = hash & t->mask;
    pthread_mutex_t *lock = &t->locks[set % LOCKS];
    pthread_mutex_lock(lock);
    struct row *p = row_of(&t->rows[set * WAYS], hash);
    bool may = p->count < most;
    p->count += may;
    pthread_mutex_unlock(lock);
    return may;
}
