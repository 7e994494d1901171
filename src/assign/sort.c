/* SPDX-License-Identifier: Apache-2.0 */
#include "assign/sort.h"

#include "base/mem.h"

enum { DIGITS = 8, VALUES = 256 };

static unsigned digit_of(uint64_t key, int digit)
{
    return key >> (8 * digit) & (VALUES - 1);
}

static void pass(const struct sort_row *from, struct sort_row *to, uint32_t count, int digit,
                 const uint32_t *sizes)
{
    uint32_t next[VALUES];
    uint32_t at = 0;
    for (int v = 0; v < VALUES; v++) {
        next[v] = at;
        at += sizes[v];
    }
    for (uint32_t i = 0; i < count; i++)
        to[next[digit_of(from[i].key, digit)]++] = from[i];
}

enum rc sort_rows(struct sort_row *rows, uint32_t count)
{
    struct sort_row *other = mem_alloc(count * sizeof *other);
    if (!other)
        return RC_NOMEM;
    uint32_t sizes[DIGITS][VALUES] = {{0}};
    for (uint32_t i = 0; i < count; i++)
        for (int d = 0; d < DIGITS; d++)
            sizes[d][digit_of(rows[i].key, d)]++;
    /* an even number of passes ends in the array where it began */
    for (int d = 0; d < DIGITS; d += 2) {
        pass(rows, other, count, d, sizes[d]);
        pass(other, rows, count, d + 1, sizes[d + 1]);
    }
    mem_free(other);
    return RC_OK;
}
