/* SPDX-License-Identifier: Apache-2.0 */
#include "base/map.h"

#include "base/hash.h"
#include "base/mem.h"

enum { FIRST_SLOTS = 16, MAX_SLOTS = 1 << 30 };

void map_init(struct map *m, uint32_t max_entries)
{
    *m = (struct map){.max = max_entries};
}

void map_done(struct map *m)
{
    mem_free(m->rows);
    mem_free(m->slots);
    *m = (struct map){.max = m->max};
}

/* The slot that holds `key`, or the free one where it belongs. The table is never full. */
static uint32_t slot_of(const uint32_t *slots, uint32_t slot_count, const struct map_row *rows,
                        struct str key)
{
    uint32_t at = (uint32_t)hash64(key) & (slot_count - 1);
    while (slots[at] && !str_eq(rows[slots[at] - 1].key, key))
        at = (at + 1) & (slot_count - 1);
    return at;
}

static enum rc grow_table(struct map *m)
{
    uint32_t slot_count = m->slot_count ? m->slot_count * 2 : FIRST_SLOTS;
    if (slot_count > MAX_SLOTS)
        return RC_LIMIT;
    uint32_t *slots = mem_zero(slot_count, sizeof *slots);
    if (!slots)
        return RC_NOMEM;
    struct map_row *rows = mem_resize(m->rows, slot_count * 3 / 4 * sizeof *rows);
    if (!rows) {
        mem_free(slots);
        return RC_NOMEM;
    }
    for (uint32_t i = 0; i < m->count; i++)
        slots[slot_of(slots, slot_count, rows, rows[i].key)] = i + 1;
    mem_free(m->slots);
    m->slots = slots;
    m->rows = rows;
    m->slot_count = slot_count;
    return RC_OK;
}

enum rc map_put(struct map *m, struct str key, void *value)
{
    if (map_has(m, key))
        return RC_EXISTS;
    if (m->count == m->max)
        return RC_LIMIT;
    if (m->count == m->slot_count * 3 / 4) {
        enum rc rc = grow_table(m);
        if (rc)
            return rc;
    }
    m->rows[m->count] = (struct map_row){key, value};
    m->slots[slot_of(m->slots, m->slot_count, m->rows, key)] = ++m->count;
    return RC_OK;
}

static const struct map_row *row_of(const struct map *m, struct str key)
{
    if (m->count == 0)
        return NULL;
    uint32_t row = m->slots[slot_of(m->slots, m->slot_count, m->rows, key)];
    return row ? &m->rows[row - 1] : NULL;
}

void *map_get(const struct map *m, struct str key)
{
    const struct map_row *row = row_of(m, key);
    return row ? row->value : NULL;
}

bool map_has(const struct map *m, struct str key)
{
    return row_of(m, key) != NULL;
}
