/* SPDX-License-Identifier: Apache-2.0 */
#include "base/int_map.h"

#include "base/hash.h"
#include "base/mem.h"

enum { FIRST_ROOM = 64, KEY_BYTES = sizeof(uint64_t) };

void int_map_done(struct int_map *m)
{
    mem_free(m->rows);
    *m = (struct int_map){.value_bytes = m->value_bytes};
}

static uint64_t *row_at(const struct int_map *m, size_t at)
{
    return (uint64_t *)(void *)(m->rows + at * (KEY_BYTES + m->value_bytes));
}

static void *value_of(uint64_t *row)
{
    return row + 1;
}

static size_t home_of(const struct int_map *m, uint64_t key)
{
    return (size_t)hash64_mix(key) & (m->room - 1);
}

/* The row of a key that is not 0, or the free one where it belongs. The map has room. */
static size_t find_row(const struct int_map *m, uint64_t key)
{
    size_t at = home_of(m, key);
    while (*row_at(m, at) && *row_at(m, at) != key)
        at = (at + 1) & (m->room - 1);
    return at;
}

void *int_map_get(const struct int_map *m, uint64_t key)
{
    if (!key)
        return m->has_zero ? value_of(row_at(m, m->room)) : NULL;
    uint64_t *row = m->room ? row_at(m, find_row(m, key)) : NULL;
    return row && *row ? value_of(row) : NULL;
}

/* Three quarters may be taken. */
static size_t most_of(size_t room)
{
    return room / 4 * 3;
}

static bool resize(struct int_map *m, size_t room)
{
    struct int_map larger = *m;
    size_t row_bytes = KEY_BYTES + m->value_bytes;
    larger.room = room;
    larger.rows = mem_zero(room + 1, row_bytes); /* the last is that of the key 0 */
    if (!larger.rows)
        return false;
    for (size_t i = 0; i < m->room; i++)
        if (*row_at(m, i))
            memcpy(row_at(&larger, find_row(&larger, *row_at(m, i))), row_at(m, i), row_bytes);
    if (m->has_zero)
        memcpy(row_at(&larger, room), row_at(m, m->room), row_bytes);
    mem_free(m->rows);
    *m = larger;
    return true;
}

enum rc int_map_reserve(struct int_map *m, size_t count)
{
    size_t room = m->room ? m->room : FIRST_ROOM;
    while (most_of(room) < count)
        room *= 2;
    return room == m->room || resize(m, room) ? RC_OK : RC_NOMEM;
}

bool int_map_is_full(const struct int_map *m)
{
    return m->count >= most_of(m->room);
}

void *int_map_need(struct int_map *m, uint64_t key, bool *ret_is_new)
{
    void *value = int_map_get(m, key);
    if (ret_is_new)
        *ret_is_new = !value;
    if (value)
        return value;
    if (int_map_is_full(m) && int_map_reserve(m, m->count + 1) != RC_OK)
        return NULL;
    size_t at = key ? find_row(m, key) : m->room;
    *row_at(m, at) = key;
    m->has_zero = m->has_zero || !key;
    m->count++;
    return value_of(row_at(m, at));
}

/* The distance from a row's home to where it stands. */
static size_t strayed(const struct int_map *m, size_t at)
{
    return (at - home_of(m, *row_at(m, at))) & (m->room - 1);
}

/* What follows in the table moves up, unless that were before its home: nothing is left behind that
 * a search would have to pass over. */
static void close_gap(struct int_map *m, size_t gap)
{
    size_t mask = m->room - 1, row_bytes = KEY_BYTES + m->value_bytes;
    for (size_t at = (gap + 1) & mask; *row_at(m, at); at = (at + 1) & mask) {
        if (strayed(m, at) < ((at - gap) & mask))
            continue;
        memcpy(row_at(m, gap), row_at(m, at), row_bytes);
        gap = at;
    }
    memset(row_at(m, gap), 0, row_bytes);
}

bool int_map_remove(struct int_map *m, uint64_t key)
{
    if (!int_map_get(m, key))
        return false;
    if (key) {
        close_gap(m, find_row(m, key));
    } else {
        memset(row_at(m, m->room), 0, KEY_BYTES + m->value_bytes);
        m->has_zero = false;
    }
    m->count--;
    return true;
}

size_t int_map_rows(const struct int_map *m)
{
    return m->room ? m->room + 1 : 0;
}

void *int_map_next(const struct int_map *m, size_t *at, uint64_t *ret_key)
{
    while (*at < int_map_rows(m)) {
        uint64_t *row = row_at(m, *at);
        bool is_used = *at < m->room ? *row != 0 : m->has_zero;
        ++*at;
        if (is_used) {
            *ret_key = *row;
            return value_of(row);
        }
    }
    return NULL;
}
