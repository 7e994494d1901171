/* SPDX-License-Identifier: Apache-2.0 */
/* date: the dates of sitemaps and feeds, as milliseconds since 1970-01-01T00:00:00Z.
 *
 * Two families, told apart by their beginning:
 *     2004-10-01T18:23:17.5+01:00   W3C: any part may be missing from the right, a blank may stand
 *                                   for the T, an offset may lack its colon or its minutes
 *     Thu, 05 Jan 2017 13:34:51 EST RFC 822 and its successors: the weekday may be missing and is
 *                                   not believed, years may have two digits, seconds may be missing
 *
 * A time without a zone counts as UTC, as does a zone of letters that RFC 822 does not define. What
 * is missing counts as the first moment it could mean; a 60th second as the next minute's first.
 * Nothing but white space may follow. */
#ifndef SITEMAP_DATE_H
#define SITEMAP_DATE_H

#include "base/str.h"

/* False on anything else, *ret_ms untouched. Years 0 to 9999. */
bool sitemap_date_parse(struct str text, int64_t *ret_ms);

#endif
