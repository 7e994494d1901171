/* SPDX-License-Identifier: Apache-2.0 */
#include "report/tally.h"

#include <stdlib.h>

enum { BLOCK_BYTES = 256 << 10 };
static const size_t max_bytes = (size_t)1 << 36;

enum rc tally_init(struct tally *t, size_t row_bytes, uint32_t max_rows)
{
    *t = (struct tally){.row_bytes = row_bytes, .max = max_rows};
    map_init(&t->map, max_rows + 1);
    t->arena = arena_open(BLOCK_BYTES, max_bytes);
    return t->arena ? RC_OK : RC_NOMEM;
}

void tally_done(struct tally *t)
{
    map_done(&t->map);
    arena_close(t->arena);
    t->arena = NULL;
}

static void *add_row(struct tally *t, struct str name)
{
    struct str key = arena_dup(t->arena, name);
    struct str *row = arena_zero(t->arena, t->row_bytes);
    if (!key.p || !row || map_put(&t->map, key, row) != RC_OK)
        return NULL;
    *row = key;
    return row;
}

void *tally_row(struct tally *t, struct str name)
{
    void *row = map_get(&t->map, name);
    if (row)
        return row;
    if (t->map.count < t->max)
        return add_row(t, name);
    if (!t->others)
        t->others = map_get(&t->map, STR("(others)"));
    if (!t->others)
        t->others = add_row(t, STR("(others)"));
    return t->others;
}

void *tally_find(const struct tally *t, struct str name)
{
    return map_get(&t->map, name);
}

uint32_t tally_count(const struct tally *t)
{
    return t->map.count;
}

void *tally_at(const struct tally *t, uint32_t i)
{
    return t->map.rows[i].value;
}

void **tally_sorted(struct tally *t, int (*before)(const void *a, const void *b))
{
    void **rows = arena_alloc(t->arena, (tally_count(t) + 1) * sizeof *rows);
    for (uint32_t i = 0; rows && i < tally_count(t); i++)
        rows[i] = tally_at(t, i);
    if (rows && tally_count(t))
        qsort(rows, tally_count(t), sizeof *rows, before);
    return rows;
}
