/* SPDX-License-Identifier: Apache-2.0 */
/* date: the moments in records and indexes, as milliseconds since 1970-01-01T00:00:00Z.
 *
 * WARC-Date is UTC, "2024-05-06T07:08:09Z"; WARC 1.1 allows a fraction of 1 to 9 digits and, for
 * old captures, less: "2024", "2024-05", "2024-05-06", "2024-05-06T07:08Z". What is missing counts
 * as the first moment it could mean. Digits below the millisecond are dropped. Years 0 to 9999. */
#ifndef WARC_DATE_H
#define WARC_DATE_H

#include "base/buf.h"

/* RC_INVALID on anything else, *ret_ms untouched. A 60th second counts as the next minute's first.
 */
MUST_CHECK enum rc warc_date_parse(struct str text, int64_t *ret_ms);

/* The calendar has no text for a moment outside the years 0 to 9999. */
bool warc_date_fits(int64_t ms);

/* Appends "2024-05-06T07:08:09Z", or with ".123" when there are milliseconds. A moment that does
 * not fit leaves RC_INVALID in the buf. */
void warc_date_print(struct buf *out, int64_t ms);

/* The 14 digits of CDXJ, "20240506070809": milliseconds are dropped. Same failure. */
void warc_ts14_print(struct buf *out, int64_t ms);

/* Exactly 14 digits that are a moment; RC_INVALID otherwise. */
MUST_CHECK enum rc warc_ts14_parse(struct str text, int64_t *ret_ms);

#endif
