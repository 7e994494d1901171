/* SPDX-License-Identifier: Apache-2.0 */
/* pvalue: what a page is worth by its links.
 *
 *     pvalue = af_F * forward - af_B * back
 *     s      = known / (known + half)        0: an empty database; 1/2: `half` URLs are known
 *     af_F   = 1 - s/2,  af_B = 1/2 + s/2
 *
 * `forward` is the number of links on the page, `back` the number of pages that link to it. A page
 * with many links leads to much that is new, so it comes first; one that many pages link to will be
 * found anyway. The weight shifts from forward to back links as the crawl comes to know more: with
 * one common factor it could not, for that only scales all values alike. Without ageing both
 * factors are 1. */
#ifndef ORDER_PVALUE_H
#define ORDER_PVALUE_H

#include <stdint.h>

enum { ORDER_VALUE_MIN = -1024, ORDER_VALUE_MAX = 1023 };
enum { ORDER_USUAL_HALF = 100000 };

/* Rounded to a whole number, and clamped to these. `half` 0: no ageing. */
int order_pvalue(uint32_t forward, uint32_t back, uint64_t known, uint64_t half);

/* The value of a score from 0 to 1. */
int order_score_value(double score);

#endif
