/* SPDX-License-Identifier: Apache-2.0 */
#include "witness/asked.h"

#include "base/hash.h"
#include "base/mem.h"

enum { FIRST_ROWS = 64, TYPE_A = 1, TYPE_AAAA = 28 };
#define NAMES_BYTES (UINT64_C(1) << 30)

void asked_init(struct asked *a)
{
    memset(a, 0, sizeof *a);
    index_init(&a->index, ASKED_MAX_ROWS);
    texts_init(&a->names, NAMES_BYTES);
}

void asked_done(struct asked *a)
{
    mem_free(a->rows);
    index_done(&a->index);
    texts_done(&a->names);
    asked_init(a);
}

static bool rows_have_room(struct asked *a)
{
    if (a->count < a->cap)
        return true;
    uint32_t cap = a->cap ? 2 * a->cap : FIRST_ROWS;
    struct asked_row *bigger = mem_resize(a->rows, cap * sizeof *bigger);
    if (!bigger)
        return false;
    a->rows = bigger;
    a->cap = cap;
    return true;
}

/* As in tally.c, the index holds row + 1, and a 0 in it is tried again. */
static struct asked_row *row_put(struct asked *a, struct asked_row row)
{
    uint64_t kind = (uint64_t)row.type << 16 | row.rcode;
    uint32_t *number = index_put(&a->index, hash64_seeded(row.name, kind));
    if (!number)
        return NULL;
    if (*number)
        return &a->rows[*number - 1];
    if (!rows_have_room(a))
        return NULL;
    row.name = texts_add(&a->names, row.name);
    if (!row.name.p)
        return NULL;
    a->rows[a->count] = row;
    *number = ++a->count;
    return &a->rows[*number - 1];
}

void asked_note(struct asked *a, struct str name, uint16_t type, uint16_t rcode)
{
    a->queries++;
    a->a += type == TYPE_A;
    a->aaaa += type == TYPE_AAAA;
    a->other += type != TYPE_A && type != TYPE_AAAA;
    a->rcodes[rcode < ASKED_RCODES ? rcode : ASKED_RCODES - 1]++;
    struct asked_row *row = row_put(a, (struct asked_row){name, type, rcode, 0});
    if (row)
        row->count += row->count < UINT32_MAX;
    else
        a->missed++;
}
