/* SPDX-License-Identifier: Apache-2.0 */
/* order: what one record says about another, checked as an archive is read in constant memory.
 *
 * All of it is noted, nothing is a fault: the standard allows archives to be cut and merged, so a
 * record's relatives may be in another file. Of the records seen, the names of about the last
 * 65,536 are remembered. */
#ifndef WARC_ORDER_H
#define WARC_ORDER_H

#include "warc/record.h"

enum warc_order_note {
    WARC_ORDER_NO_INFO = 1 << 0,       /* the first record is not a warcinfo */
    WARC_ORDER_INFO_UNSEEN = 1 << 1,   /* WARC-Warcinfo-ID names no record seen */
    WARC_ORDER_CONCURRENT = 1 << 2,    /* WARC-Concurrent-To names a record not seen yet */
    WARC_ORDER_NO_REFERENCE = 1 << 3,  /* a revisit that does not say what it refers to */
    WARC_ORDER_FUTURE = 1 << 4,        /* a revisit of something captured later */
    WARC_ORDER_TWICE = 1 << 5,         /* a WARC-Record-ID used before */
    WARC_ORDER_ORIGIN_UNSEEN = 1 << 6, /* a continuation whose first segment was not seen */
};
enum { WARC_ORDER_NOTES = 7 };
const char *warc_order_text(enum warc_order_note note);

/* NULL without memory. */
struct warc_order *warc_order_open(void);
void warc_order_close(struct warc_order *o);

/* For another archive. */
void warc_order_reset(struct warc_order *o);

/* The notes on the next record of the archive. */
unsigned warc_order_add(struct warc_order *o, const struct warc_record *r);

#endif
