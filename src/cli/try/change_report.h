/* SPDX-License-Identifier: Apache-2.0 */
/* change_report: a verdict for a person, or as one line of JSON. */
#ifndef CLI_TRY_CHANGE_REPORT_H
#define CLI_TRY_CHANGE_REPORT_H

#include "change/letters.h"
#include "change/verdict.h"

struct change_report {
    const struct change_verdict *verdict;
    const struct change_codes *codes;     /* of old and new */
    const struct change_letters *letters; /* likewise; absent strings for pictures */
    unsigned kinds;                       /* what the input can have: bits by enum change_kind */
};

void change_report_words(const struct change_report *r, struct buf *out);
void change_report_json(const struct change_report *r, struct buf *out);

#endif
