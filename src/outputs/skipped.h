/* SPDX-License-Identifier: Apache-2.0 */
/* skipped: a line of reports/skippedPages.jsonl: a URL that was not fetched, and why. */
#ifndef OUTPUTS_SKIPPED_H
#define OUTPUTS_SKIPPED_H

#include "base/buf.h"

struct skipped {
    struct str url;
    unsigned depth;
    struct str reason;
};

/* With its LF. */
void skipped_print(struct buf *out, const struct skipped *s);

#endif
