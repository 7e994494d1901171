/* SPDX-License-Identifier: Apache-2.0 */
#include "scope/query_table.h"

#include "base/hash.h"
#include "base/mem.h"

#include <pthread.h>

enum { WAYS = 8, PARTS = 64, FIRST_SETS = 2 };

struct row {
    uint64_t path;  /* hash of host and path */
    uint64_t count; /* 0 = free */
};

struct part {
    pthread_mutex_t lock; /* guards the rest */
    struct row *rows;     /* WAYS for each set */
    uint64_t sets;        /* a power of two */
};

struct query_table {
    uint64_t seed;
    uint64_t sets_most; /* of a part */
    unsigned part_count;
    struct part parts[PARTS];
};

struct query_table *query_table_open(unsigned set_bits, uint64_t seed)
{
    struct query_table *t = mem_zero(1, sizeof *t);
    if (!t)
        return NULL;
    uint64_t sets = UINT64_C(1) << set_bits;
    t->seed = seed;
    t->part_count = sets < PARTS ? (unsigned)sets : PARTS;
    t->sets_most = sets / t->part_count;
    bool ok = true;
    for (unsigned i = 0; i < t->part_count; i++) {
        struct part *p = &t->parts[i];
        p->sets = t->sets_most < FIRST_SETS ? t->sets_most : FIRST_SETS;
        p->rows = mem_zero(WAYS * p->sets, sizeof *p->rows);
        ok = ok && p->rows;
        pthread_mutex_init(&p->lock, NULL);
    }
    if (ok)
        return t;
    query_table_close(t);
    return NULL;
}

void query_table_close(struct query_table *t)
{
    if (!t)
        return;
    for (unsigned i = 0; i < t->part_count; i++) {
        pthread_mutex_destroy(&t->parts[i].lock);
        mem_free(t->parts[i].rows);
    }
    mem_free(t);
}

static struct row *set_of(const struct part *p, uint64_t path)
{
    return &p->rows[(path / PARTS & (p->sets - 1)) * WAYS];
}

static bool is_full(const struct row *set)
{
    unsigned used = 0;
    for (unsigned i = 0; i < WAYS; i++)
        used += set[i].count > 0;
    return used == WAYS;
}

static void put(struct row *set, const struct row *row)
{
    while (set->count)
        set++;
    *set = *row;
}

/* Twice as many sets: the rows of each are divided among two. Without memory it stays as it is. */
static void part_grow(struct part *p)
{
    struct part more = {.sets = 2 * p->sets};
    more.rows = mem_zero(WAYS * more.sets, sizeof *more.rows);
    if (!more.rows)
        return;
    for (const struct row *r = p->rows; r < p->rows + WAYS * p->sets; r++)
        if (r->count)
            put(set_of(&more, r->path), r);
    mem_free(p->rows);
    p->rows = more.rows;
    p->sets = more.sets;
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
    struct part *p = &t->parts[hash % t->part_count];
    pthread_mutex_lock(&p->lock);
    if (p->sets < t->sets_most && is_full(set_of(p, hash)))
        part_grow(p);
    struct row *row = row_of(set_of(p, hash), hash);
    bool may = row->count < most;
    row->count += may;
    pthread_mutex_unlock(&p->lock);
    return may;
}
