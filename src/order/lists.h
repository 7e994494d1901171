/* SPDX-License-Identifier: Apache-2.0 */
/* lists: which of three lists a value belongs to, best values first, without sorting anything.
 *
 *        high values                                    low values
 *     bins |▁▂▁|▁▃▅|▇▇▇|█▇▅|▅▃▃|▂▂▁|▁▁|        a histogram of the values of late
 *           ◄─── list 0 ──►◄── list 1 ──►◄─ list 2 ─►
 *                         cut            cut
 *
 * The histogram has a bin for each value. It decays: what came lately counts, so that the cuts
 * follow the crawl. Adding and placing a value take the same small time however many came before.
 *
 * By thirds: the cuts are at round(n/3) and round(2n/3). Values of the bin that a cut goes through
 * are split in proportion. A stream may run away from its own past, as one that always rises: then
 * all of it would be of one list. So a list that is ahead of its third by 150 stays closed, and of
 * any 10,000 admissions each list gets 28 to 38 %, whatever comes.
 *
 * By bands: equal values are never split, and the first list is narrow: an eighth, then up to a
 * half. */
#ifndef ORDER_LISTS_H
#define ORDER_LISTS_H

#include "order/order.h"
#include "order/pvalue.h"

enum {
    ORDER_BINS = ORDER_VALUE_MAX - ORDER_VALUE_MIN + 1,
    ORDER_BLOCK = 64, /* bins with one sum */
};

struct order_lists {
    uint32_t bins[ORDER_BINS];
    uint32_t blocks[ORDER_BINS / ORDER_BLOCK];
    uint32_t total;
    uint32_t ties;               /* of bins that were split */
    int32_t credit[ORDER_LISTS]; /* in thirds of an admission: below 0, the list is ahead */
};                               /* zeroed, it is empty */

/* Takes a value into the histogram. */
void order_lists_add(struct order_lists *l, int value);

/* The list of a value by thirds, which it was added to before. Changes what settles ties. */
unsigned order_lists_place(struct order_lists *l, int value);

/* Adds and places a value that is admitted to a list. */
unsigned order_lists_admit(struct order_lists *l, int value);

/* The best list that the value can be of now, by thirds; changes nothing. Of an empty histogram
 * the first. */
unsigned order_lists_best(const struct order_lists *l, int value);

/* Adds a value, and says its list by bands. */
unsigned order_lists_band(struct order_lists *l, int value);

#endif
