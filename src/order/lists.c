/* SPDX-License-Identifier: Apache-2.0 */
#include "order/lists.h"

enum {
    UNIT = 16,        /* what a value adds to its bin: it can be halved four times */
    DECAY_AT = 2048,  /* admissions: the histogram is halved, so about that many count */
    MOST_AHEAD = 150, /* admissions */
    FIRST_BAND = 8,   /* an eighth of what there is, */
    SECOND_BAND = 2,  /* and a half */
};
/* Of 2^32: its multiples spread evenly, also those of every k-th tie. */
#define GOLDEN UINT32_C(0x9E3779B1)

static unsigned bin_of(int value)
{
    return (unsigned)(value - ORDER_VALUE_MIN);
}

static void halve(struct order_lists *l)
{
    l->total = 0;
    for (unsigned block = 0; block < ORDER_BINS / ORDER_BLOCK; block++) {
        l->blocks[block] = 0;
        for (unsigned i = 0; i < ORDER_BLOCK; i++)
            l->blocks[block] += l->bins[block * ORDER_BLOCK + i] /= 2;
        l->total += l->blocks[block];
    }
}

void order_lists_add(struct order_lists *l, int value)
{
    unsigned bin = bin_of(value);
    if (l->total >= DECAY_AT * UNIT)
        halve(l);
    l->bins[bin] += UNIT;
    l->blocks[bin / ORDER_BLOCK] += UNIT;
    l->total += UNIT;
}

/* What stands above a value. */
static uint32_t above(const struct order_lists *l, int value)
{
    unsigned bin = bin_of(value), block = bin / ORDER_BLOCK;
    uint32_t sum = 0;
    for (unsigned i = block + 1; i < ORDER_BINS / ORDER_BLOCK; i++)
        sum += l->blocks[i];
    for (unsigned i = bin + 1; i < (block + 1) * ORDER_BLOCK; i++)
        sum += l->bins[i];
    return sum;
}

/* A part of all that there is, rounded to whole values. */
static uint32_t cut(uint32_t total, uint32_t thirds)
{
    return (total * thirds / 3 + UNIT / 2) / UNIT * UNIT;
}

static unsigned list_at(const struct order_lists *l, uint32_t rank)
{
    return rank < cut(l->total, 1) ? 0 : rank < cut(l->total, 2) ? 1 : 2;
}

unsigned order_lists_place(struct order_lists *l, int value)
{
    uint32_t spread = ++l->ties * GOLDEN;
    uint32_t within = (uint32_t)((uint64_t)spread * l->bins[bin_of(value)] >> 32);
    return list_at(l, above(l, value) + within);
}

unsigned order_lists_best(const struct order_lists *l, int value)
{
    return l->total ? list_at(l, above(l, value)) : 0;
}

/* The list that is furthest behind. */
static unsigned furthest_behind(const struct order_lists *l)
{
    unsigned found = 0;
    for (unsigned i = 1; i < ORDER_LISTS; i++)
        if (l->credit[i] > l->credit[found])
            found = i;
    return found;
}

unsigned order_lists_admit(struct order_lists *l, int value)
{
    order_lists_add(l, value);
    unsigned list = order_lists_place(l, value);
    if (l->credit[list] <= -MOST_AHEAD * ORDER_LISTS)
        list = furthest_behind(l);
    for (unsigned i = 0; i < ORDER_LISTS; i++)
        l->credit[i]++;
    l->credit[list] -= ORDER_LISTS;
    return list;
}

unsigned order_lists_band(struct order_lists *l, int value)
{
    order_lists_add(l, value);
    uint32_t rank = above(l, value);
    return rank < l->total / FIRST_BAND ? 0 : rank < l->total / SECOND_BAND ? 1 : 2;
}
