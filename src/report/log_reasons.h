/* SPDX-License-Identifier: Apache-2.0 */
/* log_reasons: why URLs have no answer, in the words of crawl.log.
 *
 * The history keeps the code of a failure. Its words ("connection refused", "its address is
 * private") are only in the annotations of the URL's last line in crawl.log.
 *
 *     log_reasons_init(&r);
 *     log_reasons_want(&r, url);             each URL of interest
 *     log_reasons_read(&r, crawl);           one pass over the log
 *     log_reasons_of(&r, url, -2)            "connection refused" */
#ifndef REPORT_LOG_REASONS_H
#define REPORT_LOG_REASONS_H

#include "report/tally.h"

#include "disk/disk.h"

enum { LOG_REASONS_MAX_URLS = 1 << 26 };

struct log_reasons {
    struct tally urls;
};

MUST_CHECK enum rc log_reasons_init(struct log_reasons *r); /* RC_NOMEM */
void log_reasons_done(struct log_reasons *r);

MUST_CHECK enum rc log_reasons_want(struct log_reasons *r, struct str url); /* RC_NOMEM */
MUST_CHECK enum rc log_reasons_read(struct log_reasons *r, struct disk *crawl);

/* Absent: the URL's last line has another code, or says no more than the code does. */
struct str log_reasons_of(const struct log_reasons *r, struct str url, int code);

#endif
