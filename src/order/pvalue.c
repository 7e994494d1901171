/* SPDX-License-Identifier: Apache-2.0 */
#include "order/pvalue.h"

enum { ONE = 1 << 16 }; /* s is counted in parts of it */
#define MOST_KNOWN (UINT64_C(1) << 46)

static uint64_t at_most(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

static int clamp(int64_t value)
{
    return value < ORDER_VALUE_MIN   ? ORDER_VALUE_MIN
           : value > ORDER_VALUE_MAX ? ORDER_VALUE_MAX
                                     : (int)value;
}

int order_pvalue(uint32_t forward, uint32_t back, uint64_t known, uint64_t half)
{
    if (!half)
        return clamp((int64_t)forward - back);
    known = at_most(known, MOST_KNOWN);
    int64_t s = (int64_t)(known * ONE / (known + at_most(half, MOST_KNOWN)));
    int64_t twice = (2 * ONE - s) * forward - (ONE + s) * back;
    int64_t value = (twice + ONE) / (2 * ONE); /* towards 0, so below 0 one too high: */
    return clamp((twice + ONE) % (2 * ONE) < 0 ? value - 1 : value);
}

int order_score_value(double score)
{
    return clamp((int64_t)(score * ORDER_VALUE_MAX));
}
